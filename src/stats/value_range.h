// SPDX-License-Identifier: Apache-2.0
#pragma once
// Least and greatest of the values of a flat column: what bounds are made of.

#include <cstdint>
#include <optional>

#include "src/stats/instant.h"
#include "src/vector/validity.h"

namespace spillway::stats {

// The rows of a column that count: those that are not null and, if there is `shown`, not null in it
// either. Both speak of the same `rows` rows and outlive this.
struct RowSet {
  const vector::Validity& validity;
  int64_t rows;
  const vector::Validity* shown = nullptr;

  bool all() const {
    return !validity.has_nulls() && (shown == nullptr || !shown->has_nulls());
  }
  // A bit for each of 64 rows from `row` on, that row's the lowest; zero past the last row.
  uint64_t Word(int64_t row) const;
  // The same for `words` words from `row` on.
  void Words(int64_t row, int64_t words, uint64_t* out) const;
};

template <typename T>
struct ValueRange {
  T low;
  T high;
};

template <typename T>
struct FoundRange {
  std::optional<ValueRange<T>> range;  // absent: no value counts
  bool nan = false;                    // a row that counts holds NaN
};

// The range of `values`, side by side at any alignment, a value a row, over `rows`. T is uint8_t,
// int8_t to int64_t, __int128, Instant, float or double. Exactly what a loop over the rows gives
// that replaces a bound by a value beyond it: NaN is never in the range, and of zeros of either
// sign the first stays.
template <typename T>
FoundRange<T> FindRange(const uint8_t* values, const RowSet& rows);

// The ways in which the above is done. The fastest that the processor has is taken at run time; all
// give the same bits.
enum class RangeKernel { kPortable, kAvx2 };
bool HasRangeKernel(RangeKernel kernel);
RangeKernel FastestRangeKernel();

// As above, by a kernel that the processor has.
template <typename T>
FoundRange<T> FindRangeBy(RangeKernel kernel, const uint8_t* values, const RowSet& rows);

}  // namespace spillway::stats
