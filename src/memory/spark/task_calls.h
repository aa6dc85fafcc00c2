// SPDX-License-Identifier: Apache-2.0
#pragma once
// The calls of a task's consumers as steps (resumable_call.h). They take T, the task's lock, and
// inside it U.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "src/memory/resumable_call.h"
#include "src/memory/spark/pool_calls.h"
#include "src/memory/spark/task_memory.h"

namespace spillway::memory::spark {

// Memory for a consumer. Enter T; ask the pool; and if it gave less, have consumers of the task
// spill, one after the other:
//
//   - those of the same mode that use something are ordered once by what they use, the requester as
//     if it used nothing;
//   - next is the one that uses least of those that use what is missing or more, else the one that
//     uses most. It is told to spill what is missing;
//   - if that freed something the pool is asked for what is missing, of which another task may
//     have taken some, and the consumer stays in the order where it was, though it uses less now;
//   - if it freed nothing it is left out from now on.
//
// T is held all along, also while the pool has the task wait. The pool's lock is not held during a
// spill. Allocates only if the pool is short.
class TaskAcquireCall final : public ResumableCall {
 public:
  // `consumer` outlives the call.
  TaskAcquireCall(MemoryConsumer& consumer, int64_t bytes);

  Step Next() override;
  void Answer(absl::StatusOr<int64_t> freed) override;

  // Once it is over: what was granted, and counted as used by the consumer.
  //
  //   ResourceExhausted   a spill failed, Spark's SparkOutOfMemoryError. What was got before stays
  //                       charged to the task, though to no consumer, until the task ends
  //   any other status    as AcquireCall
  const absl::StatusOr<int64_t>& granted() const { return granted_; }

  // What it still lacks of what it asks for.
  int64_t missing() const { return bytes_ - got_; }

  int64_t spills() const { return spills_; }
  int64_t waits() const { return waits_; }

 private:
  enum class State : uint8_t { kOutside, kAcquiring, kSpilling, kLeaving, kOver };

  Step AskPool();
  Step PoolAnswered();
  Step Spill();
  Step SpillAnswered();
  Step Leave(absl::StatusOr<int64_t> granted);
  void OrderConsumers();
  MemoryConsumer* Choose();
  void LeaveOut();

  MemoryConsumer& consumer_;
  TaskMemory& task_;
  const int64_t bytes_;
  State state_ = State::kOutside;
  int64_t got_ = 0;
  int64_t spills_ = 0;
  int64_t waits_ = 0;
  std::optional<AcquireCall> acquire_;
  // By what they used when they were ordered; the last of a list is next.
  std::optional<std::map<int64_t, std::vector<MemoryConsumer*>>> order_;
  std::map<int64_t, std::vector<MemoryConsumer*>>::iterator chosen_;
  bool own_turn_ = false;  // SpillOrder::kOthersFirst: none is left but the requester
  absl::StatusOr<int64_t> freed_ = 0;
  absl::StatusOr<int64_t> granted_ = 0;
};

// The end of a task: its consumers are forgotten and all that it holds, of both modes, goes back.
class TaskEndCall final : public ResumableCall {
 public:
  explicit TaskEndCall(TaskMemory& task);

  Step Next() override;

  int64_t freed() const { return release_.freed(); }

 private:
  enum class State : uint8_t { kOutside, kInside, kReleasing };

  TaskMemory& task_;
  State state_ = State::kOutside;
  ReleaseCall release_;
};

}  // namespace spillway::memory::spark
