// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which shuffle partition a row goes to.

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/shuffle/murmur3.h"
#include "src/vector/batch.h"
#include "src/vector/type.h"

namespace spillway::shuffle {

// Spark's pmod: the remainder of a hash read as a signed number, moved into [0, divisor). The
// division is a multiplication (Lemire, Kaser, Kurz: Faster remainder by direct computation, 2019).
class PositiveRemainder {
 public:
  // `divisor` >= 1.
  explicit PositiveRemainder(int32_t divisor)
      : divisor_(static_cast<uint32_t>(divisor)), inverse_(UINT64_MAX / divisor_ + 1) {}

  uint32_t operator()(uint32_t hash) const {
    // h = -1 - a for a negative h, and then h mod n = n - 1 - (a mod n). No branch: the sign of a
    // hash is a coin toss.
    const auto negative = static_cast<uint32_t>(static_cast<int32_t>(hash) >> 31);
    return (Remainder(hash ^ negative) ^ negative) + (divisor_ & negative);
  }

 private:
  uint32_t Remainder(uint32_t value) const {
    __extension__ using Uint128 = unsigned __int128;
    return static_cast<uint32_t>((Uint128{inverse_ * value} * divisor_) >> 64);
  }

  uint32_t divisor_;
  uint64_t inverse_;  // 2^64 / divisor, rounded up; 0 for 1
};

// Hash partitioning as Spark's: the remainder of the key columns' chained Murmur3.
class HashPartitioner {
 public:
  // `schema` is the ROW type of the batches to come, `keys` positions in it.
  //
  //   InvalidArgument  partitions < 1, no key, or a key outside the schema
  //   Unimplemented    a key of a nested type
  static absl::StatusOr<HashPartitioner> Create(vector::TypePtr schema, std::vector<int> keys,
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

}  // namespace spillway::shuffle
