// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the blocks of spilled rows wait for the final file.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/arrow/pieces.h"
#include "src/base/buffered_writer.h"
#include "src/base/file_system.h"

namespace spillway::shuffle {

enum class SpillLayout : uint8_t {
  kOneFile,           // one file a task, with byte ranges: Comet since #5916
  kFilePerPartition,  // one file for each partition that spills: Comet before
};

// "one_file", "file_per_partition".
std::string_view SpillLayoutName(SpillLayout layout);
// InvalidArgument, with the nearest name, if there is no such layout.
absl::StatusOr<SpillLayout> ParseSpillLayout(std::string_view name);

struct SpillOptions {
  SpillLayout layout = SpillLayout::kOneFile;
  // Directories that exist, not empty. Files take turns among them; with one file a task, the tasks
  // of a process do.
  std::vector<std::string> directories;
  // What file names begin with.
  std::string stem = "shuffle";
  // kFilePerPartition: files kept open for writing, 0 or more; others are opened anew for each
  // block.
  int32_t max_open_files = 64;
  // kOneFile: bytes kept before they are written, and about as many a file for reading ahead.
  int64_t buffer_bytes = int64_t{1} << 20;
};

// The blocks of all partitions over all rounds of one task. Not thread-safe. Its files are created
// when they are first needed and removed with it; after a failure, a status of the system's, it may
// only be destroyed.
class SpillStore {
 public:
  static std::unique_ptr<SpillStore> Create(base::FileSystem& files, int32_t partitions,
                                            SpillOptions options);
  virtual ~SpillStore() = default;

  // In rounds of ascending partitions, as PartitionSink's.
  virtual absl::Status Append(int32_t partition, const arrow::Pieces& block) = 0;
  virtual absl::Status EndRound() = 0;

  // No Append() follows. One file at most is open from now on.
  virtual absl::Status EndWriting() = 0;

  // Writes the partition's bytes, in the order in which they came, to `out`. After EndWriting(),
  // partitions ascending, each once at most.
  virtual absl::Status CopyTo(int32_t partition, base::BufferedWriter& out) = 0;

  // Bytes of all blocks: the lengths of the files together.
  virtual int64_t bytes() const = 0;
  // Files that were created.
  virtual int64_t files() const = 0;
  // Memory held now: buffers, and what is known of each range or file.
  virtual int64_t resident_bytes() const = 0;
};

}  // namespace spillway::shuffle
