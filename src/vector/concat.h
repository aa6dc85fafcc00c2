// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several batches as one: what a page holds after several appends.

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "src/vector/batch.h"
#include "src/vector/column.h"

namespace spillway::vector {

struct ConcatOptions {
  // Bound on the memory of the result, and on that of flattening any one part.
  int64_t max_bytes = int64_t{1} << 30;
};

// The rows of all `parts` in order, without wrappers at any level. `parts` is not empty and all of
// one type.
//
// A page of several appends is flat, since an encoding fixed by the first append would be wrong for
// the second (velox#8567): Velox's iterative serializer writes the bytes of this column, whichever
// way the rows were split. Has nulls at all: any part has.
//
//   OK                 the flat column; a single part that is flat is shared, other buffers are new
//   ResourceExhausted  more than max_bytes, or than 2^31 - 1 rows, elements or string bytes in one
//                      column; nothing of that size was allocated
absl::StatusOr<ColumnPtr> Concat(std::span<const ColumnPtr> parts,
                                 const ConcatOptions& options = {});

// Column by column. `parts` is not empty and all of one schema; batches without columns add up
// their rows. Errors name the column.
absl::StatusOr<Batch> Concat(std::span<const Batch> parts, const ConcatOptions& options = {});

}  // namespace spillway::vector
