// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether a shuffle's output has the rows that went in: each once, in its partition, in order.

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "src/shuffle/output_reader.h"
#include "src/shuffle/partitioning.h"
#include "src/shuffle/row_digest.h"
#include "src/vector/batch.h"

namespace spillway::shuffle {

// Sees each batch before the writer does, partitions it by itself and keeps 16 bytes a partition.
// Values count as row_digest.h says. Not thread-safe.
class OutputCheck {
 public:
  // As the writer gets it, before any row.
  explicit OutputCheck(Partitioning partitioning)
      : partitioning_(std::move(partitioning)), expected_(partitioning_.partitions()) {}

  // The next batch that the writer is given; nothing lazy in it. Fails as Partitioning::Assign().
  absl::Status Expect(const vector::Batch& batch);

  // Rows expected of each partition.
  std::vector<int64_t> RowsOfPartitions() const;

  // Reads all of `output`.
  //
  //   OK        it has exactly what was expected
  //   DataLoss  it has another number of partitions, or a partition has other rows, or has them in
  //             another order; the message names the first
  //   otherwise as OutputReader::Blocks::Next()
  absl::Status Verify(const OutputReader& output) const;

 private:
  Partitioning partitioning_;
  std::vector<PartitionDigest> expected_;
  std::vector<uint32_t> partition_of_row_;  // scratch
};

}  // namespace spillway::shuffle
