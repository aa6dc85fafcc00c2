// SPDX-License-Identifier: Apache-2.0
#include "src/arrow/clean_nulls.h"

#include <algorithm>
#include <vector>

#include "src/base/status.h"
#include "src/vector/select.h"

namespace spillway::arrow {
namespace {

using vector::Column;
using vector::ColumnPtr;
using vector::Encoding;
using vector::FlatColumn;
using vector::ListColumn;
using vector::RowColumn;
using vector::StringColumn;

// Whether `is_clean` holds for every null row.
template <typename IsClean>
bool AllNulls(const Column& column, IsClean is_clean) {
  for (int64_t row = 0; row < column.rows(); ++row) {
    if (column.IsNull(row) && !is_clean(row)) return false;
  }
  return true;
}

bool IsClean(const Column& column) {
  if (column.null_count() == 0) return true;
  switch (column.encoding()) {
    case Encoding::kFlat: {
      if (column.type().is_string()) {
        const auto& strings = column.As<StringColumn>();
        return AllNulls(column,
                        [&](int64_t row) { return strings.Start(row) == strings.End(row); });
      }
      const auto& flat = column.As<FlatColumn>();
      // Such a column need not have values, and its writer does not read them.
      if (flat.validity().all_null()) return true;
      const int64_t width = column.type().width();
      const uint8_t* const values = flat.values().data();
      return AllNulls(column, [&](int64_t row) {
        return std::all_of(values + row * width, values + (row + 1) * width,
                           [](uint8_t byte) { return byte == 0; });
      });
    }
    case Encoding::kRow: {
      const auto& fields = column.As<RowColumn>().fields();
      return AllNulls(column, [&](int64_t row) {
        return std::all_of(fields.begin(), fields.end(),
                           [&](const ColumnPtr& field) { return field->IsNull(row); });
      });
    }
    default: {
      const auto& list = column.As<ListColumn>();
      return AllNulls(column,
                      [&](int64_t row) { return list.Offset(row) == list.Offset(row + 1); });
    }
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
