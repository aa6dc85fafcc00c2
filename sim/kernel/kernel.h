// SPDX-License-Identifier: Apache-2.0
#pragma once
// A deterministic discrete-event kernel: a virtual clock, a queue of events, and
// processes that the events resume. One thread; the same processes with the same
// random streams give the same run on every compiler and machine.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "sim/kernel/event_queue.h"
#include "sim/kernel/process.h"
#include "sim/kernel/time.h"
#include "src/base/random.h"

namespace spillway::sim {

class Kernel {
 public:
  struct Limits {
    uint64_t max_events = UINT64_MAX;  // counted from the start of the run
    Time until = kEndOfTime;           // an event later than this is not run
  };

  // An event that is about to run: the `ordinal`-th of the run, from 1.
  struct Step {
    uint64_t ordinal;
    Time at;
    const Process& process;
  };
  using Observer = std::function<void(const Step&)>;

  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  Time now() const { return now_; }

  // Events run so far, and how many of them stood at the same instant as the event before: those
  // ran in the order in which they were scheduled, unless set_tie_order said otherwise.
  uint64_t events() const { return events_; }
  uint64_t ties() const { return ties_; }
  size_t live_processes() const { return live_.size(); }
  // Events in the queue, cancelled ones included: at most 64 more than twice those to come.
  size_t pending_events() const { return queue_.size(); }

  // Explores schedules: from now on any of the events of an instant may come next, all equally
  // likely, as `seed` decides. The order stays one in which the run might have gone, and the same
  // seed repeats it.
  void set_tie_order(uint64_t seed) { tie_order_.emplace(seed); }

  // Called for each event, to print what led to event N or to digest the states before it; null
  // for none. It does not act on the kernel.
  void set_observer(Observer observer) { observer_ = std::move(observer); }

  // Lets `process` begin after `delay`. It is idle: new, or finished. It outlives the run.
  void Start(Process& process, Duration delay = 0);

  // From within the process's Resume(): it goes on after `delay`, at the end of the line of its
  // instant. A negative delay, or one beyond kEndOfTime, is a fault that ends the run.
  void ResumeAfter(Process& process, Duration delay) {
    if (process.state_ != Process::State::kRunning) [[unlikely]] {
      return FailSecondEvent(process);
    }
    Schedule(process, delay);
  }

  // From within the process's Resume(): it waits for `awaited`, which outlives the wait, until
  // somebody wakes it.
  void Wait(Process& process, const Awaited& awaited) {
    if (process.state_ != Process::State::kRunning) [[unlikely]]
      return FailWait(process, awaited);
    process.state_ = Process::State::kWaiting;
    process.awaited_ = &awaited;
  }

  // A process that waits, but not in a WaitLine, goes on after `delay`, at the end of the line of
  // that instant. From within any process's Resume(); delays as for ResumeAfter.
  void Wake(Process& process, Duration delay = 0) {
    if (process.state_ != Process::State::kWaiting) [[unlikely]]
      return FailWake(process);
    Schedule(process, delay);
  }

  // A scheduled process, other than the running one, loses its event and waits for `awaited` as
  // after Wait. Returns the time that was left. The event counts for nothing from then on: not in
  // events() or ties(), nor does it move the clock.
  Duration Cancel(Process& process, const Awaited& awaited);

  // From within the process's Resume(): it is done, and may be started again.
  void Finish(Process& process);

  // Ends the run with `fault` when the running process returns. The first fault wins.
  void Fail(absl::Status fault);

  // Runs until no event is left. Cut after N events, it leaves the very state that a longer run of
  // the same processes goes through after its event N.
  //
  //   OK                  every process has finished
  //   ResourceExhausted   a limit of `limits` was reached; the message says who waits for what, and
  //                       Run may be called again with wider limits
  //   FailedPrecondition  processes are left, but no event that could wake them; the message names
  //                       deadlocks, lost wake-ups and what was never released (wait_graph.h)
  //   (anything)          the fault that was given to Fail
  absl::Status Run(const Limits& limits);

 private:
  friend class WaitLine;

  void Schedule(Process& process, Duration delay) {
    if (delay < 0 || delay > kEndOfTime - now_) [[unlikely]]
      return FailDelay(process, delay);
    process.state_ = Process::State::kScheduled;
    process.resumes_at_ = now_ + delay;
    queue_.Push(process.resumes_at_, &process, process.ticket_);
  }

  template <bool kPlain>
  absl::Status RunEvents(const Limits& limits);
  absl::Status Cut(const Limits& limits) const;
  absl::Status Conclude() const;
  void FailSecondEvent(const Process& process);
  void FailWait(const Process& process, const Awaited& awaited);
  void FailWake(const Process& process);
  void FailDelay(const Process& process, Duration delay);
  void FailNothingArranged(const Process& process);

  Time now_ = 0;
  uint64_t events_ = 0;
  uint64_t ties_ = 0;
  size_t cancelled_ = 0;  // events in the queue
  absl::Status fault_;
  std::vector<Process*> live_;
  std::optional<base::Random> tie_order_;
  Observer observer_;
  EventQueue queue_;
};

// Processes standing in line for something, first come first served. Links run through the
// processes, so that a place in line costs no memory.
class WaitLine {
 public:
  explicit WaitLine(Kernel& kernel) : kernel_(kernel) {}

  bool empty() const { return first_ == nullptr; }
  int64_t size() const { return size_; }

  struct Woken {
    Process& process;
    Duration waited;
  };

  // The running process joins the end and waits for `awaited`, which outlives the wait.
  void Join(Process& process, const Awaited& awaited);

  // The first in line leaves it and is resumed at this instant, behind the events already there.
  // The line is not empty.
  Woken WakeFirst();

 private:
  Kernel& kernel_;
  Process* first_ = nullptr;
  Process* last_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace spillway::sim
