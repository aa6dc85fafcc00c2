// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files that a user names on the command line or in a scenario.

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace spillway::sim {

// `path`, from where the user is: `bazel run` starts programs elsewhere and says where that was.
std::string UserPath(std::string_view path);

// All of a file; `path` as UserPath() gives it.
//
//   OK               at least one byte, at most `max_bytes`
//   NotFound         there is no such file, it is empty, or it cannot be read
//   InvalidArgument  it is longer; no more than that was read
absl::StatusOr<std::string> ReadText(const std::string& path, int64_t max_bytes);

}  // namespace spillway::sim
