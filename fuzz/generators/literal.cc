// SPDX-License-Identifier: Apache-2.0
#include "fuzz/generators/literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "fuzz/generators/value.h"
#include "src/base/little_endian.h"
#include "src/base/strings.h"
#include "src/stats/spark_order.h"
#include "src/vector/build.h"
#include "src/vector/int128.h"

namespace spillway::fuzz {
namespace {

using stats::proto::Literal;
using vector::Column;
using vector::Int128;
using vector::Kind;
using vector::Type;

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

// A value, in the member that its type has: whole numbers, unscaled decimals, days and
// microseconds; REAL and DOUBLE; strings.
struct Plain {
  Int128 exact = 0;
  double real = 0;
  std::string bytes = {};
};

bool IsInteger(const Type& type) {
  return type.kind() >= Kind::kTinyint && type.kind() <= Kind::kHugeint;
}

// `bytes` as a column has them, or a bound.
Plain FromBytes(const Type& type, std::string_view bytes) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  switch (type.kind()) {
    case Kind::kVarchar:
    case Kind::kVarbinary:
      return {.bytes = std::string(bytes)};
    case Kind::kReal:
      return {.real = base::Load<float>(at)};
    case Kind::kDouble:
      return {.real = base::Load<double>(at)};
    case Kind::kTimestamp: {
      if (bytes.size() == sizeof(int64_t)) return {.exact = base::Load<int64_t>(at)};
      const auto value = base::Load<vector::Timestamp>(at);
      return {.exact = static_cast<Int128>(value.seconds) * kMicrosPerSecond +
                       static_cast<int64_t>(value.nanos / 1000)};
    }
    default:
      break;
  }
  switch (bytes.size()) {
    case 1:
      return {.exact = base::Load<int8_t>(at)};
    case 2:
      return {.exact = base::Load<int16_t>(at)};
    case 4:
      return {.exact = base::Load<int32_t>(at)};
    case 8:
      return {.exact = base::Load<int64_t>(at)};
    default:
      return {.exact = base::Load<Int128>(at)};
  }
}

Plain FromCell(const stats::Cell& cell) {
  const Type& type = cell.column->type();
  if (type.is_string()) {
    return FromBytes(type, cell.column->As<vector::StringColumn>().Value(cell.row));
  }
  const std::string_view values = cell.column->As<vector::FlatColumn>().values().view();
  return FromBytes(type, values.substr(cell.row * type.width(), type.width()));
}

// A neighbour of `value`.
void Nudge(base::Random& random, const Type& type, Plain& value) {
  const bool up = random.Below(2) == 0;
  if (type.kind() == Kind::kReal || type.kind() == Kind::kDouble) {
    const double end = up ? std::numeric_limits<double>::infinity()
                          : -std::numeric_limits<double>::infinity();
    value.real = type.kind() == Kind::kReal
                     ? std::nextafterf(static_cast<float>(value.real), static_cast<float>(end))
                     : std::nextafter(value.real, end);
  } else if (!type.is_string()) {
    value.exact += up ? 1 : -1;
  } else if (up) {
    value.bytes += random.Below(2) == 0 ? '\0' : '\xff';
  } else if (!value.bytes.empty()) {
    value.bytes.pop_back();
  }
}

template <typename Float>
std::string Shortest(Float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

template <typename T>
Int128 Clamp(Int128 value) {
  return std::clamp<Int128>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

Literal Number(std::string_view type, std::string text) {
  Literal literal;
  literal.set_type(std::string(type));
  literal.set_number(std::move(text));
  return literal;
}

Literal Timestamp(Int128 micros) {
  return Number("TIMESTAMP", vector::Int128ToString(Clamp<int64_t>(micros)));
}

// A number that is written with at most as many digits as a literal may have.
std::string ExactText(Int128 value, int scale) {
  const Int128 largest = vector::LargestUnscaled(38);
  return vector::DecimalToString(std::clamp(value, -largest, largest), scale);
}

Literal Bytes(std::string bytes) {
  Literal literal;
  literal.set_bytes(std::move(bytes));
  return literal;
}

// `value` as a literal of `type`; outside its range, of the nearest type that holds it, or clamped.
Literal ToLiteral(const Type& type, const Plain& value) {
  switch (type.kind()) {
    case Kind::kBoolean: {
      Literal literal;
      literal.set_boolean(value.exact != 0);
      return literal;
    }
    case Kind::kReal:
      return Number("", Shortest(static_cast<float>(value.real)));
    case Kind::kDouble:
      return Number("", Shortest(value.real));
    case Kind::kShortDecimal:
    case Kind::kLongDecimal:
      return Number("", ExactText(value.exact, type.scale()));
    case Kind::kDate:
      return Number("DATE", vector::Int128ToString(Clamp<int32_t>(value.exact)));
    case Kind::kIntervalYearMonth:
      return Number("", vector::Int128ToString(Clamp<int32_t>(value.exact)));
    case Kind::kIntervalDayTime:
      return Number("", vector::Int128ToString(Clamp<int64_t>(value.exact)));
    case Kind::kTimestamp:
      return Timestamp(value.exact);
    default:
      return type.is_string() ? Bytes(value.bytes) : Number("", ExactText(value.exact, 0));
  }
}

// The same in another type that compares, if there is one.
Literal ToOtherLiteral(base::Random& random, const Type& type, const Plain& value) {
  Literal literal = ToLiteral(type, value);
  if (type.kind() == Kind::kDate) {
    return Timestamp(value.exact * kMicrosPerDay + random.Between(-1, 1));
  }
  if (type.kind() == Kind::kTimestamp) {
    return Number("DATE", vector::Int128ToString(Clamp<int32_t>(value.exact / kMicrosPerDay)));
  }
  if (type.kind() < Kind::kTinyint || type.kind() > Kind::kLongDecimal) return literal;
  // A fraction, if there are digits left for it.
  const bool half = random.Below(2) == 0 && literal.number().size() < 37;
  if (half && IsInteger(type)) {
    literal.set_number(literal.number() + ".5");
  } else {
    literal.set_type(random.Below(2) == 0 && IsInteger(type) ? "REAL" : "DOUBLE");
  }
  return literal;
}

// A value of the column or one of its bounds; nothing if there is none of what was chosen.
std::optional<Plain> Drawn(base::Random& random, const Column& column,
                           const stats::ColumnStats* stats) {
  const bool bound = random.Below(2) == 0;
  if (bound && stats != nullptr && stats->bounds.has_value()) {
    return FromBytes(column.type(),
                     random.Below(2) == 0 ? stats->bounds->lower : stats->bounds->upper);
  }
  if (column.rows() == 0) return std::nullopt;
  const auto row = static_cast<int64_t>(random.Below(column.rows()));
  const stats::Cell cell = stats::Peel(column, row);
  if (cell.null) return std::nullopt;
  return FromCell(cell);
}

// A list with the elements of some row, or the first of them. Lists in lists stay null.
Literal MakeList(base::Random& random, const Column& column) {
  Literal literal;
  literal.mutable_list();
  if (column.rows() == 0) return literal;
  const stats::Cell cell =
      stats::Peel(column, static_cast<int64_t>(random.Below(column.rows())));
  if (cell.null) return literal;
  const auto& list = cell.column->As<vector::ListColumn>();
  for (int32_t i = list.Offset(cell.row); i < list.Offset(cell.row + 1); ++i) {
    const stats::Cell element = stats::Peel(*list.children()[0], i);
    const Type& type = element.column->type();
    Literal item;
    if (!element.null && !type.is_nested()) {
      const bool other = random.Below(4) == 0;
      item = ToLiteral(type, other ? FromBytes(type, MakeValue(random, type, {}))
                                   : FromCell(element));
    }
    *literal.mutable_list()->add_items() = std::move(item);
    if (random.Below(6) == 0) break;
  }
  return literal;
}

}  // namespace

bool IsComparable(const Type& type) {
  const auto order = stats::OrderOf(type, type);
  return order.has_value() && *order != stats::Order::kUnknown;
}

Literal MakeLiteral(base::Random& random, const Column& column, const stats::ColumnStats* stats) {
  if (random.Below(12) == 0) return {};  // null
  const Type& type = column.type();
  if (type.kind() == Kind::kArray) return MakeList(random, column);
  std::optional<Plain> value;
  if (random.Below(4) != 0) value = Drawn(random, column, stats);
  if (!value) {
    value = FromBytes(type, MakeValue(random, type, {}));
  } else if (random.Below(2) == 0) {
    Nudge(random, type, *value);
  }
  return random.Below(6) == 0 ? ToOtherLiteral(random, type, *value) : ToLiteral(type, *value);
}

std::string MakePart(base::Random& random, const Column& column,
                     const stats::ColumnStats* stats) {
  const std::optional<Plain> value = Drawn(random, column, stats);
  std::string part = value ? value->bytes : MakeBytes(random, random.Between(0, 3));
  const uint64_t shape = random.Below(4);
  if (shape == 0 && !part.empty()) {
    part.resize(random.Below(std::min<size_t>(part.size(), 8)) + 1);
  } else if (shape == 1) {
    part.resize(std::min<size_t>(part.size(), 2));
  } else if (shape == 2 && !part.empty()) {
    part.back() = static_cast<char>(part.back() + (random.Below(2) == 0 ? 1 : -1));
  }
  return part;
}

}  // namespace spillway::fuzz
