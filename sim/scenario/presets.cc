// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/presets.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_join.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "tools/cpp/runfiles/runfiles.h"

namespace spillway::sim {
namespace {

namespace fs = std::filesystem;
using bazel::tools::cpp::runfiles::Runfiles;

constexpr char kDirectory[] = "spillway/sim/scenario/presets";
constexpr std::string_view kExtension = ".textproto";

}  // namespace

absl::StatusOr<std::vector<std::string>> PresetPaths() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::string why;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(program.string(), &why));
  if (runfiles == nullptr) {
    return absl::NotFoundError(base::Cat("no runfiles beside ", program.string(), ": ", why));
  }
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(runfiles->Rlocation(kDirectory), error)) {
    if (entry.path().extension() == kExtension) paths.push_back(entry.path().string());
  }
  if (paths.empty()) {
    return absl::NotFoundError(
        base::Cat("no presets in ", runfiles->Rlocation(kDirectory), ": ", error.message()));
  }
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
