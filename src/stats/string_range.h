// SPDX-License-Identifier: Apache-2.0
#pragma once
// Least and greatest of the values of a VARCHAR column.

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/stats/value_range.h"
#include "src/vector/column.h"

namespace spillway::stats {

// Bytes of the column.
struct StringRange {
  std::string_view low;
  std::string_view high;
};

// The least and the greatest value of `rows` in the order of their bytes, unsigned, each cut to
// `max_size` bytes: no more of any value is compared. Absent: no row counts.
std::optional<StringRange> FindStringRange(const vector::StringColumn& column, const RowSet& rows,
                                           int64_t max_size);

// As above, by a kernel that the processor has.
std::optional<StringRange> FindStringRangeBy(RangeKernel kernel,
                                             const vector::StringColumn& column,
                                             const RowSet& rows, int64_t max_size);

}  // namespace spillway::stats
