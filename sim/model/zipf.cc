// SPDX-License-Identifier: Apache-2.0
#include "sim/model/zipf.h"

#include <algorithm>
#include <array>
#include <bit>

namespace spillway::sim {
namespace {

using Wide = unsigned __int128;

constexpr int kFraction = 48;                 // bits of logarithms behind the point
constexpr uint64_t kOne = uint64_t{1} << 63;  // of numbers from 0 to below 2
constexpr int kWeightBits = 43;  // of the greatest weight: 2^20 of them stay below 2^63

uint64_t Times(uint64_t a, uint64_t b) { return static_cast<uint64_t>((Wide{a} * b) >> 63); }

// Rounded down.
uint64_t SquareRoot(Wide value) {
  uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const uint64_t candidate = root | uint64_t{1} << bit;
    if (Wide{candidate} * candidate <= value) root = candidate;
  }
  return root;
}

// The logarithm to base 2, by squaring: each doubles it, and shows one more bit.
uint64_t Log2(uint64_t value) {
  const int whole = std::bit_width(value) - 1;
  uint64_t x = value << (63 - whole);
  uint64_t log = static_cast<uint64_t>(whole);
  for (int i = 0; i < kFraction; ++i) {
    const Wide square = (Wide{x} * x) >> 63;
    const bool two = square >> 64 != 0;
    x = static_cast<uint64_t>(two ? square >> 1 : square);
    log = log << 1 | (two ? 1 : 0);
  }
  return log;
}

// 2^-x as a product over the bits of x behind the point.
class PowerOfHalf {
 public:
  PowerOfHalf() {
    uint64_t root = kOne >> 1;
    for (uint64_t& out : roots_) out = root = SquareRoot(Wide{root} << 63);
  }

  uint64_t operator()(Wide x) const {
    const Wide whole = x >> kFraction;
    if (whole > kWeightBits) return 0;
    uint64_t power = kOne;
    for (int i = 0; i < kFraction; ++i) {
      if ((x >> (kFraction - 1 - i) & 1) != 0) power = Times(power, roots_[i]);
    }
    return power >> static_cast<int>(whole);
  }

 private:
  std::array<uint64_t, kFraction> roots_;  // 2^-1/2, 2^-1/4, ...
};

}  // namespace

Zipf::Zipf(int32_t values, int32_t exponent_permille) {
  const PowerOfHalf power_of_half;
  up_to_.reserve(values);
  uint64_t sum = 0;
  for (int32_t k = 1; k <= values; ++k) {
    const Wide exponent = Wide{Log2(static_cast<uint64_t>(k))} * exponent_permille / 1000;
    sum += power_of_half(exponent) >> (63 - kWeightBits);
    up_to_.push_back(sum);
  }
  // The sum is at least 2^43, and there are at most 2^20 values.
  shift_ = static_cast<int>(std::bit_width(sum)) -
           static_cast<int>(std::bit_width(static_cast<uint32_t>(values)));
  int32_t first = 0;
  for (uint64_t group = 0; group <= (sum - 1) >> shift_; ++group) {
    while (up_to_[first] <= group << shift_) ++first;
    guide_.push_back(first);
  }
  guide_.push_back(values - 1);
}

int32_t Zipf::Sample(base::Random& random) const {
  const uint64_t position = random.Below(up_to_.back());
  const uint64_t group = position >> shift_;
  // The next group's first is above every position of this one.
  const auto above = std::upper_bound(up_to_.begin() + guide_[group],
                                      up_to_.begin() + guide_[group + 1], position);
  return static_cast<int32_t>(above - up_to_.begin()) + 1;
}

}  // namespace spillway::sim
