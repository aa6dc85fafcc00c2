// SPDX-License-Identifier: Apache-2.0
#pragma once
// How many rows of each chunk of a task go to which partition, by the shipping
// hash, remainder and counting sort.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/random.h"
#include "src/shuffle/partition_order.h"
#include "src/shuffle/partitioner.h"

namespace spillway::sim {

// The chunks of one task, in order.
class ChunkKeys {
 public:
  // `group` has passed the loader and outlives this; `ordinal` is the task's place within it, from
  // 0. Random keys are drawn from `random`.
  static absl::StatusOr<ChunkKeys> Create(const TaskGroup& group, int64_t ordinal,
                                          base::Random random);

  // Rows for each partition of the next chunk; valid until the next call.
  absl::StatusOr<std::span<const uint32_t>> Next();

 private:
  ChunkKeys(const TaskGroup& group, uint64_t first_row, base::Random random,
            std::optional<shuffle::HashPartitioner> partitioner);

  int32_t Key(uint64_t row);
  absl::Status Hash();
  void Deal();

  const TaskGroup* group_;
  base::Random random_;
  std::optional<shuffle::HashPartitioner> partitioner_;  // absent: rows are dealt
  uint64_t next_row_;  // wraps
  bool counted_ = false;
  std::vector<int32_t> keys_;
  std::vector<uint32_t> partition_of_row_;
  shuffle::PartitionOrder order_;
};

}  // namespace spillway::sim
