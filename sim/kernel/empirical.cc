// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/empirical.h"

#include <cstddef>
#include <utility>

#include "src/base/status.h"

namespace spillway::sim {

Empirical Empirical::Constant(Duration value) { return Empirical({{0, value}, {1000, value}}); }

absl::StatusOr<Empirical> Empirical::Create(std::vector<Point> points) {
  if (points.size() < 2) {
    return base::Invalid("a distribution needs at least the points 0 and 1000 permille, but has ",
                         points.size());
  }
  if (points.front().permille != 0 || points.back().permille != 1000) {
    return base::Invalid("a distribution runs from 0 to 1000 permille, not from ",
                         points.front().permille, " to ", points.back().permille);
  }
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i].value < 0 || points[i].value > kMaxValue) {
      return base::Invalid("point ", i, ": ", points[i].value, " ps is outside 0 to ", kMaxValue);
    }
    if (i == 0) continue;
    if (points[i].permille <= points[i - 1].permille) {
      return base::Invalid("point ", i, ": permille must ascend (", points[i - 1].permille,
                           " then ", points[i].permille, ")");
    }
    if (points[i].value < points[i - 1].value) {
      return base::Invalid("point ", i, ": values must not descend (", points[i - 1].value,
                           " then ", points[i].value, " ps)");
    }
  }
  return Empirical(std::move(points));
}

Duration Empirical::At(uint64_t draw) const {
  // A position in [0, 1000) permille with 54 bits of fraction.
  constexpr int kFraction = 54;
  const auto position =
      static_cast<uint64_t>((static_cast<unsigned __int128>(draw) * 1000) >> (64 - kFraction));
  const int permille = static_cast<int>(position >> kFraction);
  size_t high = 1;
  while (points_[high].permille <= permille) ++high;
  const Point& a = points_[high - 1];
  const Point& b = points_[high];
  if (a.value == b.value) return a.value;
  const uint64_t into = position - (static_cast<uint64_t>(a.permille) << kFraction);
  // Rounded down, as if the width were not cut into its two factors.
  const unsigned __int128 rise =
      static_cast<unsigned __int128>(b.value - a.value) * into >> kFraction;
  const auto permilles = static_cast<uint64_t>(b.permille - a.permille);
  const bool small = rise >> 64 == 0;
  return a.value +
         static_cast<Duration>(small ? static_cast<uint64_t>(rise) / permilles : rise / permilles);
}

Duration Empirical::mean() const {
  __int128 doubled = 0;  // sum of trapezoids, in permille x 2 ps
  for (size_t i = 1; i < points_.size(); ++i) {
    doubled += static_cast<__int128>(points_[i].permille - points_[i - 1].permille) *
               (points_[i].value + points_[i - 1].value);
  }
  return static_cast<Duration>(doubled / 2000);
}

}  // namespace spillway::sim
