// SPDX-License-Identifier: Apache-2.0
#pragma once
// Zipf-distributed numbers in integer arithmetic, so that a seed gives the same run on every
// compiler; std::pow promises no last bit.

#include <cstdint>
#include <vector>

#include "src/base/random.h"

namespace spillway::sim {

// Draws k of 1 to `values` with a weight of 1 / k^(exponent_permille / 1000).
//
// Weights are integers, 2^43 for k = 1. Each is the true one to a part in 2^40, and then rounded
// down; what is rarer than 1 is never drawn. 16 bytes a value at most.
class Zipf {
 public:
  // 1 <= values <= 2^20, 0 <= exponent_permille <= 10000.
  Zipf(int32_t values, int32_t exponent_permille);

  int32_t Sample(base::Random& random) const;

 private:
  std::vector<uint64_t> up_to_;  // up_to_[i]: weights of 1 to i + 1 together
  // guide_[g]: the first i whose up_to_ is above g << shift_. As many as there are values, so that
  // most draws find theirs at once.
  std::vector<int32_t> guide_;
  int shift_;
};

}  // namespace spillway::sim
