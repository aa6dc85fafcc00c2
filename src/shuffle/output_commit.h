// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a task's output takes its place: as Spark's IndexShuffleBlockResolver does it, so that a
// reader sees a whole output or none, whenever the process ends.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/base/file_system.h"
#include "src/shuffle/index_file.h"

namespace spillway::shuffle {

struct OutputPaths {
  std::string data;
  std::string index;
};

// The offsets of the output that stands at `paths`; nothing if there is none: a file is missing, or
// the index is not one of `partitions` partitions of that data file. Other statuses: the system
// failed.
absl::StatusOr<std::optional<std::vector<int64_t>>> FindOutput(base::FileSystem& files,
                                                               const OutputPaths& paths,
                                                               IndexOrder order,
                                                               int32_t partitions);

struct CommitResult {
  std::vector<int64_t> offsets;
  // An output that stood there won: another attempt of the task was faster.
  bool existing = false;
};

// Makes the closed file `data` the output at `paths`, with an index of `offsets`: writes the index
// to a temporary file, removes what stands at `paths`, renames the index, renames the data. The
// last step commits: an index whose data file is missing is no output. If a whole output stands
// there already, that one stays and `data` is removed. Commits of one process take turns.
//
// `sync`: the index and the directories reach the disk before this returns; `data` has reached it
// before. Without it a process may end at any point, but not the machine.
//
// After a failure, a status of the system's, `data` and the temporary index are gone, and the
// output is not there, or it is there whole (only if the directories could not be synced).
absl::StatusOr<CommitResult> CommitOutput(base::FileSystem& files, const std::string& data,
                                          std::span<const int64_t> offsets,
                                          const OutputPaths& paths, IndexOrder order, bool sync);

}  // namespace spillway::shuffle
