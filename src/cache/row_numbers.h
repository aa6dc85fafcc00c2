// SPDX-License-Identifier: Apache-2.0
#pragma once
// A number a row, whatever a column's type and encoding: what the benchmark's phases add up. The
// same value has the same number in every encoding, and a dictionary or constant is worked out once
// a value, not once a row, as an engine does.
//
//   up to 8 bytes wide  the integer, sign-extended, or the bits of a float as one; BOOLEAN 0 or 1
//   16 bytes wide       low half + 3 x high half
//   VARCHAR, VARBINARY  the length in bytes
//   ARRAY, MAP, ROW     1 + the numbers inside
//   null                kNullNumber

#include <cstdint>
#include <vector>

#include "src/base/little_endian.h"
#include "src/vector/column.h"

namespace spillway::cache {

inline constexpr uint64_t kNullNumber = 0x9e3779b97f4a7c15;

// The number of each row of `column`, which is not lazy.
std::vector<uint64_t> RowNumbers(const vector::Column& column);

// Calls `use` with a function from row to number that suits the column's encoding, so that a loop
// over rows within `use` has no branch on it. Returns what `use` returns.
template <typename Use>
auto WithRowNumbers(const vector::Column& column, Use use) {
  using vector::Encoding;
  if (column.encoding() == Encoding::kConstant) {
    const uint64_t number = RowNumbers(*column.As<vector::ConstantColumn>().value())[0];
    return use([number](int64_t) { return number; });
  }
  if (column.encoding() == Encoding::kDictionary) {
    const auto& dictionary = column.As<vector::DictionaryColumn>();
    if (!dictionary.validity().has_nulls()) {
      const std::vector<uint64_t> numbers = RowNumbers(*dictionary.alphabet());
      return use([ids = dictionary.ids().data(), of = numbers.data()](int64_t row) {
        return of[base::Load<int32_t>(ids + 4 * row)];
      });
    }
  }
  if (column.encoding() == Encoding::kFlat && column.type().is_string()) {
    const auto& strings = column.As<vector::StringColumn>();
    if (!strings.validity().has_nulls()) {
      return use([ends = strings.ends().data(), first = strings.first()](int64_t row) {
        const auto start = row == 0 ? first : base::Load<int32_t>(ends + 4 * (row - 1));
        return static_cast<uint64_t>(base::Load<int32_t>(ends + 4 * row) - start);
      });
    }
  } else if (column.encoding() == Encoding::kFlat) {
    const auto& flat = column.As<vector::FlatColumn>();
    const bool no_nulls = !flat.validity().has_nulls();
    const uint8_t* const values = flat.values().data();
    if (no_nulls && column.type().width() == 4) {
      return use([values](int64_t row) {
        return static_cast<uint64_t>(int64_t{base::Load<int32_t>(values + 4 * row)});
      });
    }
    if (no_nulls && column.type().width() == 8) {
      return use([values](int64_t row) { return base::Load<uint64_t>(values + 8 * row); });
    }
  }
  const std::vector<uint64_t> numbers = RowNumbers(column);
  return use([of = numbers.data()](int64_t row) { return of[row]; });
}

// Wrapping: a function of the rows and not of their order.
uint64_t SumOfRows(const vector::Column& column);

}  // namespace spillway::cache
