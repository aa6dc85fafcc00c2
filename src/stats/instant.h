// SPDX-License-Identifier: Apache-2.0
#pragma once
// TIMESTAMP's value as a column holds it, in its order.

#include <cstdint>

namespace spillway::stats {

struct Instant {
  int64_t seconds;
  uint64_t nanos;  // after `seconds`, any: pages allow less than 10^9, columns in memory may not
  bool operator==(const Instant&) const = default;
  bool operator<(const Instant& other) const {
    return seconds != other.seconds ? seconds < other.seconds : nanos < other.nanos;
  }
};

}  // namespace spillway::stats
