// SPDX-License-Identifier: Apache-2.0
#include "src/stats/prune.h"

#include <string_view>

#include "src/base/strings.h"
#include "src/stats/sound_filter.h"
#include "src/stats/spark_filter.h"

namespace spillway::stats {
namespace {

bool Skips(const Predicate& predicate, const PruneOptions& options, const BatchStats& stats,
           int64_t rows, Explanation* why) {
  switch (options.mode) {
    case PruneMode::kSparkParity: {
      const FilterTruth truth = SparkFilter(predicate, stats, rows, why);
      return truth == FilterTruth::kFalse || truth == FilterTruth::kNull;
    }
    case PruneMode::kGlutenParity:
      return GlutenSkips(predicate, stats, rows, why);
    default:
      return !SoundFilter(predicate, stats, rows, options.nan_aware_stats, why).yes;
  }
}

}  // namespace

std::string_view PruneModeName(PruneMode mode) {
  switch (mode) {
    case PruneMode::kSparkParity:
      return "spark";
    case PruneMode::kGlutenParity:
      return "gluten";
    default:
      return "sound";
  }
}

std::string Explanation::ToString(int indent) const {
  std::string out = base::Cat(std::string(indent, ' '), condition, ": ", verdict,
                              reason.empty() ? "" : base::Cat(" (", reason, ")"), "\n");
  for (const Explanation& argument : arguments) out += argument.ToString(indent + 2);
  return out;
}

bool Pruner::MaySkip(const BatchStats& stats, int64_t rows) const {
  return Skips(predicate_, options_, stats, rows, nullptr);
}

Decision Pruner::Explain(const BatchStats& stats, int64_t rows) const {
  Decision decision;
  decision.skip = Skips(predicate_, options_, stats, rows, &decision.why);
  return decision;
}

}  // namespace spillway::stats
