// SPDX-License-Identifier: Apache-2.0
#pragma once
// murmur3.cc's and positive_remainder.cc's inner loops with AVX2: eight rows at a time, each in a
// lane of its own. Each function does as many rows from the first on as it can and returns their
// number; the caller does the others. On other processors the functions exist but must not be
// called.

#include <cstdint>

namespace spillway::shuffle {

bool HasAvx2();

// hashes[r] = HashInt(value r, hashes[r]). All rows but fewer than 16 at the end.
int64_t HashIntsAvx2(const uint8_t* values, int64_t rows, uint32_t* hashes);

// hashes[r] = HashLong(value r, hashes[r]). All rows but fewer than 16 at the end.
int64_t HashLongsAvx2(const uint8_t* values, int64_t rows, uint32_t* hashes);

// hashes[r] = HashBytes(bytes from ends[r - 1] to ends[r], hashes[r]), so that one end must stand
// before ends[0]. Stops before sixteen rows of which one has more than 64 bytes or which
// end within 16 bytes of the end of the `size` bytes, as it reads in words of 16.
int64_t HashStringsAvx2(const uint8_t* bytes, int64_t size, const uint8_t* ends, int64_t rows,
                        uint32_t* hashes);

// PositiveRemainder's formula for each of `hashes`. All rows but fewer than 8 at the end.
int64_t RemaindersAvx2(uint32_t divisor, uint32_t factor, int shift, int64_t rows,
                       uint32_t* hashes);

}  // namespace spillway::shuffle
