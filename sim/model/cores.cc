// SPDX-License-Identifier: Apache-2.0
#include "sim/model/cores.h"

#include <algorithm>
#include <utility>

namespace spillway::sim {

void Thread::Resume() { cores_->Resumed(*this); }

Core::Core(Cores& cores, int64_t number)
    : Process("core", number), cores_(cores), number_(number) {}

void Core::Resume() { cores_.Tick(*this); }

Cores::Cores(Kernel& kernel, const CoreOptions& options) : kernel_(kernel), options_(options) {
  for (int64_t i = 0; i < options.cores; ++i) {
    cores_.push_back(std::make_unique<Core>(*this, i));
  }
  idle_ = options.cores;
}

void Cores::Start(Thread& thread, Duration delay) {
  if (options_.cores == 0 && thread.core_ == nullptr) {
    cores_.push_back(std::make_unique<Core>(*this, static_cast<int64_t>(cores_.size())));
    ++idle_;
    thread.core_ = cores_.back().get();
  }
  thread.cores_ = this;
  thread.state_ = Thread::State::kBlocked;
  thread.since_ = kernel_.now();
  thread.index_ = threads_.size();
  threads_.push_back(&thread);
  kernel_.Start(thread, delay);
}

void Cores::Resumed(Thread& thread) {
  if (thread.state_ == Thread::State::kOnCore) {
    running_now_ = &thread;
    if (thread.gate_ == nullptr || thread.gate_->Continue(thread)) thread.Run();
    running_now_ = nullptr;
    return;
  }
  thread.timed_ = false;
  kernel_.Wait(thread, *this);
  MakeReady(thread, 0, nullptr);
}

void Cores::Burn(Thread& thread, Duration time) {
  const Duration debt = std::exchange(thread.debt_, 0);
  thread.paid_time_ += debt;
  kernel_.ResumeAfter(thread, time + debt);
}

void Cores::Block(Thread& thread, const Awaited& awaited) {
  kernel_.Wait(thread, awaited);
  Away(thread);
}

void Cores::Sleep(Thread& thread, Duration time) {
  kernel_.ResumeAfter(thread, time);
  Away(thread);
}

void Cores::Finish(Thread& thread) {
  threads_.back()->index_ = thread.index_;
  threads_[thread.index_] = threads_.back();
  threads_.pop_back();
  kernel_.Finish(thread);
  LeaveCore(thread, Thread::State::kIdle);
}

void Cores::BlockFor(Thread& thread, Duration time) {
  thread.timed_ = true;
  Sleep(thread, time);
}

void Cores::Unblock(Thread& thread, Duration latency, const Thread* waker) {
  if (std::exchange(thread.timed_, false)) kernel_.Cancel(thread, *this);
  MakeReady(thread, latency, waker == nullptr ? nullptr : waker->core_);
}

Duration Cores::Hasten(Thread& thread, Duration time) {
  const Duration left = kernel_.Cancel(thread, *this);
  const Duration switching = std::max<Duration>(0, thread.switched_ - kernel_.now());
  kernel_.Wake(thread, switching + time);
  return std::max<Duration>(0, left - switching);
}

bool Cores::EnterJava(Thread& thread) {
  thread.in_java_ = true;
  if (!paused_) return true;
  kernel_.Wait(thread, *this);
  stopped_.push_back(&thread);
  LeaveCore(thread, Thread::State::kStopped);
  return false;
}

void Cores::BeginPause() {
  paused_ = true;
  paused_since_ = kernel_.now();
  std::vector<Core*> left;
  for (Thread* const thread : threads_) {
    if (!thread->in_java_ || !thread->on_core()) continue;
    thread->left_ = kernel_.Cancel(*thread, *this);
    stopped_.push_back(thread);
    Account(*thread->core_);
    LeaveTimeLine(*thread->core_, *thread);
    thread->state_ = Thread::State::kStopped;
    thread->since_ = kernel_.now();
    ++thread->switches_;
    thread->core_->running_ = nullptr;
    left.push_back(thread->core_);
  }
  idle_ += static_cast<int64_t>(left.size());
  running_.Add(kernel_.now(), -static_cast<int64_t>(left.size()));
  for (Core* const core : left) {
    if (core->idle()) FillCore(*core);
  }
}

void Cores::EndPause() {
  paused_ = false;
  paused_time_ += kernel_.now() - paused_since_;
  for (Thread* const thread : std::exchange(stopped_, {})) {
    thread->stopped_time_ += kernel_.now() - thread->since_;
    MakeReady(*thread, 0, nullptr);
  }
}

// A thread without an event that waits for nothing any more.
void Cores::MakeReady(Thread& thread, Duration latency, const Core* waker) {
  if (paused_ && thread.in_java_) {
    thread.state_ = Thread::State::kStopped;
    thread.since_ = kernel_.now();
    stopped_.push_back(&thread);
    return;
  }
  Core& core = ChooseCore(thread, waker);
  JoinTimeLine(core, thread);
  if (core.idle()) {
    thread.left_ += latency;
    return Dispatch(core, thread);
  }
  thread.state_ = Thread::State::kReady;
  thread.since_ = kernel_.now();
  thread.core_ = &core;
  ready_.Add(kernel_.now(), 1);
  core.line_.push_back(&thread);
  StartTicking(core);
  if (Displaces(core, thread)) Preempt(core);
}

Core& Cores::ChooseCore(const Thread& thread, const Core* waker) {
  if (thread.core_ != nullptr && (thread.core_->idle() || options_.cores == 0)) {
    return *thread.core_;
  }
  const auto fewer = [](const auto& a, const auto& b) {
    return std::pair(!a->idle(), a->line_.size()) < std::pair(!b->idle(), b->line_.size());
  };
  Core& shortest = **std::min_element(cores_.begin(), cores_.end(), fewer);
  if (thread.core_ == nullptr || shortest.idle()) return shortest;
  if (waker == nullptr || waker->line_.size() + 1 >= thread.core_->line_.size()) {
    return *thread.core_;
  }
  return *cores_[waker->number_];
}

void Cores::Dispatch(Core& core, Thread& thread) {
  --idle_;
  running_.Add(kernel_.now(), 1);
  core.running_ = &thread;
  core.accounted_ = kernel_.now();
  core.picked_at_ = thread.virtual_;
  core.due_ = false;
  if (core.last_ != nullptr && core.last_ != &thread) {
    thread.left_ += options_.switch_time;
    thread.ready_time_ += options_.switch_time;
    thread.switched_ = kernel_.now() + options_.switch_time;
    ++switches_;
  }
  core.last_ = &thread;
  thread.core_ = &core;
  thread.state_ = Thread::State::kOnCore;
  kernel_.Wake(thread, std::exchange(thread.left_, 0));
  if (thread.gate_ != nullptr) thread.gate_->OnCoreAgain(thread);
}

// The core is taken over by the next in line before this returns.
void Cores::LeaveCore(Thread& thread, Thread::State state) {
  Core& core = *thread.core_;
  Account(core);
  if (state != Thread::State::kReady) LeaveTimeLine(core, thread);
  thread.state_ = state;
  thread.since_ = kernel_.now();
  ++thread.switches_;
  core.running_ = nullptr;
  ++idle_;
  running_.Add(kernel_.now(), -1);
  FillCore(core);
}

void Cores::FillCore(Core& core) {
  Thread* next = TakeFrom(core);
  while (next == nullptr && ready_.level() > 0) next = Steal(core);
  if (next != nullptr) Dispatch(core, *next);
}

// Who is next in line; those whom a pause keeps are stopped. Null: nobody is left.
Thread* Cores::TakeFrom(Core& core) {
  while (Thread* const thread = FirstEligible(core)) {
    core.line_.erase(std::find(core.line_.begin(), core.line_.end(), thread));
    ready_.Add(kernel_.now(), -1);
    thread->ready_time_ += kernel_.now() - thread->since_;
    if (!paused_ || !thread->in_java_) return thread;
    LeaveTimeLine(core, *thread);
    thread->state_ = Thread::State::kStopped;
    thread->since_ = kernel_.now();
    stopped_.push_back(thread);
  }
  return nullptr;
}

// Null: who was taken is kept by a pause; there may be others.
Thread* Cores::Steal(Core& thief) {
  Core& victim = **std::max_element(cores_.begin(), cores_.end(), [](const auto& a, const auto& b) {
    return a->line_.size() < b->line_.size();
  });
  Thread* const thread = victim.line_.front();
  victim.line_.erase(victim.line_.begin());
  Account(victim);
  LeaveTimeLine(victim, *thread);
  ready_.Add(kernel_.now(), -1);
  thread->ready_time_ += kernel_.now() - thread->since_;
  if (paused_ && thread->in_java_) {
    thread->state_ = Thread::State::kStopped;
    thread->since_ = kernel_.now();
    stopped_.push_back(thread);
    return nullptr;
  }
  JoinTimeLine(thief, *thread);
  return thread;
}

void Cores::StartTicking(Core& core) {
  if (std::exchange(core.ticking_, true)) return;
  // Cores tick one after the other, evenly spread.
  const Duration offset = options_.tick / options_.cores * core.number_;
  const Duration into = (kernel_.now() + options_.tick - offset) % options_.tick;
  kernel_.Start(core, options_.tick - into);
}

void Cores::Tick(Core& core) {
  if (core.line_.empty()) {
    core.ticking_ = false;
    return kernel_.Finish(core);
  }
  Account(core);
  if (core.due_) Preempt(core);
  kernel_.ResumeAfter(core, options_.tick);
}

// Who runs goes back into line, from which it may be picked again.
void Cores::Preempt(Core& core) {
  Thread& thread = *core.running_;
  Account(core);
  thread.left_ = kernel_.Cancel(thread, *this);
  ready_.Add(kernel_.now(), 1);
  core.line_.push_back(&thread);
  LeaveCore(thread, Thread::State::kReady);
}

void Cores::Account(Core& core) {
  if (core.running_ == nullptr) return;
  Thread& thread = *core.running_;
  const Duration time = kernel_.now() - core.accounted_;
  thread.core_time_ += time;
  thread.virtual_ += time;
  core.accounted_ = kernel_.now();
  if (thread.virtual_ < thread.deadline_) return;
  thread.deadline_ = thread.virtual_ + options_.slice;
  core.due_ = true;
}

// Of all on the core, whose running thread is accounted for. Rounded down.
Duration Cores::Average(const Core& core) {
  const auto threads = static_cast<Duration>(core.line_.size()) + (core.idle() ? 0 : 1);
  if (threads == 0) return core.virtual_;
  // Distances to one of them, which are small, and so is their sum.
  const Duration origin = core.idle() ? core.line_.front()->virtual_ : core.running_->virtual_;
  Duration sum = 0;
  for (const Thread* const thread : core.line_) sum += thread->virtual_ - origin;
  return origin + (sum >= 0 ? sum / threads : -((-sum + threads - 1) / threads));
}

// At least who is furthest behind is.
bool Cores::Eligible(const Core& core, const Thread& thread) {
  return thread.virtual_ <= Average(core);
}

Thread* Cores::FirstEligible(const Core& core) {
  const Duration average = Average(core);
  Thread* first = nullptr;
  Thread* furthest_behind = nullptr;
  for (Thread* const thread : core.line_) {
    if (furthest_behind == nullptr || thread->virtual_ < furthest_behind->virtual_) {
      furthest_behind = thread;
    }
    if (thread->virtual_ > average) continue;
    if (first == nullptr || thread->deadline_ < first->deadline_) first = thread;
  }
  return first != nullptr ? first : furthest_behind;
}

void Cores::LeaveTimeLine(Core& core, Thread& thread) {
  const Duration average = Average(core);
  const Duration most = std::max(2 * options_.slice, options_.tick);
  thread.lag_ = std::clamp(average - thread.virtual_, -most, most);
  core.virtual_ = average;
}

void Cores::JoinTimeLine(Core& core, Thread& thread) {
  Account(core);
  // What it was ahead has worn off as far as its old time line has gone on.
  Duration lag = thread.lag_;
  if (lag < 0 && thread.core_ != nullptr) {
    Account(*thread.core_);
    lag = std::min<Duration>(0, Average(*thread.core_) - thread.virtual_);
    lag = std::max(lag, thread.lag_);
  }
  const auto others = static_cast<Duration>(core.line_.size()) + (core.idle() ? 0 : 1);
  // It moves the average itself when it joins.
  if (others > 0) lag = lag * (others + 1) / others;
  thread.virtual_ = Average(core) - lag;
  thread.deadline_ = thread.virtual_ + options_.slice;
}

// `woken`, which is in line, is to run at once.
bool Cores::Displaces(Core& core, const Thread& woken) {
  Thread& running = *core.running_;
  if (!CanBePreempted(running)) return false;
  const bool eligible = Eligible(core, running);
  if (eligible && !core.due_ && running.virtual_ - core.picked_at_ < options_.slice) return false;
  if (FirstEligible(core) != &woken) return false;
  return !eligible || woken.deadline_ < running.deadline_;
}

__int128 Cores::core_time(Time now) const { return running_.Area(now); }

std::string Cores::Describe() const {
  return paused_ ? "a core, or the end of a pause of the JVM" : "a core";
}

}  // namespace spillway::sim
