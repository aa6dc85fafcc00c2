// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/presets.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_join.h"
#include "sim/runfiles/runfiles.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDirectory = "sim/scenario/presets";
constexpr std::string_view kExtension = ".textproto";

}  // namespace

absl::StatusOr<std::vector<std::string>> PresetPaths() {
  SPILLWAY_ASSIGN_OR_RETURN(const std::string directory, Runfile(kDirectory));
  std::error_code error;
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() == kExtension) paths.push_back(entry.path().string());
  }
  if (paths.empty()) return absl::NotFoundError(base::Cat("no presets in ", directory));
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string PresetName(std::string_view path) { return fs::path(path).stem().string(); }

absl::StatusOr<std::string> PresetPath(std::string_view name) {
  SPILLWAY_ASSIGN_OR_RETURN(const std::vector<std::string> paths, PresetPaths());
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    if (PresetName(path) == name) return path;
    names.push_back(PresetName(path));
  }
  return absl::NotFoundError(
      base::Cat("there is no preset \"", name, "\", but ", absl::StrJoin(names, ", ")));
}

}  // namespace spillway::sim
