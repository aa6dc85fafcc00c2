// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exponentially distributed durations in integer arithmetic, so that a seed gives
// the same run on every compiler; std::log promises no last bit.

#include "sim/kernel/time.h"
#include "src/base/random.h"

namespace spillway::sim {

// One draw with the given mean, 0 <= mean <= 10^6 s: -ln(u) x mean for u uniform in (0, 1], by a
// table of logarithms at 1/1024 steps and linear interpolation. The logarithm is off by less than
// 2 x 10^-7; the mean of the draws likewise. Never above 45 x mean.
Duration SampleExponential(base::Random& random, Duration mean);

}  // namespace spillway::sim
