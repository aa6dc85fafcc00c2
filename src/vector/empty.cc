// SPDX-License-Identifier: Apache-2.0
#include "src/vector/empty.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace spillway::vector {

ColumnPtr EmptyColumn(const TypePtr& type) {
  if (type->is_string()) {
    return std::make_shared<StringColumn>(type, 0, Validity(), 0, Buffer(), Buffer());
  }
  std::vector<ColumnPtr> children;
  for (const TypePtr& child : type->children()) children.push_back(EmptyColumn(child));
  if (type->kind() == Kind::kRow) {
    return std::make_shared<RowColumn>(type, 0, Validity(), std::move(children));
  }
  if (type->is_nested()) {
    MutableBuffer offsets(sizeof(int32_t));
    std::memset(offsets.data(), 0, sizeof(int32_t));
    return std::make_shared<ListColumn>(type, 0, Validity(), std::move(offsets).Freeze(),
                                        std::move(children));
  }
  return std::make_shared<FlatColumn>(type, 0, Validity(), Buffer());
}

}  // namespace spillway::vector
