// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which shuffle partition a row goes to, where that needs no order of rows. range_partitioner.h has
// the other way, partitioning.h all of them behind one type.

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/shuffle/murmur3.h"
#include "src/shuffle/positive_remainder.h"
#include "src/vector/batch.h"
#include "src/vector/type.h"

namespace spillway::shuffle {

// Hash partitioning as Spark's: the remainder of the key columns' chained Murmur3.
class HashPartitioner {
 public:
  // `schema` is the ROW type of the batches to come, `keys` positions in it.
  //
  //   InvalidArgument  partitions < 1, no key, or a key outside the schema
  //   Unimplemented    a key that is or holds a MAP
  static absl::StatusOr<HashPartitioner> Create(vector::TypePtr schema, std::vector<int> keys,
                                                int32_t partitions, const HashOptions& options);

  // Comet's round robin, which gives equal rows the same partition, so that a task that is repeated
  // does as before whatever order its rows come in: the hash of the first `columns` columns, or of
  // all if it is 0 or more than there are. Fails as Create() does; a schema without columns has no
  // key.
  static absl::StatusOr<HashPartitioner> RoundRobin(const vector::TypePtr& schema, int columns,
                                                    int32_t partitions, const HashOptions& options);

  const vector::TypePtr& schema() const { return schema_; }
  int32_t partitions() const { return partitions_; }

  // `out[r]` becomes the partition of row r, below partitions(). `batch` is of the schema. Fails as
  // HashColumn() does, naming the column; then `out` is unspecified.
  absl::Status Assign(const vector::Batch& batch, std::vector<uint32_t>& out) const;

 private:
  HashPartitioner(vector::TypePtr schema, std::vector<int> keys, int32_t partitions,
                  const HashOptions& options)
      : schema_(std::move(schema)),
        keys_(std::move(keys)),
        partitions_(partitions),
        remainder_(partitions),
        options_(options) {}

  vector::TypePtr schema_;
  std::vector<int> keys_;
  int32_t partitions_;
  PositiveRemainder remainder_;
  HashOptions options_;
};

// Spark's own round robin: rows are dealt out one by one, whatever they hold. Not repeatable unless
// the order of rows is.
class DealingPartitioner {
 public:
  // The first row goes to the partition behind `position`, modulo `partitions`; Spark draws the
  // position at random, from the task's partition number. InvalidArgument: partitions < 1, a
  // negative position.
  static absl::StatusOr<DealingPartitioner> Create(vector::TypePtr schema, int32_t partitions,
                                                   int32_t position);

  const vector::TypePtr& schema() const { return schema_; }
  int32_t partitions() const { return partitions_; }

  // Goes on where the last call ended.
  absl::Status Assign(const vector::Batch& batch, std::vector<uint32_t>& out);

 private:
  DealingPartitioner(vector::TypePtr schema, int32_t partitions, uint32_t next)
      : schema_(std::move(schema)), partitions_(partitions), next_(next) {}

  vector::TypePtr schema_;
  int32_t partitions_;
  uint32_t next_;
};

// One partition has all rows.
class SinglePartitioner {
 public:
  explicit SinglePartitioner(vector::TypePtr schema) : schema_(std::move(schema)) {}

  const vector::TypePtr& schema() const { return schema_; }
  int32_t partitions() const { return 1; }

  absl::Status Assign(const vector::Batch& batch, std::vector<uint32_t>& out) const;

 private:
  vector::TypePtr schema_;
};

}  // namespace spillway::shuffle
