// SPDX-License-Identifier: Apache-2.0
#include "src/memory/shared_pool.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "src/base/check.h"
#include "src/base/status.h"

namespace spillway::memory {

// A reservation of a consumer. Ours has the checks that all pools share.
class ReservationView final : public Pool {
 public:
  ReservationView(SharedPool& pool, Consumer& consumer) : pool_(pool), consumer_(consumer) {}
  ~ReservationView() override {
    if (held_ > 0) pool_.Return(consumer_, held_).IgnoreError();
  }
  ReservationView(const ReservationView&) = delete;
  ReservationView& operator=(const ReservationView&) = delete;

  absl::StatusOr<Grant> TryGrow(int64_t bytes) override {
    if (bytes < 0) return base::Invalid("pool: cannot grow by ", bytes, " bytes");
    if (bytes == 0) return Grant{.granted = true};
    SPILLWAY_ASSIGN_OR_RETURN(const Grant grant, pool_.Grow(consumer_, held_, bytes));
    if (grant.granted) held_ += bytes;
    return grant;
  }

  absl::Status Shrink(int64_t bytes) override {
    if (bytes < 0) return base::Invalid("pool: cannot shrink by ", bytes, " bytes");
    if (bytes > held_) {
      return base::Invalid("pool: cannot shrink by ", bytes, " bytes, only ", held_,
                           " are reserved");
    }
    if (bytes == 0) return absl::OkStatus();
    held_ -= bytes;
    return pool_.Return(consumer_, bytes);
  }

  int64_t reserved() const override { return held_; }

 private:
  SharedPool& pool_;
  Consumer& consumer_;
  int64_t held_ = 0;
};

namespace {

class ConsumerView final : public PoolConsumer {
 public:
  ConsumerView(SharedPool& pool, Consumer& consumer)
      : registration_(pool, consumer), first_(pool, consumer) {}

  absl::StatusOr<Grant> TryGrow(int64_t bytes) override { return first_.TryGrow(bytes); }
  absl::Status Shrink(int64_t bytes) override { return first_.Shrink(bytes); }
  int64_t reserved() const override { return first_.reserved(); }

  std::unique_ptr<Pool> Sibling() override {
    return std::make_unique<ReservationView>(registration_.pool, registration_.consumer);
  }

 private:
  struct Registration {
    Registration(SharedPool& p, Consumer& c) : pool(p), consumer(c) {}
    ~Registration() { pool.Leave(consumer); }
    SharedPool& pool;
    Consumer& consumer;
  };

  Registration registration_;  // ends after first_
  ReservationView first_;
};

std::string Size(int64_t bytes) {
  struct Unit {
    int64_t bytes;
    const char* name;
  };
  for (const Unit& unit : {Unit{int64_t{1} << 40, "TB"}, Unit{int64_t{1} << 30, "GB"},
                           Unit{int64_t{1} << 20, "MB"}, Unit{int64_t{1} << 10, "KB"}}) {
    if (bytes < 2 * unit.bytes) continue;
    return absl::StrFormat("%.1f %s", static_cast<double>(bytes) / static_cast<double>(unit.bytes),
                           unit.name);
  }
  return absl::StrFormat("%.1f B", static_cast<double>(bytes));
}

}  // namespace

std::unique_ptr<PoolConsumer> SharedPool::Register(std::string_view name, bool can_spill) {
  return std::make_unique<ConsumerView>(*this, Join(name, can_spill));
}

Consumer& SharedPool::Join(std::string_view name, bool can_spill) {
  auto consumer = std::make_unique<Consumer>();
  consumer->name = std::string(name);
  consumer->can_spill = can_spill;
  const std::lock_guard lock(mutex_);
  consumer->id = registrations_++;
  ++sums_.consumers;
  if (can_spill) ++sums_.spillers;
  return *consumers_.emplace_back(std::move(consumer));
}

void SharedPool::Leave(Consumer& consumer) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(consumers_.begin(), consumers_.end(),
                               [&](const auto& other) { return other.get() == &consumer; });
  SPILLWAY_CHECK(at != consumers_.end(), "a consumer leaves the pool that it joined, once");
  SPILLWAY_CHECK(consumer.bytes == 0, "a consumer leaves when it holds nothing");
  --sums_.consumers;
  if (consumer.can_spill) --sums_.spillers;
  consumers_.erase(at);
}

void SharedPool::Count(Consumer& consumer, int64_t bytes) {
  consumer.bytes += bytes;
  consumer.peak = std::max(consumer.peak, consumer.bytes);
  sums_.reserved += bytes;
  if (!consumer.can_spill) sums_.unspillable += bytes;
}

int64_t SharedPool::reserved() const {
  const std::lock_guard lock(mutex_);
  return sums_.reserved;
}

std::vector<Consumer> SharedPool::Consumers() const {
  const std::lock_guard lock(mutex_);
  std::vector<Consumer> out;
  for (const auto& consumer : consumers_) out.push_back(*consumer);
  return out;
}

std::string TopConsumers(const SharedPool& pool, size_t count) {
  std::vector<Consumer> consumers = pool.Consumers();
  std::stable_sort(consumers.begin(), consumers.end(),
                   [](const Consumer& a, const Consumer& b) { return a.bytes > b.bytes; });
  if (consumers.size() > count) consumers.resize(count);
  std::string text;
  for (const Consumer& consumer : consumers) {
    text += base::Cat(text.empty() ? "  " : ",\n  ", consumer.name, "#", consumer.id,
                      "(can spill: ", consumer.can_spill ? "true" : "false", ") consumed ",
                      Size(consumer.bytes), ", peak ", Size(consumer.peak));
  }
  return text.empty() ? text : text + ".";
}

}  // namespace spillway::memory
