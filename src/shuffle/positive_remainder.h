// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a hash to a partition.

#include <bit>
#include <cstdint>
#include <span>

namespace spillway::shuffle {

// Spark's pmod: the remainder of a hash read as a signed number, moved into [0, divisor).
//
// The division is a multiplication by 2^s / divisor, rounded up, and a shift by s. For values below
// 2^31 that is exact with s = 31 + l where 2^l >= divisor, and the factor has 32 bits (Granlund,
// Montgomery: Division by invariant integers using multiplication, 1994).
class PositiveRemainder {
 public:
  // `divisor` >= 1.
  explicit PositiveRemainder(int32_t divisor)
      : divisor_(static_cast<uint32_t>(divisor)),
        shift_(31 + std::bit_width(divisor_ - 1)),
        factor_(static_cast<uint32_t>(((uint64_t{1} << shift_) - 1) / divisor_ + 1)) {}

  uint32_t operator()(uint32_t hash) const {
    // h = -1 - a for a negative h, and then h mod n = n - 1 - (a mod n). No branch: the sign of a
    // hash is a coin toss.
    const auto negative = static_cast<uint32_t>(static_cast<int32_t>(hash) >> 31);
    return (Remainder(hash ^ negative) ^ negative) + (divisor_ & negative);
  }

  // Each of `hashes` becomes its remainder, on any processor the same.
  void Apply(std::span<uint32_t> hashes) const;

 private:
  uint32_t Remainder(uint32_t value) const {
    const auto quotient = static_cast<uint32_t>((uint64_t{value} * factor_) >> shift_);
    return value - quotient * divisor_;
  }

  uint32_t divisor_;
  int shift_;
  uint32_t factor_;
};

}  // namespace spillway::shuffle
