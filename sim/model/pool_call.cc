// SPDX-License-Identifier: Apache-2.0
#include "sim/model/pool_call.h"

#include <limits>
#include <utility>

#include "sim/model/exploration.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {

using memory::Step;
using Kind = memory::Step::Kind;

namespace spark = memory::spark;

namespace {

absl::Status Explained(const absl::Status& fault) {
  if (fault.code() != absl::StatusCode::kNotFound) return fault;
  return absl::NotFoundError(
      base::Cat(base::ToStd(fault.message()),
                ": while this writer waited for memory in Spark, another of its task gave back all "
                "that the task had, and Spark forgot the task. A real one fails likewise; with "
                "spark.restores_entries it does not (SPARK-59444)"));
}

}  // namespace

Step BackendCall::Next() {
  switch (state_) {
    case State::kOutside:
      state_ = State::kInside;
      if (lock_ != nullptr) return {.kind = Kind::kEnter, .monitor = lock_};
      [[fallthrough]];
    case State::kInside:
      if (kind_ == Kind::kAcquire) {
        result_ = backend_.Acquire(bytes_);
      } else if (const absl::Status status = backend_.Release(bytes_); !status.ok()) {
        result_ = status;
      } else {
        result_ = bytes_;
      }
      state_ = State::kOver;
      if (lock_ != nullptr) return {.kind = Kind::kExit, .monitor = lock_};
      [[fallthrough]];
    case State::kOver:
      return {};
  }
  return {};
}

void PoolCall::Acquire(TaskPool& task, memory::Consumer& consumer, int64_t bytes, Duration attach) {
  acquiring_ = true;
  outer_ = &grow_.emplace(task.pool(), consumer, bytes);
  Begin(task, attach);
}

void PoolCall::Release(TaskPool& task, memory::Consumer& consumer, int64_t bytes, Duration attach) {
  acquiring_ = false;
  outer_ = &give_back_.emplace(task.pool(), consumer, bytes);
  Begin(task, attach);
}

void PoolCall::EndTask(TaskPool& task) {
  acquiring_ = false;
  outer_ = nullptr;
  Begin(task, 0);
  inner_ = &end_.emplace(*task.memory());
  kind_ = Kind::kDone;
  time_ = machine_.times().Sample(CrossingTimes::Kind::kRelease, 0, random_);
  state_ = State::kAtJava;
}

void PoolCall::Begin(TaskPool& task, Duration attach) {
  task_ = &task;
  attach_ = attach;
  granted_ = false;
  crossings_ = 0;
  began_ = machine_.kernel().now();
  switches_ = thread_.switches();
  ready_ = thread_.ready_time();
  stopped_ = thread_.stopped_time();
  paid_ = thread_.paid_time();
  thread_.entry.waited = thread_.entry.blocked = 0;
  waited_ = 0;
  state_ = State::kOuter;
}

bool PoolCall::Advance() {
  for (;;) {
    switch (state_) {
      case State::kOuter:
        if (HeldUp() || !OuterStep()) return false;
        break;
      case State::kInMutex:
        waited_ += thread_.entry.waited;
        machine_.measures().run.breakdown.mutex_wait += std::exchange(thread_.entry.waited, 0);
        state_ = State::kOuter;
        break;
      case State::kAtJava:
        state_ = State::kInner;
        if (!machine_.cores().EnterJava(thread_)) return false;
        break;
      case State::kInner:
        if (HeldUp() || !InnerStep()) return false;
        break;
      case State::kEntered: {
        state_ = State::kInner;
        const Duration inside = machine_.TimeInside(time_);
        if (outer_ != nullptr) machine_.measures().run.breakdown.bookkeeping += inside;
        machine_.cores().Burn(thread_, inside);
        return false;
      }
      case State::kArrived:
        Arrive();
        state_ = State::kOuter;
        break;
      case State::kOver:
        return true;
    }
  }
}

// Since the thread's last crossing, time without a core counted in part.
Duration PoolCall::Gap() {
  if (thread_.last_crossing() < 0) return std::numeric_limits<Duration>::max();
  machine_.cores().Account(thread_);
  const Duration on_core = thread_.core_time() - thread_.core_time_at_crossing();
  const Duration off_core = machine_.kernel().now() - thread_.last_crossing() - on_core;
  return on_core + off_core / 1000 * machine_.scenario().jni().off_core_permille();
}

// True: an exploration has the thread wait before it goes on.
bool PoolCall::HeldUp() {
  Exploration* const exploration = machine_.exploration();
  if (exploration == nullptr || std::exchange(held_up_, false)) return false;
  const Exploration::Delay delay = exploration->BeforeStep(machine_.cores(), thread_);
  if (delay.time == 0) return false;
  held_up_ = true;
  if (outer_ == nullptr) return true;
  PolicyRun::Breakdown& breakdown = machine_.measures().run.breakdown;
  (delay.off_core ? breakdown.off_core : breakdown.outside) += delay.time;
  return true;
}

