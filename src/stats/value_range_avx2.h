// SPDX-License-Identifier: Apache-2.0
#pragma once
// value_range.cc's inner loop with AVX2. On other processors the function exists but must not be
// called.

#include <cstdint>

#include "src/stats/instant.h"

namespace spillway::stats {

bool HasAvx2();

// Widens [*low, *high], which are values that count of these rows or of rows before them, by the
// 64 x `words` rows whose bit of `masks` is set, and sets *nan if one of them holds NaN. Reads all
// rows' values. T as for FindRange().
//
// False: zeros of both signs are a bound, and rows were not looked at in their order; nothing but
// *nan has changed.
template <typename T>
bool WidenAvx2(const uint8_t* values, const uint64_t* masks, int64_t words, T* low, T* high,
               bool* nan);

}  // namespace spillway::stats
