// SPDX-License-Identifier: Apache-2.0
#include "sim/model/scripted_thread.h"

#include "absl/status/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

struct Anybody final : Awaited {
  std::string Describe() const override { return "somebody to wake it"; }
};

const Anybody kAnybody;

}  // namespace

void ScriptedThread::Run() {
  if (std::exchange(begun_, true) && !held_up_) done_.push_back(cores_.kernel().now());
  while (done_.size() < program_.size()) {
    if (exploration_ != nullptr && !std::exchange(held_up_, false)) {
      held_up_ = exploration_->BeforeStep(cores_, *this).time > 0;
      if (held_up_) return;
    }
    if (!Take(program_[done_.size()])) return;
    done_.push_back(cores_.kernel().now());
  }
  cores_.Finish(*this);
}

bool ScriptedThread::Take(const Action& action) {
  switch (action.kind) {
    case Action::Kind::kBurn:
      cores_.Burn(*this, action.time);
      return false;
    case Action::Kind::kSleep:
      cores_.Sleep(*this, action.time);
      return false;
    case Action::Kind::kBlock:
      cores_.Block(*this, kAnybody);
      return false;
    case Action::Kind::kWake:
      cores_.Unblock(*action.other, 0, this);
      return true;
    case Action::Kind::kEnter:
      return action.lock->Enter(*this);
    case Action::Kind::kExit:
      action.lock->Exit(*this);
      return true;
    case Action::Kind::kWait:
      return action.lock->Wait(*this);
    case Action::Kind::kNotifyAll:
      action.lock->NotifyAll(*this);
      return true;
    case Action::Kind::kIntoJava:
      return cores_.EnterJava(*this);
    case Action::Kind::kOutOfJava:
      cores_.LeaveJava(*this);
      return true;
  }
  return true;
}

void ScriptedPauses::Resume() {
  Kernel& kernel = cores_.kernel();
  if (pausing_) cores_.EndPause();
  if (!pausing_ && next_ < pauses_.size() && kernel.now() == pauses_[next_].from) {
    pausing_ = true;
    cores_.BeginPause();
    return kernel.ResumeAfter(*this, pauses_[next_++].to - kernel.now());
  }
  pausing_ = false;
  if (next_ == pauses_.size()) return kernel.Finish(*this);
  kernel.ResumeAfter(*this, pauses_[next_].from - kernel.now());
}

ScriptedThread& ScriptedRun::Start(std::string name, std::vector<Action> program, Time at) {
  ScriptedThread& thread = threads.emplace_back(cores, std::move(name), std::move(program));
  cores.Start(thread, at);
  return thread;
}

void ScriptedRun::Pause(std::vector<ScriptedPauses::Pause> times) {
  kernel.Start(pauses.emplace_back(cores, std::move(times)));
}

std::string ScriptedRun::Run(Time until) {
  const absl::Status status = kernel.Run({.max_events = 1'000'000, .until = until});
  return std::string(base::ToStd(status.message()));
}

}  // namespace spillway::sim
