// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fixtures that are compressed because they are large.

#include <string>

#include "absl/status/statusor.h"

namespace spillway::golden {

// What the gzip file `path`, among the test's data, holds.
//
//   NotFound  it cannot be opened
//   DataLoss  it is damaged or cut off
absl::StatusOr<std::string> ReadGzipFile(const std::string& path);

}  // namespace spillway::golden
