// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/partition_order.h"

#include <array>
#include <limits>

#include "src/base/check.h"

namespace spillway::shuffle {

void PartitionOrder::Sort(std::span<const uint32_t> partition_of_row, int32_t partitions) {
  SPILLWAY_CHECK(partition_of_row.size() <= std::numeric_limits<int32_t>::max(),
                 "row numbers have 31 bits");
  counts_.assign(static_cast<size_t>(partitions), 0);
  uint32_t* const counts = counts_.data();
  for (const uint32_t partition : partition_of_row) ++counts[partition];

  // Until the rows are placed, entry p + 1 is where partition p has its next row; then it is where
  // partition p + 1 starts.
  starts_.resize(static_cast<size_t>(partitions) + 1);
  uint32_t* const next = starts_.data() + 1;
  uint32_t end = 0;
  starts_[0] = 0;
  for (int32_t partition = 0; partition < partitions; ++partition) {
    next[partition] = end;
    end += counts[partition];
  }

  rows_.resize(partition_of_row.size());
  int32_t* const rows = rows_.data();
  const auto size = static_cast<int32_t>(partition_of_row.size());
  // A few places are looked up before the rows are put there: a store to a place that is not known
  // yet holds up the loads behind it.
  constexpr int32_t kAtOnce = 8;
  int32_t row = 0;
  for (; row + kAtOnce <= size; row += kAtOnce) {
    std::array<uint32_t, kAtOnce> places;
    for (int32_t i = 0; i < kAtOnce; ++i) places[i] = next[partition_of_row[row + i]]++;
    for (int32_t i = 0; i < kAtOnce; ++i) rows[places[i]] = row + i;
  }
  for (; row < size; ++row) rows[next[partition_of_row[row]]++] = row;
}

}  // namespace spillway::shuffle
