// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which encoding a column is written in. docs/format/encodings.md.

#include <cstdint>

#include "absl/status/statusor.h"
#include "src/vector/column.h"

namespace spillway::page {

enum class EncodingChoice : uint8_t {
  // Flat throughout, as Velox's iterative serializer and the table cache write.
  kFlatten,
  // As Velox's batch serializer decides. A constant stays. A dictionary stays if its wrapper has no
  // null bitmap, not even one without nulls, its type is neither UNKNOWN nor fixed-width of 4 bytes
  // or less, not every row has a value of its own, and, for fixed-width types, used values and ids
  // are smaller than the rows' values. Its alphabet is cut to the values in use and flattened.
  // Encodings survive inside ROW, not inside ARRAY and MAP.
  kVeloxBatch,
  // As kVeloxBatch, but every dictionary whose wrapper has no null bitmap stays, also with no rows.
  kPreserve,
  // Ours: wrappers are peeled into one dictionary or constant, its nulls move into the alphabet,
  // unused entries are dropped, and it stays where its block is smaller than the flat one, at any
  // level. Readers of Velox and Gluten take it, since they take both encodings everywhere.
  kSmallest,
};

// How far writing may expand the encoded columns of one page, frame or block in memory.
inline constexpr int64_t kMaxExpandedBytes = int64_t{4} << 30;

// `column` with the outermost encoding that `choice` (not kSmallest) gives it: no wrapper, a
// constant of a flat value, or a dictionary that adds no nulls over a flat alphabet. The bytes that
// this takes go off `*budget`, as in vector::Flatten().
absl::StatusOr<vector::ColumnPtr> ChooseEncoding(const vector::ColumnPtr& column,
                                                 EncodingChoice choice, int64_t* budget);

// What kSmallest makes of a dictionary or constant: all wrappers peeled into one constant or one
// dictionary without nulls of its own, whose alphabet holds just what is used and no wrapper.
absl::StatusOr<vector::ColumnPtr> PeelWrappers(const vector::Column& column, int64_t* budget);

}  // namespace spillway::page
