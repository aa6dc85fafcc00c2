// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/partition_order.h"

#include <limits>

#include "src/base/check.h"

namespace spillway::shuffle {

void PartitionOrder::Sort(std::span<const uint32_t> partition_of_row, int32_t partitions) {
  SPILLWAY_CHECK(partition_of_row.size() <= std::numeric_limits<uint32_t>::max(),
                 "row numbers have 32 bits");
  counts_.assign(partitions, 0);
  for (const uint32_t partition : partition_of_row) ++counts_[partition];

  // Until the rows are placed, starts_[p] is where partition p ends; filling backwards moves it to
  // where it starts.
  starts_.resize(static_cast<size_t>(partitions) + 1);
  uint32_t end = 0;
  for (int32_t partition = 0; partition < partitions; ++partition) {
    end += counts_[partition];
    starts_[partition] = end;
  }
  starts_[partitions] = end;

  rows_.resize(partition_of_row.size());
  for (size_t row = partition_of_row.size(); row-- > 0;) {
    rows_[--starts_[partition_of_row[row]]] = static_cast<uint32_t>(row);
  }
}

}  // namespace spillway::shuffle
