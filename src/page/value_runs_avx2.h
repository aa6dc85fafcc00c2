// SPDX-License-Identifier: Apache-2.0
#pragma once
// value_runs.cc's inner steps with AVX2, where that is faster: 64 rows at a time, several values a
// shuffle, which a table of the validity bits picks. On other processors the functions exist but
// must not be called.

#include <cstdint>

namespace spillway::page {

bool HasAvx2();

// Packs the values of 64 rows whose bit of `valid` is set to `out` and returns their end. Reads all
// 64 values; overwrites up to 32 bytes behind the end.
uint8_t* CompactWord1Avx2(const uint8_t* values, uint64_t valid, uint8_t* out);
uint8_t* CompactWord2Avx2(const uint8_t* values, uint64_t valid, uint8_t* out);
uint8_t* CompactWord4Avx2(const uint8_t* values, uint64_t valid, uint8_t* out);
uint8_t* CompactWord8Avx2(const uint8_t* values, uint64_t valid, uint8_t* out);

// The reverse, for 64 rows of `out`: returns where the next word's values begin. Reads nothing at
// or behind `end`.
const uint8_t* ExpandWord1Avx2(const uint8_t* packed, const uint8_t* end, uint64_t valid,
                               uint8_t* out);
const uint8_t* ExpandWord2Avx2(const uint8_t* packed, const uint8_t* end, uint64_t valid,
                               uint8_t* out);
const uint8_t* ExpandWord4Avx2(const uint8_t* packed, const uint8_t* end, uint64_t valid,
                               uint8_t* out);

}  // namespace spillway::page
