// SPDX-License-Identifier: Apache-2.0
#pragma once
// A call into pools that takes locks, waits and has others spill, cut into steps: the call says
// which step is next and its runner takes it, on a real thread or in virtual time. What a call
// decides is thus written once, and what its steps cost is the runner's matter.

#include <cstdint>

#include "absl/status/statusor.h"
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
    kEvicted,  // `bytes` of cached blocks were just evicted: pass the time that it takes
    kSpill,    // have `spiller` spill for `bytes` and `trigger`, then Answer()
    kAcquire,  // ask `backend` for `bytes`, then Answer()
    kRelease,  // give `bytes` back to `backend`, then Answer() with them
    kDone,     // the call is over
  };
  Kind kind = Kind::kDone;
  Monitor* monitor = nullptr;
  Spiller* spiller = nullptr;
  const Spiller* trigger = nullptr;
  SparkBackend* backend = nullptr;
  int64_t bytes = 0;
};

class ResumableCall {
 public:
  virtual ~ResumableCall() = default;

  // The next step; the one before has been taken, and answered if it needs that. After kDone:
  // kDone.
  virtual Step Next() = 0;

  // What came of a kSpill, kAcquire or kRelease. Without one of them an error of the calling
  // program, which ends it: calls that never ask leave it at that.
  virtual void Answer(absl::StatusOr<int64_t> bytes);
};

// Takes a step on a monitor; other steps take no time here. False: see Monitor::Enter.
[[nodiscard]] bool TakeLockStep(const Step& step, Caller& caller);

// Runs the whole call on this thread, where all its monitors are those of threads.
void RunBlocking(ResumableCall& call, Caller& caller);

}  // namespace spillway::memory
