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
// kNullRow asks for something else. New buffers have no spare capacity and zeros under null rows.
// What is lazy is loaded.
//
//   OK                 the column
//   ResourceExhausted  more than *budget bytes, or than 2^31 - 1 elements or string bytes in one
//                      column; nothing of that size was allocated
//   otherwise          a lazy column's failed load
//
// What is allocated is taken off *budget. Lists of runs alone cost nothing for their elements.
absl::StatusOr<ColumnPtr> Select(const Column& column, std::span<const int32_t> rows,
                                 int64_t* budget);

// Whether all rows of `column` are the same and none takes memory: a constant, or nulls of type
// UNKNOWN. A few bytes can claim 2^31 rows of it.
bool IsRun(const Column& column);

// `rows` rows as those of `run`, for which IsRun() holds.
ColumnPtr RunOf(const Column& run, int64_t rows);

// `rows` rows, all null, of `type`. A list has empty ranges; fields of a ROW are null too.
absl::StatusOr<ColumnPtr> NullColumn(const TypePtr& type, int64_t rows, int64_t* budget);

}  // namespace spillway::vector
