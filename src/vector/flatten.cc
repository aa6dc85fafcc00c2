// SPDX-License-Identifier: Apache-2.0
#include "src/vector/flatten.h"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/status.h"
#include "src/vector/lazy_column.h"
#include "src/vector/select.h"

namespace spillway::vector {
namespace {

constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max();
constexpr int64_t kInt32 = sizeof(int32_t);

absl::StatusOr<ColumnPtr> FlattenWithin(const ColumnPtr& column, int64_t* budget);

bool IsWrapper(const Column& column) {
  return column.encoding() == Encoding::kConstant || column.encoding() == Encoding::kDictionary;
}

// Turns rows of a wrapper into rows of what it wraps, and returns that.
const Column& Unwrap(const Column& wrapper, std::vector<int32_t>& rows) {
  if (wrapper.encoding() == Encoding::kConstant) {
    for (int32_t& row : rows) row = row == kNullRow ? kNullRow : 0;
    return *wrapper.As<ConstantColumn>().value();
  }
  const auto& dictionary = wrapper.As<DictionaryColumn>();
  for (int32_t& row : rows) {
    if (row == kNullRow) continue;
    row = dictionary.validity().IsNull(row) ? kNullRow : dictionary.Id(row);
  }
  return *dictionary.alphabet();
}

absl::StatusOr<ColumnPtr> FlattenWrapper(const Column& column, int64_t* budget) {
  if (column.type().kind() == Kind::kUnknown) return FlatColumn::Unknown(column.rows());
  if (column.rows() > kMaxRows) {
    return base::Exhausted(column.rows(), " rows, more than ", kMaxRows);
  }
  *budget -= column.rows() * kInt32;
  if (*budget < 0) return base::Exhausted("over the limit");
  std::vector<int32_t> rows(column.rows());
  for (size_t row = 0; row < rows.size(); ++row) rows[row] = static_cast<int32_t>(row);
  const Column* base = &column;
  while (IsWrapper(*base)) base = &Unwrap(*base, rows);
  SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr selected, Select(*base, rows, budget));
  return FlattenWithin(selected, budget);
}

// The children without wrappers; the same pointers where there were none.
absl::StatusOr<std::vector<ColumnPtr>> FlattenAll(const std::vector<ColumnPtr>& columns,
                                                  int64_t* budget) {
  std::vector<ColumnPtr> flat;
  flat.reserve(columns.size());
  for (const ColumnPtr& column : columns) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr one, FlattenWithin(column, budget));
    flat.push_back(std::move(one));
  }
  return flat;
}

absl::StatusOr<ColumnPtr> FlattenWithin(const ColumnPtr& column, int64_t* budget) {
  switch (column->encoding()) {
    case Encoding::kFlat:
      return column;
    case Encoding::kConstant:
    case Encoding::kDictionary:
      return FlattenWrapper(*column, budget);
    case Encoding::kLazy: {
      SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr loaded, column->As<LazyColumn>().Load());
      return FlattenWithin(loaded, budget);
    }
    case Encoding::kRow: {
      const auto& row = column->As<RowColumn>();
      SPILLWAY_ASSIGN_OR_RETURN(std::vector<ColumnPtr> fields, FlattenAll(row.fields(), budget));
      if (fields == row.fields()) return column;
      return std::make_shared<RowColumn>(row.type_ptr(), row.rows(), row.validity(),
                                         std::move(fields));
    }
    case Encoding::kArray:
    case Encoding::kMap: {
      const auto& list = column->As<ListColumn>();
      SPILLWAY_ASSIGN_OR_RETURN(std::vector<ColumnPtr> children,
                                FlattenAll(list.children(), budget));
      if (children == list.children()) return column;
      return std::make_shared<ListColumn>(list.type_ptr(), list.rows(), list.validity(),
                                          list.offsets(), std::move(children));
    }
  }
  return column;
}

}  // namespace

absl::StatusOr<ColumnPtr> Flatten(const ColumnPtr& column, const FlattenOptions& options) {
  int64_t budget = options.max_bytes;
  return Flatten(column, &budget);
}

absl::StatusOr<ColumnPtr> Flatten(const ColumnPtr& column, int64_t* budget) {
  const int64_t allowed = *budget;
  absl::StatusOr<ColumnPtr> flat = FlattenWithin(column, budget);
  if (flat.ok()) return flat;
  if (*budget < 0) return base::Exhausted("flattening needs more than ", allowed, " bytes");
  return base::In("flattening", std::move(flat).status());
}

}  // namespace spillway::vector
