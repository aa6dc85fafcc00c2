// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread of an executor, as its cores, its locks and the JVM's pauses see it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "src/memory/monitor.h"

namespace spillway::sim {

class Core;
class Thread;

// What a thread is stopped at until it says that the thread's own program may go on: a lock.
class Gate {
 public:
  virtual ~Gate() = default;

  // `thread`, which this stopped, is on a core and has nothing left to burn. True: it goes on.
  virtual bool Continue(Thread& thread) = 0;

  // `thread`, which this stopped, was without a core for a while and has one again.
  virtual void OnCoreAgain(Thread& thread) = 0;
};

// A program that uses CPU time: Run() is called on a core whenever the time that it asked for has
// been spent, or what it waited for has come. It ends in exactly one of Cores::Burn, Block, Finish,
// or in a lock that did not let it in.
class Thread : public Process, public memory::Caller {
 public:
  explicit Thread(std::string name) : Process(name), Caller(std::move(name)) {}

  const std::string& name() const { return Caller::name(); }

  // Where it is, or was last; absent before it first ran.
  Core* core() const { return core_; }
  bool on_core() const { return state_ == State::kOnCore; }

  // Time on cores, so far as its core has accounted for it.
  Duration core_time() const { return core_time_; }
  // When it last came back from Java, and core_time() then; negative if it never did.
  Time last_crossing() const { return last_crossing_; }
  Duration core_time_at_crossing() const { return core_time_at_crossing_; }
  void NoteCrossing(Time now) {
    last_crossing_ = now;
    core_time_at_crossing_ = core_time_;
  }

  // How often it has left a core before it was done with it, and of its whole life: the time that
  // it was ready to run without a core, what switching to it took included, and that pauses had
  // stopped it.
  uint64_t switches() const { return switches_; }
  Duration ready_time() const { return ready_time_; }
  Duration stopped_time() const { return stopped_time_; }
  Duration off_core_time() const { return ready_time_ + stopped_time_; }

  // Time that it owes for something done on the way, such as waking somebody: spent with what it
  // burns next. paid_time(): what of it was spent so far.
  void Owe(Duration time) { debt_ += time; }
  Duration paid_time() const { return paid_time_; }

  // As locks use it.
  struct Entry {
    enum class Phase : uint8_t { kNone, kSpinning, kNoticing, kParked, kInWaitSet, kGranted };
    Phase phase = Phase::kNone;
    bool queued = false;     // in an entry queue, even while it spins again
    Duration spin_left = 0;  // if the lock is gone when it gets there
    int64_t depth = 0;       // with which it comes back from a wait
    Time since = 0;          // of the wait to get in, or of the wait to be notified
    Duration off_core = 0;   // off_core_time() at that time
    Duration waited = 0;     // to get in, time without a core left out; the caller resets it
    Duration blocked = 0;    // in wait sets, likewise
  };
  Entry entry;

 protected:
  virtual void Run() = 0;

 private:
  friend class Cores;
  friend class Core;
  friend class Lock;

  enum class State : uint8_t { kIdle, kBlocked, kReady, kOnCore, kStopped };

  void Resume() final;

  class Cores* cores_ = nullptr;
  size_t index_ = 0;  // among those of cores_
  Core* core_ = nullptr;
  Gate* gate_ = nullptr;
  State state_ = State::kIdle;
  bool in_java_ = false;
  bool timed_ = false;  // blocked, and resumed at some time in any case
  Time since_ = 0;      // of the state
  Duration left_ = 0;   // to spend when it is on a core again
  Time switched_ = 0;   // when its core has been, or was last, switched to it
  // On the time line of its core (cores.h); `lag_` is what it has had less than its share when it
  // last left one.
  Duration virtual_ = 0;
  Duration deadline_ = 0;
  Duration lag_ = 0;
  Duration debt_ = 0;
  Duration paid_time_ = 0;
  uint64_t switches_ = 0;
  Duration core_time_ = 0;
  Time last_crossing_ = -1;
  Duration core_time_at_crossing_ = -1;
  Duration ready_time_ = 0;
  Duration stopped_time_ = 0;
};

}  // namespace spillway::sim
