// SPDX-License-Identifier: Apache-2.0
#include "sim/model/chunk_keys.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/base/status.h"
#include "src/shuffle/murmur3.h"
#include "src/vector/batch.h"
#include "src/vector/build.h"
#include "src/vector/type.h"

namespace spillway::sim {
namespace {

// Rows that are hashed at once.
constexpr int64_t kPiece = 65'536;
// What a group may remember of its trace, beside four times the trace itself.
constexpr int64_t kRememberedRows = 65'536;

vector::TypePtr Integer() { return vector::Type::Scalar(vector::Kind::kInteger); }

}  // namespace

absl::StatusOr<GroupKeys> GroupKeys::Create(const TaskGroup& group) {
  SPILLWAY_ASSIGN_OR_RETURN(
      shuffle::HashPartitioner partitioner,
      shuffle::HashPartitioner::Create(vector::Type::Row({"key"}, {Integer()}), {0},
                                       static_cast<int32_t>(group.partitions()),
                                       shuffle::HashOptions::Comet()));
  GroupKeys out(group, std::move(partitioner));
  const Keys& keys = group.keys();
  switch (keys.kind_case()) {
    case Keys::kConstant:
      SPILLWAY_RETURN_IF_ERROR(out.Hash({keys.constant()}));
      out.chunk_ = {{static_cast<int32_t>(out.partition_of_row_[0]),
                     static_cast<uint32_t>(group.rows_per_chunk())}};
      break;
    case Keys::kZipf: {
      out.zipf_.emplace(keys.zipf().values(), keys.zipf().exponent_permille());
      std::vector<int32_t> values(keys.zipf().values());
      std::iota(values.begin(), values.end(), 1);
      SPILLWAY_RETURN_IF_ERROR(out.Hash(values));
      out.partition_of_key_ = std::move(out.partition_of_row_);
      break;
    }
    case Keys::kTrace:
      SPILLWAY_RETURN_IF_ERROR(out.Hash({keys.trace().keys().begin(), keys.trace().keys().end()}));
      out.partition_of_key_ = std::move(out.partition_of_row_);
      break;
    default:
      break;
  }
  out.counts_.resize(group.partitions());
  return out;
}

absl::Status GroupKeys::Hash(const std::vector<int32_t>& keys) {
  const vector::Batch batch(partitioner_.schema(), static_cast<int64_t>(keys.size()),
                            {vector::Flat<int32_t>(Integer(), keys)});
  return partitioner_.Assign(batch, partition_of_row_);
}

void GroupKeys::MoveCounts(Rows& out) {
  out.clear();
  for (const int32_t partition : touched_) {
    out.push_back({partition, std::exchange(counts_[partition], 0)});
  }
  touched_.clear();
}

ChunkKeys::ChunkKeys(GroupKeys& keys, int64_t first_chunk, base::Random random)
    : keys_(&keys), random_(random) {
  const bool goes_on = keys.group_->keys().has_sequential();
  next_row_ = goes_on ? static_cast<uint64_t>(first_chunk) *
                            static_cast<uint64_t>(keys.group_->rows_per_chunk())
                      : 0;
}

int32_t ChunkKeys::Key() {
  const Keys& keys = keys_->group_->keys();
  if (keys.has_uniform()) {
    return static_cast<int32_t>(random_.Between(keys.uniform().low(), keys.uniform().high()));
  }
  const uint64_t row = next_row_++;
  const int64_t first = keys.sequential().first();
  const int64_t modulus = keys.sequential().modulus();
  if (modulus == 0) return static_cast<int32_t>(static_cast<uint64_t>(first) + row);
  const auto step = static_cast<int64_t>(row % static_cast<uint64_t>(modulus));
  return static_cast<int32_t>((first % modulus + modulus + step) % modulus);
}

absl::Status ChunkKeys::HashRows() {
  for (int64_t left = keys_->group_->rows_per_chunk(); left > 0; left -= kPiece) {
    keys_->keys_.resize(std::min(left, kPiece));
    for (int32_t& key : keys_->keys_) key = Key();
    SPILLWAY_RETURN_IF_ERROR(keys_->Hash(keys_->keys_));
    for (const uint32_t partition : keys_->partition_of_row_) keys_->Count(partition);
  }
  keys_->MoveCounts(keys_->chunk_);
  return absl::OkStatus();
}

void ChunkKeys::Deal() {
  const int64_t partitions = keys_->group_->partitions();
  const int64_t rows = keys_->group_->rows_per_chunk();
  const auto each = static_cast<uint32_t>(rows / partitions);
  const int64_t more = rows % partitions;
  auto partition = static_cast<int64_t>(next_row_ % static_cast<uint64_t>(partitions));
  keys_->chunk_.clear();
  for (int64_t i = 0; i < std::min(rows, partitions); ++i) {
    keys_->chunk_.push_back({static_cast<int32_t>(partition), each + (i < more ? 1 : 0)});
    if (++partition == partitions) partition = 0;
  }
  next_row_ += static_cast<uint64_t>(rows);
}

// Every writer starts with the first key, so that chunk n is the same for all of them.
const GroupKeys::Rows& ChunkKeys::Trace() {
  GroupKeys& keys = *keys_;
  const auto length = static_cast<int64_t>(keys.partition_of_key_.size());
  const int64_t rows = keys.group_->rows_per_chunk();
  const int64_t period = length / std::gcd(length, rows);
  const int64_t chunk = next_chunk_++ % period;
  if (chunk < static_cast<int64_t>(keys.traced_.size()) && !keys.traced_[chunk].empty()) {
    return keys.traced_[chunk];
  }
  auto at = static_cast<int64_t>(static_cast<__int128>(chunk) * rows % length);
  for (int64_t i = 0; i < rows; ++i) {
    keys.Count(keys.partition_of_key_[at]);
    if (++at == length) at = 0;
  }
  keys.MoveCounts(keys.chunk_);
  constexpr int64_t kOverhead = sizeof(GroupKeys::Rows) / sizeof(shuffle::PartitionRows);
  keys.remembered_ += static_cast<int64_t>(keys.chunk_.size()) + kOverhead;
  if (keys.remembered_ > kRememberedRows + 4 * length) return keys.chunk_;
  keys.traced_.resize(std::max<size_t>(keys.traced_.size(), chunk + 1));
  return keys.traced_[chunk] = keys.chunk_;
}

absl::StatusOr<std::span<const shuffle::PartitionRows>> ChunkKeys::Next() {
  switch (keys_->group_->keys().kind_case()) {
    case Keys::kConstant:
    case Keys::kNone:
      break;
    case Keys::kDealt:
      Deal();
      break;
    case Keys::kZipf:
      for (int64_t i = keys_->group_->rows_per_chunk(); i > 0; --i) {
        keys_->Count(keys_->partition_of_key_[keys_->zipf_->Sample(random_) - 1]);
      }
      keys_->MoveCounts(keys_->chunk_);
      break;
    case Keys::kTrace:
      return Trace();
    default:
      SPILLWAY_RETURN_IF_ERROR(HashRows());
  }
  return keys_->chunk_;
}

}  // namespace spillway::sim
