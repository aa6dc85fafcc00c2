// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of this repository that a program needs when it runs (Bazel: `data`).

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace spillway::sim {

// Where `path`, from the root of this repository, is. Found by where the program lies or by what
// Bazel says in the environment, not by the working directory. NotFound if it is not there.
absl::StatusOr<std::string> Runfile(std::string_view path);

}  // namespace spillway::sim
