// SPDX-License-Identifier: Apache-2.0
#include "sim/model/holder.h"

#include <utility>

#include "sim/model/exploration.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {

using Kind = memory::Step::Kind;

namespace spark = memory::spark;

HolderThread::HolderThread(Machine& machine, const Holder& holder, Empirical hold, Empirical idle,
                           base::Random random, std::string name, int64_t attempt)
    : Thread(std::move(name)),
      machine_(machine),
      holder_(holder),
      hold_(std::move(hold)),
      idle_(std::move(idle)),
      random_(random),
      lock_(machine.cores(), base::Cat("T of ", Thread::name()), machine.monitor_traits()),
      memory_(*machine.spark(), lock_, attempt),
      consumer_(memory_, spark::MemoryMode::kOffHeap, Thread::name()) {}

void HolderThread::Run() {
  Cores& cores = machine_.cores();
  for (;;) {
    switch (state_) {
      case State::kIdle:
        if (machine_.finished()) return cores.Finish(*this);
        if (!std::exchange(asleep_, true)) return cores.Sleep(*this, idle_.Sample(random_));
        asleep_ = false;
        BeginCall(
            acquire_.emplace(consumer_, random_.Between(holder_.min_bytes(), holder_.max_bytes())),
            State::kAcquiring);
        break;
      case State::kAcquiring:
        if (!Step()) return;
        if (!acquire_->granted().ok()) {
          return machine_.kernel().Fail(base::In(name(), acquire_->granted().status()));
        }
        Acquired();
        break;
      case State::kHolding:
        if (!std::exchange(asleep_, true)) return cores.Sleep(*this, hold_.Sample(random_));
        asleep_ = false;
        BeginCall(release_.emplace(machine_.spark()->pool(spark::MemoryMode::kOffHeap),
                                   memory_.task(), held_),
                  State::kReleasing);
        break;
      case State::kReleasing:
        if (!Step()) return;
        consumer_.CountFreed(held_);
        state_ = State::kIdle;
        break;
    }
  }
}

void HolderThread::BeginCall(memory::ResumableCall& call, State state) {
  call_ = &call;
  state_ = state;
  at_java_ = inside_ = false;
  // It is in Java all along, so that nothing is crossed.
  time_ = machine_.times().Sample(
      state == State::kAcquiring ? CrossingTimes::Kind::kAcquire : CrossingTimes::Kind::kRelease, 0,
      random_);
}

bool HolderThread::Step() {
  if (!std::exchange(at_java_, true) && !machine_.cores().EnterJava(*this)) return false;
  for (;;) {
    if (std::exchange(inside_, false)) {
      machine_.cores().Burn(*this, machine_.TimeInside(time_));
      return false;
    }
    if (machine_.exploration() != nullptr && !std::exchange(held_up_, false)) {
      held_up_ = machine_.exploration()->BeforeStep(machine_.cores(), *this).time > 0;
      if (held_up_) return false;
    }
    const memory::Step step = call_->Next();
    switch (step.kind) {
      case Kind::kEnter:
        inside_ = step.monitor == &machine_.monitor();
        if (!step.monitor->Enter(*this)) return false;
        break;
      case Kind::kWait:
        inside_ = true;
        if (!step.monitor->Wait(*this)) return false;
        break;
      case Kind::kEvicted: {
        const int64_t bytes = call_->request().bytes;
        machine_.measures().run.evicted_bytes += bytes;
        machine_.cores().Burn(*this, machine_.EvictionTime(bytes));
        return false;
      }
      case Kind::kSpill: {
        const memory::Request& request = call_->request();
        call_->Answer(request.spiller->Spill(request.bytes, *request.trigger));
        break;
      }
      case Kind::kDone:
        machine_.cores().LeaveJava(*this);
        return true;
      default:
        if (!memory::TakeLockStep(step, *this)) return false;
    }
  }
}

void HolderThread::Acquired() {
  held_ = *acquire_->granted();
  PolicyRun& run = machine_.measures().run;
  ++run.holder_acquires;
  if (acquire_->missing() > 0) ++run.holder_short_grants;
  state_ = State::kHolding;
}

}  // namespace spillway::sim
