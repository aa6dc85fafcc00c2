// SPDX-License-Identifier: Apache-2.0
#include "src/cache/row_numbers.h"

namespace spillway::cache {

using vector::Column;
using vector::DictionaryColumn;
using vector::Encoding;
using vector::FlatColumn;
using vector::StringColumn;

namespace {

uint64_t FlatNumber(const FlatColumn& column, int64_t row) {
  switch (column.type().width()) {
    case 1:
      if (column.type().kind() == vector::Kind::kBoolean) return column.Value<uint8_t>(row) != 0;
      return static_cast<uint64_t>(int64_t{column.Value<int8_t>(row)});
    case 2:
      return static_cast<uint64_t>(int64_t{column.Value<int16_t>(row)});
    case 4:
      return static_cast<uint64_t>(int64_t{column.Value<int32_t>(row)});
    case 8:
      return column.Value<uint64_t>(row);
    default:
      return column.Value<uint64_t>(2 * row) + 3 * column.Value<uint64_t>(2 * row + 1);
  }
}

std::vector<uint64_t> RowColumnNumbers(const vector::RowColumn& column) {
  std::vector<uint64_t> numbers(column.rows(), 1);
  for (const vector::ColumnPtr& field : column.fields()) {
    WithRowNumbers(*field, [&](auto number) {
      for (int64_t row = 0; row < column.rows(); ++row) numbers[row] += number(row);
    });
  }
  return numbers;
}

std::vector<uint64_t> ListNumbers(const vector::ListColumn& column) {
  std::vector<uint64_t> numbers(column.rows(), 1);
  for (const vector::ColumnPtr& child : column.children()) {
    WithRowNumbers(*child, [&](auto number) {
      for (int64_t row = 0; row < column.rows(); ++row) {
        const int32_t end = column.Offset(row + 1);
        for (int32_t i = column.Offset(row); i < end; ++i) numbers[row] += number(i);
      }
    });
  }
  return numbers;
}

std::vector<uint64_t> FlatNumbers(const Column& column) {
  std::vector<uint64_t> numbers(column.rows());
  for (int64_t row = 0; row < column.rows(); ++row) {
    if (column.IsNull(row)) continue;  // comes below
    numbers[row] = column.type().is_string() ? column.As<StringColumn>().Value(row).size()
                                             : FlatNumber(column.As<FlatColumn>(), row);
  }
  return numbers;
}

std::vector<uint64_t> DictionaryNumbers(const DictionaryColumn& column) {
  const std::vector<uint64_t> alphabet = RowNumbers(*column.alphabet());
  std::vector<uint64_t> numbers(column.rows());
  for (int64_t row = 0; row < column.rows(); ++row) {
    if (!column.validity().IsNull(row)) numbers[row] = alphabet[column.Id(row)];
  }
  return numbers;
}

}  // namespace

std::vector<uint64_t> RowNumbers(const Column& column) {
  std::vector<uint64_t> numbers;
  switch (column.encoding()) {
    case Encoding::kConstant:
      return std::vector<uint64_t>(column.rows(),
                                   RowNumbers(*column.As<vector::ConstantColumn>().value())[0]);
    case Encoding::kDictionary:
      numbers = DictionaryNumbers(column.As<DictionaryColumn>());
      break;
    case Encoding::kRow:
      numbers = RowColumnNumbers(column.As<vector::RowColumn>());
      break;
    case Encoding::kArray:
    case Encoding::kMap:
      numbers = ListNumbers(column.As<vector::ListColumn>());
      break;
    default:
      numbers = FlatNumbers(column);
  }
  if (column.null_count() == 0) return numbers;
  for (int64_t row = 0; row < column.rows(); ++row) {
    if (column.IsNull(row)) numbers[row] = kNullNumber;
  }
  return numbers;
}

uint64_t SumOfRows(const Column& column) {
  return WithRowNumbers(column, [&](auto number) {
    uint64_t sum = 0;
    for (int64_t row = 0; row < column.rows(); ++row) sum += number(row);
    return sum;
  });
}

}  // namespace spillway::cache
