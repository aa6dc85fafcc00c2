// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers for reports in integer arithmetic, so that a run prints the same bytes
// on every compiler.

#include <string>

namespace spillway::sim {

// A value as an exact fraction. Denominator > 0.
struct Fraction {
  __int128 numerator = 0;
  __int128 denominator = 1;
};

// `value` with exactly `decimals` digits after the point (0 to 9), rounded half away from zero;
// `grouped`: with commas between thousands, for readers. |numerator| x 10^decimals and
// 2 x denominator stay below 2^126.
std::string FormatDecimal(Fraction value, int decimals, bool grouped);

}  // namespace spillway::sim
