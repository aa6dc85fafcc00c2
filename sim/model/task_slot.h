// SPDX-License-Identifier: Apache-2.0
#pragma once
// A slot of the executor: a thread on a core of its own that runs one task after
// the other.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "sim/kernel/empirical.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/kernel/time_weighted.h"
#include "sim/model/chunk_keys.h"
#include "sim/model/jni_boundary.h"
#include "sim/model/policy_run.h"
#include "sim/model/task_list.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/random.h"
#include "src/memory/reservation_policy.h"
#include "src/shuffle/writer_account.h"

namespace spillway::sim {

// What the slots of a run share.
struct Stage {
  const Scenario& scenario;
  memory::PolicyOptions policy;
  Kernel& kernel;
  JniBoundary& boundary;
  TaskList& tasks;
  std::deque<GroupKeys>& keys;  // of each group
  TimeWeighted slack;           // of all running tasks
  PolicyRun& result;
};

// Takes tasks until the list is empty. A task is, for each chunk: think, charge the chunk to the
// writer's account, and do what the reservation policy says until it is covered or spills; at the
// end, one release of what is still reserved.
class TaskSlot final : public Process {
 public:
  // `stage` outlives the slot.
  TaskSlot(Stage& stage, int64_t number);

 private:
  enum class State { kNextTask, kThinking, kRequesting, kSpilling, kFreeing, kEnding };

  // A task under way.
  struct Task {
    Task(const TaskList::Entry& entry, memory::ReservationPolicy policy, const ChunkKeys& keys,
         uint64_t seed, Time now);

    const TaskGroup& group;
    memory::ReservationPolicy policy;
    shuffle::WriterAccount account;
    ChunkKeys keys;
    base::Random think_times;
    base::Random crossing_times;
    Time began;
    int64_t chunks_left;
    int64_t slack = 0;
    int64_t requests = 0;
    int64_t requested_bytes = 0;
    int64_t denied = 0;
    int64_t crossings = 0;
    int64_t spills = 0;
    Duration jni_time = 0;
    Duration monitor_wait = 0;
  };

  void Resume() override;

  // Each leaves the process waiting, or moves to a state that Resume() goes on with.
  absl::Status BeginTask();
  void NextChunk();
  absl::Status TakeChunk();
  void Follow(memory::Action action);
  void Free(State next);
  void EndTask();

  bool Attaching();
  void NoteCall();
  void NoteSlack();

  Stage& stage_;
  State state_ = State::kNextTask;
  bool attached_ = false;
  std::optional<Task> task_;
  std::optional<PoolCall> call_;
  std::optional<Empirical> think_;
};

}  // namespace spillway::sim
