// SPDX-License-Identifier: Apache-2.0
#include "sim/model/simulation.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "sim/kernel/empirical.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/monitor.h"
#include "sim/kernel/time.h"
#include "sim/model/chunk_keys.h"
#include "sim/model/jni_boundary.h"
#include "sim/model/task_list.h"
#include "sim/model/task_slot.h"
#include "sim/scenario/latency.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/memory/counting_pool.h"

namespace spillway::sim {
namespace {

void Conclude(const Kernel& kernel, const JniBoundary& boundary, const Stage& stage,
              PolicyRun& result) {
  const Time end = result.stage_time;
  result.crossing_time = boundary.crossings();
  result.breakdown.attach = boundary.times().attach;
  result.breakdown.outside = boundary.times().outside;
  result.breakdown.bookkeeping = boundary.times().bookkeeping;
  result.reserved.peak = boundary.reserved().peak();
  result.reserved.average = boundary.reserved().Average(end);
  result.slack.peak = stage.slack.peak();
  result.slack.average = stage.slack.Average(end);
  result.contended_entries = boundary.monitor().contended_entries();
  result.monitor_held = boundary.monitor().held(end);
  result.events = kernel.events();
  result.ties = kernel.ties();
}

// What must hold at the end of every run, whatever the scenario.
absl::Status CheckBooks(const Kernel& kernel, const JniBoundary& boundary,
                        const memory::Pool& pool) {
  if (pool.reserved() != 0) {
    return absl::InternalError(base::Cat(pool.reserved(), " bytes are left in the pool"));
  }
  // Little's law: the line's length over time and the waits of those in it are the same sum.
  const Monitor& monitor = boundary.monitor();
  if (monitor.line_length().Area(kernel.now()) != static_cast<__int128>(monitor.wait().sum())) {
    return absl::InternalError("the monitor's line and the waits in it do not agree");
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

absl::StatusOr<PolicyRun> Run(const Scenario& scenario, const Policy& policy, memory::Pool& pool) {
  SPILLWAY_ASSIGN_OR_RETURN(Empirical crossing, ToEmpirical(scenario.jni().crossing()));
  PolicyRun result;
  result.policy = policy.name();
  Kernel kernel;
  JniBoundary boundary(kernel, pool, scenario.jni(), std::move(crossing));
  TaskList tasks(scenario);
  std::deque<GroupKeys> keys;
  for (const TaskGroup& group : scenario.tasks()) {
    SPILLWAY_ASSIGN_OR_RETURN(GroupKeys shared, GroupKeys::Create(group));
    keys.push_back(std::move(shared));
  }
  Stage stage{.scenario = scenario,
              .policy = {.step = policy.step_bytes(),
                         .limit = policy.limit_bytes(),
                         .rule = RuleOf(policy)},
              .kernel = kernel,
              .boundary = boundary,
              .tasks = tasks,
              .keys = keys,
              .slack = {},
              .result = result};
  std::deque<TaskSlot> slots;
  for (int64_t i = 0; i < scenario.executor().slots(); ++i) {
    kernel.Start(slots.emplace_back(stage, i));
  }
  SPILLWAY_RETURN_IF_ERROR(
      kernel.Run({.max_events = static_cast<uint64_t>(scenario.bounds().max_events()),
                  .until = scenario.bounds().max_virtual_ms() * kMillisecond}));
  SPILLWAY_RETURN_IF_ERROR(CheckBooks(kernel, boundary, pool));
  Conclude(kernel, boundary, stage, result);
  return result;
}

}  // namespace

absl::StatusOr<PolicyRun> Simulate(const Scenario& scenario, const Policy& policy,
                                   memory::Pool& pool) {
  return base::In(base::Cat("policy \"", policy.name(), "\""), Run(scenario, policy, pool));
}

absl::StatusOr<PolicyRun> Simulate(const Scenario& scenario, const Policy& policy) {
  std::optional<int64_t> capacity;
  if (scenario.pool().has_capacity_bytes()) capacity = scenario.pool().capacity_bytes();
  memory::CountingPool pool(capacity);
  return Simulate(scenario, policy, pool);
}

}  // namespace spillway::sim
