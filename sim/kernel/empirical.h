// SPDX-License-Identifier: Apache-2.0
#pragma once
// A distribution of durations given by some of its quantiles, as measurements are published.

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/kernel/time.h"
#include "src/base/random.h"

namespace spillway::sim {

// The quantile function is linear between the points. Sampling is integer arithmetic only.
class Empirical {
 public:
  struct Point {
    int permille = 0;    // of the values lie at or below
    Duration value = 0;  // this
  };

  // Greatest value: 10^6 s. Keeps every sum and product below within its integer.
  static constexpr Duration kMaxValue = 1'000'000 * kSecond;

  static Empirical Constant(Duration value);

  // At least two points; permille ascends from 0 to 1000, values do not descend and lie in
  // [0, kMaxValue]. InvalidArgument otherwise, saying which point breaks which rule.
  static absl::StatusOr<Empirical> Create(std::vector<Point> points);

  // One draw; exactly one number is taken from `random`, whatever the shape.
  Duration Sample(base::Random& random) const { return At(random.Next()); }

  // The value at `draw` / 2^64 of all, counted from the least.
  Duration At(uint64_t draw) const;

  // The mean of the distribution itself, rounded down to a picosecond.
  Duration mean() const;

 private:
  explicit Empirical(std::vector<Point> points) : points_(std::move(points)) {}

  std::vector<Point> points_;
};

}  // namespace spillway::sim
