// SPDX-License-Identifier: Apache-2.0
#pragma once
// A slot of an executor: it runs one task after the other, each by one writer or by several.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sim/kernel/empirical.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/model/chunk_keys.h"
#include "sim/model/machine.h"
#include "sim/model/measures.h"
#include "sim/model/pool_call.h"
#include "sim/model/task_list.h"
#include "sim/model/task_pool.h"
#include "sim/model/thread.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/random.h"
#include "src/memory/reservation_policy.h"
#include "src/shuffle/writer_account.h"

namespace spillway::sim {

class Slot;

// What the slots of a run share.
struct Stage {
  const Scenario& scenario;
  memory::PolicyOptions policy;
  TaskList& tasks;
  std::deque<GroupKeys>& keys;  // of each group
  // Slots without a task while some are still to arrive. The first sleeps until the next arrival,
  // the others until it has been taken.
  std::deque<Slot*> idle = {};
  Measures& measures;
  std::function<void()> at_end;  // called at the instant at which the last task ends
  int64_t under_way = 0;         // tasks
};

// A thread that writes its part of a task: for each chunk it thinks, charges the chunk to its
// account and does what the reservation policy says until the chunk is covered or everything is
// spilled; at the end it releases what is still reserved. Writer 0 takes the tasks, begins and ends
// them.
class Writer final : public Thread {
 public:
  // `slot` outlives the writer.
  Writer(Slot& slot, int64_t number, std::string name);

 private:
  friend class Slot;

  enum class State : uint8_t {
    kIdle,       // between tasks
    kBeginning,  // writer 0: the task's own preparations
    kThinking,
    kRequesting,
    kSpilling,
    kFreeing,    // after a spill
    kReleasing,  // at the end
    kJoining,    // writer 0: the others are not done
    kEnding,     // writer 0: Spark's end of the task
    kEnded,      // writer 0: the task's own end
  };

  // Its part of a task.
  struct Part {
    Part(const Stage& stage, const TaskList::Entry& entry, int64_t writer,
         memory::ReservationPolicy policy, const ChunkKeys& keys, memory::Consumer& consumer);

    const TaskGroup& group;
    memory::ReservationPolicy policy;
    shuffle::WriterAccount account;
    ChunkKeys keys;
    memory::Consumer& consumer;
    base::Random think_times;
    base::Random crossing_times;
    int64_t chunks_left;
    int64_t think_factor;
    int64_t slack = 0;
    int64_t unreserved = 0;
  };

  void Run() override;

  absl::Status Begin(const TaskList::Entry& entry);
  void NextChunk();
  absl::Status TakeChunk();
  void Follow(memory::Action action);
  void Free(State next);
  void End();
  absl::Status NoteCall();
  Duration Attaching();
  void NoteLevels();

  Slot& slot_;
  const int64_t number_;
  State state_ = State::kIdle;
  bool attached_ = false;
  std::optional<Part> part_;
  std::optional<PoolCall> call_;
};

class Slot final : public Awaited {
 public:
  // Slot `number` of `machine`; both arguments outlive it.
  Slot(Stage& stage, Machine& machine, int64_t number);

  // It takes its first task when the run begins.
  void Start();

  std::string Describe() const override;

 private:
  friend class Writer;

  // The task under way.
  struct Task {
    Task(Machine& machine, const TaskList::Entry& entry, Time now);

    TaskList::Entry entry;
    TaskPool pool;
    Time began;
    int64_t writing;  // writers that are not done
    int64_t requests = 0;
    int64_t requested_bytes = 0;
    int64_t denied = 0;
    int64_t crossings = 0;
    int64_t spills = 0;
    Duration jni_time = 0;
    Duration waited = 0;
  };

  std::string NameOf(int64_t writer) const;
  // As writer 0.
  absl::Status TakeTask();
  void WaitForArrival(Time arrives);
  void WakeNextIdle();
  void Leave();
  void BeginWriting();
  void EndTask();
  void Record();

  Stage& stage_;
  Machine& machine_;
  const int64_t number_;
  std::vector<std::unique_ptr<Writer>> writers_;
  std::optional<Empirical> think_;
  std::optional<Task> task_;
};

}  // namespace spillway::sim
