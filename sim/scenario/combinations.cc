// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/combinations.h"

#include <set>
#include <string>

#include "sim/scenario/machine_rules.h"
#include "sim/scenario/memory_rules.h"
#include "sim/scenario/task_rules.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

absl::Status CheckNames(const Scenario& scenario, const Places& places) {
  std::set<std::string> names;
  for (int i = 0; i < scenario.policies_size(); ++i) {
    if (!names.insert(scenario.policies(i).name()).second) {
      return places.Refuse(base::Cat("policies[", i, "].name"), "two policies are called \"",
                           scenario.policies(i).name(), "\"");
    }
  }
  for (int i = 0; i < scenario.published().figures_size(); ++i) {
    const std::string& policy = scenario.published().figures(i).policy();
    if (!names.contains(policy)) {
      return places.Refuse(base::Cat("published.figures[", i, "].policy"), "no policy is called \"",
                           policy, "\"");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckCombinations(const Scenario& scenario, const Places& places) {
  SPILLWAY_RETURN_IF_ERROR(CheckTasks(scenario, places));
  SPILLWAY_RETURN_IF_ERROR(CheckMemory(scenario, places));
  SPILLWAY_RETURN_IF_ERROR(CheckMachine(scenario, places));
  return CheckNames(scenario, places);
}

}  // namespace spillway::sim
