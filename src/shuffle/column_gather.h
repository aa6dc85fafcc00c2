// SPDX-License-Identifier: Apache-2.0
#pragma once
// One column of rows that lie in runs in many batches.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "src/vector/column.h"
#include "src/vector/type.h"
#include "src/vector/validity.h"

namespace spillway::shuffle {

// Rows [row, row + rows) of a batch of some list; rows > 0.
struct RowRange {
  uint32_t batch = 0;
  uint32_t row = 0;
  uint32_t rows = 1;
};

// In place of a batch: `rows` nulls.
inline constexpr uint32_t kNullBatch = std::numeric_limits<uint32_t>::max();

// Several ranges, in the order that their rows are wanted in.
struct RowRanges {
  std::span<const RowRange> ranges;
  int64_t rows = 0;        // together
  bool have_null = false;  // some are of kNullBatch
};

// Knows one column of each batch and copies runs of it. What wraps the values is looked up row by
// row; values that lie side by side are moved as a whole.
class ColumnGatherer {
 public:
  // `columns`, one a batch, are of `type`, outlive this, and have nothing lazy at any level.
  ColumnGatherer(vector::TypePtr type, std::vector<const vector::Column*> columns);

  // The rows of `ranges` as a new column, flat at every level, that shares no buffer. Without nulls
  // it has no validity bits, and zeros or no bytes and elements stand under nulls; fields of a null
  // ROW are what they were.
  //
  //   OK
  //   ResourceExhausted  the strings of a column have 2^31 bytes or more together, or its lists as
  //                      many elements
  absl::StatusOr<vector::ColumnPtr> Gather(const RowRanges& ranges) const;

 private:
  void AddChildren();
  const vector::Validity& ValidityOf(uint32_t batch) const;
  std::vector<RowRange> Unwrapped(std::span<const RowRange> ranges) const;

  absl::StatusOr<vector::ColumnPtr> GatherBases(const RowRanges& ranges) const;
  vector::Validity GatherNulls(const RowRanges& ranges) const;
  template <int kWidth>
  vector::ColumnPtr GatherFixed(const RowRanges& ranges) const;
  absl::StatusOr<vector::ColumnPtr> GatherStrings(const RowRanges& ranges) const;
  absl::StatusOr<vector::ColumnPtr> GatherFields(const RowRanges& ranges) const;
  absl::StatusOr<vector::ColumnPtr> GatherLists(const RowRanges& ranges) const;
  // Of strings and lists: calls visit(position of the first row in the output, batch, row, rows)
  // for runs of rows that are not null.
  template <typename Visit>
  void VisitRuns(const RowRanges& ranges, Visit visit) const;

  vector::TypePtr type_;
  std::vector<const vector::Column*> columns_;  // as they were given
  std::vector<const vector::Column*> bases_;    // what they wrap
  // Of each base, its values, end offsets or offsets.
  std::vector<const uint8_t*> data_;
  bool wrapped_ = false;         // some column is not its own base
  bool may_have_nulls_ = false;  // some base has nulls
  std::vector<ColumnGatherer> children_;
};

}  // namespace spillway::shuffle
