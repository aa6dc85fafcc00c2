// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/kernel.h"

#include <utility>

#include "sim/kernel/wait_graph.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

// Fewer cancelled events than this are not worth looking for.
constexpr size_t kManyCancelled = 64;

}  // namespace

void Kernel::Start(Process& process, Duration delay) {
  if (process.state_ != Process::State::kIdle) {
    return Fail(absl::InternalError(base::Cat(process.name(), " was started twice")));
  }
  process.live_index_ = live_.size();
  live_.push_back(&process);
  process.state_ = Process::State::kRunning;
  ResumeAfter(process, delay);
}

Duration Kernel::Cancel(Process& process, const Awaited& awaited) {
  if (process.state_ != Process::State::kScheduled) {
    Fail(absl::InternalError(base::Cat(process.name(), " lost its event, but had none")));
    return 0;
  }
  process.state_ = Process::State::kWaiting;
  process.awaited_ = &awaited;
  ++cancelled_;
  ++process.ticket_;
  // Kept few, so that memory is bounded by the live events; and none survives until its ticket is
  // given out again.
  if (process.ticket_ == 0 || (cancelled_ > kManyCancelled && cancelled_ > queue_.size() / 2)) {
    queue_.Remove([](const EventQueue::Event& event) {
      return event.process->state_ != Process::State::kScheduled ||
             event.ticket != event.process->ticket_;
    });
    cancelled_ = 0;
  }
  return process.resumes_at_ - now_;
}

void Kernel::Finish(Process& process) {
  if (process.state_ != Process::State::kRunning) {
    return Fail(absl::InternalError(base::Cat(process.name(), " finished while it was waiting")));
  }
  process.state_ = Process::State::kIdle;
  live_.back()->live_index_ = process.live_index_;
  live_[process.live_index_] = live_.back();
  live_.pop_back();
}

void Kernel::Fail(absl::Status fault) {
  if (fault_.ok()) fault_ = std::move(fault);
}

absl::Status Kernel::Run(const Limits& limits) {
  return tie_order_.has_value() || observer_ != nullptr ? RunEvents<false>(limits)
                                                        : RunEvents<true>(limits);
}

template <bool kPlain>
absl::Status Kernel::RunEvents(const Limits& limits) {
  while (fault_.ok() && !queue_.empty()) {
    const EventQueue::Event& event =
        kPlain || !tie_order_.has_value() ? queue_.Pop() : queue_.Pop(*tie_order_);
    Process& process = *event.process;
    const Time at = event.at;
    if (event.ticket != process.ticket_) [[unlikely]] {
      --cancelled_;
      continue;
    }
    if (events_ >= limits.max_events || at > limits.until) [[unlikely]] {
      queue_.Return();
      return Cut(limits);
    }
    ties_ += (at == now_) & (events_ != 0);
    now_ = at;
    ++events_;
    process.state_ = Process::State::kRunning;
    if constexpr (!kPlain) {
      if (observer_ != nullptr) observer_({.ordinal = events_, .at = now_, .process = process});
    }
    process.Resume();
    if (process.state_ == Process::State::kRunning) [[unlikely]]
      FailNothingArranged(process);
  }
  return fault_.ok() ? Conclude() : fault_;
}

absl::Status Kernel::Cut(const Limits& limits) const {
  if (events_ >= limits.max_events) {
    return base::Exhausted("cut after ", events_, " events at ", now_, " ps of virtual time; ",
                           DescribeWaiting(live_));
  }
  return base::Exhausted("cut at ", limits.until, " ps of virtual time after ", events_,
                         " events; ", DescribeWaiting(live_));
}

absl::Status Kernel::Conclude() const {
  if (live_.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      base::Cat("no event is left at ", now_, " ps of virtual time after ", events_,
                " events, but ", live_.size(),
                live_.size() == 1 ? " process is: " : " processes are: ", DescribeStuck(live_)));
}

void Kernel::FailSecondEvent(const Process& process) {
  Fail(absl::InternalError(base::Cat(process.name(), " asked for a second event")));
}

void Kernel::FailWait(const Process& process, const Awaited& awaited) {
  Fail(absl::InternalError(
      base::Cat(process.name(), " asked for ", awaited.Describe(), " while it was waiting")));
}

void Kernel::FailWake(const Process& process) {
  Fail(absl::InternalError(base::Cat(process.name(), " was woken, but does not wait to be woken")));
}

void Kernel::FailDelay(const Process& process, Duration delay) {
  Fail(absl::OutOfRangeError(base::Cat(process.name(), " would go on after ", delay, " ps at ",
                                       now_, " ps of virtual time")));
}

void Kernel::FailNothingArranged(const Process& process) {
  Fail(absl::InternalError(base::Cat(process.name(), " stopped without saying what it waits for")));
}

void WaitLine::Join(Process& process, const Awaited& awaited) {
  const bool running = process.state_ == Process::State::kRunning;
  kernel_.Wait(process, awaited);
  if (!running) return;
  process.state_ = Process::State::kInLine;
  process.waiting_since_ = kernel_.now();
  process.next_in_line_ = nullptr;
  (last_ == nullptr ? first_ : last_->next_in_line_) = &process;
  last_ = &process;
  ++size_;
}

WaitLine::Woken WaitLine::WakeFirst() {
  Process& process = *first_;
  first_ = process.next_in_line_;
  if (first_ == nullptr) last_ = nullptr;
  --size_;
  kernel_.Schedule(process, 0);
  return {process, kernel_.now() - process.waiting_since_};
}

}  // namespace spillway::sim
