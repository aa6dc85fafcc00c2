// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a task attempt's writers ask for memory: Comet's pool of the task, and behind it Spark, or a
// pool that counts.

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/model/lock.h"
#include "sim/model/machine.h"
#include "src/memory/pool.h"
#include "src/memory/spark/task_backend.h"
#include "src/memory/spark/task_memory.h"
#include "src/memory/spark_backend.h"
#include "src/memory/spark_pool.h"

namespace spillway::sim {

// A pool in place of Spark: it grants a request whole, or nothing of it.
class PoolBackend final : public memory::SparkBackend {
 public:
  explicit PoolBackend(memory::Pool& pool) : pool_(pool) {}

  absl::StatusOr<int64_t> Acquire(int64_t bytes) override;
  // Of a request that was denied nothing is left to go back.
  absl::Status Release(int64_t bytes) override {
    return bytes == 0 ? absl::OkStatus() : pool_.Shrink(bytes);
  }

 private:
  memory::Pool& pool_;
};

class TaskPool {
 public:
  // Task attempt `task` on `machine`, which outlives this.
  TaskPool(Machine& machine, int64_t task);

  memory::SparkPool& pool() { return *pool_; }

  // Null where a counting pool is asked.
  memory::spark::TaskMemory* memory() { return memory_ ? &*memory_ : nullptr; }
  memory::spark::MemoryConsumer& consumer() { return *consumer_; }
  PoolBackend& backend() { return *counting_; }
  // Held while `backend` is asked. Null: nothing is.
  memory::Monitor* backend_lock();

 private:
  Machine& machine_;
  Lock own_lock_;  // T
  Lock mutex_;     // of fair_unified as it is
  std::optional<memory::spark::TaskMemory> memory_;
  std::optional<memory::spark::CometConsumer> consumer_;
  std::shared_ptr<PoolBackend> counting_;
  std::optional<memory::SparkPool> pool_;
};

}  // namespace spillway::sim
