// SPDX-License-Identifier: Apache-2.0
#pragma once
// The beginning of a list, for people: "0, 1, 2, ... (100)".

#include <cstdint>
#include <string>

#include "src/vector/column.h"
#include "src/vector/validity.h"

namespace spillway::inspect {

// Up to `limit` entries, and no further entry once the text has over 160 bytes or, if that is more,
// 20 bytes an entry that `limit` allows. The number of all stands behind a cut list.

// Every row's value, "null" included.
std::string PreviewRows(const vector::Column& column, int64_t limit);
// The values of rows that are not null.
std::string PreviewStored(const vector::Column& column, int64_t limit);
// The rows that are null.
std::string PreviewNulls(const vector::Validity& validity, int64_t rows, int64_t limit);
// `count` int32 at `at`.
std::string PreviewInts(const uint8_t* at, int64_t count, int64_t limit);

}  // namespace spillway::inspect
