// SPDX-License-Identifier: Apache-2.0
#include "sim/model/chunk_keys.h"

#include <utility>

#include "src/base/status.h"
#include "src/shuffle/murmur3.h"
#include "src/vector/batch.h"
#include "src/vector/build.h"
#include "src/vector/type.h"

namespace spillway::sim {
namespace {

vector::TypePtr Integer() { return vector::Type::Scalar(vector::Kind::kInteger); }

}  // namespace

ChunkKeys::ChunkKeys(const TaskGroup& group, uint64_t first_row, base::Random random,
                     std::optional<shuffle::HashPartitioner> partitioner)
    : group_(&group),
      random_(random),
      partitioner_(std::move(partitioner)),
      next_row_(first_row),
      keys_(group.rows_per_chunk()) {}

absl::StatusOr<ChunkKeys> ChunkKeys::Create(const TaskGroup& group, int64_t ordinal,
                                            base::Random random) {
  if (group.keys().has_dealt()) return ChunkKeys(group, 0, random, std::nullopt);
  SPILLWAY_ASSIGN_OR_RETURN(
      shuffle::HashPartitioner partitioner,
      shuffle::HashPartitioner::Create(vector::Type::Row({"key"}, {Integer()}), {0},
                                       static_cast<int32_t>(group.partitions()),
                                       shuffle::HashOptions::Comet()));
  const uint64_t first_row = static_cast<uint64_t>(ordinal) *
                             static_cast<uint64_t>(group.chunks()) *
                             static_cast<uint64_t>(group.rows_per_chunk());
  return ChunkKeys(group, first_row, random, std::move(partitioner));
}

int32_t ChunkKeys::Key(uint64_t row) {
  const Keys& keys = group_->keys();
  switch (keys.kind_case()) {
    case Keys::kSequential: {
      const int64_t first = keys.sequential().first();
      const int64_t modulus = keys.sequential().modulus();
      if (modulus == 0) return static_cast<int32_t>(static_cast<uint64_t>(first) + row);
      const auto step = static_cast<int64_t>(row % static_cast<uint64_t>(modulus));
      return static_cast<int32_t>((first % modulus + modulus + step) % modulus);
    }
    case Keys::kUniform:
      return static_cast<int32_t>(random_.Between(keys.uniform().low(), keys.uniform().high()));
    default:
      return keys.constant();
  }
}

absl::Status ChunkKeys::Hash() {
  for (int32_t& key : keys_) key = Key(next_row_++);
  const vector::Batch batch(partitioner_->schema(), static_cast<int64_t>(keys_.size()),
                            {vector::Flat<int32_t>(Integer(), keys_)});
  return partitioner_->Assign(batch, partition_of_row_);
}

void ChunkKeys::Deal() {
  const auto partitions = static_cast<uint64_t>(group_->partitions());
  partition_of_row_.resize(keys_.size());
  auto partition = static_cast<uint32_t>(next_row_ % partitions);
  for (uint32_t& out : partition_of_row_) {
    out = partition;
    if (++partition == partitions) partition = 0;
  }
  next_row_ += keys_.size();
}

absl::StatusOr<std::span<const uint32_t>> ChunkKeys::Next() {
  if (!counted_ || !group_->keys().has_constant()) {
    if (partitioner_.has_value()) {
      SPILLWAY_RETURN_IF_ERROR(Hash());
    } else {
      Deal();
    }
    order_.Sort(partition_of_row_, static_cast<int32_t>(group_->partitions()));
    counted_ = true;
  }
  return order_.counts();
}

}  // namespace spillway::sim
