// SPDX-License-Identifier: Apache-2.0
#include "src/memory/virtual_threads.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/base/strings.h"

namespace spillway::memory {
namespace {

using State = VirtualThread::State;
using Kind = Step::Kind;

VirtualThread& Thread(Caller& caller) { return static_cast<VirtualThread&>(caller); }

constexpr char kOwner[] = "only its owner may leave a monitor, wait in it or notify";

}  // namespace

bool VirtualMonitor::Enter(Caller& caller) {
  VirtualThread& thread = Thread(caller);
  if (owner_ == nullptr || owner_ == &thread) {
    owner_ = &thread;
    ++depth_;
    return true;
  }
  thread.state_ = State::kEntering;
  thread.at_ = this;
  thread.depth_ = 1;
  return false;
}

void VirtualMonitor::Exit(Caller& caller) {
  SPILLWAY_CHECK(owner_ == &caller, kOwner);
  if (--depth_ == 0) owner_ = nullptr;
}

bool VirtualMonitor::Wait(Caller& caller) {
  SPILLWAY_CHECK(owner_ == &caller, kOwner);
  VirtualThread& thread = Thread(caller);
  thread.state_ = State::kWaiting;
  thread.at_ = this;
  thread.depth_ = std::exchange(depth_, 0);
  owner_ = nullptr;
  waiting_.push_back(&thread);
  return false;
}

void VirtualMonitor::NotifyAll(Caller& caller) {
  SPILLWAY_CHECK(owner_ == &caller, kOwner);
  for (VirtualThread* thread : waiting_) thread->state_ = State::kNotified;
  waiting_.clear();
}

VirtualThread& VirtualThreads::Start(std::string name, ResumableCall& call) {
  threads_.emplace_back(new VirtualThread(std::move(name), call));
  return *threads_.back();
}

bool VirtualThreads::CanRun(const VirtualThread& thread) const {
  switch (thread.state_) {
    case State::kReady:
      return true;
    case State::kEntering:
    case State::kNotified:
      return thread.at_->owner_ == nullptr;
    default:
      return false;
  }
}

std::vector<VirtualThread*> VirtualThreads::Runnable() const {
  std::vector<VirtualThread*> runnable;
  for (const auto& thread : threads_) {
    if (CanRun(*thread)) runnable.push_back(thread.get());
  }
  return runnable;
}

VirtualThreads::Stop VirtualThreads::TakeStep(VirtualThread& thread) {
  SPILLWAY_CHECK(CanRun(thread), "a thread that cannot run was told to");
  if (thread.state_ != State::kReady) {
    thread.at_->owner_ = &thread;
    thread.at_->depth_ = thread.depth_;
    thread.at_ = nullptr;
    thread.state_ = State::kReady;
    return Stop::kTook;
  }
  ResumableCall& call = thread.innermost();
  const Step step = call.Next();
  switch (step.kind) {
    case Kind::kDone:
      return Finish(thread);
    case Kind::kSpill:
    case Kind::kAcquire:
    case Kind::kRelease: {
      NestedCall nested = meaning_(step.kind, call.request());
      if (nested.call == nullptr) {
        call.Answer(nested.answer());
        return Stop::kAnswered;
      }
      thread.nested_.push_back(std::move(nested));
      return Stop::kTook;
    }
    default:
      return TakeLockStep(step, thread) ? Stop::kTook : Stop::kBlocked;
  }
}

VirtualThreads::Stop VirtualThreads::Finish(VirtualThread& thread) {
  if (thread.nested_.empty()) {
    thread.state_ = State::kDone;
    return Stop::kDone;
  }
  absl::StatusOr<int64_t> answer = thread.nested_.back().answer();
  thread.nested_.pop_back();
  thread.innermost().Answer(std::move(answer));
  return Stop::kAnswered;
}

VirtualThreads::Stop VirtualThreads::Run(VirtualThread& thread) {
  for (;;) {
    const Stop stop = TakeStep(thread);
    if (stop != Stop::kTook) return stop;
  }
}

void VirtualThreads::Forget() {
  threads_.erase(std::remove_if(threads_.begin(), threads_.end(),
                                [](const auto& thread) { return thread->state_ == State::kDone; }),
                 threads_.end());
}

std::string VirtualThreads::DescribeStuck() const {
  std::string text;
  for (const auto& thread : threads_) {
    if (thread->state_ == State::kDone) continue;
    if (!text.empty()) text += "; ";
    const VirtualMonitor* at = thread->at_;
    if (at == nullptr) {
      text += base::Cat(thread->name(), " can run");
    } else if (thread->state_ == State::kWaiting) {
      text += base::Cat(thread->name(), " waits in ", at->name());
    } else {
      text += base::Cat(thread->name(), " stands before ", at->name(), ", which ",
                        at->owner_ == nullptr ? "nobody" : at->owner_->name(), " has");
    }
  }
  return text;
}

}  // namespace spillway::memory
