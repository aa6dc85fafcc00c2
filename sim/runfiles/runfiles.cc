// SPDX-License-Identifier: Apache-2.0
#include "sim/runfiles/runfiles.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include "src/base/strings.h"
#include "tools/cpp/runfiles/runfiles.h"

namespace spillway::sim {

absl::StatusOr<std::string> Runfile(std::string_view path) {
  using bazel::tools::cpp::runfiles::Runfiles;
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  std::string why;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(program, &why));
  if (runfiles == nullptr) {
    return absl::NotFoundError(base::Cat("no runfiles beside ", program, ": ", why));
  }
  const std::string file = runfiles->Rlocation(base::Cat("spillway/", path));
  if (!std::filesystem::exists(file, error)) {
    return absl::NotFoundError(
        base::Cat(path, " is not among the runfiles of ", program, "; was it built with Bazel?"));
  }
  return file;
}

}  // namespace spillway::sim
