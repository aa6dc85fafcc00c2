// SPDX-License-Identifier: Apache-2.0
#include "src/stats/spark_order.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "src/base/check.h"
#include "src/base/little_endian.h"
#include "src/base/strings.h"
#include "src/stats/column_stats.h"
#include "src/stats/lower_case.h"
#include "src/vector/build.h"

namespace spillway::stats {
namespace {

using vector::Column;
using vector::FlatColumn;
using vector::Int128;
using vector::Kind;
using vector::Type;

constexpr int kMicrosScale = 6;
constexpr int kNanosScale = 9;
constexpr Int128 kNanosPerSecond = 1'000'000'000;
constexpr Int128 kSecondsPerDay = 86'400;
constexpr int64_t kExactInDouble = int64_t{1} << 53;

bool IsFloat(Kind kind) { return kind == Kind::kReal || kind == Kind::kDouble; }

// Integers, decimals, REAL and DOUBLE: all that compare with each other.
bool IsNumber(Kind kind) { return kind >= Kind::kTinyint && kind <= Kind::kLongDecimal; }

int Sign(bool less, bool greater) { return less ? -1 : greater ? 1 : 0; }

int CompareDoubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return Sign(!std::isnan(a), !std::isnan(b));
  return Sign(a < b, a > b);
}

int CompareExact(const Value& a, const Value& b) {
  if (a.scale > b.scale) return -CompareExact(b, a);
  Int128 scaled = a.exact;
  for (int scale = a.scale; scale < b.scale; ++scale) {
    // Past 128 bits, it is farther from 0 than anything on the other side.
    if (__builtin_mul_overflow(scaled, Int128{10}, &scaled)) return Sign(a.exact < 0, a.exact > 0);
  }
  return Sign(scaled < b.exact, scaled > b.exact);
}

int CompareStrings(std::string_view a, std::string_view b) {
  const int order = a.compare(b);  // as unsigned bytes: std::char_traits<char>
  return Sign(order < 0, order > 0);
}

Value Exact(Int128 value, int scale = 0) { return {.exact = value, .scale = scale}; }

// The value of `type` whose bytes start at `at`, in the form of the type's own.
Value Load(const Type& type, const uint8_t* at) {
  switch (type.kind()) {
    case Kind::kBoolean:
      return Exact(*at != 0);
    case Kind::kTinyint:
      return Exact(base::Load<int8_t>(at));
    case Kind::kSmallint:
      return Exact(base::Load<int16_t>(at));
    case Kind::kReal:
      return {.real = base::Load<float>(at)};
    case Kind::kDouble:
      return {.real = base::Load<double>(at)};
    case Kind::kHugeint:
    case Kind::kShortDecimal:
    case Kind::kLongDecimal:
      return Exact(type.width() == 16 ? base::Load<Int128>(at) : base::Load<int64_t>(at),
                   type.kind() == Kind::kHugeint ? 0 : type.scale());
    default:
      return Exact(type.width() == 4 ? base::Load<int32_t>(at) : base::Load<int64_t>(at));
  }
}

Value Convert(Order order, Kind kind, Value value) {
  if (order == Order::kDouble && !IsFloat(kind))
    return {.real = ToDouble(value.exact, value.scale)};
  if (order == Order::kInstant && kind == Kind::kDate) return Exact(value.exact * kSecondsPerDay);
  return value;
}

int CompareLists(const Cell& a, const Cell& b) {
  const auto& x = a.column->As<vector::ListColumn>();
  const auto& y = b.column->As<vector::ListColumn>();
  const Order order = *OrderOf(*x.type().children()[0], *y.type().children()[0]);
  const int64_t x_size = x.Offset(a.row + 1) - x.Offset(a.row);
  const int64_t y_size = y.Offset(b.row + 1) - y.Offset(b.row);
  for (int64_t i = 0; i < std::min(x_size, y_size); ++i) {
    const Cell left = Peel(*x.children()[0], x.Offset(a.row) + i);
    const Cell right = Peel(*y.children()[0], y.Offset(b.row) + i);
    const int compared = left.null || right.null
                             ? Sign(left.null && !right.null, !left.null && right.null)
                             : CompareCells(order, left, right);
    if (compared != 0) return compared;
  }
  return Sign(x_size < y_size, x_size > y_size);
}

}  // namespace

