// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads what a shuffle writer has written, and checks all of it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/base/file_system.h"
#include "src/shuffle/block.h"
#include "src/shuffle/index_file.h"
#include "src/shuffle/output_commit.h"
#include "src/vector/batch.h"

namespace spillway::shuffle {

// An output whose index fits its data file. Thread-safe.
class OutputReader {
 public:
  // InvalidArgument with the index's path: as DecodeIndex(). Otherwise the system's status.
  static absl::StatusOr<OutputReader> Open(const OutputPaths& paths, IndexOrder order,
                                           const BlockReadOptions& options = {},
                                           base::FileSystem& files = base::FileSystem::Posix());

  int32_t partitions() const { return static_cast<int32_t>(offsets_.size()) - 1; }
  std::span<const int64_t> offsets() const { return offsets_; }

  // The blocks of one partition, in order. The reader must outlive it.
  class Blocks {
   public:
    // The rows of the next block; nothing at the partition's end, which the blocks must meet
    // exactly. One block is read at a time.
    //
    //   OK
    //   InvalidArgument  a block that does not lie within the partition, or as ReadBlock() says
    //   otherwise        as ReadBlock() says, or the system's status
    //
    // Messages begin with path, partition, block and its byte in the file.
    absl::StatusOr<std::optional<vector::Batch>> Next();

    // Where the next block begins in the data file.
    int64_t offset() const { return offset_; }

   private:
    friend class OutputReader;
    Blocks(const OutputReader& output, int32_t partition)
        : output_(&output), partition_(partition), offset_(output.offsets_[partition]) {}

    absl::StatusOr<vector::Batch> Read();

    const OutputReader* output_;
    int32_t partition_;
    int64_t offset_;
    int64_t block_ = 0;
  };

  // `partition` is one of the output's.
  Blocks Read(int32_t partition) const { return {*this, partition}; }

 private:
  OutputReader(base::File data, std::vector<int64_t> offsets, const BlockReadOptions& options)
      : data_(std::move(data)), offsets_(std::move(offsets)), options_(options) {}

  base::File data_;
  std::vector<int64_t> offsets_;
  BlockReadOptions options_;
};

struct PartitionSummary {
  int64_t bytes = 0;
  int64_t blocks = 0;
  int64_t rows = 0;

  bool operator==(const PartitionSummary&) const = default;
};

// Reads every block of every partition. Fails as OutputReader::Blocks::Next(), and with
// InvalidArgument if two blocks differ in schema.
absl::StatusOr<std::vector<PartitionSummary>> VerifyOutput(const OutputReader& output);

}  // namespace spillway::shuffle
