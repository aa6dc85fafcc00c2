// SPDX-License-Identifier: Apache-2.0
#pragma once
// One task attempt's part of Spark's memory: consumers that spill for each other. Spark's
// TaskMemoryManager and MemoryConsumer.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "src/memory/monitor.h"
#include "src/memory/resumable_call.h"
#include "src/memory/spark/unified_memory.h"

namespace spillway::memory::spark {

class TaskMemory;

// Whether a consumer counts what it was granted.
enum class Accounting : uint8_t {
  kCounted,
  // As Comet's before #5408, which asks the task memory manager behind its own consumer's back:
  // used() stays 0, and so Spark never asks it to spill.
  kUncounted,
};

// Who asks for a task's memory, and may be told to spill it.
class MemoryConsumer : public Spiller {
 public:
  // `task` outlives the consumer. Consumers that use the same amount spill in the order in which
  // they were made, the latest first.
  MemoryConsumer(TaskMemory& task, MemoryMode mode, std::string name,
                 Accounting accounting = Accounting::kCounted);
  // No call of its task is under way: Spark's consumers live until their task ends.
  ~MemoryConsumer() override;
  MemoryConsumer(const MemoryConsumer&) = delete;
  MemoryConsumer& operator=(const MemoryConsumer&) = delete;

  TaskMemory& task() const { return task_; }
  MemoryMode mode() const { return mode_; }
  const std::string& name() const { return name_; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }

  // On a thread, to the end: see TaskAcquireCall.
  absl::StatusOr<int64_t> Acquire(int64_t bytes);
  // Gives back `bytes`; only what the task holds is taken.
  void Free(int64_t bytes);

  // For those who run a ReleaseCall in place of Free(): the consumer uses that much less.
  void CountFreed(int64_t bytes) { Count(-bytes); }

 private:
  friend class TaskAcquireCall;
  friend class TaskMemory;

  void Count(int64_t bytes) {
    if (accounting_ == Accounting::kCounted) used_.fetch_add(bytes, std::memory_order_relaxed);
  }

  TaskMemory& task_;
  const MemoryMode mode_;
  const std::string name_;
  const Accounting accounting_;
  const int64_t ordinal_;
  bool joined_ = false;  // is in the task's consumers_; guarded by its lock
  std::atomic<int64_t> used_ = 0;
};

// How a task looks for memory among its own consumers.
enum class SpillOrder : uint8_t {
  kAllTogether,  // the requester among the others, as the last: since SPARK-35486
  kOthersFirst,  // the others, then the requester by itself, whatever it holds: Spark before it
};

class TaskMemory {
 public:
  // `lock` is T, the task's own monitor. Both outlive this.
  TaskMemory(UnifiedMemory& memory, Monitor& lock, int64_t task,
             SpillOrder order = SpillOrder::kAllTogether)
      : memory_(memory), lock_(lock), task_(task), order_(order) {}
  TaskMemory(const TaskMemory&) = delete;
  TaskMemory& operator=(const TaskMemory&) = delete;

  UnifiedMemory& memory() const { return memory_; }
  Monitor& lock() const { return lock_; }
  int64_t task() const { return task_; }
  SpillOrder order() const { return order_; }

  // On a thread, to the end: see TaskEndCall.
  int64_t End();

 private:
  friend class MemoryConsumer;
  friend class TaskAcquireCall;
  friend class TaskEndCall;

  void Join(MemoryConsumer& consumer);
  void ForgetConsumers();

  UnifiedMemory& memory_;
  Monitor& lock_;
  const int64_t task_;
  const SpillOrder order_;
  std::atomic<int64_t> consumers_made_ = 0;
  // Those that an acquire has returned to, by when they were made. Guarded by lock_.
  std::vector<MemoryConsumer*> consumers_;
};

}  // namespace spillway::memory::spark
