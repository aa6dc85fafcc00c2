// SPDX-License-Identifier: Apache-2.0
#pragma once
// Somebody else who takes Spark's memory, holds it and gives it back.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "sim/kernel/empirical.h"
#include "sim/kernel/time.h"
#include "sim/model/crossing_times.h"
#include "sim/model/lock.h"
#include "sim/model/machine.h"
#include "sim/model/thread.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/random.h"
#include "src/memory/resumable_call.h"
#include "src/memory/spark/pool_calls.h"
#include "src/memory/spark/task_calls.h"
#include "src/memory/spark/task_memory.h"

namespace spillway::sim {

// A thread of the JVM with a task attempt of its own, again and again until no task runs on its
// machine: idle, acquire, hold, release. What it gets of a short grant it holds too.
class HolderThread final : public Thread {
 public:
  // `holder` has passed the loader; `attempt` is not that of a task. `holder` and `machine` outlive
  // this, and the machine has Spark's memory.
  HolderThread(Machine& machine, const Holder& holder, Empirical hold, Empirical idle,
               base::Random random, std::string name, int64_t attempt);

 private:
  // An operator that cannot spill.
  class Consumer final : public memory::spark::MemoryConsumer {
   public:
    using MemoryConsumer::MemoryConsumer;
    absl::StatusOr<int64_t> Spill(int64_t, const memory::Spiller&) override { return 0; }
  };

  enum class State : uint8_t { kIdle, kAcquiring, kHolding, kReleasing };

  void Run() override;
  void BeginCall(memory::ResumableCall& call, State state);
  // False: it has something to burn or to wait for.
  bool Step();
  void Acquired();

  Machine& machine_;
  const Holder& holder_;
  const Empirical hold_;
  const Empirical idle_;
  base::Random random_;
  Lock lock_;  // T
  memory::spark::TaskMemory memory_;
  Consumer consumer_;

  State state_ = State::kIdle;
  bool asleep_ = false;
  bool at_java_ = false;  // the way there is done
  bool held_up_ = false;  // by an exploration, before the next step
  bool inside_ = false;   // a monitor has let it in, and what its inside takes is due
  CrossingTime time_;     // of which nothing is spent but what is inside
  int64_t held_ = 0;
  std::optional<memory::spark::TaskAcquireCall> acquire_;
  std::optional<memory::spark::ReleaseCall> release_;
  memory::ResumableCall* call_ = nullptr;
};

}  // namespace spillway::sim
