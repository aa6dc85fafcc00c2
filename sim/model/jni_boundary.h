// SPDX-License-Identifier: Apache-2.0
#pragma once
// The way from native code to the pool of the JVM: JNI, then the one monitor under
// which the pool does its bookkeeping. MEMORY sections 3 and 6.

#include <cstdint>

#include "absl/status/status.h"
#include "sim/kernel/empirical.h"
#include "sim/kernel/histogram.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/monitor.h"
#include "sim/kernel/time.h"
#include "sim/kernel/time_weighted.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/random.h"
#include "src/memory/pool.h"

namespace spillway::sim {

// What all crossings of a run share.
class JniBoundary {
 public:
  // Where the time of the crossings went, in sum: ps, of which slots spend many at a time.
  struct Times {
    __int128 attach = 0;
    __int128 outside = 0;      // JNI itself, before and after the monitor
    __int128 waiting = 0;      // in line for the monitor
    __int128 bookkeeping = 0;  // inside it
  };

  // `jni` has passed the loader; `crossing` is its distribution. Kernel and pool outlive this.
  JniBoundary(Kernel& kernel, memory::Pool& pool, const Jni& jni, Empirical crossing);

  const Monitor& monitor() const { return monitor_; }
  const Times& times() const { return times_; }
  // One value for each crossing: its time without attach, waiting included.
  const Histogram& crossings() const { return crossings_; }
  // What the pool has granted, over time.
  const TimeWeighted& reserved() const { return reserved_; }

 private:
  friend class PoolCall;

  Kernel& kernel_;
  memory::Pool& pool_;
  Empirical crossing_;
  Duration attach_;
  int64_t inside_permille_;
  Monitor monitor_;
  Times times_;
  Histogram crossings_;
  TimeWeighted reserved_;
};

// One call of a process on the pool, as a part of that process's state machine: after Acquire() or
// Release() the process calls Advance() from every Resume() until it says that the call is over.
//
// An acquire is one crossing if it is granted and two if not: Comet's backend gives back what it
// got of a short grant, even 0 bytes, before it reports the failure. A release is one crossing.
class PoolCall {
 public:
  // `random` is where crossing times are drawn from; all three outlive this.
  PoolCall(JniBoundary& boundary, Process& process, base::Random& random)
      : boundary_(boundary), process_(process), random_(random) {}

  // `attach`: this thread is not attached to the JVM yet, and the first crossing pays for it.
  // `bytes` > 0. The last call is over.
  void Acquire(int64_t bytes, bool attach) { Begin(Kind::kAcquire, bytes, attach); }
  void Release(int64_t bytes, bool attach) { Begin(Kind::kRelease, bytes, attach); }

  // True: the call is over, and no virtual time has passed since it was. False: the process waits
  // and returns from its Resume().
  [[nodiscard]] bool Advance();

  // Of the call that is over.
  bool granted() const { return granted_; }       // an acquire
  int64_t crossings() const { return crossings_; }
  Duration duration() const { return duration_; }  // attach and waiting included
  Duration waited() const { return waited_; }

 private:
  enum class Kind { kAcquire, kRelease, kReturnNothing };
  enum class Step { kLeaveNative, kAtMonitor, kInside, kBackToNative, kArrived };

  void Begin(Kind kind, int64_t bytes, bool attach);
  void BeginCrossing(Duration attach);
  absl::Status UsePool();
  void Arrive();

  JniBoundary& boundary_;
  Process& process_;
  base::Random& random_;

  Kind kind_ = Kind::kAcquire;
  int64_t bytes_ = 0;
  bool granted_ = false;
  int64_t crossings_ = 0;
  Duration duration_ = 0;
  Duration waited_ = 0;

  // The crossing under way.
  Step step_ = Step::kArrived;
  Time began_ = 0;
  Time at_monitor_ = 0;
  Duration attach_ = 0;
  Duration before_ = 0;
  Duration inside_ = 0;
  Duration after_ = 0;
};

}  // namespace spillway::sim
