// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/exponential.h"

namespace spillway::sim::internal {
namespace {

// log2(x / 2^62) x 2^48 for x in [2^62, 2^63), digit by digit: squaring doubles the logarithm, and
// passing 2 is a digit 1.
constexpr uint64_t Log2(uint64_t x) {
  uint64_t log = 0;
  for (int digit = 0; digit < kLnFraction; ++digit) {
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
  std::array<uint64_t, (1 << kLnTableBits) + 1> table{};
  for (uint64_t i = 0; i < (1 << kLnTableBits); ++i) {
    const uint64_t log2 = Log2((uint64_t{1} << 62) + (i << (62 - kLnTableBits)));
    table[i] = static_cast<uint64_t>(static_cast<unsigned __int128>(log2) * kLn2 >> kLnFraction);
  }
  table[1 << kLnTableBits] = kLn2;
  return table;
}

}  // namespace

constexpr std::array<uint64_t, (1 << kLnTableBits) + 1> kLnTable = MakeTable();

}  // namespace spillway::sim::internal
