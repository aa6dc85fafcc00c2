// SPDX-License-Identifier: Apache-2.0
#include "src/stats/prune.h"

#include <string_view>
#include <utility>

#include "src/base/strings.h"
#include "src/stats/sound_filter.h"
#include "src/stats/spark_filter.h"

namespace spillway::stats {

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

Pruner::Pruner(Predicate predicate, PruneOptions options)
    : predicate_(std::move(predicate)), options_(options) {
  if (options_.mode == PruneMode::kGlutenParity) {
    conjuncts_ = std::make_shared<const std::vector<Conjunct>>(ConjunctsOf(predicate_));
  }
}

bool Pruner::Skips(const BatchStats& stats, int64_t rows, Explanation* why) const {
  switch (options_.mode) {
    case PruneMode::kSparkParity: {
      const FilterTruth truth = SparkFilter(predicate_, stats, rows, why);
      return truth == FilterTruth::kFalse || truth == FilterTruth::kNull;
    }
    case PruneMode::kGlutenParity:
      return GlutenSkips(predicate_, *conjuncts_, stats, rows, why);
    default:
      return !SoundFilter(predicate_, stats, rows, options_.nan_aware_stats, why).yes;
  }
}

bool Pruner::MaySkip(const BatchStats& stats, int64_t rows) const {
  return Skips(stats, rows, nullptr);
}

Decision Pruner::Explain(const BatchStats& stats, int64_t rows) const {
  Decision decision;
  decision.skip = Skips(stats, rows, &decision.why);
  return decision;
}

}  // namespace spillway::stats
