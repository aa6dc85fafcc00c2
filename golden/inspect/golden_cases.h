// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs whose explanations are kept as text in this folder.

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "src/inspect/inspect.h"

namespace spillway::golden {

struct InspectInput {
  std::string name;
  std::string bytes;
  inspect::InspectOptions options;
};

// One file, NAME.txt; its inputs follow each other.
struct InspectCase {
  std::string name;
  std::vector<InspectInput> inputs;
};

absl::StatusOr<std::vector<InspectCase>> LoadInspectCases();

}  // namespace spillway::golden
