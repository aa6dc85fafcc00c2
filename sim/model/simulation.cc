// SPDX-License-Identifier: Apache-2.0
#include "sim/model/simulation.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/model/chunk_keys.h"
#include "sim/model/lock.h"
#include "sim/model/machine.h"
#include "sim/model/measures.h"
#include "sim/model/others.h"
#include "sim/model/slot.h"
#include "sim/model/task_list.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

using Machines = std::vector<std::unique_ptr<Machine>>;

Level LevelOf(const TimeWeighted& level, Time end) {
  return {.average = level.Average(end), .peak = level.peak(), .area = level.Area(end)};
}

void Add(Level& sum, const Level& part) {
  sum.average += part.average;
  sum.area += part.area;
  sum.peak = std::max(sum.peak, part.peak);
}

void ShareOut(Level& sum, int64_t executors) {
  sum.average /= executors;
  sum.area /= executors;
}

// The stage is over: what others still do, such as holders that give back, is none of it.
void TakeLevels(const Machines& machines, Measures& measures) {
  PolicyRun& run = measures.run;
  const Time end = run.stage_time;
  run.reserved = LevelOf(measures.reserved, end);
  run.slack = LevelOf(measures.slack, end);
  run.unreserved = LevelOf(measures.unreserved, end);
  for (const auto& machine : machines) {
    const Lock& lock = machine->lock();
    const Cores& cores = machine->cores();
    Add(run.line, LevelOf(lock.line(), end));
    Add(run.ready, LevelOf(cores.ready(), end));
    run.monitor_entries += lock.entries();
    run.contended_entries += lock.contended_entries();
    run.monitor_held += lock.held(end);
    run.cores += cores.size();
    run.core_time += cores.core_time(end);
    run.switches += cores.switches();
    run.paused += cores.paused_time(end);
  }
  const auto executors = static_cast<int64_t>(machines.size());
  ShareOut(run.line, executors);
  ShareOut(run.ready, executors);
  run.disk_line = LevelOf(measures.disks.line, end);
  run.disk_time = measures.disks.time;
}

#ifdef NDEBUG
constexpr bool kDebug = false;
#else
constexpr bool kDebug = true;
#endif

// What must hold before each event: Spark's pool has what its tasks have, and no more than there is
// beside what is cached.
absl::Status CheckBytes(const Kernel::Step& step, const Machines& machines) {
  for (const auto& machine : machines) {
    if (machine->spark() == nullptr) continue;
    const auto& pool = machine->spark()->pool(memory::spark::MemoryMode::kOffHeap);
    int64_t held = 0;
    bool negative = false;
    for (const auto& [task, bytes] : pool.tasks()) {
      held += bytes;
      negative |= bytes < 0;
    }
    if (!negative && held == pool.used() && pool.free() >= 0 &&
        pool.size() + pool.storage().size() == pool.total() && pool.storage().free() >= 0) {
      continue;
    }
    return absl::InternalError(base::Cat(
        "before event ", step.ordinal, " at ", step.at, " ps tasks hold ", held, " of the ",
        pool.used(), " bytes in use of ", pool.size(), ", and ", pool.storage().used(), " of ",
        pool.storage().size(), " are cached, in a memory of ", pool.total(), " bytes"));
  }
  return absl::OkStatus();
}

// What must hold at the end of every run, whatever the scenario.
absl::Status CheckBooks(const Kernel& kernel, const Machines& machines, const Measures& measures) {
  for (const auto& machine : machines) {
    const int64_t left = machine->spark() != nullptr
                             ? machine->spark()->pool(memory::spark::MemoryMode::kOffHeap).used()
                             : machine->counting().reserved();
    if (left != 0) return absl::InternalError(base::Cat(left, " bytes are left in the pool"));
  }
  if (measures.reserved.level() != 0) {
    return absl::InternalError(
        base::Cat(measures.reserved.level(), " bytes were granted and not given back"));
  }
  // Little's law: the lines' lengths over time and the waits of those in them are the same sum.
  __int128 area = 0;
  for (const auto& machine : machines) area += machine->lock().line().Area(kernel.now());
  if (area != static_cast<__int128>(measures.run.contended_wait.sum())) {
    return absl::InternalError("the monitors' lines and the waits in them do not agree");
  }
  return absl::OkStatus();
}

