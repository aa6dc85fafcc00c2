// SPDX-License-Identifier: Apache-2.0
#pragma once
// A column without wrappers: the table cache's first step, and the plain form that readers of
// values only can walk over.

#include <cstdint>

#include "absl/status/statusor.h"
#include "src/vector/column.h"

namespace spillway::vector {

struct FlattenOptions {
  // Bound on the memory of one call, working memory included. A few bytes can claim 2^31 rows
  // (RLE), or elements that multiply at every level (a dictionary of lists).
  int64_t max_bytes = int64_t{1} << 30;
};

// The same logical value with no constant, dictionary or lazy column at any level. Parts that had
// none are shared, the whole column included; other buffers are new, without spare capacity, and
// hold zeros under nulls.
//
//   OK                 the flat column
//   ResourceExhausted  more than max_bytes, or than 2^31 - 1 rows, elements or string bytes in one
//                      column; nothing of that size was allocated
//   otherwise          a lazy column's failed load
absl::StatusOr<ColumnPtr> Flatten(const ColumnPtr& column, const FlattenOptions& options = {});

// The same for columns that share one bound, `*budget` bytes: what a call needs is taken off it. It
// is negative once it was not enough.
absl::StatusOr<ColumnPtr> Flatten(const ColumnPtr& column, int64_t* budget);

}  // namespace spillway::vector
