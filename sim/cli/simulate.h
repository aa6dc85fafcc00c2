// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `spillway simulate` does, apart from its flags.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace spillway::sim {

inline constexpr std::string_view kDefaultScenario = "comet_5387";

struct SimulateOptions {
  // A preset's name, or the path of a textproto: it has a `/` or ends with `.textproto`. Relative
  // paths start at the user's working directory.
  std::string scenario = std::string(kDefaultScenario);
  std::optional<uint64_t> seed = std::nullopt;  // absent: the scenario's
  std::vector<std::string> overrides = {};      // FIELD=VALUE, as in sim/scenario/override.h
  std::vector<std::string> policies = {};       // names; none: all
  bool json = false;
  int64_t jobs = 0;  // policies that run at the same time; 0: as many as the machine has threads
};

struct SimulateOutput {
  std::string text;       // for stdout
  std::string complaint;  // for stderr; not empty: something did not come out as recorded
};

// Runs the scenario under its policies and reports. For the default scenario also computes the
// recorded Comet run anew, with the same accounting and policy as the tasks of the simulation.
//
//   OK                 the report; the same options give the same text, whatever `jobs`
//   NotFound           no such preset or file
//   InvalidArgument    a scenario, override or policy that is refused, with the place
//   ResourceExhausted  the run was cut at the scenario's bounds
absl::StatusOr<SimulateOutput> RunSimulate(const SimulateOptions& options);

// The presets, with what each shows.
absl::StatusOr<std::string> ListScenarios();

}  // namespace spillway::sim
