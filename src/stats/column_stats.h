// SPDX-License-Identifier: Apache-2.0
#pragma once
// Statistics of one column of one cached batch, by Gluten's rules (FORMAT section 5).

#include <cstdint>
#include <optional>
#include <string>

#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::stats {

// Longest bound of a VARCHAR column, bytes.
inline constexpr int64_t kMaxStringBound = 256;

// Lower and upper bound as the blob has them: little-endian, of the width that BoundWidth() tells;
// bytes in unsigned order for VARCHAR.
struct Bounds {
  std::string lower;
  std::string upper;
  bool operator==(const Bounds&) const = default;
};

struct ColumnStats {
  uint32_t null_count = 0;  // right for every type and encoding, bounds or not
  uint32_t count = 0;       // all rows, nulls included
  uint64_t size_in_bytes = 0;  // Gluten writes 0
  // Absent ("unsupported"): nothing is known of the values. That never prunes.
  std::optional<Bounds> bounds = std::nullopt;
  bool operator==(const ColumnStats&) const = default;
};

// Bytes of one bound in a blob: 0 for types that have no bounds, -1 for VARCHAR (0 to
// kMaxStringBound). TIMESTAMP's bounds are microseconds; a long DECIMAL's are two's complement,
// though its values in a page are sign-magnitude.
int BoundWidth(const vector::Type& type);

// Statistics of `column`, at most 2^32 - 1 rows.
//
// Bounds only for flat columns of a type that has them and with at least one value that counts:
//   REAL, DOUBLE  NaN is skipped; of zeros of either sign the first stays
//   TIMESTAMP     lower rounds down to microseconds, upper up (saturating); no bounds if a value
//                 is outside int64 microseconds
//   VARCHAR       lower = first 256 bytes; upper = first 256 bytes plus one at the last byte, with
//                 carry, if it is longer; no bounds if the carry leaves the first byte, nor under
//                 a collation
// Dictionary and constant columns have none: V2 writes them so; V3 flattens first.
ColumnStats ComputeStats(const vector::Column& column);

}  // namespace spillway::stats
