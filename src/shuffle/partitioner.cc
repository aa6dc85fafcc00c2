// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/partitioner.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::shuffle {
namespace {

std::string ColumnName(const vector::Type& schema, int key) {
  return base::Cat("key column ", key, " `", schema.names()[key], "`");
}

}  // namespace

absl::StatusOr<HashPartitioner> HashPartitioner::Create(vector::TypePtr schema,
                                                        std::vector<int> keys, int32_t partitions,
                                                        const HashOptions& options) {
  if (partitions < 1) {
    return base::Invalid("hash partitioning: ", partitions, " partitions, not 1 or more");
  }
  if (keys.empty()) return base::Invalid("hash partitioning: no key column");
  for (const int key : keys) {
    if (key < 0 || static_cast<size_t>(key) >= schema->children().size()) {
      return base::Invalid("hash partitioning: key column ", key, " of ",
                           schema->children().size());
    }
    SPILLWAY_RETURN_IF_ERROR(base::In(base::Cat("hash partitioning: ", ColumnName(*schema, key)),
                                      CheckHashable(*schema->children()[key])));
  }
  return HashPartitioner(std::move(schema), std::move(keys), partitions, options);
}

absl::Status HashPartitioner::Assign(const vector::Batch& batch, std::vector<uint32_t>& out) const {
  out.assign(batch.rows(), kMurmur3Seed);
  for (const int key : keys_) {
    const absl::Status hashed = HashColumn(batch.column(key), options_, out);
    if (!hashed.ok()) return base::In(ColumnName(*schema_, key), hashed);
  }
  remainder_.Apply(out);
  return absl::OkStatus();
}

absl::StatusOr<HashPartitioner> HashPartitioner::RoundRobin(const vector::TypePtr& schema,
                                                            int columns, int32_t partitions,
                                                            const HashOptions& options) {
  if (columns < 0) return base::Invalid("round robin: a hash of ", columns, " columns");
  const auto all = static_cast<int>(schema->children().size());
  std::vector<int> keys(columns == 0 ? all : std::min(columns, all));
  std::iota(keys.begin(), keys.end(), 0);
  return Create(schema, std::move(keys), partitions, options);
}

absl::StatusOr<DealingPartitioner> DealingPartitioner::Create(vector::TypePtr schema,
                                                              int32_t partitions,
                                                              int32_t position) {
  if (partitions < 1) {
    return base::Invalid("round robin: ", partitions, " partitions, not 1 or more");
  }
  if (position < 0) return base::Invalid("round robin: position ", position, " is negative");
  const auto next = static_cast<uint32_t>((int64_t{position} + 1) % partitions);
  return DealingPartitioner(std::move(schema), partitions, next);
}

absl::Status DealingPartitioner::Assign(const vector::Batch& batch, std::vector<uint32_t>& out) {
  out.resize(batch.rows());
  for (uint32_t& partition : out) {
    partition = next_;
    if (++next_ == static_cast<uint32_t>(partitions_)) next_ = 0;
  }
  return absl::OkStatus();
}

absl::Status SinglePartitioner::Assign(const vector::Batch& batch,
                                       std::vector<uint32_t>& out) const {
  out.assign(batch.rows(), 0);
  return absl::OkStatus();
}

}  // namespace spillway::shuffle
