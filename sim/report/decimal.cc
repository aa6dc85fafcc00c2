// SPDX-License-Identifier: Apache-2.0
#include "sim/report/decimal.h"

#include <algorithm>

namespace spillway::sim {

std::string FormatDecimal(Fraction value, int decimals, bool grouped) {
  const bool negative = value.numerator < 0;
  __int128 scaled = negative ? -value.numerator : value.numerator;
  for (int i = 0; i < decimals; ++i) scaled *= 10;
  scaled = (2 * scaled + value.denominator) / (2 * value.denominator);
  const bool zero = scaled == 0;
  std::string reversed;
  for (int digit = 0; scaled > 0 || digit <= decimals; ++digit) {
    if (digit == decimals && decimals > 0) reversed += '.';
    const int whole = digit - decimals;
    if (grouped && whole > 0 && whole % 3 == 0) reversed += ',';
    reversed += static_cast<char>('0' + static_cast<int>(scaled % 10));
    scaled /= 10;
  }
  if (negative && !zero) reversed += '-';
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

}  // namespace spillway::sim
