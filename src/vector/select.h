// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chosen rows of a column, in its encoding.

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "src/vector/column.h"

namespace spillway::vector {

// In a selection: a null row that the source does not have.
inline constexpr int32_t kNullRow = -1;

// Rows `rows` of `column` in that order, repeats allowed. Each is a row of `column` or kNullRow.
// Encodings are kept at every level: a dictionary keeps its alphabet, a constant stays one unless
// kNullRow asks for something else. What is lazy is loaded, and its failure returned. New buffers have no spare capacity and zeros under null rows.
//
//   OK                 the column
//   ResourceExhausted  more than *budget bytes, or than 2^31 - 1 elements or string bytes in one
//                      column; nothing of that size was allocated
//
// What is allocated is taken off *budget.
absl::StatusOr<ColumnPtr> Select(const Column& column, std::span<const int32_t> rows,
                                 int64_t* budget);

// `rows` rows, all null, of `type`. A list has empty ranges; fields of a ROW are null too.
absl::StatusOr<ColumnPtr> NullColumn(const TypePtr& type, int64_t rows, int64_t* budget);

}  // namespace spillway::vector
