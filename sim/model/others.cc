// SPDX-License-Identifier: Apache-2.0
#include "sim/model/others.h"

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "sim/kernel/empirical.h"
#include "sim/kernel/time.h"
#include "sim/scenario/latency.h"
#include "src/base/random.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

std::string NameOn(const Machine& machine, std::string_view what) {
  return base::Cat(what, " on executor ", machine.number());
}

base::Random StreamOf(const Machine& machine, std::string_view name) {
  return base::Random::Stream(machine.scenario().seed(), name);
}

}  // namespace

absl::Status Others::StartOn(Machine& machine) {
  SPILLWAY_RETURN_IF_ERROR(StartBackground(machine));
  SPILLWAY_RETURN_IF_ERROR(StartCollector(machine));
  return StartHolders(machine);
}

// As many as there are cores; where every thread has a core of its own they would disturb nobody.
absl::Status Others::StartBackground(Machine& machine) {
  const auto& executor = machine.scenario().executor();
  if (!executor.has_background()) return absl::OkStatus();
  SPILLWAY_ASSIGN_OR_RETURN(const Empirical burst, ToEmpirical(executor.background().burst()));
  const Duration every = executor.background().every_ns() * kNanosecond;
  for (int64_t i = 0; i < executor.cores(); ++i) {
    const std::string name = NameOn(machine, base::Cat("background ", i));
    machine.cores().Start(
        background_.emplace_back(machine, every, burst, StreamOf(machine, name), name));
  }
  return absl::OkStatus();
}

absl::Status Others::StartCollector(Machine& machine) {
  const Scenario& scenario = machine.scenario();
  if (!scenario.has_gc()) return absl::OkStatus();
  SPILLWAY_ASSIGN_OR_RETURN(const Empirical pause, ToEmpirical(scenario.gc().pause()));
  const std::string name = NameOn(machine, "collector");
  machine.kernel().Start(collectors_.emplace_back(machine, scenario.gc().every_ns() * kNanosecond,
                                                  scenario.gc().poisson(), pause,
                                                  StreamOf(machine, name), name));
  return absl::OkStatus();
}

absl::Status Others::StartHolders(Machine& machine) {
  int64_t attempt = 0;
  for (const Holder& holder : machine.scenario().holders()) {
    SPILLWAY_ASSIGN_OR_RETURN(const Empirical hold, ToEmpirical(holder.hold()));
    SPILLWAY_ASSIGN_OR_RETURN(const Empirical idle, ToEmpirical(holder.idle()));
    for (int64_t i = 0; i < holder.count(); ++i) {
      const std::string name = NameOn(machine, base::Cat(holder.name(), " ", i));
      // Attempts of tasks count up from 0.
      machine.cores().Start(holders_.emplace_back(machine, holder, hold, idle,
                                                  StreamOf(machine, name), name, --attempt));
    }
  }
  return absl::OkStatus();
}

}  // namespace spillway::sim
