// SPDX-License-Identifier: Apache-2.0
#pragma once
// The calls into Spark's memory manager that take its one lock, U, as steps (resumable_call.h).

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "src/memory/resumable_call.h"
#include "src/memory/spark/execution_pool.h"

namespace spillway::memory::spark {

// Execution memory for a task: enter U, make the task active, attempt, and wait and attempt again
// until it is granted in whole or in part, maybe nothing. Allocates nothing but the task's entry.
class AcquireCall final : public ResumableCall {
 public:
  // `pool` outlives the call.
  AcquireCall(ExecutionPool& pool, int64_t task, int64_t bytes)
      : pool_(&pool), task_(task), bytes_(bytes) {}

  Step Next() override;

  // Once it is over: what was granted.
  //
  //   InvalidArgument   `bytes` is 0 or less, as Spark asserts
  //   NotFound          the task's entry went while it waited
  const absl::StatusOr<int64_t>& granted() const { return granted_; }

  // How often it had to wait so far.
  int64_t waits() const { return waits_; }

 private:
  enum class State : uint8_t { kOutside, kInside, kAttempting, kDecided, kOver };

  Step Attempt();
  Step Decide();

  ExecutionPool* pool_;
  int64_t task_;
  int64_t bytes_;
  State state_ = State::kOutside;
  bool must_wait_ = false;
  int64_t waits_ = 0;
  absl::StatusOr<int64_t> granted_ = 0;
};

// Gives execution memory of a task back and wakes those who wait: `bytes` to one pool, or all that
// the task holds to one or two pools that have the same lock.
class ReleaseCall final : public ResumableCall {
 public:
  ReleaseCall(ExecutionPool& pool, int64_t task, int64_t bytes);

  // All of it.
  ReleaseCall(ExecutionPool& pool, int64_t task);
  ReleaseCall(ExecutionPool& first, ExecutionPool& second, int64_t task);

  Step Next() override;

  // Once it is over: what the task held of it.
  int64_t freed() const { return freed_; }

 private:
  enum class State : uint8_t { kOutside, kInside, kNotified, kLeaving, kOver };

  void Take(ExecutionPool& pool, int64_t bytes);

  ExecutionPool* first_;
  ExecutionPool* second_ = nullptr;
  const int64_t task_;
  const int64_t bytes_ = 0;
  const bool all_;
  State state_ = State::kOutside;
  int64_t freed_ = 0;
};

// Anything else that Spark does under U without waiting or waking anybody: caching, dropping and
// pinning blocks.
class LockedCall final : public ResumableCall {
 public:
  // `action` runs once, inside `lock`; the bytes of the blocks that it evicted.
  LockedCall(Monitor& lock, std::function<int64_t()> action);

  Step Next() override;

 private:
  enum class State : uint8_t { kOutside, kInside, kEvicted, kLeaving };

  Monitor& lock_;
  const std::function<int64_t()> action_;
  State state_ = State::kOutside;
};

}  // namespace spillway::memory::spark
