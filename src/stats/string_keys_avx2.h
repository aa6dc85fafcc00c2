// SPDX-License-Identifier: Apache-2.0
#pragma once
// string_range.cc's inner loop with AVX2: the keys of four values at a time. On other processors
// the function exists but must not be called.

#include <cstdint>

#include "src/stats/string_keys.h"

namespace spillway::stats {

bool HasStringKeysAvx2();

// Writes the keys of a chunk's values, of which there are a multiple of 8, and widens `range` by
// them. False: a value has not got the prefix, and nothing can be said of keys and range.
bool MakeKeysAvx2(const KeyChunk& chunk, const KeyPrefix& prefix, int64_t* keys, KeyRange* range);

}  // namespace spillway::stats
