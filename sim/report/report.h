// SPDX-License-Identifier: Apache-2.0
#pragma once
// A simulation in text or in JSON: what ran, what came out, and what somebody
// measured beside it. The same scenario gives the same bytes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/policy_run.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

// A recorded run of the real system, computed anew.
struct RecordedRun {
  std::string log;  // from the root of this repository
  int64_t requests = 0;
  int64_t reproduced = 0;
};

struct Report {
  Scenario scenario;
  std::string replay;           // the command that gives this report again
  std::vector<PolicyRun> runs = {};  // at least one; some or all of the scenario's policies
  std::optional<RecordedRun> recorded = std::nullopt;
};

// For a terminal: 100 columns hold three policies with short names. Ends with a line feed.
std::string TextReport(const Report& report);

// One object; keys in a fixed order; numbers that are not whole have three decimals; times in ns.
std::string JsonReport(const Report& report);

}  // namespace spillway::sim
