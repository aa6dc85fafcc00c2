// SPDX-License-Identifier: Apache-2.0
#pragma once
// An executor's memory on virtual threads: for tests of schedules.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/memory/lock_order.h"
#include "src/memory/resumable_call.h"
#include "src/memory/spark/task_memory.h"
#include "src/memory/spark/unified_memory.h"
#include "src/memory/virtual_threads.h"

namespace spillway::memory::spark {

// A consumer of a JVM operator; what it does when told to spill is the test's.
class ScriptedConsumer final : public MemoryConsumer {
 public:
  // The bytes to free of those that `self` uses.
  using Plan = std::function<int64_t(const ScriptedConsumer& self, int64_t bytes)>;

  // Without `plan` it frees nothing.
  ScriptedConsumer(TaskMemory& task, std::string name, Plan plan = nullptr)
      : MemoryConsumer(task, MemoryMode::kOffHeap, std::move(name)), plan_(std::move(plan)) {}

  int64_t PlannedFor(int64_t bytes) const { return plan_ ? plan_(*this, bytes) : 0; }

  // For real threads.
  absl::StatusOr<int64_t> Spill(int64_t bytes, const Spiller& trigger) override;

 private:
  const Plan plan_;
};

// Calls one after the other, each made when the one before is over.
class Program final : public ResumableCall {
 public:
  using Maker = std::function<std::unique_ptr<ResumableCall>()>;

  // Absent calls are passed over.
  explicit Program(std::vector<Maker> calls) : makers_(std::move(calls)) {}

  Step Next() override;
  void Answer(absl::StatusOr<int64_t> bytes) override { call_->Answer(std::move(bytes)); }

 private:
  const std::vector<Maker> makers_;
  size_t next_ = 0;
  std::unique_ptr<ResumableCall> call_;
};

// Off-heap memory without storage. Its monitors are "U" and "T1", "T2" and so on.
class VirtualSpark {
 public:
  // What stands in for a monitor, or the monitor itself: where a test plants faults.
  using Disguise = std::function<Monitor&(Monitor&)>;

  // `size` bytes in all.
  explicit VirtualSpark(int64_t size, MissingEntry missing = MissingEntry::kFails,
                        Disguise disguise = nullptr);

  ExecutionPool& pool() { return memory_->pool(MemoryMode::kOffHeap); }
  UnifiedMemory& memory() { return *memory_; }
  TaskMemory& Task(int64_t task);
  VirtualThreads& threads() { return threads_; }
  const LockOrder& order() const { return order_; }

  // What spills of consumers that are not ScriptedConsumers stand for; without it they free
  // nothing.
  void set_spill_meaning(std::function<NestedCall(const Request&)> meaning) {
    spill_meaning_ = std::move(meaning);
  }

  // Another monitor whose order is watched.
  Monitor& NewMonitor(std::string name);

  // A thread named `name` that runs `call`, which outlives the run.
  VirtualThread& Start(std::string name, ResumableCall& call) {
    return threads_.Start(std::move(name), call);
  }

 private:
  NestedCall Meaning(Step::Kind kind, const Request& request);

  const Disguise disguise_;
  std::function<NestedCall(const Request&)> spill_meaning_;
  LockOrder order_;
  std::vector<std::unique_ptr<Monitor>> monitors_;
  std::unique_ptr<UnifiedMemory> memory_;
  std::map<int64_t, std::unique_ptr<TaskMemory>> tasks_;
  VirtualThreads threads_;
};

// Lets random threads take random steps until nobody can; `after_step`, if any, runs after each.
// Empty if all are done, else who is stuck (VirtualThreads::DescribeStuck).
std::string RunAtRandom(VirtualThreads& threads, uint64_t seed,
                        const std::function<void()>& after_step = nullptr);

}  // namespace spillway::memory::spark
