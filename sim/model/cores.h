// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cores of an executor and the threads that share them in time slices, and the pauses that stop
// those that run Java.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/kernel/time_weighted.h"
#include "sim/model/thread.h"

namespace spillway::sim {

struct CoreOptions {
  int64_t cores = 0;           // 0: one for each thread
  Duration tick = 4 * kMillisecond;
  Duration slice = 0;          // least run of a thread before a tick takes its core away
  Duration switch_time = 0;    // before a thread that another has preceded goes on
};

// One core: a thread that runs and a line of threads that are ready to.
class Core final : public Process {
 public:
  Core(Cores& cores, int64_t number);

  int64_t number() const { return number_; }
  bool idle() const { return running_ == nullptr; }

  // When a thread on this core last came back from Java; absent as a negative time.
  Time last_crossing() const { return last_crossing_; }
  void NoteCrossing(Time now) { last_crossing_ = now; }

 private:
  friend class Cores;

  // A tick: only while somebody is in line.
  void Resume() override;

  Cores& cores_;
  const int64_t number_;
  Thread* running_ = nullptr;
  const Thread* last_ = nullptr;  // that ran
  Time dispatched_ = 0;
  bool ticking_ = false;
  std::deque<Thread*> line_;
  Time last_crossing_ = -1;
};

// As Linux does it, as far as threads of equal weight see it (MEMORY section 6 and
// docs/simulator.md): a line for each core, first come first served; a thread that is woken goes to
// its last core if that is idle, else to an idle one, else to the shorter line of its last core and
// that of whoever wakes it, the latter if they are equal, and does not take the core away from
// another; a core that runs out of threads takes one from the longest line.
class Cores final : public Awaited {
 public:
  // `options` has passed the loader. The kernel outlives this.
  Cores(Kernel& kernel, const CoreOptions& options);

  Kernel& kernel() { return kernel_; }

  // Lets an idle thread begin after `delay`. It outlives the run.
  void Start(Thread& thread, Duration delay = 0);

  // The next five: from within the thread's Run().
  //
  // Run() is called again when the thread has spent `time` and what it owes on a core.
  void Burn(Thread& thread, Duration time);
  // The same without what it owes.
  void Spin(Thread& thread, Duration time) { kernel_.ResumeAfter(thread, time); }
  // The thread gives its core up until Unblock().
  void Block(Thread& thread, const Awaited& awaited);
  // The thread gives its core up for `time`.
  void Sleep(Thread& thread, Duration time);
  void Finish(Thread& thread);

  // Of a blocked thread: it is ready. `waker`, if any, is on a core. If a core has nothing else to do
  // that takes `latency` to notice.
  void Unblock(Thread& thread, Duration latency, const Thread* waker);

  // Of a thread that burns time on a core: it is done after `time`.
  void Hasten(Thread& thread, Duration time);

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
  void StartTicking(Core& core);
  void Tick(Core& core);
  void Preempt(Core& core);
  // The one that is in its Run() has no event to take back: it goes on to the next tick.
  bool CanBePreempted(const Thread& thread) const { return &thread != running_now_; }

  Kernel& kernel_;
  const CoreOptions options_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<Thread*> threads_;       // started and not finished
  std::vector<Thread*> stopped_;       // by the pause
  const Thread* running_now_ = nullptr;
  bool paused_ = false;
  int64_t idle_ = 0;           // cores
  TimeWeighted running_;       // threads that have one
  TimeWeighted ready_;
  uint64_t switches_ = 0;
};

}  // namespace spillway::sim