memory::ReservationRule RuleOf(const Policy& policy) {
  switch (policy.rule()) {
    case Policy::ROUND_UP:
      return memory::ReservationRule::kRoundUp;
    case Policy::MULTIPLE:
      return memory::ReservationRule::kMultiple;
    case Policy::DEFICIT_PLUS_STEP:
      return memory::ReservationRule::kDeficitPlusStep;
    case Policy::BLOCKS:
      return memory::ReservationRule::kBlocks;
    case Policy::VELOX_QUANTUM:
      return memory::ReservationRule::kVeloxQuantum;
    case Policy::ADAPTIVE:
      return memory::ReservationRule::kAdaptive;
    case Policy::STEP:
      break;
  }
  return memory::ReservationRule::kStep;
}

absl::StatusOr<PolicyRun> Run(const Scenario& scenario, const Policy& policy, memory::Pool* pool,
                              Exploration* exploration) {
  Kernel kernel;
  Measures measures;
  measures.run.policy = policy.name();
  SPILLWAY_ASSIGN_OR_RETURN(TaskList tasks, TaskList::Create(scenario));
  std::deque<GroupKeys> keys;
  for (const TaskGroup& group : scenario.tasks()) {
    SPILLWAY_ASSIGN_OR_RETURN(GroupKeys shared, GroupKeys::Create(group));
    keys.push_back(std::move(shared));
  }
  Machines machines;
  Stage stage{.scenario = scenario,
              .policy = {.step = policy.step_bytes(),
                         .limit = policy.limit_bytes(),
                         .rule = RuleOf(policy)},
              .tasks = tasks,
              .keys = keys,
              .measures = measures,
              .at_end = [&] { TakeLevels(machines, measures); }};
  std::deque<Slot> slots;
  for (int64_t i = 0; i < scenario.executor().count(); ++i) {
    SPILLWAY_ASSIGN_OR_RETURN(auto machine,
                              Machine::Create(scenario, i, kernel, pool, exploration, measures));
    machines.push_back(std::move(machine));
  }
  // In turn, so that the first tasks go to all machines alike.
  for (int64_t i = 0; i < scenario.executor().slots(); ++i) {
    for (const auto& machine : machines) {
      slots.emplace_back(stage, *machine, i).Start();
    }
  }
  Others others;
  for (const auto& machine : machines) {
    SPILLWAY_RETURN_IF_ERROR(others.StartOn(*machine));
  }
  absl::Status bytes;
  if (exploration != nullptr) kernel.set_tie_order(exploration->tie_order());
  if (exploration != nullptr || kDebug) {
    kernel.set_observer([&](const Kernel::Step& step) {
      if (bytes.ok()) bytes = CheckBytes(step, machines);
    });
  }
  const Kernel::Limits limits{
      .max_events = static_cast<uint64_t>(scenario.bounds().max_events()),
      .until = scenario.bounds().max_virtual_ms() * kMillisecond,
  };
  SPILLWAY_RETURN_IF_ERROR(
      base::In(base::Cat("policy \"", policy.name(), "\""), kernel.Run(limits)));
  SPILLWAY_RETURN_IF_ERROR(bytes);
  if (scenario.bounds().check_books()) {
    SPILLWAY_RETURN_IF_ERROR(CheckBooks(kernel, machines, measures));
  }
  measures.run.events = kernel.events();
  measures.run.ties = kernel.ties();
  return std::move(measures.run);
}

}  // namespace

absl::StatusOr<PolicyRun> Simulate(const Scenario& scenario, const Policy& policy) {
  return Run(scenario, policy, nullptr, nullptr);
}

absl::StatusOr<PolicyRun> Simulate(const Scenario& scenario, const Policy& policy,
                                   memory::Pool& pool) {
  return Run(scenario, policy, &pool, nullptr);
}

absl::StatusOr<PolicyRun> Explore(const Scenario& scenario, const Policy& policy,
                                  Exploration& exploration) {
  return Run(scenario, policy, nullptr, &exploration);
}

}  // namespace spillway::sim
