// SPDX-License-Identifier: Apache-2.0
#pragma once
// Equality and order of values as Spark has them: the one place that knows.
//
//   numbers       exactly, whatever their types; beside a REAL or DOUBLE both are rounded to DOUBLE
//   REAL, DOUBLE  NaN equals NaN and is greater than everything else; -0.0 equals 0.0
//   DATE          beside a TIMESTAMP: its midnight in UTC
//   VARCHAR       unsigned bytes; UTF8_LCASE: the bytes of the lower-case text
//   ARRAY         element by element, a null element first, then by length

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/vector/column.h"
#include "src/vector/int128.h"
#include "src/vector/type.h"

namespace spillway::stats {

enum class Order : uint8_t {
  kExact,
  kDouble,
  kInstant,
  kBytes,
  kLowerCase,
  kList,
  kUnknown,  // of collations other than UTF8_LCASE: can be asked for, but not answered
};

// How values of two types compare, if they do.
std::optional<Order> OrderOf(const vector::Type& a, const vector::Type& b);

// A value that is not null, in the form that its order compares. Borrows a string's bytes.
struct Value {
  vector::Int128 exact = 0;  // kExact, kInstant (seconds): exact / 10^scale
  int scale = 0;
  double real = 0;              // kDouble
  std::string_view bytes = {};  // kBytes, kLowerCase (as they are)
};

// -1, 0 or 1. Not for kList and kUnknown.
int Compare(Order order, const Value& a, const Value& b);

// A row with its wrappers peeled off: `column` is flat or nested.
struct Cell {
  const vector::Column* column;
  int64_t row;
  bool null;
};
Cell Peel(const vector::Column& column, int64_t row);

// The value of `cell`, which is not null, of a type for which OrderOf() gave `order`, neither kList
// nor kUnknown.
Value ReadValue(Order order, const Cell& cell);

// Likewise of a bound as a statistics blob has it. Empty: `bound` has not its type's length, or the
// type has no bounds.
std::optional<Value> ReadBound(Order order, const vector::Type& type, std::string_view bound);

// Compares cells that are not null under any order but kUnknown.
int CompareCells(Order order, const Cell& a, const Cell& b);

// Spark's rounding of `unscaled` / 10^`scale` to DOUBLE: to nearest, ties to even.
double ToDouble(vector::Int128 unscaled, int scale);

}  // namespace spillway::stats
