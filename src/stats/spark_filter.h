// SPDX-License-Identifier: Apache-2.0
#pragma once
// Spark's partition filter and Gluten's wrapper around it, as they are: PruneMode::kSparkParity and
// kGlutenParity. A part of prune.
//
// Mirrors SimpleMetricsCachedBatchSerializer.buildFilter of Spark 4.1.1 and, as read, Gluten's
// ColumnarCachedBatchSerializer.buildFilter; golden/spark_pruning/README.md has the table.

#include <cstdint>

#include "src/stats/blob.h"
#include "src/stats/predicate.h"
#include "src/stats/prune.h"

namespace spillway::stats {

// What a condition's filter over the statistics says. kNone: Spark builds no filter of it.
enum class FilterTruth : uint8_t { kFalse, kNull, kTrue, kNone };

// Spark reads a batch for kTrue and kNone.
FilterTruth SparkFilter(const Predicate& predicate, const BatchStats& stats, int64_t rows,
                        Explanation* why);

// Whether Gluten skips the batch.
bool GlutenSkips(const Predicate& predicate, const BatchStats& stats, int64_t rows,
                 Explanation* why);

}  // namespace spillway::stats
