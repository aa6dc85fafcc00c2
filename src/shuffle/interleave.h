// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gathers rows that lie scattered over buffered batches.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "src/shuffle/column_gather.h"
#include "src/vector/batch.h"
#include "src/vector/type.h"

namespace spillway::shuffle {

// Looks through the batches once, for any number of Gather() calls.
class Interleaver {
 public:
  // `batches` outlive this, all have `schema`, and hold nothing lazy.
  Interleaver(vector::TypePtr schema, std::span<const vector::Batch> batches);

  // The rows of `ranges`, in that order, as new columns, flat at every level: constants and
  // dictionaries are resolved, no buffer is shared with the input, and a column without nulls has
  // no validity bits. What stands under a null is zero, or no bytes or elements; fields of a null
  // ROW are what they were.
  //
  //   OK
  //   ResourceExhausted  the strings of a column have 2^31 bytes or more together, or its lists as
  //                      many elements; the message names the column
  absl::StatusOr<vector::Batch> Gather(std::span<const RowRange> ranges) const;

 private:
  vector::TypePtr schema_;
  std::vector<ColumnGatherer> columns_;
};

}  // namespace spillway::shuffle
