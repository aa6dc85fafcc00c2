// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scenarios from text: parsed, overridden, checked.

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

// Parses textproto, applies `overrides` (see override.h) one after the other, reads files of keys
// (see key_trace.h) and checks the result. `file` is what messages call the text.
//
//   OK                a scenario that the model can run
//   InvalidArgument   "FILE:LINE:COLUMN: field `PATH`: why", or "--set ...: why": an unknown field,
//                     not a value of the field's type, a number out of range, something needed that
//                     is missing, a combination that makes no sense
absl::StatusOr<Scenario> ParseScenario(std::string_view text, std::string_view file,
                                       const std::vector<std::string>& overrides = {});

// ParseScenario over a file of at most 1 MiB; a relative path starts where the user is. NotFound if
// it cannot be read.
absl::StatusOr<Scenario> LoadScenario(const std::string& path,
                                      const std::vector<std::string>& overrides = {});

// Eight hexadecimal digits that differ, in all likelihood, when the scenarios differ in anything
// but the seed, keys in files included.
std::string ConfigDigest(const Scenario& scenario);

}  // namespace spillway::sim
