// SPDX-License-Identifier: Apache-2.0
#pragma once
// Any of the ways to partition rows, as what a shuffle writer is given.

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "src/shuffle/partitioner.h"
#include "src/shuffle/range_partitioner.h"
#include "src/vector/batch.h"
#include "src/vector/type.h"

namespace spillway::shuffle {

// A value; each converts to it.
class Partitioning {
 public:
  Partitioning(HashPartitioner partitioner) : kind_(std::move(partitioner)) {}     // NOLINT
  Partitioning(DealingPartitioner partitioner) : kind_(std::move(partitioner)) {}  // NOLINT
  Partitioning(RangePartitioner partitioner) : kind_(std::move(partitioner)) {}    // NOLINT
  Partitioning(SinglePartitioner partitioner) : kind_(std::move(partitioner)) {}   // NOLINT

  // The ROW type of the batches.
  const vector::TypePtr& schema() const {
    return std::visit([](const auto& it) -> const vector::TypePtr& { return it.schema(); }, kind_);
  }
  int32_t partitions() const {
    return std::visit([](const auto& it) { return it.partitions(); }, kind_);
  }

  // `out[r]` becomes the partition of row r, below partitions(). Fails as the partitioner does.
  absl::Status Assign(const vector::Batch& batch, std::vector<uint32_t>& out) {
    return std::visit([&](auto& it) { return it.Assign(batch, out); }, kind_);
  }

 private:
  std::variant<HashPartitioner, DealingPartitioner, RangePartitioner, SinglePartitioner> kind_;
};

}  // namespace spillway::shuffle
