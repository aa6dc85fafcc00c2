// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files that are removed or renamed before a task ends.

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/base/file_system.h"

namespace spillway::shuffle {

// Creates "`stem`.`process`-`number`.tmp", of the first number, counted over the whole process,
// whose name is free: a process that was killed leaves such files, and its id may come again.
// Fails as base::File::Open().
absl::StatusOr<base::File> CreateTemporary(base::FileSystem& files, std::string_view stem);

}  // namespace spillway::shuffle
