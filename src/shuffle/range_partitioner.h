// SPDX-License-Identifier: Apache-2.0
#pragma once
// Range partitioning: each partition has the rows of one interval of an order.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/vector/batch.h"
#include "src/vector/type.h"

namespace spillway::shuffle {

// A column to order by. Spark's defaults are nulls first if ascending and last if descending; the
// two are independent.
struct SortKey {
  int column = 0;  // position in the schema
  bool ascending = true;
  bool nulls_first = true;
};

// Which partition a row that equals a boundary belongs to.
enum class BoundarySide : uint8_t {
  kBelow,  // Spark: with what comes before the boundary
  kAbove,  // Comet: with what comes after it
};

// Values compare as in Spark: numbers by value with -0.0 = 0.0 and NaN, of which all are equal, the
// greatest; strings by unsigned bytes; a BOOLEAN's false first.
class RangePartitioner {
 public:
  // `boundaries` has one column for each of `keys`, of its type, and its rows ascend in their
  // order, each greater than the one before: partition i lies between rows i - 1 and i, so there is
  // one partition more than rows.
  //
  //   InvalidArgument    no key, a key outside the schema, columns of other number or types than
  //                      the keys, rows that do not ascend
  //   Unimplemented      a key of a nested type, or VARCHAR with a collation
  //   ResourceExhausted  2^31 - 1 boundaries or more, or wrappers that cannot be flattened
  static absl::StatusOr<RangePartitioner> Create(vector::TypePtr schema, std::vector<SortKey> keys,
                                                 const vector::Batch& boundaries,
                                                 BoundarySide side = BoundarySide::kBelow);

  const vector::TypePtr& schema() const { return schema_; }
  int32_t partitions() const { return static_cast<int32_t>(boundaries_.rows()) + 1; }

  // `out[r]` becomes the partition of row r, below partitions(). `batch` is of the schema. A binary
  // search a row. Fails only if a lazy column does.
  absl::Status Assign(const vector::Batch& batch, std::vector<uint32_t>& out) const;

 private:
  RangePartitioner(vector::TypePtr schema, std::vector<SortKey> keys, vector::Batch boundaries,
                   BoundarySide side)
      : schema_(std::move(schema)),
        keys_(std::move(keys)),
        boundaries_(std::move(boundaries)),
        side_(side) {}

  vector::TypePtr schema_;
  std::vector<SortKey> keys_;
  vector::Batch boundaries_;  // flat
  BoundarySide side_;
};

}  // namespace spillway::shuffle
