// SPDX-License-Identifier: Apache-2.0
#pragma once
// Why two modes of pruning decide otherwise about one batch.

#include <cstdint>
#include <string>
#include <vector>

#include "src/stats/blob.h"
#include "src/stats/predicate.h"
#include "src/stats/prune.h"

namespace spillway::stats {

struct Opinion {
  PruneOptions options = {};
  Decision decision = {};
};

// The opinion of a mode.
Opinion OpinionOf(const Predicate& predicate, const PruneOptions& options, const BatchStats& stats,
                  int64_t rows);

struct ModeDifference {
  std::string condition;  // "c0 > 5"; empty: the batch as a whole
  std::string why;        // "a NaN is above every bound"
  bool operator==(const ModeDifference&) const = default;
};

// The conditions for which only one of the opinions skips, that which skips the batch, each with
// the reason. Empty if both decide alike. Both opinions are of `predicate` (or copies), `stats` and
// `rows`.
std::vector<ModeDifference> DifferencesBetween(const Predicate& predicate, const BatchStats& stats,
                                               int64_t rows, const Opinion& one,
                                               const Opinion& other);

}  // namespace spillway::stats
