// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fixed-width values between a flat column, where null rows take space, and a
// block, where they do not.

#include <cstdint>

#include "src/vector/validity.h"

namespace spillway::page {

// Copies the values of non-null rows side by side to `out` and returns their end. `width` is 1, 2,
// 4, 8 or 16. May also overwrite kRunSlack bytes behind the end.
uint8_t* CompactValues(const uint8_t* values, int width, const vector::Validity& validity,
                       int64_t rows, uint8_t* out);
inline constexpr int64_t kRunSlack = 32;

// The reverse: row r of `out` gets the next of `packed` if it is not null, and unspecified bytes
// otherwise. Reads exactly the non-null rows' values, writes exactly rows x width bytes.
void ExpandValues(const uint8_t* packed, int width, const vector::Validity& validity, int64_t rows,
                  uint8_t* out);

// The ways in which the above are done. The fastest that the processor has is taken at run time;
// all give the same values.
enum class RunKernel { kPortable, kAvx2 };
bool HasRunKernel(RunKernel kernel);

// As above, by a kernel that the processor has.
uint8_t* CompactValuesBy(RunKernel kernel, const uint8_t* values, int width,
                         const vector::Validity& validity, int64_t rows, uint8_t* out);
void ExpandValuesBy(RunKernel kernel, const uint8_t* packed, int width,
                    const vector::Validity& validity, int64_t rows, uint8_t* out);

}  // namespace spillway::page
