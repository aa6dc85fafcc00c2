// SPDX-License-Identifier: Apache-2.0
#pragma once
// A lock in virtual time as a JVM or a C library implements it. MEMORY section 6.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/kernel/histogram.h"
#include "sim/kernel/time.h"
#include "sim/kernel/time_weighted.h"
#include "sim/model/cores.h"
#include "sim/model/thread.h"
#include "src/memory/monitor.h"

namespace spillway::sim {

// Who may get in after whom, and what that takes.
struct LockTraits {
  // True: who leaves hands over to the first in line. False: it lets go, wakes one, and whoever
  // comes first gets in, be it a newcomer.
  bool hands_over = false;
  // Of a lock that does not hand over: the line is emptied into another, last in first out, when
  // that one is empty, and nobody is woken while somebody who was woken is on the way.
  bool last_first = false;
  // The longest that a thread spins, at first; adapted to what spinning was good for. 0: never.
  Duration spin = 0;
  Duration handover = 0;  // mean time until a thread that spins has noticed that the lock is free
  Duration unpark = 0;    // CPU time of who wakes a thread
  Duration wake = 0;      // until a woken thread runs on a core that is idle

  // HotSpot's monitor, of `spin`, `handover`, `unpark` and `wake`.
  static LockTraits HotSpot(const LockTraits& times);
  // First come, first served; without spinning.
  static LockTraits Fifo(const LockTraits& times);
  // The same, and waking is for nothing.
  static LockTraits Ideal();
  // A mutex of the C library: parks at once, first in first out, newcomers pass.
  static LockTraits Mutex(const LockTraits& times);
};

class Lock final : public memory::Monitor, public Awaited, private Gate {
 public:
  // `cores` is that of all its callers, which are Threads. It outlives the lock, and so does
  // `contended`, if any: it gets the wait of each entry that found the lock taken.
  Lock(Cores& cores, std::string name, const LockTraits& traits, Histogram* contended = nullptr);

  bool Enter(memory::Caller& caller) override;
  void Exit(memory::Caller& caller) override;
  bool Wait(memory::Caller& caller) override;
  void NotifyAll(memory::Caller& caller) override;

  const Thread* owner() const { return owner_; }
  // Its owner came to it from another core than the owner before.
  bool moved() const { return moved_; }

  uint64_t entries() const { return entries_; }  // by callers that did not hold it
  uint64_t contended_entries() const { return contended_entries_; }
  // Threads that want in, over time; those in Wait() not counted.
  const TimeWeighted& line() const { return line_; }
  // With an owner, until `now`.
  Duration held(Time now) const { return held_ + (owner_ == nullptr ? 0 : now - owned_since_); }

  std::string Describe() const override;
  const Process* holder() const override { return owner_; }

 private:
  using Phase = Thread::Entry::Phase;

  // Its wait set, for messages: nobody holds that.
  class WaitSet final : public Awaited {
   public:
    explicit WaitSet(const Lock& lock) : lock_(lock) {}
    std::string Describe() const override;

   private:
    const Lock& lock_;
  };

  bool Continue(Thread& thread) override;
  void OnCoreAgain(Thread& thread) override;

  void Own(Thread& thread, int64_t depth);
  void GetIn(Thread& thread);
  void BeginLine(Thread& thread);
  void LetGo(Thread& thread);
  bool AlertSpinner();
  Duration HandoverTime() const;
  void WakeOne(Thread& waker);
  bool Spin(Thread& thread);
  void GoOnSpinning(Thread& thread, Duration time);
  void StopSpinning(Thread& thread, bool in_vain);
  void Park(Thread& thread);
  void Enqueue(Thread& thread, bool notified);
  void Dequeue(Thread& thread);

  Cores& cores_;
  const LockTraits traits_;
  Histogram* const contended_;
  const WaitSet wait_set_name_{*this};

  Thread* owner_ = nullptr;
  int64_t depth_ = 0;
  Time owned_since_ = 0;
  const Core* last_core_ = nullptr;
  bool moved_ = false;
  std::deque<Thread*> line_to_wake_;  // who is woken next is first
  std::vector<Thread*> newcomers_;    // last_first: the last is woken first, after line_to_wake_
  std::vector<Thread*> spinners_;
  std::vector<Thread*> wait_set_;  // longest first
  const Thread* heir_ = nullptr;   // presumptive: spins or was woken, so nobody else need be
  Duration budget_;                // for spinning

  uint64_t entries_ = 0;
  uint64_t contended_entries_ = 0;
  Duration held_ = 0;
  TimeWeighted line_;
};

}  // namespace spillway::sim
