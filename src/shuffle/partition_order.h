// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows of a chunk in the order of their partitions.

#include <cstdint>
#include <span>
#include <vector>

namespace spillway::shuffle {

// A stable counting sort, as Comet's: rows of one partition stay in their order. Keeps its arrays
// from call to call; they are scratch and not charged.
class PartitionOrder {
 public:
  // `partition_of_row[r]` < `partitions`; fewer than 2^31 rows.
  void Sort(std::span<const uint32_t> partition_of_row, int32_t partitions);

  // Partition p has rows()[starts()[p]] up to rows()[starts()[p + 1]], the end excluded.
  std::span<const uint32_t> starts() const { return starts_; }
  // Row numbers, ascending inside each partition.
  std::span<const int32_t> rows() const { return rows_; }
  // Number of rows, one a partition.
  std::span<const uint32_t> counts() const { return counts_; }

  // Memory of the arrays.
  int64_t bytes() const {
    return static_cast<int64_t>((counts_.capacity() + starts_.capacity() + rows_.capacity()) *
                                sizeof(uint32_t));
  }

  std::span<const int32_t> RowsOf(int32_t partition) const {
    return rows().subspan(starts_[partition], counts_[partition]);
  }

 private:
  std::vector<uint32_t> counts_;
  std::vector<uint32_t> starts_ = {0};
  std::vector<int32_t> rows_;
};

}  // namespace spillway::shuffle
