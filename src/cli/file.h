// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of the commands, whole. Paths are relative to the user's directory.

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace spillway::cli {

// The bytes of `path`, or of stdin for "-".
//
//   OK                 all of them
//   NotFound           it cannot be opened or read; the message says why
//   ResourceExhausted  over `max_bytes`; no more than that was read
absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes);

// Writes `bytes` to `path`, or to stdout for "-". A regular file appears or is replaced at once,
// with its old permissions: readers see the old bytes or all of the new ones, and a failed write
// leaves nothing. Links are followed. A device or pipe is written to.
//
//   OK         done
//   Internal   the message says why not
absl::Status WriteFile(const std::string& path, std::string_view bytes);

}  // namespace spillway::cli
