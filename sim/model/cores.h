// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cores of an executor and the threads that share them in time slices, and the pauses that stop
// those that run Java.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/kernel/time_weighted.h"
#include "sim/model/thread.h"

namespace spillway::sim {

struct CoreOptions {
  int64_t cores = 0;  // 0: one for each thread
  Duration tick = 4 * kMillisecond;
  Duration slice = 0;
  Duration switch_time = 0;  // before a thread that another has preceded goes on
};

// One core: a thread that runs and threads that are ready to, on a time line of their own. Each
// thread's virtual time goes on while it runs; who is not ahead of the average is eligible.
class Core final : public Process {
 public:
  Core(Cores& cores, int64_t number);

  int64_t number() const { return number_; }
  bool idle() const { return running_ == nullptr; }

 private:
  friend class Cores;

  // A tick: only while somebody is in line.
  void Resume() override;

  Cores& cores_;
  const int64_t number_;
  Thread* running_ = nullptr;
  const Thread* last_ = nullptr;  // that ran
  Time accounted_ = 0;            // until when the running thread's virtual time is
  Duration picked_at_ = 0;        // its virtual time when it was picked
  bool due_ = false;              // it has passed a deadline since
  std::vector<Thread*> line_;     // longest first
  Duration virtual_ = 0;          // the average when the core was last left empty
  bool ticking_ = false;
};

// As Linux (6.6 and later, EEVDF) treats threads of equal weight; docs/simulator.md. The eligible
// thread whose deadline is first runs: its virtual time when it came plus a slice. It loses its
// core to another such
//
//   - at a tick of the core, if its deadline has passed
//   - when a thread is woken that would be picked now, unless it is eligible itself and has not had
//     a slice yet
//
// A thread that blocks keeps its distance to the average, as far as it was behind; if it was ahead
// that wears off as the others go on. A thread that is woken goes to its last core if that is idle,
// else to an idle one, else to the core of who wakes it if that has fewer threads by two or more,
// else to its last. A core that runs out of threads takes one from the longest line.
class Cores final : public Awaited {
 public:
  // `options` has passed the loader. The kernel outlives this.
  Cores(Kernel& kernel, const CoreOptions& options);

  Kernel& kernel() { return kernel_; }
  int64_t size() const { return static_cast<int64_t>(cores_.size()); }

  // Lets an idle thread begin after `delay`. It outlives the run.
  void Start(Thread& thread, Duration delay = 0);

  // The next seven: from within the thread's Run().
  //
  // Run() is called again when the thread has spent `time` and what it owes on a core.
  void Burn(Thread& thread, Duration time);
  // The same without what it owes.
  void Spin(Thread& thread, Duration time) { kernel_.ResumeAfter(thread, time); }
  // The thread gives its core up until Unblock().
  void Block(Thread& thread, const Awaited& awaited);
  // The same, or for `time` if nobody unblocks it before.
  void BlockFor(Thread& thread, Duration time);
  // The thread has arranged with the kernel when it is resumed, and gives its core up until then.
  void Away(Thread& thread) { LeaveCore(thread, Thread::State::kBlocked); }
  // The thread gives its core up for `time`.
  void Sleep(Thread& thread, Duration time);
  void Finish(Thread& thread);

  // Of a blocked thread: it is ready. `waker`, if any, is on a core. If a core has nothing else to
  // do that takes `latency` to notice.
  void Unblock(Thread& thread, Duration latency, const Thread* waker);

  // Brings core_time() of a thread that is on a core up to now.
  void Account(const Thread& thread) { Account(*thread.core_); }

  // Of a thread that burns time on a core: it is done after `time`, and what is left of switching
  // to it. What was left of it before.
  Duration Hasten(Thread& thread, Duration time);

  // From within Run(): the thread goes into Java code. False: a pause keeps it out; it must return,
  // and goes on inside when its Run() is called.
  [[nodiscard]] bool EnterJava(Thread& thread);
  void LeaveJava(Thread& thread) { thread.in_java_ = false; }

  // A pause begins: threads in Java stop where they are, whoever waits for them. One at a time.
  void BeginPause();
  void EndPause();

  // Ready to run and on no core, over time.
  const TimeWeighted& ready() const { return ready_; }
  // On all cores, until `now`.
  __int128 core_time(Time now) const;
  uint64_t switches() const { return switches_; }
  // Of pauses, until `now`.
  Duration paused_time(Time now) const {
    return paused_time_ + (paused_ ? now - paused_since_ : 0);
  }

  std::string Describe() const override;

 private:
  friend class Core;
  friend class Thread;

  void Resumed(Thread& thread);
  void MakeReady(Thread& thread, Duration latency, const Core* waker);
  Core& ChooseCore(const Thread& thread, const Core* waker);
  void Dispatch(Core& core, Thread& thread);
  void LeaveCore(Thread& thread, Thread::State state);
  void FillCore(Core& core);
  Thread* TakeFrom(Core& core);
  Thread* Steal(Core& thief);
  void StartTicking(Core& core);
  void Tick(Core& core);
  void Preempt(Core& core);
  // The one that is in its Run() has no event to take back: it goes on to the next tick.
  bool CanBePreempted(const Thread& thread) const { return &thread != running_now_; }

  void Account(Core& core);
  static Duration Average(const Core& core);
  static bool Eligible(const Core& core, const Thread& thread);
  static Thread* FirstEligible(const Core& core);
  void LeaveTimeLine(Core& core, Thread& thread);
  void JoinTimeLine(Core& core, Thread& thread);
  bool Displaces(Core& core, const Thread& woken);

  Kernel& kernel_;
  const CoreOptions options_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<Thread*> threads_;  // started and not finished
  std::vector<Thread*> stopped_;  // by the pause
  const Thread* running_now_ = nullptr;
  bool paused_ = false;
  Time paused_since_ = 0;
  Duration paused_time_ = 0;  // of pauses that are over
  int64_t idle_ = 0;          // cores
  TimeWeighted running_;      // threads that have one
  TimeWeighted ready_;
  uint64_t switches_ = 0;
};

}  // namespace spillway::sim
