// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether a batch need be read at all, from its statistics (FORMAT section 6).
// docs/format/pruning.md has the rules, and what is lost by those of Spark and Gluten.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/stats/blob.h"
#include "src/stats/predicate.h"

namespace spillway::stats {

enum class PruneMode : uint8_t {
  kSound,         // never skips a row that matches
  kSparkParity,   // Spark 4.1.1's partition filter as it is: loses rows to NaN, to absent bounds
                  // and to prefixes that are no UTF-8. Feed it what Spark's optimizer left
  kGlutenParity,  // the same behind Gluten's wrapper: conjuncts on collated columns are dropped,
                  // and a batch with an absent bound in any column still referred to is read
};

std::string_view PruneModeName(PruneMode mode);  // "sound", "spark", "gluten"

struct PruneOptions {
  PruneMode mode = PruneMode::kSound;
  // The statistics were written with StatsOptions::nan_aware: kSound may then use the upper bound
  // of REAL and DOUBLE columns against NaN too. Wrong statements here lose rows.
  bool nan_aware_stats = false;
};

// Why a batch is read or skipped: a tree shaped like the predicate.
struct Explanation {
  std::string condition;  // "c0 >= 5", "and"
  // kSound: "never true", "may be true", "never false". Parity: "true", "false", "null", "no
  // filter".
  std::string verdict;
  std::string reason;  // the bounds and counts that decided; empty for and, or, not
  bool skips = false;  // a predicate of this condition alone would have the batch skipped
  std::vector<Explanation> arguments = {};

  // One condition a line, indented.
  std::string ToString(int indent = 0) const;
};

struct Conjunct;  // spark_filter.h

struct Decision {
  bool skip = false;
  Explanation why;
};

// A predicate made ready for many batches. A value; const calls are thread-safe.
class Pruner {
 public:
  explicit Pruner(Predicate predicate, PruneOptions options = {});

  // True: the batch of `rows` rows with `stats` may be skipped. `stats` has one entry a column of
  // the predicate's schema; columns that it does not have, all of them if the frame has no
  // statistics, are unknown, and so, to kSound, are counts that contradict `rows` or each other
  // and bounds that are inverted or not of their type's length.
  bool MaySkip(const BatchStats& stats, int64_t rows) const;

  // The same decision with its reasons.
  Decision Explain(const BatchStats& stats, int64_t rows) const;

  const Predicate& predicate() const { return predicate_; }
  const PruneOptions& options() const { return options_; }

 private:
  bool Skips(const BatchStats& stats, int64_t rows, Explanation* why) const;

  Predicate predicate_;
  PruneOptions options_;
  std::shared_ptr<const std::vector<Conjunct>> conjuncts_;  // kGlutenParity only
};

}  // namespace spillway::stats
