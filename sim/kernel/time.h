// SPDX-License-Identifier: Apache-2.0
#pragma once
// Virtual time: integer picoseconds since the start of the run. Nanoseconds are
// too coarse for a crossing of 1140.05 ns that is split into three parts; 63 bits
// of picoseconds still reach 106 days.

#include <cstdint>
#include <limits>

namespace spillway::sim {

using Time = int64_t;      // an instant
using Duration = int64_t;  // >= 0

inline constexpr Duration kNanosecond = 1'000;
inline constexpr Duration kMicrosecond = 1'000 * kNanosecond;
inline constexpr Duration kMillisecond = 1'000 * kMicrosecond;
inline constexpr Duration kSecond = 1'000 * kMillisecond;
inline constexpr Time kEndOfTime = std::numeric_limits<Time>::max();

}  // namespace spillway::sim
