// SPDX-License-Identifier: Apache-2.0
#pragma once
// The value oracle: which rows a predicate keeps, by looking at every value. What pruning must
// never lose. Built to be right, not to be fast.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/stats/predicate.h"
#include "src/vector/batch.h"

namespace spillway::stats {

// The rows of `batch` for which `predicate` is true, not false nor null, ascending. Order and
// equality as in spark_order.h; null logic as SQL has it.
//
//   OK                the rows
//   InvalidArgument   the batch has not the predicate's columns; a text that a cast cannot read
//   Unimplemented     an opaque condition, or a collation other than UTF8_LCASE
//   otherwise         a lazy column that the predicate reads does not load
absl::StatusOr<std::vector<int64_t>> MatchingRows(const Predicate& predicate,
                                                  const vector::Batch& batch);

}  // namespace spillway::stats
