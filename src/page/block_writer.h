// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes one column block: encoding name and body (FORMAT section 1). docs/format/block.md.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/page/encoding_choice.h"
#include "src/vector/column.h"

namespace spillway::page {

// A column that is ready to be written: its encodings are chosen, everything that can go wrong has
// been looked at, and the size is known, so that an output of many blocks is allocated once. Shares
// the column.
//
// With kFlatten the bytes are a function of the column's type and logical values alone: what stands
// under nulls, spare bits and the way nulls are stored never show.
class BlockPlan {
 public:
  // Plans the block of `column`, which is loaded if it is lazy (velox#5065).
  //
  //   OK                 a plan
  //   InvalidArgument    a value that the format cannot hold (see value_rules.h), or nesting over
  //                      kMaxDepth; the message names the field and row
  //   ResourceExhausted  over 2^31 - 1 rows, elements, or bytes in one VARCHAR block; over
  //                      kMaxExpandedBytes to flatten
  //   otherwise          a lazy column's failed load
  static absl::StatusOr<BlockPlan> Make(vector::ColumnPtr column,
                                        EncodingChoice choice = EncodingChoice::kFlatten);
  // The same for blocks that share one bound in kMaxExpandedBytes' place: what is expanded and kept
  // goes off `*budget`.
  static absl::StatusOr<BlockPlan> Make(vector::ColumnPtr column, EncodingChoice choice,
                                        int64_t* budget);
  static constexpr int kMaxDepth = 64;  // as readers allow by default

  // The column in the encoding that was chosen for it.
  const vector::Column& column() const { return *column_; }
  const vector::ColumnPtr& column_ptr() const { return column_; }

  // Bytes of the block.
  int64_t size() const { return size_; }

  // Writes size() bytes at `out` and returns their end. May overwrite up to kSlack bytes behind it.
  uint8_t* Write(uint8_t* out) const;
  static constexpr int64_t kSlack = vector::MutableBuffer::kSlack;

 private:
  BlockPlan() = default;

  // How the block and those in it are planned.
  struct Terms {
    EncodingChoice choice;
    int depth;
    int64_t* budget;

    Terms Inside() const { return {choice, depth + 1, budget}; }
  };
  static absl::StatusOr<BlockPlan> MakeOn(vector::ColumnPtr column, const Terms& terms);
  static absl::StatusOr<BlockPlan> Smallest(const vector::ColumnPtr& column, const Terms& terms);
  absl::Status Plan(const Terms& terms);
  absl::Status PlanFlat();
  absl::Status PlanStrings();
  absl::Status PlanRow(const Terms& terms);
  absl::Status PlanList(Terms terms);
  absl::Status AddChild(vector::ColumnPtr column, const Terms& terms);
  uint8_t* WriteFlat(uint8_t* out) const;
  uint8_t* WriteStrings(uint8_t* out) const;
  uint8_t* WriteRow(uint8_t* out) const;
  uint8_t* WriteList(uint8_t* out) const;
  uint8_t* WriteDictionary(uint8_t* out) const;
  uint8_t* WriteChildren(uint8_t* out) const;

  vector::ColumnPtr column_;
  int64_t size_ = 0;
  std::vector<BlockPlan> children_;  // fields, elements, keys and values, alphabet, RLE value
  int64_t string_bytes_ = 0;         // VARCHAR, VARBINARY: bytes of the non-null rows
  bool nulls_span_bytes_ = false;    // a null row's range is not empty
};

}  // namespace spillway::page
