// SPDX-License-Identifier: Apache-2.0
#pragma once
// Spark's partition filter and Gluten's wrapper around it, as they are: PruneMode::kSparkParity and
// kGlutenParity. A part of prune.
//
// Mirrors SimpleMetricsCachedBatchSerializer.buildFilter of Spark 4.1.1 and, as read, Gluten's
// ColumnarCachedBatchSerializer.buildFilter; golden/spark_pruning/README.md has the table.

#include <cstdint>
#include <vector>

#include "src/stats/blob.h"
#include "src/stats/predicate.h"
#include "src/stats/prune.h"

namespace spillway::stats {

// What a condition's filter over the statistics says. kNone: Spark builds no filter of it.
enum class FilterTruth : uint8_t { kFalse, kNull, kTrue, kNone };

// Spark reads a batch for kTrue and kNone.
FilterTruth SparkFilter(const Predicate& predicate, const BatchStats& stats, int64_t rows,
                        Explanation* why);

// A conjunct of a predicate, as Gluten's wrapper looks at it.
struct Conjunct {
  const Node* node;  // of the predicate
  std::vector<int> columns;
  bool collated = false;  // one of the columns is
};
std::vector<Conjunct> ConjunctsOf(const Predicate& predicate);

// Whether Gluten skips the batch. `conjuncts` are those of `predicate`.
bool GlutenSkips(const Predicate& predicate, const std::vector<Conjunct>& conjuncts,
                 const BatchStats& stats, int64_t rows, Explanation* why);

}  // namespace spillway::stats
