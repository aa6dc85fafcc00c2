// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/exponential.h"

#include <array>
#include <bit>
#include <cstdint>

namespace spillway::sim {
namespace {

constexpr int kTableBits = 10;
constexpr int kFraction = 48;  // fixed point: value x 2^-48
constexpr uint64_t kLn2 = 195103586505167;  // ln 2 x 2^48, rounded

// log2(x / 2^62) x 2^48 for x in [2^62, 2^63), digit by digit: squaring doubles the logarithm, and
// passing 2 is a digit 1.
constexpr uint64_t Log2(uint64_t x) {
  uint64_t log = 0;
  for (int digit = 0; digit < kFraction; ++digit) {
    x = static_cast<uint64_t>((static_cast<unsigned __int128>(x) * x) >> 62);
    log <<= 1;
    if (x >> 63) {
      log |= 1;
      x >>= 1;
    }
  }
  return log;
}

constexpr auto MakeTable() {
  std::array<uint64_t, (1 << kTableBits) + 1> table{};
  for (uint64_t i = 0; i < (1 << kTableBits); ++i) {
    table[i] = Log2((uint64_t{1} << 62) + (i << (62 - kTableBits)));
  }
  table[1 << kTableBits] = uint64_t{1} << kFraction;
  return table;
}

constexpr auto kLog2 = MakeTable();

}  // namespace

Duration SampleExponential(base::Random& random, Duration mean) {
  // u = (x + 1) / 2^64 is never 0; x + 1 = 2^64 would be u = 1, whose logarithm is 0.
  const uint64_t u = random.Next() + 1;
  if (u == 0) return 0;
  const int zeros = std::countl_zero(u);
  const uint64_t mantissa = (u << zeros) << 1;  // below the leading 1
  const uint64_t cell = mantissa >> (64 - kTableBits);
  const uint64_t into = mantissa << kTableBits >> 32;  // 32 bits of position within the cell
  const unsigned __int128 step = kLog2[cell + 1] - kLog2[cell];
  const uint64_t log2 = kLog2[cell] + static_cast<uint64_t>((step * into) >> 32);  // of 1.mantissa
  // -log2(u) = zeros + 1 - log2(1.mantissa).
  const uint64_t minus_log2 = (static_cast<uint64_t>(zeros + 1) << kFraction) - log2;
  const auto minus_ln =
      static_cast<uint64_t>((static_cast<unsigned __int128>(minus_log2) * kLn2) >> kFraction);
  return static_cast<Duration>((static_cast<unsigned __int128>(minus_ln) *
                                static_cast<uint64_t>(mean)) >> kFraction);
}

}  // namespace spillway::sim
