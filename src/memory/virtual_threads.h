// SPDX-License-Identifier: Apache-2.0
#pragma once
// Threads that a test runs one step at a time, in the order that it chooses, and their monitors:
// no clock, no real thread, and so no schedule that cannot be had again.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "src/memory/monitor.h"
#include "src/memory/resumable_call.h"

namespace spillway::memory {

class VirtualThread;

// Whoever is let in first gets in: the schedule decides, as newcomers may pass those who wait.
class VirtualMonitor final : public Monitor {
 public:
  using Monitor::Monitor;

  bool Enter(Caller& caller) override;
  void Exit(Caller& caller) override;
  bool Wait(Caller& caller) override;
  void NotifyAll(Caller& caller) override;

  const VirtualThread* owner() const { return owner_; }
  // Those who wait to be notified, longest first.
  const std::vector<VirtualThread*>& waiting() const { return waiting_; }

 private:
  friend class VirtualThreads;

  VirtualThread* owner_ = nullptr;
  int64_t depth_ = 0;
  std::vector<VirtualThread*> waiting_;
};

// A call that one of a thread's steps stands for, and what it comes to.
struct NestedCall {
  std::unique_ptr<ResumableCall> call;  // absent: the answer is there at once
  std::function<absl::StatusOr<int64_t>()> answer;
};

class VirtualThread final : public Caller {
 public:
  enum class State : uint8_t {
    kReady,
    kEntering,  // stands before a monitor
    kWaiting,   // in a monitor's wait set
    kNotified,  // was, and stands before the monitor again
    kDone,
  };

  State state() const { return state_; }
  // Where it stands or waits.
  const VirtualMonitor* at() const { return at_; }

 private:
  friend class VirtualMonitor;
  friend class VirtualThreads;

  VirtualThread(std::string name, ResumableCall& call)
      : Caller(std::move(name)), outermost_(call) {}

  ResumableCall& innermost() { return nested_.empty() ? outermost_ : *nested_.back().call; }

  State state_ = State::kReady;
  VirtualMonitor* at_ = nullptr;
  int64_t depth_ = 0;  // to come back to
  ResumableCall& outermost_;
  std::vector<NestedCall> nested_;  // innermost last
};

class VirtualThreads {
 public:
  // What a kSpill, kAcquire or kRelease step of a thread stands for.
  using StepMeaning = std::function<NestedCall(Step::Kind, const Request&)>;

  explicit VirtualThreads(StepMeaning meaning = nullptr) : meaning_(std::move(meaning)) {}

  // `call` outlives its run.
  VirtualThread& Start(std::string name, ResumableCall& call);

  bool CanRun(const VirtualThread& thread) const;
  // Those that can run now, in the order of their start.
  std::vector<VirtualThread*> Runnable() const;

  enum class Stop : uint8_t {
    kTook,      // a step was taken
    kAnswered,  // a nested call has ended and its answer was given
    kBlocked,
    kDone,
  };

  // `thread` can run: one step.
  Stop TakeStep(VirtualThread& thread);

  // As long as nothing but kTook comes.
  Stop Run(VirtualThread& thread);

  // Forgets the threads that are done; references to them end.
  void Forget();

  // Who is not done, and what for: "t1 waits in U; t2 stands before T, which t1 has". Empty if all
  // are.
  std::string DescribeStuck() const;

 private:
  Stop Finish(VirtualThread& thread);

  const StepMeaning meaning_;
  std::vector<std::unique_ptr<VirtualThread>> threads_;
};

}  // namespace spillway::memory