// False: the thread has something to burn or to wait for.
bool PoolCall::OuterStep() {
  const Step step = outer_->Next();
  switch (step.kind) {
    case Kind::kEnter:
      state_ = State::kInMutex;
      return step.monitor->Enter(thread_);
    case Kind::kExit:
      step.monitor->Exit(thread_);
      return true;
    case Kind::kAcquire:
    case Kind::kRelease:
      BeginCrossing(step.kind);
      return false;
    default:
      if (acquiring_) {
        granted_ = grow_->grant().ok() && grow_->grant()->granted;
        if (!grow_->grant().ok()) fault_ = Explained(grow_->grant().status());
      } else {
        fault_ = give_back_->status();
      }
      Conclude();
      return true;
  }
}

void PoolCall::BeginCrossing(Kind kind) {
  kind_ = kind;
  crossing_began_ = machine_.kernel().now();
  const int64_t bytes = outer_->request().bytes;
  memory::Monitor* lock = &machine_.monitor();
  if (task_->memory() == nullptr) {
    lock = task_->backend_lock();
    inner_ = &backend_.emplace(task_->backend(), lock, kind, bytes);
  } else if (kind == Kind::kAcquire) {
    inner_ = &acquire_.emplace(task_->consumer(), bytes);
  } else {
    inner_ = &release_.emplace(task_->memory()->memory().pool(spark::MemoryMode::kOffHeap),
                               task_->memory()->task(), bytes);
  }
  time_ = machine_.times().Sample(
      kind == Kind::kAcquire ? CrossingTimes::Kind::kAcquire : CrossingTimes::Kind::kRelease, Gap(),
      random_);
  if (lock == nullptr) time_.before += std::exchange(time_.inside, 0);
  PolicyRun::Breakdown& breakdown = machine_.measures().run.breakdown;
  breakdown.attach += attach_;
  breakdown.outside += time_.before + time_.after;
  state_ = State::kAtJava;
  machine_.cores().Burn(thread_, attach_ + time_.before);
}

bool PoolCall::InnerStep() {
  const Step step = inner_->Next();
  PolicyRun& run = machine_.measures().run;
  switch (step.kind) {
    case Kind::kEnter:
      if (step.monitor == &machine_.monitor()) state_ = State::kEntered;
      return step.monitor->Enter(thread_);
    case Kind::kWait:
      state_ = State::kEntered;
      return step.monitor->Wait(thread_);
    case Kind::kEvicted: {
      const int64_t bytes = inner_->request().bytes;
      const Duration time = machine_.EvictionTime(bytes);
      run.evicted_bytes += bytes;
      run.breakdown.evicting += time;
      machine_.cores().Burn(thread_, time);
      return false;
    }
    case Kind::kSpill: {
      const memory::Request& request = inner_->request();
      inner_->Answer(request.spiller->Spill(request.bytes, *request.trigger));
      return true;
    }
    case Kind::kDone:
      LeaveJava();
      return outer_ == nullptr;
    default:
      return memory::TakeLockStep(step, thread_);
  }
}

// Spark, or what stands for it, has done what it was asked.
void PoolCall::LeaveJava() {
  machine_.cores().LeaveJava(thread_);
  if (outer_ == nullptr) return Conclude();
  Measures& measures = machine_.measures();
  const int64_t bytes = outer_->request().bytes;
  absl::StatusOr<int64_t> answer = bytes;
  if (backend_) {
    answer = backend_->result();
  } else if (acquire_) {
    answer = acquire_->granted();
    if (acquire_->waits() > 0) ++measures.run.blocked_acquires;
  } else {
    task_->consumer().CountFreed(bytes);
  }
  if (kind_ == Kind::kRelease) {
    measures.reserved.Add(machine_.kernel().now(), -bytes);
  } else if (answer.ok()) {
    measures.reserved.Add(machine_.kernel().now(), *answer);
    if (*answer < bytes) ++measures.run.short_grants;
  }
  backend_.reset();
  acquire_.reset();
  release_.reset();
  outer_->Answer(std::move(answer));
  state_ = State::kArrived;
  machine_.cores().Burn(thread_, time_.after);
}

void PoolCall::Arrive() {
  const Time now = machine_.kernel().now();
  PolicyRun& run = machine_.measures().run;
  ++crossings_;
  machine_.cores().Account(thread_);
  thread_.NoteCrossing(now);
  run.crossing_time.Record(now - crossing_began_ - attach_);
  if (kind_ == Kind::kAcquire) {
    const Duration taken = now - began_ - attach_;
    run.acquire_time.Record(taken);
    if (thread_.switches() == switches_) {
      run.unswitched_acquire_time.Record(taken);
    } else {
      ++run.switched_acquires;
    }
    if (taken > kMillisecond) ++run.long_acquires;
  } else if (!acquiring_) {
    run.release_time.Record(now - began_ - attach_);
  }
  attach_ = 0;
}

void PoolCall::Conclude() {
  state_ = State::kOver;
  duration_ = machine_.kernel().now() - began_;
  waited_ += thread_.entry.waited;
  if (outer_ == nullptr) return;  // nothing was crossed
  PolicyRun::Breakdown& breakdown = machine_.measures().run.breakdown;
  breakdown.lock_wait += thread_.entry.waited;
  breakdown.blocked += thread_.entry.blocked;
  breakdown.off_core += thread_.ready_time() - ready_;
  breakdown.safepoint += thread_.stopped_time() - stopped_;
  breakdown.outside += thread_.paid_time() - paid_;
}

}  // namespace spillway::sim
