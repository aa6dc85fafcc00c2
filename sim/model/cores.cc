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
  LeaveCore(thread, Thread::State::kBlocked);
}

void Cores::Sleep(Thread& thread, Duration time) {
  kernel_.ResumeAfter(thread, time);
  LeaveCore(thread, Thread::State::kBlocked);
}

void Cores::Finish(Thread& thread) {
  threads_.back()->index_ = thread.index_;
  threads_[thread.index_] = threads_.back();
  threads_.pop_back();
  kernel_.Finish(thread);
  LeaveCore(thread, Thread::State::kIdle);
}

void Cores::Unblock(Thread& thread, Duration latency, const Thread* waker) {
  MakeReady(thread, latency, waker == nullptr ? nullptr : waker->core_);
}

void Cores::Hasten(Thread& thread, Duration time) {
  kernel_.Cancel(thread, *this);
  kernel_.Wake(thread, time);
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
  std::vector<Core*> left;
  for (Thread* const thread : threads_) {
    if (!thread->in_java_ || !thread->on_core()) continue;
    thread->left_ = kernel_.Cancel(*thread, *this);
    stopped_.push_back(thread);
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
  if (core.idle()) {
    thread.left_ += latency;
    return Dispatch(core, thread);
  }
  thread.state_ = Thread::State::kReady;
  thread.since_ = kernel_.now();
  ready_.Add(kernel_.now(), 1);
  if (kernel_.now() - core.dispatched_ >= options_.slice && CanBePreempted(*core.running_)) {
    core.line_.push_front(&thread);
    StartTicking(core);
    return Preempt(core);
  }
  core.line_.push_back(&thread);
  StartTicking(core);
}

Core& Cores::ChooseCore(const Thread& thread, const Core* waker) {
  if (thread.core_ != nullptr && (thread.core_->idle() || options_.cores == 0)) {
    return *thread.core_;
  }
  const auto shorter = [](const auto& a, const auto& b) {
    return std::pair(!a->idle(), a->line_.size()) < std::pair(!b->idle(), b->line_.size());
  };
  Core& shortest = **std::min_element(cores_.begin(), cores_.end(), shorter);
  if (thread.core_ == nullptr || shortest.idle()) return shortest;
  if (waker == nullptr || thread.core_->line_.size() < waker->line_.size()) return *thread.core_;
  return *cores_[waker->number_];
}

void Cores::Dispatch(Core& core, Thread& thread) {
  --idle_;
  running_.Add(kernel_.now(), 1);
  core.running_ = &thread;
  core.dispatched_ = kernel_.now();
  if (core.last_ != nullptr && core.last_ != &thread) {
    thread.left_ += options_.switch_time;
    thread.ready_time_ += options_.switch_time;
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
  thread.state_ = state;
  thread.since_ = kernel_.now();
  ++thread.switches_;
  thread.core_->running_ = nullptr;
  ++idle_;
  running_.Add(kernel_.now(), -1);
  FillCore(*thread.core_);
}

void Cores::FillCore(Core& core) {
  Thread* next = TakeFrom(core);
  while (next == nullptr && ready_.level() > 0) {
    const auto longest = std::max_element(
        cores_.begin(), cores_.end(),
        [](const auto& a, const auto& b) { return a->line_.size() < b->line_.size(); });
    next = TakeFrom(**longest);
  }
  if (next != nullptr) Dispatch(core, *next);
}

// The first in line that may run; those whom a pause keeps are stopped. Null: nobody is left.
Thread* Cores::TakeFrom(Core& core) {
  while (!core.line_.empty()) {
    Thread* const thread = core.line_.front();
    core.line_.pop_front();
    ready_.Add(kernel_.now(), -1);
    thread->ready_time_ += kernel_.now() - thread->since_;
    if (!paused_ || !thread->in_java_) return thread;
    thread->state_ = Thread::State::kStopped;
    thread->since_ = kernel_.now();
    stopped_.push_back(thread);
  }
  return nullptr;
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
  if (kernel_.now() - core.dispatched_ >= options_.slice) Preempt(core);
  kernel_.ResumeAfter(core, options_.tick);
}

void Cores::Preempt(Core& core) {
  Thread& thread = *core.running_;
  thread.left_ = kernel_.Cancel(thread, *this);
  ready_.Add(kernel_.now(), 1);
  core.line_.push_back(&thread);
  LeaveCore(thread, Thread::State::kReady);
}

__int128 Cores::core_time(Time now) const { return running_.Area(now); }

std::string Cores::Describe() const {
  return paused_ ? "a core, or the end of a pause of the JVM" : "a core";
}

}  // namespace spillway::sim
