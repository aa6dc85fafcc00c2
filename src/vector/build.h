// SPDX-License-Identifier: Apache-2.0
#pragma once
// Flat columns from plain values: for tests, tools and generators.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/vector/batch.h"
#include "src/vector/column.h"

namespace spillway::vector {

// TIMESTAMP's value: `nanos` < 10^9 after `seconds`, which may be negative.
struct Timestamp {
  int64_t seconds = 0;
  uint64_t nanos = 0;
  bool operator==(const Timestamp&) const = default;
};

// Bits 1 where `is_null(row)` is false. No nulls: no bits.
template <typename IsNull>
Validity BuildValidity(int64_t rows, IsNull is_null) {
  MutableBuffer bits((rows + 7) / 8);
  for (int64_t i = 0; i < bits.size(); ++i) bits.data()[i] = 0;
  int64_t nulls = 0;
  for (int64_t row = 0; row < rows; ++row) {
    if (is_null(row)) {
      ++nulls;
    } else {
      bits.data()[row >> 3] |= static_cast<uint8_t>(1 << (row & 7));
    }
  }
  if (nulls == 0) return Validity();
  return Validity::FromBits(std::move(bits).Freeze(), 0, nulls);
}

// `values` without nulls; sizeof(T) == type->width().
template <typename T>
ColumnPtr Flat(TypePtr type, const std::vector<T>& values) {
  const auto rows = static_cast<int64_t>(values.size());
  MutableBuffer buffer(rows * static_cast<int64_t>(sizeof(T)));
  for (int64_t row = 0; row < rows; ++row) {
    base::Store<T>(buffer.data() + row * static_cast<int64_t>(sizeof(T)), values[row]);
  }
  return std::make_shared<FlatColumn>(std::move(type), rows, Validity(),
                                      std::move(buffer).Freeze());
}

// `values` with nulls where the optional is empty; zeros stand under the nulls.
template <typename T>
ColumnPtr Flat(TypePtr type, const std::vector<std::optional<T>>& values) {
  std::vector<T> dense;
  dense.reserve(values.size());
  for (const std::optional<T>& value : values) dense.push_back(value.value_or(T{}));
  const ColumnPtr column = Flat<T>(type, dense);
  return std::make_shared<FlatColumn>(
      std::move(type), column->rows(),
      BuildValidity(column->rows(), [&](int64_t row) { return !values[row].has_value(); }),
      column->As<FlatColumn>().values());
}

// VARCHAR or VARBINARY. The total length must stay below 2^31.
ColumnPtr Strings(TypePtr type, const std::vector<std::optional<std::string>>& values);

// A batch of `columns` named c0, c1, ...; all have the same number of rows.
Batch BatchOf(std::vector<ColumnPtr> columns);

}  // namespace spillway::vector
