// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::vector {

// A column of `type` without rows, not wrapped in a dictionary or constant. Nested types have empty
// children, and lists the one offset 0.
ColumnPtr EmptyColumn(const TypePtr& type);

}  // namespace spillway::vector
