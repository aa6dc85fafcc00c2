// SPDX-License-Identifier: Apache-2.0
#include "src/vector/build.h"

#include "src/base/strings.h"

namespace spillway::vector {

ColumnPtr Strings(TypePtr type, const std::vector<std::optional<std::string>>& values) {
  const auto rows = static_cast<int64_t>(values.size());
  std::string bytes;
  MutableBuffer ends(rows * static_cast<int64_t>(sizeof(int32_t)));
  for (int64_t row = 0; row < rows; ++row) {
    if (values[row].has_value()) bytes += *values[row];
    base::Store(ends.data() + row * static_cast<int64_t>(sizeof(int32_t)),
                static_cast<int32_t>(bytes.size()));
  }
  return std::make_shared<StringColumn>(
      std::move(type), rows,
      BuildValidity(rows, [&](int64_t row) { return !values[row].has_value(); }), 0,
      std::move(ends).Freeze(), Buffer::Copy(bytes));
}

Batch BatchOf(std::vector<ColumnPtr> columns) {
  std::vector<std::string> names;
  std::vector<TypePtr> types;
  for (size_t i = 0; i < columns.size(); ++i) {
    names.push_back(base::Cat("c", i));
    types.push_back(columns[i]->type_ptr());
  }
  const int64_t rows = columns.empty() ? 0 : columns[0]->rows();
  return Batch(Type::Row(std::move(names), std::move(types)), rows, std::move(columns));
}

}  // namespace spillway::vector
