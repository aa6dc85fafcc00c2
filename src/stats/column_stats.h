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

enum class BoundsRule : uint8_t {
  kGlutenParity,  // flat columns only: V2 writes encoded ones without bounds, V3 flattens first
  kBest,          // ours: through dictionaries and constants, whatever their depth
};

struct StatsOptions {
  BoundsRule bounds = BoundsRule::kGlutenParity;
  // Ours: NaN, the greatest value in Spark's order, becomes the upper bound of a REAL or DOUBLE
  // column that holds one, and both bounds of a column of NaN only. Spark's and Gluten's filters,
  // which compare in that order, then lose no row to NaN (PruneOptions::nan_aware_stats).
  bool nan_aware = false;
};

// Statistics of `column`, at most 2^32 - 1 rows and nothing lazy in it (vector::Load).
//
// Bounds only for columns of a type that has them and with at least one value that counts:
//   REAL, DOUBLE  NaN is skipped unless nan_aware; of zeros of either sign the first stays
//   TIMESTAMP     lower rounds down to microseconds, upper up (saturating); no bounds if a value
//                 is outside int64 microseconds
//   VARCHAR       lower = first 256 bytes; upper = first 256 bytes plus one at the last byte, with
//                 carry, if it is longer; no bounds if the carry leaves the first byte, nor under
//                 a collation
ColumnStats ComputeStats(const vector::Column& column, const StatsOptions& options = {});

}  // namespace spillway::stats
