// SPDX-License-Identifier: Apache-2.0
#pragma once
// Spark's side of the unified pools in this process, in place of a JVM.

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/memory/spark/task_memory.h"
#include "src/memory/spark_backend.h"

namespace spillway::memory::spark {

// Comet's JVM-side consumer of a task, by which native operators ask Spark.
class CometConsumer final : public MemoryConsumer {
 public:
  // Frees what native operators of the task hold since `bytes` are missing, by way of the pool, and
  // says how much it was. Runs with the task's lock held.
  using Reclaim = std::function<absl::StatusOr<int64_t>(int64_t bytes)>;

  // Without `reclaim` it answers every request to spill with 0 bytes, as Comet's does. kUncounted
  // as before #5408, where Spark thinks that it uses nothing and does not even ask.
  explicit CometConsumer(TaskMemory& task, Accounting accounting = Accounting::kUncounted,
                         Reclaim reclaim = nullptr)
      : MemoryConsumer(task, MemoryMode::kOffHeap, "NativeMemoryConsumer", accounting),
        reclaim_(std::move(reclaim)) {}

  absl::StatusOr<int64_t> Spill(int64_t bytes, const Spiller&) override {
    if (!reclaim_) return 0;
    return reclaim_(bytes);
  }

 private:
  const Reclaim reclaim_;
};

// Blocks where Spark does.
class TaskBackend final : public SparkBackend {
 public:
  // `consumer` outlives this.
  explicit TaskBackend(MemoryConsumer& consumer) : consumer_(consumer) {}

  // For those who run the calls in steps: on whose behalf they are.
  MemoryConsumer& consumer() const { return consumer_; }

  absl::StatusOr<int64_t> Acquire(int64_t bytes) override { return consumer_.Acquire(bytes); }
  absl::Status Release(int64_t bytes) override {
    consumer_.Free(bytes);
    return absl::OkStatus();
  }

 private:
  MemoryConsumer& consumer_;
};

}  // namespace spillway::memory::spark
