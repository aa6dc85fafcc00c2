// SPDX-License-Identifier: Apache-2.0
#include "golden/spark_pools/replay.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "golden/gzip_file.h"
#include "nlohmann/json.hpp"
#include "src/memory/spark/pool_calls.h"
#include "src/memory/spark/task_calls.h"
#include "src/memory/spark/task_memory.h"
#include "src/memory/spark/unified_memory.h"
#include "src/memory/virtual_threads.h"

namespace spillway::golden {
namespace {

using memory::NestedCall;
using memory::Request;
using memory::ResumableCall;
using memory::Spiller;
using memory::Step;
using memory::VirtualMonitor;
using memory::VirtualThread;
using memory::VirtualThreads;
using memory::spark::Accounting;
using memory::spark::AcquireCall;
using memory::spark::ExecutionPool;
using memory::spark::LockedCall;
using memory::spark::MemoryConsumer;
using memory::spark::MemoryMode;
using memory::spark::ReleaseCall;
using memory::spark::TaskAcquireCall;
using memory::spark::TaskEndCall;
using memory::spark::TaskMemory;
using memory::spark::UnifiedMemory;
using memory::spark::UnifiedPool;
using nlohmann::json;

// Of the mode that a sequence is not about, which the file says nothing of; never short.
constexpr int64_t kOtherMode = int64_t{1} << 40;

// A consumer that spills as README.md lists.
class ScriptedConsumer final : public MemoryConsumer {
 public:
  ScriptedConsumer(TaskMemory& task, MemoryMode mode, const json& script)
      : MemoryConsumer(
            task, mode, script.at("id"),
            script.at("plan") == "native" ? Accounting::kUncounted : Accounting::kCounted),
        plan_(script.at("plan")),
        arg_(script.value("arg", int64_t{0})) {}

  // What it will free; its runner releases it. Never called through Spiller.
  absl::StatusOr<int64_t> Plan(int64_t bytes) const {
    if (plan_ == "throws") return absl::UnavailableError("disk full");
    if (plan_ == "exact") return std::min(used(), bytes);
    if (plan_ == "all") return used();
    if (plan_ == "half") return (used() + 1) / 2;
    if (plan_ == "chunk") return std::min(used(), arg_);
    if (plan_ == "page") return std::min(used(), (bytes + arg_ - 1) / arg_ * arg_);
    return 0;
  }

  absl::StatusOr<int64_t> Spill(int64_t bytes, const Spiller&) override { return Plan(bytes); }

 private:
  const std::string plan_;
  const int64_t arg_;
};

class Replayer {
 public:
  Replayer(const json& sequence, WakeOrder order)
      : sequence_(sequence),
        kind_(sequence.at("kind")),
        order_(order),
        threads_([this](Step::Kind, const Request& request) { return Spill(request); }) {
    mode_ = ModeOf(sequence);
    if (kind_ == "execution_pool") {
      alone_ = std::make_unique<ExecutionPool>(u_, sequence.at("pool_size"));
      return;
    }
    memory::spark::UnifiedMemoryOptions options;
    options.on_heap = options.off_heap = {.total = kOtherMode, .storage_region = kOtherMode / 2};
    (mode_ == MemoryMode::kOnHeap ? options.on_heap : options.off_heap) = {
        .total = sequence.at("pool_size"), .storage_region = sequence.at("storage_region_size")};
    options.eviction_listener = [this](std::string_view block, int64_t) {
      evicted_.push_back(std::string(block));
    };
    unified_ = std::make_unique<UnifiedMemory>(u_, options);
    if (!sequence.contains("consumers")) return;
    for (const json& script : sequence.at("consumers")) {
      const auto consumer =
          std::make_shared<ScriptedConsumer>(TaskOf(script.at("task")), ModeOf(script), script);
      consumers_.emplace(script.at("id"), consumer);
    }
  }

  json Run() {
    for (const json& recorded : sequence_.at("steps")) Take(recorded);
    return std::move(steps_);
  }

 private:
  // An acquire that has not returned yet, or the operation of the step under way.
  struct Outstanding {
    size_t step;
    int64_t task = 0;
    std::unique_ptr<ResumableCall> call;
    VirtualThread* thread = nullptr;
  };

  static MemoryMode ModeOf(const json& object) {
    return object.at("mode") == "ON_HEAP" ? MemoryMode::kOnHeap : MemoryMode::kOffHeap;
  }

  ExecutionPool& pool() { return alone_ ? *alone_ : unified(); }
  UnifiedPool& unified() { return unified_->pool(mode_); }

  TaskMemory& TaskOf(int64_t task) {
    std::unique_ptr<VirtualMonitor>& lock = task_locks_[task];
    if (lock == nullptr) {
      lock = std::make_unique<VirtualMonitor>("T" + std::to_string(task));
      tasks_[task] = std::make_unique<TaskMemory>(*unified_, *lock, task);
    }
    return *tasks_[task];
  }

