// SPDX-License-Identifier: Apache-2.0
#include "sim/model/lock.h"

#include <algorithm>
#include <utility>

#include "src/base/check.h"
#include "src/base/random.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

Thread& ThreadOf(memory::Caller& caller) { return static_cast<Thread&>(caller); }

// HotSpot counts iterations of spinning: at most 5000. A success that needed x of them allows
// max(x, 1000) + 100 the next time, unless more are allowed already; a failure takes 200 off.
constexpr int64_t kMostIterations = 5000;
constexpr int64_t kLeastAfterSuccess = 1000;
constexpr int64_t kBonus = 100;
constexpr int64_t kPenalty = 200;
// After which the first to park tries again.
constexpr Duration kRecheck = kMillisecond;
// Whatever is allowed, it tries this often before anything else.
constexpr int64_t kAlways = 10;

}  // namespace

LockTraits LockTraits::HotSpot(const LockTraits& times) {
  LockTraits traits = times;
  traits.hands_over = false;
  traits.last_first = true;
  return traits;
}

LockTraits LockTraits::Fifo(const LockTraits& times) {
  return {.hands_over = true, .unpark = times.unpark, .wake = times.wake};
}

LockTraits LockTraits::Ideal() { return {.hands_over = true}; }

LockTraits LockTraits::Mutex(const LockTraits& times) {
  return {.unpark = times.unpark, .wake = times.wake};
}

Lock::Lock(Cores& cores, std::string name, const LockTraits& traits, Histogram* contended)
    : Monitor(std::move(name)),
      cores_(cores),
      traits_(traits),
      contended_(contended),
      budget_(traits.spin) {}

bool Lock::Enter(memory::Caller& caller) {
  Thread& thread = ThreadOf(caller);
  if (owner_ == &thread) {
    ++depth_;
    return true;
  }
  ++entries_;
  if (owner_ == nullptr) {
    Own(thread, 1);
    return true;
  }
  ++contended_entries_;
  thread.entry.depth = 1;
  thread.gate_ = this;
  BeginLine(thread);
  if (!Spin(thread)) Park(thread);
  return false;
}

void Lock::Exit(memory::Caller& caller) {
  Thread& thread = ThreadOf(caller);
  SPILLWAY_CHECK(owner_ == &thread, "only its owner leaves a lock");
  if (--depth_ == 0) LetGo(thread);
}

bool Lock::Wait(memory::Caller& caller) {
  Thread& thread = ThreadOf(caller);
  SPILLWAY_CHECK(owner_ == &thread, "only its owner waits in a lock");
  thread.entry.depth = std::exchange(depth_, 0);
  thread.entry.phase = Phase::kInWaitSet;
  thread.entry.since = cores_.kernel().now();
  thread.entry.off_core = thread.off_core_time();
  thread.gate_ = this;
  wait_set_.push_back(&thread);
  LetGo(thread);
  cores_.Block(thread, wait_set_name_);
  return false;
}

void Lock::NotifyAll(memory::Caller& caller) {
  SPILLWAY_CHECK(owner_ == &ThreadOf(caller), "only its owner notifies in a lock");
  for (Thread* const thread : std::exchange(wait_set_, {})) {
    Thread::Entry& entry = thread->entry;
    entry.blocked += cores_.kernel().now() - entry.since;
    BeginLine(*thread);
    entry.phase = Phase::kParked;
    Enqueue(*thread, /*notified=*/true);
  }
}

// On a core, with nothing left to burn.
bool Lock::Continue(Thread& thread) {
  if (thread.entry.phase == Phase::kGranted) {
    GetIn(thread);
    return true;
  }
  const bool noticed = thread.entry.phase == Phase::kNoticing;
  const bool spun = noticed || thread.entry.phase == Phase::kSpinning;
  if (noticed && owner_ != nullptr && thread.entry.spin_left > 0) {
    GoOnSpinning(thread, thread.entry.spin_left);  // somebody was faster
    return false;
  }
  if (spun) StopSpinning(thread, /*in_vain=*/owner_ != nullptr);
  if (heir_ == &thread) heir_ = nullptr;
  if (owner_ == nullptr) {
    Own(thread, thread.entry.depth);
    GetIn(thread);
    return true;
  }
  if (spun || !Spin(thread)) Park(thread);
  return false;
}

void Lock::OnCoreAgain(Thread& thread) {
  if (thread.entry.phase == Phase::kSpinning && owner_ == nullptr) AlertSpinner();
}

void Lock::Own(Thread& thread, int64_t depth) {
  owner_ = &thread;
  moved_ = last_core_ != nullptr && last_core_ != thread.core();
  last_core_ = thread.core();
  depth_ = depth;
  owned_since_ = cores_.kernel().now();
}

// `thread`, which stood in line, is inside.
void Lock::GetIn(Thread& thread) {
  Thread::Entry& entry = thread.entry;
  if (entry.queued) Dequeue(thread);
  entry.phase = Phase::kNone;
  thread.gate_ = nullptr;
  line_.Add(cores_.kernel().now(), -1);
  const Duration wall = cores_.kernel().now() - entry.since;
  entry.waited += wall - (thread.off_core_time() - entry.off_core);
  if (contended_ != nullptr) contended_->Record(wall);
}

