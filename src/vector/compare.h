// SPDX-License-Identifier: Apache-2.0
#pragma once
// Equality of columns and batches by what they say, not by how they hold it.
//
//   encodings, capacities, bytes under nulls   ignored
//   REAL, DOUBLE                               bit by bit: NaN payloads differ, -0.0 is not 0.0
//   BOOLEAN                                    any non-zero byte is true
//   MAP                                        entries in their order, duplicates included
//   a ROW's null                               whatever its fields hold
//   lazy columns                               loaded; one that fails to load equals nothing

#include <cstdint>
#include <optional>
#include <string>

#include "src/vector/batch.h"
#include "src/vector/column.h"

namespace spillway::vector {

// Empty: equal. Otherwise the first difference, in row order, with both sides' values:
//   row 17: 40 and 41
//   row 3: element 2: field `b`: null and "x"
//   types differ: INTEGER and BIGINT
std::optional<std::string> FirstDifference(const Column& a, const Column& b);

// Likewise for batches, whose field names count too: "column 2 `name`: row 17: 40 and 41".
std::optional<std::string> FirstDifference(const Batch& a, const Batch& b);

// The value of one row for messages, or why it cannot be loaded: null, true, -12.50 (DECIMAL), 1.5,
// nan(0x7fc00001), "a\377", (-1 s, 5 ns), [1, null], {1: "a"}, (1, "b"). DATE and the intervals
// are plain numbers. Long strings are cut after 64 bytes, long lists after 16 elements, nested
// values at about 1,000 bytes.
std::string ValueToString(const Column& column, int64_t row);

}  // namespace spillway::vector
