// SPDX-License-Identifier: Apache-2.0
#pragma once
// How errors name a column of a schema.

#include <string>

#include "src/base/strings.h"
#include "src/vector/type.h"

namespace spillway::vector {

// "column 2 `name` VARCHAR".
inline std::string ColumnName(const Type& schema, size_t index) {
  return base::Cat("column ", index, " `", schema.names()[index], "` ",
                   schema.children()[index]->ToString());
}

}  // namespace spillway::vector
