// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pruning that loses no row: PruneMode::kSound. A part of prune.
//
// A condition may be true for some row of a batch, and it may be false for some row; null is
// neither. Both are asked of every condition, which makes NOT an exchange of the two, so that
// negations and nulls need no rules of their own:
//
//   NOT a      may be true where a may be false, and the other way round
//   a AND b    may be true if both may be, may be false if either may be
//   a OR b     may be true if either may be, may be false if both may be
//
// Each condition is judged by itself: "no" is a proof, "may be" is not.

#include <cstdint>

#include "src/stats/blob.h"
#include "src/stats/predicate.h"
#include "src/stats/prune.h"

namespace spillway::stats {

struct Possible {
  bool yes = false;  // true for some row
  bool no = false;   // false for some row
};

// `why`, if not null, gets the reasons.
Possible SoundFilter(const Predicate& predicate, const BatchStats& stats, int64_t rows,
                     bool nan_aware, Explanation* why);

}  // namespace spillway::stats
