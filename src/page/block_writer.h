// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes one column block: encoding name and body (FORMAT section 1). docs/format/block.md.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/vector/column.h"

namespace spillway::page {

// A column that is ready to be written: everything that can go wrong has been looked at, and the
// size is known, so that an output of many blocks is allocated once. Shares the column.
//
// The bytes are a function of the column's type and logical values alone: what stands under nulls,
// spare bits and the way nulls are stored do not show.
class BlockPlan {
 public:
  // Plans the block that Velox's iterative serializer writes (the table cache's): flat throughout.
  //
  //   OK                 a plan
  //   InvalidArgument    a value that the format cannot hold (see value_rules.h), with its row
  //   ResourceExhausted  over 2^31 - 1 rows, or bytes in one VARCHAR block
  static absl::StatusOr<BlockPlan> Make(vector::ColumnPtr column);

  // Bytes of the block.
  int64_t size() const { return size_; }

  // Writes size() bytes at `out` and returns their end. May overwrite up to kSlack bytes behind it.
  uint8_t* Write(uint8_t* out) const;
  static constexpr int64_t kSlack = vector::MutableBuffer::kSlack;

 private:
  explicit BlockPlan(vector::ColumnPtr column) : column_(std::move(column)) {}

  absl::Status PlanFlat();
  absl::Status PlanStrings();
  uint8_t* WriteFlat(uint8_t* out) const;
  uint8_t* WriteStrings(uint8_t* out) const;

  vector::ColumnPtr column_;
  int64_t size_ = 0;
  int64_t string_bytes_ = 0;       // VARCHAR, VARBINARY: bytes of the non-null rows
  bool nulls_span_bytes_ = false;  // a null row's range is not empty
};

}  // namespace spillway::page
