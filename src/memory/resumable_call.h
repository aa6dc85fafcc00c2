// SPDX-License-Identifier: Apache-2.0
#pragma once
// A call into pools that takes locks, waits and has others spill, cut into steps: the call says
// which step is next and its runner takes it, on a real thread or in virtual time. What a call
// decides is thus written once, and what its steps cost is the runner's matter.

#include <cstdint>

#include "absl/status/statusor.h"
#include "src/base/check.h"
#include "src/memory/monitor.h"
#include "src/memory/spark_backend.h"

namespace spillway::memory {

// Somebody who holds memory and can be told to write some of it out.
class Spiller {
 public:
  virtual ~Spiller() = default;

  // Frees memory since `trigger`, maybe itself, lacks `bytes`: more, less, or none. The bytes that
  // it gave back to the pool, or why it could not. Called with the lock of its task held.
  virtual absl::StatusOr<int64_t> Spill(int64_t bytes, const Spiller& trigger) = 0;
};

struct Step {
  enum class Kind : uint8_t {
    kEnter,  // these four: of `monitor`
    kExit,
    kWait,
    kNotifyAll,
    kEvicted,  // request().bytes of cached blocks have just been evicted, which takes time
    kSpill,    // carry out request(), then Answer(): spill
    kAcquire,  // ask Spark
    kRelease,  // give back to Spark; the answer is what was given back
    kDone,     // the call is over
  };
  Kind kind = Kind::kDone;
  Monitor* monitor = nullptr;
};

// What a step that is not one of a monitor is about.
struct Request {
  int64_t bytes = 0;
  Spiller* spiller = nullptr;        // kSpill
  const Spiller* trigger = nullptr;  // kSpill: who lacks the bytes
  SparkBackend* backend = nullptr;   // kAcquire, kRelease
};

class ResumableCall {
 public:
  ResumableCall() = default;
  virtual ~ResumableCall() = default;
  ResumableCall(const ResumableCall&) = delete;
  ResumableCall& operator=(const ResumableCall&) = delete;

  // The next step; the one before has been taken, and answered if it needs that. After kDone:
  // kDone.
  virtual Step Next() = 0;

  // Of the last step.
  const Request& request() const { return request_; }

  // What came of a kSpill, kAcquire or kRelease. Without one of them an error of the calling
  // program, which ends it: calls that never ask leave it at that.
  virtual void Answer(absl::StatusOr<int64_t> bytes);

 protected:
  Step Ask(Step::Kind kind, const Request& request) {
    request_ = request;
    return {kind};
  }

  // A step of a call that this one makes.
  Step Forward(Step step, const ResumableCall& inner) {
    if (step.kind >= Step::Kind::kEvicted) request_ = inner.request_;
    return step;
  }

 private:
  Request request_;
};

// Takes a step on a monitor; other steps take no time here. False: see Monitor::Enter.
[[nodiscard]] inline bool TakeLockStep(Step step, Caller& caller) {
  switch (step.kind) {
    case Step::Kind::kEnter:
      return step.monitor->Enter(caller);
    case Step::Kind::kExit:
      step.monitor->Exit(caller);
      return true;
    case Step::Kind::kWait:
      return step.monitor->Wait(caller);
    case Step::Kind::kNotifyAll:
      step.monitor->NotifyAll(caller);
      return true;
    default:
      return true;
  }
}

// Carries out a kSpill, kAcquire or kRelease on this thread, and answers.
void CarryOut(Step::Kind kind, ResumableCall& call);

// Runs the whole call on this thread, where all its monitors are those of threads. A template so
// that calls of a known type are not virtual ones.
template <typename Call>
void RunBlocking(Call& call, Caller& caller) {
  for (;;) {
    const Step step = call.Next();
    if (step.kind == Step::Kind::kDone) return;
    if (step.kind >= Step::Kind::kSpill) {
      CarryOut(step.kind, call);
    } else if (!TakeLockStep(step, caller)) {
      SPILLWAY_CHECK(false, "RunBlocking needs monitors of threads");
    }
  }
}

}  // namespace spillway::memory
