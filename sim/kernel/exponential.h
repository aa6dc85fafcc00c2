// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exponentially distributed durations in integer arithmetic, so that a seed gives
// the same run on every compiler; std::log promises no last bit. Version 2: as
// version 1, but for the last bits, and in half the time.

#include <array>
#include <bit>
#include <cstdint>

#include "sim/kernel/time.h"
#include "src/base/random.h"

namespace spillway::sim {

namespace internal {

inline constexpr int kLnTableBits = 10;
inline constexpr int kLnFraction = 48;                 // fixed point: value x 2^-48
inline constexpr uint64_t kLn2 = 195'103'586'505'167;  // ln 2, rounded

// ln(1 + i / 1024).
extern const std::array<uint64_t, (1 << kLnTableBits) + 1> kLnTable;

}  // namespace internal

// One draw with the given mean, 0 <= mean <= 10^5 s: -ln(u) x mean for u uniform in (0, 1), by a
// table of logarithms at 1/1024 steps and linear interpolation. Takes one number from `random`. The
// logarithm is off by less than 2 x 10^-7; the mean of the draws likewise. Never above 45 x mean.
inline Duration SampleExponential(base::Random& random, Duration mean) {
  const uint64_t u = random.Next() | 1;
  const int zeros = std::countl_zero(u);
  const uint64_t mantissa = u << zeros << 1;  // below the leading 1
  const uint64_t cell = mantissa >> (64 - internal::kLnTableBits);
  const uint64_t into = mantissa << internal::kLnTableBits >> 38;  // 26 bits of place in the cell
  const uint64_t low = internal::kLnTable[cell];
  const uint64_t ln = low + ((internal::kLnTable[cell + 1] - low) * into >> 26);  // of 1.mantissa
  const uint64_t minus_ln = static_cast<uint64_t>(zeros + 1) * internal::kLn2 - ln;
  return static_cast<Duration>(static_cast<unsigned __int128>(minus_ln) *
                                   static_cast<uint64_t>(mean) >>
                               internal::kLnFraction);
}

// One draw of a mixture with more variance than an exponential: of `permille` of the draws the mean
// is `first`, of the others `second`; both as above. Takes two numbers from `random`.
inline Duration SampleHyperexponential(base::Random& random, int permille, Duration first,
                                       Duration second) {
  const bool is_first = random.Next() >> 32 < (static_cast<uint64_t>(permille) << 32) / 1000;
  return SampleExponential(random, is_first ? first : second);
}

}  // namespace spillway::sim
