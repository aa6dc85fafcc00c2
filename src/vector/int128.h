// SPDX-License-Identifier: Apache-2.0
#pragma once
// Decimal text of 128-bit integers, which neither Abseil nor the standard library reads.

#include <optional>
#include <string>
#include <string_view>

namespace spillway::vector {

using Int128 = __int128;

std::string Int128ToString(Int128 value);

// An optional '-' and digits, nothing else. Empty: not that, or outside 128 bits.
std::optional<Int128> ParseInt128(std::string_view text);

// 10^`precision` - 1: the largest magnitude of a DECIMAL. `precision` 0..38.
Int128 LargestUnscaled(int precision);

// `unscaled` / 10^`scale` as text with all `scale` digits: -5 with scale 2 is "-0.05".
std::string DecimalToString(Int128 unscaled, int scale);

}  // namespace spillway::vector
