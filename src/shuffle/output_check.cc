// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/output_check.h"

#include <optional>

#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::shuffle {

absl::Status OutputCheck::Expect(const vector::Batch& batch) {
  SPILLWAY_RETURN_IF_ERROR(partitioning_.Assign(batch, partition_of_row_));
  const std::vector<uint64_t> rows = RowDigests(batch);
  for (size_t row = 0; row < rows.size(); ++row) expected_[partition_of_row_[row]].Add(rows[row]);
  return absl::OkStatus();
}

std::vector<int64_t> OutputCheck::RowsOfPartitions() const {
  std::vector<int64_t> rows;
  rows.reserve(expected_.size());
  for (const PartitionDigest& digest : expected_) rows.push_back(digest.rows());
  return rows;
}

absl::Status OutputCheck::Verify(const OutputReader& output) const {
  if (output.partitions() != partitioning_.partitions()) {
    return absl::DataLossError(base::Cat("the output has ", output.partitions(),
                                         " partitions, not ", partitioning_.partitions()));
  }
  for (int32_t partition = 0; partition < output.partitions(); ++partition) {
    PartitionDigest found;
    OutputReader::Blocks blocks = output.Read(partition);
    while (true) {
      SPILLWAY_ASSIGN_OR_RETURN(const std::optional<vector::Batch> batch, blocks.Next());
      if (!batch.has_value()) break;
      for (const uint64_t row : RowDigests(*batch)) found.Add(row);
    }
    const PartitionDigest& expected = expected_[partition];
    if (found == expected) continue;
    if (found.rows() != expected.rows()) {
      return absl::DataLossError(base::Cat("partition ", partition, ": ", found.rows(),
                                           " rows were written, ", expected.rows(), " went in"));
    }
    return absl::DataLossError(base::Cat("partition ", partition, ": its ", found.rows(),
                                         " rows are not those that went in, or not in order"));
  }
  return absl::OkStatus();
}

}  // namespace spillway::shuffle
