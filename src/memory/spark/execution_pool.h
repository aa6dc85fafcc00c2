// SPDX-License-Identifier: Apache-2.0
#pragma once
// Spark's execution pool: N active tasks, each of which may hold 1/N of it and is sure of 1/2N.
// Spark 4.1.1's ExecutionMemoryPool; docs/memory/pools.md.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "src/memory/monitor.h"

namespace spillway::memory::spark {

// What a waiting task finds if its entry was removed meanwhile, since another thread of it gave
// everything back.
enum class MissingEntry : uint8_t {
  kFails,    // the acquire fails: Spark 4.1.1 and before
  kRestored  // the entry is made again: Spark after SPARK-59827
};

// The books alone; nothing here waits. All calls but lock() and the constructor are made inside
// lock(), by the calls of pool_calls.h. Sums are 64-bit two's complement and divisions truncate
// towards 0, as on the JVM, so that absurd sizes give what they give there.
class ExecutionPool {
 public:
  struct TaskBytes {
    int64_t task;
    int64_t bytes;
  };

  // What one attempt to acquire came to.
  struct Attempt {
    enum class Outcome : uint8_t {
      kGranted,
      kMustWait,  // then attempt again
      kNoEntry,   // the task is not active any more, under MissingEntry::kFails
    };
    Outcome outcome = Outcome::kGranted;
    int64_t granted = 0;
    int64_t evicted = 0;  // bytes of cached blocks that made room
  };

  // `lock` outlives the pool, and may be the lock of others too.
  ExecutionPool(Monitor& lock, int64_t size, MissingEntry missing = MissingEntry::kFails)
      : lock_(lock), size_(size), missing_(missing) {}
  virtual ~ExecutionPool() = default;
  ExecutionPool(const ExecutionPool&) = delete;
  ExecutionPool& operator=(const ExecutionPool&) = delete;

  Monitor& lock() const { return lock_; }

  int64_t size() const { return size_; }
  int64_t used() const { return used_; }
  int64_t free() const;
  // The active tasks, by ascending task. One that holds nothing, but asked and has not released
  // since, is active too and makes the shares of the others smaller.
  const std::vector<TaskBytes>& tasks() const { return tasks_; }
  // 0 for tasks that are not active.
  int64_t Held(int64_t task) const;

  // Makes `task` active. True: it was not, and those who wait must be notified.
  bool Register(int64_t task);

  // With N active tasks, `size` the pool's and `max` what it could grow to (MaxSize()): grants
  //
  //   min(bytes, max(0, max / N - held), free)
  //
  // unless that is less than `bytes` and leaves the task under its floor, size / 2N.
  Attempt TryAcquire(int64_t task, int64_t bytes);

  // Takes back `bytes`, or what the task holds if that is less. A task that then holds nothing is
  // active no more. Negative `bytes` are not refused, and give the task that much: as in Spark.
  // Those who wait must be notified, whatever it was.
  void Release(int64_t task, int64_t bytes);

  // InvalidArgument, and nothing moves: negative `bytes`. Nobody is notified of either.
  absl::Status IncrementSize(int64_t bytes);
  // InvalidArgument as well if `bytes` are more than the size, or in use.
  absl::Status DecrementSize(int64_t bytes);

 protected:
  // Makes the pool larger, if it can, since it has `missing` > 0 bytes less than a task asks for.
  // The bytes of blocks that it evicted for that.
  virtual int64_t Grow(int64_t missing);
  virtual int64_t MaxSize() const { return size_; }

 private:
  std::vector<TaskBytes>::iterator Find(int64_t task);

  Monitor& lock_;
  int64_t size_;
  const MissingEntry missing_;
  int64_t used_ = 0;  // the sum of tasks_
  std::vector<TaskBytes> tasks_;
};

}  // namespace spillway::memory::spark
