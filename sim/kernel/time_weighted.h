// SPDX-License-Identifier: Apache-2.0
#pragma once
// A level over virtual time: its average, weighted by how long it stood, and its peak.

#include <algorithm>
#include <cstdint>

#include "sim/kernel/time.h"

namespace spillway::sim {

// Starts at level 0 at time 0. Calls come with non-descending times.
class TimeWeighted {
 public:
  void Set(Time now, int64_t level) {
    Advance(now);
    level_ = level;
    peak_ = std::max(peak_, level);
  }
  void Add(Time now, int64_t change) { Set(now, level_ + change); }

  int64_t level() const { return level_; }
  int64_t peak() const { return peak_; }

  // The area under the level until `now`, in level x ps.
  __int128 Area(Time now) const {
    return area_ + static_cast<__int128>(level_) * (now - since_);
  }
  // Rounded down; 0 at time 0.
  int64_t Average(Time now) const { return now == 0 ? 0 : static_cast<int64_t>(Area(now) / now); }

 private:
  void Advance(Time now) {
    area_ = Area(now);
    since_ = now;
  }

  int64_t level_ = 0;
  int64_t peak_ = 0;
  Time since_ = 0;
  __int128 area_ = 0;
};

}  // namespace spillway::sim