std::optional<Order> OrderOf(const Type& a, const Type& b) {
  const Kind x = a.kind();
  const Kind y = b.kind();
  if (IsNumber(x) && IsNumber(y)) {
    return IsFloat(x) || IsFloat(y) ? Order::kDouble : Order::kExact;
  }
  const auto is_time = [](Kind kind) { return kind == Kind::kDate || kind == Kind::kTimestamp; };
  if (is_time(x) && is_time(y)) {
    return x == y && x == Kind::kDate ? Order::kExact : Order::kInstant;
  }
  if (x != y) return std::nullopt;
  switch (x) {
    case Kind::kBoolean:
    case Kind::kIntervalYearMonth:
    case Kind::kIntervalDayTime:
      return Order::kExact;
    case Kind::kVarbinary:
      return Order::kBytes;
    case Kind::kVarchar:
      if (a.collation() != b.collation()) return std::nullopt;
      if (a.collation().empty()) return Order::kBytes;
      return a.collation() == "UTF8_LCASE" ? Order::kLowerCase : Order::kUnknown;
    case Kind::kArray: {
      const auto element = OrderOf(*a.children()[0], *b.children()[0]);
      if (!element) return std::nullopt;
      return *element == Order::kUnknown ? Order::kUnknown : Order::kList;
    }
    default:
      return std::nullopt;
  }
}

int Compare(Order order, const Value& a, const Value& b) {
  switch (order) {
    case Order::kDouble:
      return CompareDoubles(a.real, b.real);
    case Order::kBytes:
      return CompareStrings(a.bytes, b.bytes);
    case Order::kLowerCase:
      return CompareStrings(LowerCase(a.bytes), LowerCase(b.bytes));
    default:
      return a.scale == b.scale ? Sign(a.exact < b.exact, a.exact > b.exact) : CompareExact(a, b);
  }
}

Cell Peel(const Column& column, int64_t row) {
  const Column* at = &column;
  while (true) {
    if (at->encoding() == vector::Encoding::kConstant) {
      at = at->As<vector::ConstantColumn>().value().get();
      row = 0;
    } else if (at->encoding() == vector::Encoding::kDictionary) {
      const auto& dictionary = at->As<vector::DictionaryColumn>();
      if (dictionary.validity().IsNull(row)) return {at, row, true};
      row = dictionary.Id(row);
      at = dictionary.alphabet().get();
    } else {
      return {at, row, at->IsNull(row)};
    }
  }
}

Value ReadValue(Order order, const Cell& cell) {
  const Type& type = cell.column->type();
  if (type.is_string()) return {.bytes = cell.column->As<vector::StringColumn>().Value(cell.row)};
  const auto& flat = cell.column->As<FlatColumn>();
  if (type.kind() == Kind::kTimestamp) {
    const auto value = flat.Value<vector::Timestamp>(cell.row);
    return Exact(value.seconds * kNanosPerSecond + static_cast<int64_t>(value.nanos), kNanosScale);
  }
  return Convert(order, type.kind(), Load(type, flat.values().data() + cell.row * type.width()));
}

std::optional<Value> ReadBound(Order order, const Type& type, std::string_view bound) {
  const int width = BoundWidth(type);
  if (width < 0) return Value{.bytes = bound};
  if (width == 0 || bound.size() != static_cast<size_t>(width)) return std::nullopt;
  const auto* at = reinterpret_cast<const uint8_t*>(bound.data());
  if (type.kind() == Kind::kTimestamp) return Exact(base::Load<int64_t>(at), kMicrosScale);
  return Convert(order, type.kind(), Load(type, at));
}

int CompareCells(Order order, const Cell& a, const Cell& b) {
  if (order == Order::kList) return CompareLists(a, b);
  return Compare(order, ReadValue(order, a), ReadValue(order, b));
}

double ToDouble(Int128 unscaled, int scale) {
  if (unscaled >= -kExactInDouble && unscaled <= kExactInDouble && scale == 0) {
    return static_cast<double>(static_cast<int64_t>(unscaled));
  }
  // The text's reader rounds once; a division of two rounded numbers would round three times.
  double value = 0;
  const bool read = absl::SimpleAtod(vector::DecimalToString(unscaled, scale), &value);
  SPILLWAY_CHECK(read, "a decimal prints as a number");
  return value;
}

}  // namespace spillway::stats
