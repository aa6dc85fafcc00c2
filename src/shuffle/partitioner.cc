// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/partitioner.h"

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

absl::Status HashPartitioner::Assign(const vector::Batch& batch,
                                     std::vector<uint32_t>& out) const {
  out.assign(batch.rows(), kMurmur3Seed);
  for (const int key : keys_) {
    const absl::Status hashed = HashColumn(batch.column(key), options_, out);
    if (!hashed.ok()) return base::In(ColumnName(*schema_, key), hashed);
  }
  for (uint32_t& row : out) row = remainder_(row);
  return absl::OkStatus();
}

}  // namespace spillway::shuffle
