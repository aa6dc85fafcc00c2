// SPDX-License-Identifier: Apache-2.0
#include "src/arrow/clean_nulls.h"

#include <algorithm>
#include <vector>

#include "src/base/status.h"
#include "src/vector/select.h"
#include "src/vector/validity.h"

namespace spillway::arrow {
namespace {

using vector::Column;
using vector::ColumnPtr;
using vector::Encoding;
using vector::FlatColumn;
using vector::ListColumn;
using vector::RowColumn;
using vector::StringColumn;
using vector::Validity;

// Whether `is_clean` holds for every null row.
template <typename IsClean>
bool AllNulls(const Validity& validity, int64_t rows, IsClean is_clean) {
  for (int64_t row = 0; row < rows; ++row) {
    if (validity.IsNull(row) && !is_clean(row)) return false;
  }
  return true;
}

bool IsClean(const StringColumn& column) {
  return AllNulls(column.validity(), column.rows(),
                  [&](int64_t row) { return column.Start(row) == column.End(row); });
}

bool IsClean(const FlatColumn& column) {
  // A column of nulls need not have values, and its writer does not read them.
  if (column.validity().all_null()) return true;
  const int64_t width = column.type().width();
  const uint8_t* const values = column.values().data();
  return AllNulls(column.validity(), column.rows(), [&](int64_t row) {
    return std::all_of(values + row * width, values + (row + 1) * width,
                       [](uint8_t byte) { return byte == 0; });
  });
}

bool IsClean(const RowColumn& column) {
  return AllNulls(column.validity(), column.rows(), [&](int64_t row) {
    return std::all_of(column.fields().begin(), column.fields().end(),
                       [&](const ColumnPtr& field) { return field->IsNull(row); });
  });
}

bool IsClean(const ListColumn& column) {
  return AllNulls(column.validity(), column.rows(),
                  [&](int64_t row) { return column.Offset(row) == column.Offset(row + 1); });
}

bool IsClean(const Column& column) {
  if (column.null_count() == 0) return true;
  switch (column.encoding()) {
    case Encoding::kFlat:
      return column.type().is_string() ? IsClean(column.As<StringColumn>())
                                       : IsClean(column.As<FlatColumn>());
    case Encoding::kRow:
      return IsClean(column.As<RowColumn>());
    default:
      return IsClean(column.As<ListColumn>());
  }
}

}  // namespace

absl::StatusOr<ColumnPtr> CleanNulls(const ColumnPtr& column, int64_t* budget) {
  if (IsClean(*column)) return column;
  *budget -= column->rows() * static_cast<int64_t>(sizeof(int32_t));
  if (*budget < 0) return base::Exhausted(column->rows(), " rows need more memory than the limit");
  std::vector<int32_t> rows(static_cast<size_t>(column->rows()));
  for (size_t row = 0; row < rows.size(); ++row) {
    rows[row] =
        column->IsNull(static_cast<int64_t>(row)) ? vector::kNullRow : static_cast<int32_t>(row);
  }
  return vector::Select(*column, rows, budget);
}

}  // namespace spillway::arrow
