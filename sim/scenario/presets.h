// SPDX-License-Identifier: Apache-2.0
#pragma once
// The scenarios that come with the tool.

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace spillway::sim {

// Paths of all presets, sorted by name. NotFound if they are missing from the program's runfiles.
absl::StatusOr<std::vector<std::string>> PresetPaths();

// The name of a preset: its file name without `.textproto`.
std::string PresetName(std::string_view path);

// The path of the preset `name`. NotFound, with the names that there are, if there is none.
absl::StatusOr<std::string> PresetPath(std::string_view name);

}  // namespace spillway::sim
