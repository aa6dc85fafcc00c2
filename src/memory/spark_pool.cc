// SPDX-License-Identifier: Apache-2.0
#include "src/memory/spark_pool.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "src/base/check.h"
#include "src/base/status.h"

namespace spillway::memory {
namespace {

using Kind = Step::Kind;

uint64_t SteadyNanos() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

SparkPoolOptions WithClock(SparkPoolOptions options) {
  if (!options.clock) options.clock = SteadyNanos;
  return options;
}

}  // namespace

SparkPool::SparkPool(SparkPoolOptions options, std::shared_ptr<SparkBackend> backend)
    : options_(WithClock(std::move(options))),
      backend_(std::move(backend)),
      own_lock_("of fair_unified"),
      lock_(options_.kind == PoolKind::kGreedyUnified || CountsBeforeAsking() ? nullptr
            : options_.lock != nullptr                                        ? options_.lock
                                                                              : &own_lock_) {
  SPILLWAY_CHECK(
      options_.kind == PoolKind::kGreedyUnified || options_.kind == PoolKind::kFairUnified,
      "other pools are LocalPool");
  SPILLWAY_CHECK(options_.size >= 0, "a pool has no less than 0 bytes");
}

SparkPool::~SparkPool() {
  if (!options_.log) return;
  if (const int64_t left = reserved(); left != 0) {
    options_.log(base::Cat("Task ", options_.task, " dropped ", name(), " with ", left,
                           " bytes still reserved"));
  }
  const std::string line = counters().DebugLine(options_.task, name());
  if (!line.empty()) options_.log(line);
}

std::string_view SparkPool::name() const {
  return options_.kind == PoolKind::kFairUnified ? "CometFairMemoryPool" : "CometUnifiedMemoryPool";
}

bool SparkPool::CountsBeforeAsking() const {
  return options_.kind == PoolKind::kFairUnified && options_.variant == PoolVariant::kFixed;
}

int64_t SparkPool::Available(const Consumer& consumer) const {
  if (options_.kind == PoolKind::kGreedyUnified) return std::numeric_limits<int64_t>::max();
  if (options_.variant == PoolVariant::kAsIs) {
    const int64_t share = options_.size / sums_.consumers;
    return share - (options_.rule == FairRule::kPoolWide ? sums_.reserved : consumer.bytes);
  }
  const int64_t left = options_.size - sums_.reserved;
  if (!consumer.can_spill) return left;
  return std::min(left, (options_.size - sums_.unspillable) / sums_.spillers - consumer.bytes);
}

std::optional<int64_t> SparkPool::Refuse(Consumer& consumer, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const int64_t available = Available(consumer);
  if (bytes > available) return std::max<int64_t>(0, available);
  if (CountsBeforeAsking()) Count(consumer, bytes);
  return std::nullopt;
}

void SparkPool::CountLocked(Consumer& consumer, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  Count(consumer, bytes);
}

absl::StatusOr<Grant> SparkPool::Grow(Consumer& consumer, int64_t, int64_t bytes) {
  SparkGrowCall call(*this, consumer, bytes);
  RunBlocking(call, ThisThread());
  return call.grant();
}

absl::Status SparkPool::Return(Consumer& consumer, int64_t bytes) {
  SparkReturnCall call(*this, consumer, bytes);
  RunBlocking(call, ThisThread());
  return call.status();
}

Step SparkPoolCall::Cross(Kind kind, int64_t bytes) {
  crossing_ = kind;
  crossing_bytes_ = bytes;
  ++crossings_;
  began_ = pool_.options_.clock();
  return Ask(kind, {.bytes = bytes, .backend = pool_.backend_.get()});
}

void SparkPoolCall::Answer(absl::StatusOr<int64_t> bytes) {
  SPILLWAY_CHECK(crossing_ != Kind::kDone, "only a crossing has an answer");
  const uint64_t nanos = pool_.options_.clock() - began_;
  if (crossing_ == Kind::kAcquire && bytes.ok() && (*bytes < 0 || *bytes > crossing_bytes_)) {
    bytes = absl::InternalError(base::Cat("Spark granted ", *bytes, " bytes of ", crossing_bytes_));
  }
  const auto asked = static_cast<uint64_t>(crossing_bytes_);
  if (crossing_ == Kind::kAcquire) {
    pool_.counters_.CountAcquire(asked, bytes.ok() ? static_cast<uint64_t>(*bytes) : 0, nanos);
  } else {
    pool_.counters_.CountRelease(asked, nanos);
  }
  crossing_ = Kind::kDone;
  answer_ = std::move(bytes);
}

Step SparkGrowCall::Next() {
  switch (state_) {
    case State::kOutside:
      state_ = State::kInside;
      if (pool_.lock_ != nullptr) return {.kind = Kind::kEnter, .monitor = pool_.lock_};
      return Ask();
    case State::kInside:
      return Ask();
    case State::kAcquired:
      return Acquired();
    case State::kGivenBack:
      return GivenBack();
    case State::kOver:
      return {};
  }
  return {};
}

Step SparkGrowCall::Ask() {
  if (const std::optional<int64_t> available = pool_.Refuse(consumer_, bytes_)) {
    return Leave(Grant{.granted = false, .available = *available});
  }
  state_ = State::kAcquired;
  return Cross(Kind::kAcquire, bytes_);
}

Step SparkGrowCall::Acquired() {
  const bool counted = pool_.CountsBeforeAsking();
  if (answer_.ok() && *answer_ == bytes_) {
    if (!counted) pool_.CountLocked(consumer_, bytes_);
    return Leave(Grant{.granted = true});
  }
  if (!answer_.ok()) {
    if (counted) pool_.CountLocked(consumer_, -bytes_);
    return Leave(answer_.status());
  }
  grant_ = Grant{.granted = false, .available = *answer_};
  state_ = State::kGivenBack;
  return Cross(Kind::kRelease, *answer_);
}

Step SparkGrowCall::GivenBack() {
  if (pool_.CountsBeforeAsking()) pool_.CountLocked(consumer_, -bytes_);
  return Leave(answer_.ok() ? grant_ : answer_.status());
}

Step SparkGrowCall::Leave(absl::StatusOr<Grant> grant) {
  grant_ = std::move(grant);
  state_ = State::kOver;
  if (pool_.lock_ == nullptr) return {};
  return {.kind = Kind::kExit, .monitor = pool_.lock_};
}

Step SparkReturnCall::Next() {
  switch (state_) {
    case State::kOutside:
      state_ = State::kInside;
      if (pool_.lock_ != nullptr) return {.kind = Kind::kEnter, .monitor = pool_.lock_};
      [[fallthrough]];
    case State::kInside:
      state_ = State::kReturned;
      return Cross(Kind::kRelease, bytes_);
    case State::kReturned:
      pool_.CountLocked(consumer_, -bytes_);
      state_ = State::kOver;
      if (pool_.lock_ != nullptr) return {.kind = Kind::kExit, .monitor = pool_.lock_};
      return {};
    case State::kOver:
      return {};
  }
  return {};
}

}  // namespace spillway::memory
