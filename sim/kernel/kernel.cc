// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/kernel.h"

#include <algorithm>
#include <utility>

#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {

std::string Process::name() const { return number_ < 0 ? name_ : base::Cat(name_, " ", number_); }

void Kernel::Schedule(Process& process, Duration delay) {
  if (delay < 0 || delay > kEndOfTime - now_) {
    return Fail(absl::OutOfRangeError(base::Cat(process.name(), " would go on after ", delay,
                                                " ps at ", now_, " ps of virtual time")));
  }
  process.state_ = Process::State::kScheduled;
  process.awaited_ = nullptr;
  process.resumes_at_ = now_ + delay;
  process.ticket_ = queue_.Push(process.resumes_at_, &process);
}

void Kernel::Start(Process& process, Duration delay) {
  if (process.state_ != Process::State::kIdle) {
    return Fail(absl::InternalError(base::Cat(process.name(), " was started twice")));
  }
  process.live_index_ = live_.size();
  live_.push_back(&process);
  process.state_ = Process::State::kRunning;
  ResumeAfter(process, delay);
}

void Kernel::ResumeAfter(Process& process, Duration delay) {
  if (process.state_ != Process::State::kRunning) {
    return Fail(absl::InternalError(base::Cat(process.name(), " asked for a second event")));
  }
  Schedule(process, delay);
}

void Kernel::Wait(Process& process, const Awaited& awaited) {
  if (process.state_ != Process::State::kRunning) {
    return Fail(absl::InternalError(
        base::Cat(process.name(), " asked for ", awaited.Describe(), " while it was waiting")));
  }
  process.state_ = Process::State::kWaiting;
  process.awaited_ = &awaited;
}

void Kernel::Wake(Process& process, Duration delay) {
  if (process.state_ != Process::State::kWaiting) {
    return Fail(absl::InternalError(
        base::Cat(process.name(), " was woken, but does not wait to be woken")));
  }
  Schedule(process, delay);
}

Duration Kernel::Cancel(Process& process, const Awaited& awaited) {
  if (process.state_ != Process::State::kScheduled) {
    Fail(absl::InternalError(base::Cat(process.name(), " lost its event, but had none")));
    return 0;
  }
  process.state_ = Process::State::kWaiting;
  process.awaited_ = &awaited;
  return process.resumes_at_ - now_;
}

// Events whose process is not scheduled by them any more.
void Kernel::DropStaleEvents() {
  while (!queue_.empty()) {
    const EventQueue::Event& next = queue_.top();
    if (next.process->state_ == Process::State::kScheduled && next.process->ticket_ == next.order) {
      return;
    }
    queue_.Pop();
  }
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
  while (true) {
    DropStaleEvents();
    if (!fault_.ok() || queue_.empty()) break;
    const Time at = queue_.top().at;
    if (events_ >= limits.max_events) {
      return base::Exhausted("cut after ", events_, " events at ", now_, " ps of virtual time; ",
                             DescribeWaiting());
    }
    if (at > limits.until) {
      return base::Exhausted("cut at ", limits.until, " ps of virtual time after ", events_,
                             " events; ", DescribeWaiting());
    }
    Process& process = *queue_.Pop().process;
    if (at == now_ && events_ > 0) ++ties_;
    now_ = at;
    ++events_;
    process.state_ = Process::State::kRunning;
    process.Resume();
    if (process.state_ == Process::State::kRunning) {
      Fail(absl::InternalError(
          base::Cat(process.name(), " stopped without saying what it waits for")));
    }
  }
  if (!fault_.ok()) return fault_;
  if (live_.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(base::Cat("deadlock at ", now_, " ps of virtual time after ",
                                                 events_, " events: ", DescribeWaiting()));
}

std::string Kernel::DescribeWaiting() const {
  constexpr size_t kNamed = 10;
  std::string out = base::Cat(live_.size(), live_.size() == 1 ? " process" : " processes", " left");
  for (size_t i = 0; i < std::min(kNamed, live_.size()); ++i) {
    const Process& process = *live_[i];
    out += base::Cat(i == 0 ? ": " : "; ", process.name());
    out += process.awaited_ == nullptr ? std::string(" waits for its time to come")
                                       : base::Cat(" waits for ", process.awaited_->Describe());
  }
  if (live_.size() > kNamed) out += base::Cat("; and ", live_.size() - kNamed, " more");
  return out;
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
