// SPDX-License-Identifier: Apache-2.0
#include "src/vector/int128.h"

#include <algorithm>

namespace spillway::vector {
namespace {

using Uint128 = unsigned __int128;

constexpr Uint128 kMaxMagnitude = ~Uint128{0} >> 1;  // of a positive value

// Unsigned, because the most negative value has no positive counterpart.
Uint128 Magnitude(Int128 value) { return value < 0 ? -static_cast<Uint128>(value) : value; }

std::string Digits(Uint128 value) {
  std::string out;
  do {
    out += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

std::string Int128ToString(Int128 value) {
  return (value < 0 ? "-" : "") + Digits(Magnitude(value));
}

std::optional<Int128> ParseInt128(std::string_view text) {
  const bool negative = text.substr(0, 1) == "-";
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const Uint128 limit = kMaxMagnitude + (negative ? 1 : 0);
  Uint128 magnitude = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<Uint128>(c - '0');
    if (magnitude > (limit - digit) / 10) return std::nullopt;
    magnitude = magnitude * 10 + digit;
  }
  return static_cast<Int128>(negative ? -magnitude : magnitude);
}

Int128 LargestUnscaled(int precision) {
  Int128 power = 1;
  for (int i = 0; i < precision; ++i) power *= 10;
  return power - 1;
}

std::string DecimalToString(Int128 unscaled, int scale) {
  std::string digits = Digits(Magnitude(unscaled));
  const auto point = static_cast<size_t>(scale);
  if (digits.size() <= point) digits.insert(0, point + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - point, 1, '.');
  return (unscaled < 0 ? "-" : "") + digits;
}

}  // namespace spillway::vector
