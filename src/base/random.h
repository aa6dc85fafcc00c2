// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deterministic random numbers, version 1. Integer arithmetic only, so that a
// seed gives the same bytes on every compiler and machine; neither Abseil nor
// the standard library promises that. A change of any output is a new version.

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace spillway::base {

// One step of SplitMix64 (Steele, Lea, Flood 2014): the output for state `x`.
constexpr uint64_t SplitMix64(uint64_t x) {
  uint64_t z = x + 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// xoshiro256** 1.0 (Blackman, Vigna 2018).
class Random {
 public:
  // The four words of state are successive SplitMix64 outputs from `seed`, as its authors advise.
  explicit Random(uint64_t seed);

  // An independent stream: the same (seed, name) always gives the same numbers, whatever other
  // streams draw. Two runs that differ in one thing only thus see common random numbers.
  static Random Stream(uint64_t seed, std::string_view name);

  uint64_t Next() {
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), without modulo bias. `bound` > 0.
  uint64_t Below(uint64_t bound);

  // Uniform in [low, high], both included.
  int64_t Between(int64_t low, int64_t high);

 private:
  std::array<uint64_t, 4> state_;
};

}  // namespace spillway::base
