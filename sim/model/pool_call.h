// SPDX-License-Identifier: Apache-2.0
#pragma once
// A writer's call on the pool of its task, step by step in virtual time: the steps are those of the
// shipping calls (src/memory/spark_pool.h, src/memory/spark), what they take is added here.

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "sim/kernel/time.h"
#include "sim/model/crossing_times.h"
#include "sim/model/machine.h"
#include "sim/model/task_pool.h"
#include "sim/model/thread.h"
#include "src/base/random.h"
#include "src/memory/resumable_call.h"
#include "src/memory/shared_pool.h"
#include "src/memory/spark/pool_calls.h"
#include "src/memory/spark/task_calls.h"
#include "src/memory/spark_pool.h"

namespace spillway::sim {

// An acquire or a release of a backend under one lock, if any.
class BackendCall final : public memory::ResumableCall {
 public:
  BackendCall(PoolBackend& backend, memory::Monitor* lock, memory::Step::Kind kind, int64_t bytes)
      : backend_(backend), lock_(lock), kind_(kind), bytes_(bytes) {}

  memory::Step Next() override;

  // Once it is over: what was granted, or given back.
  const absl::StatusOr<int64_t>& result() const { return result_; }

 private:
  enum class State : uint8_t { kOutside, kInside, kOver };

  PoolBackend& backend_;
  memory::Monitor* const lock_;
  const memory::Step::Kind kind_;
  const int64_t bytes_;
  State state_ = State::kOutside;
  absl::StatusOr<int64_t> result_ = 0;
};

// A part of its thread's program: after Acquire(), Release() or EndTask() the thread calls
// Advance() from every Run() until it says that the call is over.
class PoolCall {
 public:
  // All three outlive this.
  PoolCall(Machine& machine, Thread& thread, base::Random& random)
      : machine_(machine), thread_(thread), random_(random) {}

  // `bytes` > 0 for `consumer` of `task`. `attach`: the first crossing has the thread attached to
  // the JVM, which takes that long. The last call is over.
  void Acquire(TaskPool& task, memory::Consumer& consumer, int64_t bytes, Duration attach);
  void Release(TaskPool& task, memory::Consumer& consumer, int64_t bytes, Duration attach);
  // From Java, where tasks end: Spark gives back whatever is left. No crossing.
  void EndTask(TaskPool& task);

  // True: the call is over, and no virtual time has passed since it was. False: the thread has been
  // told what to burn or to wait for, and returns.
  [[nodiscard]] bool Advance();

  // Of the call that is over.
  bool granted() const { return granted_; }  // an acquire
  int64_t crossings() const { return crossings_; }
  Duration duration() const { return duration_; }  // attach and waiting included
  Duration waited() const { return waited_; }      // for locks
  // Why the pool could not answer; the run ends with it.
  const absl::Status& fault() const { return fault_; }

 private:
  enum class State : uint8_t {
    kOuter,    // the pool's own steps
    kInMutex,  // the pool's mutex has let it in
    kAtJava,   // the way there is burned
    kInner,    // Spark's steps
    kEntered,  // the one monitor has let it in
    kArrived,  // the way back is burned
    kOver,
  };

  void Begin(TaskPool& task, Duration attach);
  Duration Gap();
  bool HeldUp();
  bool OuterStep();
  void BeginCrossing(memory::Step::Kind kind);
  bool InnerStep();
  void LeaveJava();
  void Arrive();
  void Conclude();

  Machine& machine_;
  Thread& thread_;
  base::Random& random_;

  TaskPool* task_ = nullptr;
  State state_ = State::kOver;
  bool held_up_ = false;  // by an exploration, before the next step
  bool acquiring_ = false;
  bool granted_ = false;
  int64_t crossings_ = 0;
  Duration duration_ = 0;
  Duration waited_ = 0;
  absl::Status fault_;

  std::optional<memory::SparkGrowCall> grow_;
  std::optional<memory::SparkReturnCall> give_back_;
  std::optional<BackendCall> backend_;
  std::optional<memory::spark::TaskAcquireCall> acquire_;
  std::optional<memory::spark::ReleaseCall> release_;
  std::optional<memory::spark::TaskEndCall> end_;
  memory::ResumableCall* outer_ = nullptr;  // absent: the call begins in Java
  memory::ResumableCall* inner_ = nullptr;

  // Of the thread when the call began.
  Time began_ = 0;
  uint64_t switches_ = 0;
  Duration ready_ = 0;
  Duration stopped_ = 0;
  Duration paid_ = 0;

  // The crossing under way.
  memory::Step::Kind kind_ = memory::Step::Kind::kDone;
  Time crossing_began_ = 0;
  Duration attach_ = 0;  // of the next crossing
  CrossingTime time_;
};

}  // namespace spillway::sim