  NestedCall Spill(const Request& request) {
    auto& consumer = static_cast<ScriptedConsumer&>(*request.spiller);
    const absl::StatusOr<int64_t> freed = consumer.Plan(request.bytes);
    json event = {{"consumer", consumer.name()},
                  {"asked", request.bytes},
                  {"trigger", static_cast<const MemoryConsumer&>(*request.trigger).name()},
                  {"used_before", consumer.used()}};
    if (freed.ok()) {
      event["freed"] = *freed;
    } else {
      event["threw"] = "java.io.IOException";
    }
    spills_.push_back(std::move(event));
    if (!freed.ok() || *freed == 0) return {nullptr, [freed] { return freed; }};
    return {std::make_unique<ReleaseCall>(unified_->pool(consumer.mode()), consumer.task().task(),
                                          *freed),
            [&consumer, freed] {
              consumer.CountFreed(*freed);
              return freed;
            }};
  }

  void Take(const json& recorded) {
    json step;
    for (const char* key : {"op", "task", "bytes", "consumer", "block", "order_matters"}) {
      if (recorded.contains(key)) step[key] = recorded.at(key);
    }
    const std::string op = recorded.at("op");
    const size_t index = steps_.size();
    steps_.push_back(std::move(step));
    Outstanding own{.step = index, .call = Begin(op, recorded, steps_.back())};
    if (own.call != nullptr) {
      own.task = recorded.value("task", int64_t{0});
      own.thread = &threads_.Start("step " + std::to_string(index), *own.call);
      outstanding_.push_back(std::move(own));
      Settle(recorded);
      for (const Outstanding& other : outstanding_) {
        if (other.step == index) {
          steps_[index].update(
              {{"blocked", true}, {"woken_by_step", nullptr}, {"granted", nullptr}});
        }
      }
    }
    NoteState(steps_[index]);
  }

  // The call that the step makes, if it makes one.
  std::unique_ptr<ResumableCall> Begin(const std::string& op, const json& recorded, json& step) {
    const int64_t task = recorded.value("task", int64_t{0});
    const int64_t bytes = recorded.value("bytes", int64_t{0});
    if (op == "increment_pool" || op == "decrement_pool") {
      const absl::Status status =
          op == "increment_pool" ? pool().IncrementSize(bytes) : pool().DecrementSize(bytes);
      if (!status.ok()) {
        step["threw"] = "java.lang.IllegalArgumentException";
        step["message"] = "requirement failed";
      }
      return nullptr;
    }
    if (op == "task_end") return std::make_unique<TaskEndCall>(TaskOf(task));
    if (op == "release_all") return std::make_unique<ReleaseCall>(pool(), task);
    if (op == "release") return std::make_unique<ReleaseCall>(pool(), task, bytes);
    if (op == "free") {
      MemoryConsumer& consumer = *consumers_.at(recorded.at("consumer"));
      consumer.CountFreed(bytes);
      return std::make_unique<ReleaseCall>(unified_->pool(consumer.mode()), task, bytes);
    }
    if (op == "acquire" && recorded.contains("consumer")) {
      return std::make_unique<TaskAcquireCall>(*consumers_.at(recorded.at("consumer")), bytes);
    }
    if (op == "acquire") return std::make_unique<AcquireCall>(pool(), task, bytes);
    return std::make_unique<LockedCall>(u_, [this, op, recorded, bytes, &step] {
      return UseStorage(op, recorded.at("block"), bytes, step);
    });
  }

  int64_t UseStorage(const std::string& op, const std::string& block, int64_t bytes, json& step) {
    if (op == "storage_put") {
      const UnifiedPool::Caching caching = *unified().Put(block, bytes);
      step["stored"] = caching.stored;
      return caching.evicted;
    }
    auto& storage = unified().storage();
    const absl::Status status = op == "storage_remove" ? storage.Remove(block)
                                : op == "storage_pin"  ? storage.Pin(block)
                                                       : storage.Unpin(block);
    if (op == "storage_remove") step["removed"] = status.ok();
    return 0;
  }

  // Lets every call go on until all have returned or wait.
  void Settle(const json& recorded) {
    const json woken = recorded.value("woken", json::array());
    for (;;) {
      const std::optional<size_t> next = Choose(woken);
      if (!next) return;
      Outstanding& chosen = outstanding_[*next];
      if (threads_.Run(*chosen.thread) != VirtualThreads::Stop::kDone) continue;
      NoteReturn(chosen);
      outstanding_.erase(outstanding_.begin() + static_cast<ptrdiff_t>(*next));
      threads_.Forget();
    }
  }

