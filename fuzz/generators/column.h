// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random columns in every shape that src/vector allows.

#include <cstdint>
#include <iosfwd>

#include "rapidcheck.h"
#include "src/base/random.h"
#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::fuzz {

// What columns of a case may show. Each case has a random subset (swarm testing): a column that
// shows a little of everything rarely shows much of anything, and some faults need an absence.
enum Feature : uint32_t {
  kNulls = 1 << 0,
  kAllNull = 1 << 1,         // columns of nulls only, with and without a bitmap
  kBareBitmaps = 1 << 2,     // bitmaps though no row is null
  kGarbage = 1 << 3,         // arbitrary bytes, ids and elements under nulls
  kUnaligned = 1 << 4,       // buffers at odd addresses, bitmaps that start within a byte
  kTight = 1 << 5,           // buffers with nothing readable behind them
  kCapacity = 1 << 6,        // allocations larger than their contents
  kSlices = 1 << 7,          // columns cut out of longer ones
  kFewValues = 1 << 8,       // columns that repeat two or three values
  kExtremes = 1 << 9,        // as in ValueOptions, likewise the next three
  kNans = 1 << 10,
  kLooseBooleans = 1 << 11,
  kLongStrings = 1 << 12,
  kGaps = 1 << 13,           // list elements before the first row's and after the last one's
  kSharedColumns = 1 << 14,  // batches that hold one column twice
  kConstants = 1 << 15,
  kDictionaries = 1 << 16,
  kStackedWrappers = 1 << 17,  // constants and dictionaries of each other
};
using Features = uint32_t;
inline constexpr Features kAllFeatures = 2 * kStackedWrappers - 1;
// Without constants and dictionaries.
inline constexpr Features kFlatFeatures = kConstants - 1;

// A column of `type` with `rows` rows that shows `features` only. Its keys of a MAP are never null.
// The same random state gives the same column.
vector::ColumnPtr MakeColumn(base::Random& random, const vector::TypePtr& type, int64_t rows,
                             Features features);

// A random subset of the bits of `allowed`, such as features, shrinking by one bit at a time.
rc::Gen<uint32_t> AnySubset(uint32_t allowed);

// MakeColumn with a random subset of `allowed`.
rc::Gen<vector::ColumnPtr> AnyColumn(vector::TypePtr type, int64_t rows,
                                     Features allowed = kAllFeatures);

}  // namespace spillway::fuzz

namespace spillway::vector {

// How RapidCheck prints a column of a failing case: its neutral form.
void showValue(const Column& column, std::ostream& out);

}  // namespace spillway::vector
