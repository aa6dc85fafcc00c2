// SPDX-License-Identifier: Apache-2.0
#pragma once
// What stands under a null is unspecified and must never reach an output.

#include <cstdint>

#include "absl/status/statusor.h"
#include "src/vector/column.h"

namespace spillway::arrow {

// `column`, which is flat at every level, with nothing under its nulls: zeros, empty strings, empty
// lists, and null fields of null rows. The same pointer where that was so already, or where no
// value is null. Only the level at hand is looked at.
//
//   ResourceExhausted  a copy needs more than *budget bytes; what it needs is taken off
absl::StatusOr<vector::ColumnPtr> CleanNulls(const vector::ColumnPtr& column, int64_t* budget);

}  // namespace spillway::arrow