  // Those who were notified go first: a spill that freed something lets them before it returns.
  std::optional<size_t> Choose(const json& woken) const {
    std::optional<size_t> best;
    std::pair<int, size_t> best_rank;
    for (size_t i = 0; i < outstanding_.size(); ++i) {
      const Outstanding& call = outstanding_[i];
      if (!threads_.CanRun(*call.thread)) continue;
      std::pair<int, size_t> rank = {2, outstanding_.size() - i};
      if (call.thread->state() == VirtualThread::State::kNotified) {
        rank.first = 1;
        for (size_t k = 0; k < woken.size() && order_ == WakeOrder::kRecorded; ++k) {
          if (woken[k].at("acquire_step") == call.step) rank = {0, k};
        }
      }
      if (!best || rank < best_rank) {
        best = i;
        best_rank = rank;
      }
    }
    return best;
  }

  void NoteReturn(const Outstanding& call) {
    json& current = steps_.back();
    if (const auto* release = dynamic_cast<const ReleaseCall*>(call.call.get())) {
      if (current.at("op") == "release_all") current["freed"] = release->freed();
      return;
    }
    if (const auto* end = dynamic_cast<const TaskEndCall*>(call.call.get())) {
      current["freed"] = end->freed();
      return;
    }
    absl::StatusOr<int64_t> granted = 0;
    if (const auto* acquire = dynamic_cast<const AcquireCall*>(call.call.get())) {
      granted = acquire->granted();
    } else if (const auto* asked = dynamic_cast<const TaskAcquireCall*>(call.call.get())) {
      granted = asked->granted();
    } else {
      return;
    }
    const json outcome = Outcome(granted);
    json& own = steps_[call.step];
    own.update(outcome);
    if (call.step == steps_.size() - 1) return;
    own["woken_by_step"] = steps_.size() - 1;
    json event = outcome;
    event.erase("message");
    event.update({{"task", call.task}, {"acquire_step", call.step}});
    current["woken"].push_back(std::move(event));
  }

  static json Outcome(const absl::StatusOr<int64_t>& granted) {
    if (granted.ok()) return {{"granted", *granted}};
    const std::string message(granted.status().message());
    switch (granted.status().code()) {
      case absl::StatusCode::kInvalidArgument:
        return {{"threw", "java.lang.AssertionError"}, {"message", "assertion failed: " + message}};
      case absl::StatusCode::kNotFound:
        return {{"threw", "java.util.NoSuchElementException"}, {"message", message}};
      default:
        return {{"threw", "org.apache.spark.memory.SparkOutOfMemoryError"}, {"message", message}};
    }
  }

  void NoteState(json& step) {
    step[alone_ ? "pool_size" : "exec_pool_size"] = pool().size();
    step["used"] = pool().used();
    step["free"] = pool().free();
    step["per_task"] = json::object();
    for (const auto& [task, bytes] : pool().tasks()) step["per_task"][std::to_string(task)] = bytes;
    step["waiting"] = json::array();
    for (const Outstanding& call : outstanding_) step["waiting"].push_back(call.task);
    if (!spills_.empty()) step["spills"] = std::exchange(spills_, {});
    if (alone_) return;
    step["storage_pool_size"] = unified().storage().size();
    if (!evicted_.empty()) step["evicted"] = std::exchange(evicted_, {});
    if (kind_ == "unified") step["storage_used"] = unified().storage().used();
    if (kind_ == "unified") return;
    for (const auto& [id, consumer] : consumers_) step["consumer_used"][id] = consumer->used();
  }

  const json& sequence_;
  const std::string kind_;
  const WakeOrder order_;
  MemoryMode mode_ = MemoryMode::kOnHeap;
  VirtualMonitor u_{"U"};
  std::unique_ptr<ExecutionPool> alone_;
  std::unique_ptr<UnifiedMemory> unified_;
  std::map<int64_t, std::unique_ptr<VirtualMonitor>> task_locks_;
  std::map<int64_t, std::unique_ptr<TaskMemory>> tasks_;
  std::map<std::string, std::shared_ptr<ScriptedConsumer>> consumers_;
  VirtualThreads threads_;
  std::vector<Outstanding> outstanding_;  // by the step that made the call
  std::vector<std::string> evicted_;
  json spills_ = json::array();
  json steps_ = json::array();
};

}  // namespace

std::vector<json> ReadSparkPools() {
  const std::string text = ReadGzipFile("golden/spark_pools/spark_pools.jsonl.gz").value();
  std::vector<json> sequences;
  for (size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    sequences.push_back(json::parse(text.substr(at, end - at)));
  }
  return sequences;
}

json Replay(const json& sequence, WakeOrder order) { return Replayer(sequence, order).Run(); }

}  // namespace spillway::golden
