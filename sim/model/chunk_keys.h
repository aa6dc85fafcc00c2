// SPDX-License-Identifier: Apache-2.0
#pragma once
// How many rows of each chunk of a writer go to which partition, by the shipping hash and
// remainder.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/model/zipf.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/random.h"
#include "src/shuffle/partitioner.h"
#include "src/shuffle/writer_account.h"

namespace spillway::sim {

// What the writers of a group share in a run: what is hashed once, and scratch. One thread.
class GroupKeys {
 public:
  // `group` has passed the loader and outlives this.
  static absl::StatusOr<GroupKeys> Create(const TaskGroup& group);

 private:
  friend class ChunkKeys;

  using Rows = std::vector<shuffle::PartitionRows>;

  GroupKeys(const TaskGroup& group, shuffle::HashPartitioner partitioner)
      : group_(&group), partitioner_(std::move(partitioner)) {}

  absl::Status Hash(const std::vector<int32_t>& keys);
  void Count(uint32_t partition) {
    if (counts_[partition]++ == 0) touched_.push_back(static_cast<int32_t>(partition));
  }
  // Takes what was counted.
  void MoveCounts(Rows& out);

  const TaskGroup* group_;
  shuffle::HashPartitioner partitioner_;
  std::optional<Zipf> zipf_;
  std::vector<uint32_t> partition_of_key_;  // of each key of `zipf_` or of the trace, from 0
  // Of a trace: the chunks that came up so far, by their number, as long as they are not too many.
  std::vector<Rows> traced_;
  int64_t remembered_ = 0;

  Rows chunk_;
  std::vector<int32_t> keys_;
  std::vector<uint32_t> partition_of_row_;
  std::vector<uint32_t> counts_;  // one a partition, all 0 between chunks
  std::vector<int32_t> touched_;
};

// The chunks of one writer, in order.
class ChunkKeys {
 public:
  // `first_chunk`: chunks of the group's writers before this one, which sequential keys go on from.
  // Random keys are drawn from `random`. `keys` outlives this.
  ChunkKeys(GroupKeys& keys, int64_t first_chunk, base::Random random);

  // The partitions that get rows of the next chunk, each once and in no particular order. Valid
  // until the next call for any writer of the group.
  //
  // Constant keys cost nothing a chunk, rows that are dealt a step a partition, a trace that comes
  // again likewise; all others a step a row.
  absl::StatusOr<std::span<const shuffle::PartitionRows>> Next();

 private:
  int32_t Key();
  absl::Status HashRows();
  void Deal();
  const GroupKeys::Rows& Trace();

  GroupKeys* keys_;
  base::Random random_;
  uint64_t next_row_;  // wraps
  int64_t next_chunk_ = 0;
};

}  // namespace spillway::sim