void Lock::BeginLine(Thread& thread) {
  thread.entry.since = cores_.kernel().now();
  thread.entry.off_core = thread.off_core_time();
  line_.Add(cores_.kernel().now(), 1);
}

void Lock::LetGo(Thread& thread) {
  held_ += cores_.kernel().now() - owned_since_;
  owner_ = nullptr;
  if (line_.level() == 0) return;
  if (AlertSpinner()) return;
  if (traits_.hands_over) {
    if (line_to_wake_.empty()) return;
    Thread& next = *line_to_wake_.front();
    Dequeue(next);
    Own(next, next.entry.depth);
    next.entry.phase = Phase::kGranted;
    thread.Owe(traits_.unpark);
    return cores_.Unblock(next, traits_.wake, &thread);
  }
  if (heir_ == nullptr || !traits_.last_first) WakeOne(thread);
}

// The lock is free. True: a thread that spins on a core sees it, which takes a while.
bool Lock::AlertSpinner() {
  for (Thread* const thread : spinners_) {
    if (thread->entry.phase != Phase::kSpinning || !thread->on_core()) continue;
    thread->entry.phase = Phase::kNoticing;
    thread->entry.spin_left = cores_.Hasten(*thread, HandoverTime());
    return true;
  }
  return false;
}

// Half to one and a half of what it is on average: whether a newcomer is faster is chance, which
// needs no stream of its own.
Duration Lock::HandoverTime() const {
  constexpr int kBits = 20;
  const auto chance = static_cast<Duration>(base::SplitMix64(entries_) >> (64 - kBits));
  return traits_.handover / 2 + (traits_.handover * chance >> kBits);
}

void Lock::WakeOne(Thread& waker) {
  if (line_to_wake_.empty()) {
    line_to_wake_.assign(newcomers_.rbegin(), newcomers_.rend());
    newcomers_.clear();
  }
  // One that was woken before and is on the way, or spins again, stays where it is in line.
  const auto next = std::find_if(line_to_wake_.begin(), line_to_wake_.end(), [](Thread* thread) {
    return thread->state_ == Thread::State::kBlocked;
  });
  if (next == line_to_wake_.end()) return;
  heir_ = *next;
  waker.Owe(traits_.unpark);
  cores_.Unblock(**next, traits_.wake, &waker);
}

bool Lock::Spin(Thread& thread) {
  if (traits_.spin <= 0) return false;
  spinners_.push_back(&thread);
  if (heir_ == nullptr) heir_ = &thread;
  GoOnSpinning(thread, std::max(budget_, kAlways * (traits_.spin / kMostIterations)));
  return true;
}

void Lock::GoOnSpinning(Thread& thread, Duration time) {
  thread.entry.phase = Phase::kSpinning;
  cores_.Spin(thread, time);
}

void Lock::StopSpinning(Thread& thread, bool in_vain) {
  spinners_.erase(std::find(spinners_.begin(), spinners_.end(), &thread));
  const Duration iteration = traits_.spin / kMostIterations;
  if (in_vain) {
    budget_ = std::max<Duration>(0, budget_ - kPenalty * iteration);
  } else if (budget_ < traits_.spin) {
    budget_ = std::max(budget_, kLeastAfterSuccess * iteration) + kBonus * iteration;
  }
}

void Lock::Park(Thread& thread) {
  thread.entry.phase = Phase::kParked;
  const bool first = line_to_wake_.empty() && newcomers_.empty();
  if (!thread.entry.queued) Enqueue(thread, /*notified=*/false);
  // HotSpot's responsible thread: whoever parks first looks again after a while, once.
  if (first && traits_.last_first) return cores_.BlockFor(thread, kRecheck);
  cores_.Block(thread, *this);
}

// As in HotSpot: who is notified is put where wake-ups come from if nobody is there.
void Lock::Enqueue(Thread& thread, bool notified) {
  thread.entry.queued = true;
  if (traits_.last_first && !(notified && line_to_wake_.empty())) {
    newcomers_.push_back(&thread);
  } else {
    line_to_wake_.push_back(&thread);
  }
}

void Lock::Dequeue(Thread& thread) {
  thread.entry.queued = false;
  if (const auto found = std::find(line_to_wake_.begin(), line_to_wake_.end(), &thread);
      found != line_to_wake_.end()) {
    line_to_wake_.erase(found);
  } else {
    newcomers_.erase(std::find(newcomers_.begin(), newcomers_.end(), &thread));
  }
}

std::string Lock::Describe() const {
  if (owner_ == nullptr) return base::Cat("lock ", name(), ", held by nobody");
  return base::Cat("lock ", name(), ", held by ", owner_->name());
}

std::string Lock::WaitSet::Describe() const {
  return base::Cat("a notification in lock ", lock_.name());
}

}  // namespace spillway::sim
