// SPDX-License-Identifier: Apache-2.0
#include "src/stats/literal.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "src/base/status.h"
#include "src/stats/predicate_text.h"
#include "src/vector/build.h"
#include "src/vector/concat.h"
#include "src/vector/int128.h"
#include "src/vector/select.h"

namespace spillway::stats {
namespace {

using vector::ColumnPtr;
using vector::Int128;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

constexpr int kMaxPrecision = 38;
constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kNanosPerMicro = 1'000;
constexpr size_t kShownText = 64;

// A number as it is written.
struct Number {
  std::string_view text = {};
  bool floating = false;  // exponent, NaN or Infinity
  // Empty: over 38 digits, or floating. Otherwise the number is *unscaled / 10^scale.
  std::optional<Int128> unscaled = std::nullopt;
  int scale = 0;
};

std::optional<Number> ReadNumber(std::string_view text) {
  Number number{.text = text};
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") {
    number.floating = true;
    return number;
  }
  std::string digits;
  size_t at = text.substr(0, 1) == "-" ? 1 : 0;
  const bool negative = at == 1;
  const auto take_digits = [&] {
    const size_t before = digits.size();
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) digits += text[at];
    return digits.size() > before;
  };
  if (!take_digits()) return std::nullopt;
  if (at < text.size() && text[at] == '.') {
    const size_t whole = digits.size();
    ++at;
    if (!take_digits()) return std::nullopt;
    number.scale = static_cast<int>(std::min<size_t>(digits.size() - whole, 1000));
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!take_digits()) return std::nullopt;
    number.floating = true;
  }
  if (at != text.size()) return std::nullopt;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (!number.floating && digits.size() <= kMaxPrecision && number.scale <= kMaxPrecision) {
    number.unscaled = vector::ParseInt128((negative ? "-" : "") + digits);
  }
  return number;
}

template <typename T>
std::optional<ColumnPtr> Integer(const TypePtr& type, Int128 value) {
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
    return std::nullopt;
  }
  return vector::Flat<T>(type, std::vector<T>{static_cast<T>(value)});
}

// `number` with the type's scale, without loss.
std::optional<ColumnPtr> Decimal(const TypePtr& type, const Number& number) {
  if (!number.unscaled) return std::nullopt;
  Int128 value = *number.unscaled;
  for (int scale = number.scale; scale > type->scale(); --scale) {
    if (value % 10 != 0) return std::nullopt;
    value /= 10;
  }
  const Int128 largest = vector::LargestUnscaled(type->precision());
  for (int scale = number.scale; scale < type->scale(); ++scale) {
    if (value > largest || value < -largest) return std::nullopt;
    value *= 10;
  }
  if (value > largest || value < -largest) return std::nullopt;
  if (type->kind() == Kind::kLongDecimal) return vector::Flat<Int128>(type, {value});
  return vector::Flat<int64_t>(type, {static_cast<int64_t>(value)});
}

// Abseil rounds out-of-range text to an infinity, which only "Infinity" may be.
template <typename T>
std::optional<ColumnPtr> Floating(const TypePtr& type, const Number& number) {
  T value = 0;
  bool read = false;
  if constexpr (std::is_same_v<T, float>) {
    read = absl::SimpleAtof(base::ToAbsl(number.text), &value);
  } else {
    read = absl::SimpleAtod(base::ToAbsl(number.text), &value);
  }
  const bool infinite = number.text.find('I') != std::string_view::npos;
  if (!read || std::isinf(value) != infinite) return std::nullopt;
  return vector::Flat<T>(type, {value});
}

vector::Timestamp FromMicros(int64_t micros) {
  int64_t seconds = micros / kMicrosPerSecond;
  int64_t rest = micros % kMicrosPerSecond;
  if (rest < 0) {
    --seconds;
    rest += kMicrosPerSecond;
  }
  return {seconds, static_cast<uint64_t>(rest * kNanosPerMicro)};
}

// Nothing: `number` is not exactly a value of `type`, or, for REAL and DOUBLE, out of range.
std::optional<ColumnPtr> NumberOf(const TypePtr& type, const Number& number) {
  if (type->kind() == Kind::kReal) return Floating<float>(type, number);
  if (type->kind() == Kind::kDouble) return Floating<double>(type, number);
  if (type->kind() == Kind::kShortDecimal || type->kind() == Kind::kLongDecimal) {
    return Decimal(type, number);
  }
  if (!number.unscaled || number.scale != 0) return std::nullopt;
  const Int128 value = *number.unscaled;
  switch (type->kind()) {
    case Kind::kTinyint:
      return Integer<int8_t>(type, value);
    case Kind::kSmallint:
      return Integer<int16_t>(type, value);
    case Kind::kInteger:
    case Kind::kDate:
    case Kind::kIntervalYearMonth:
      return Integer<int32_t>(type, value);
    case Kind::kBigint:
    case Kind::kIntervalDayTime:
      return Integer<int64_t>(type, value);
    case Kind::kHugeint:
      return vector::Flat<Int128>(type, {value});
    case Kind::kTimestamp:
      if (!Integer<int64_t>(type, value)) return std::nullopt;
      return vector::Flat<vector::Timestamp>(type, {FromMicros(static_cast<int64_t>(value))});
    default:
      return std::nullopt;
  }
}

// The type that a number has by itself.
absl::StatusOr<TypePtr> NaturalType(const Number& number) {
  if (number.floating) return Type::Scalar(Kind::kDouble);
  if (!number.unscaled) return base::Invalid("over ", kMaxPrecision, " digits");
  const bool bigint = number.scale == 0 &&
                      *number.unscaled >= std::numeric_limits<int64_t>::min() &&
                      *number.unscaled <= std::numeric_limits<int64_t>::max();
  if (bigint) return Type::Scalar(Kind::kBigint);
  int precision = number.scale > 0 ? number.scale : 1;
  while (vector::LargestUnscaled(precision) < *number.unscaled ||
         -vector::LargestUnscaled(precision) > *number.unscaled) {
    ++precision;
  }
  return Type::Decimal(precision, number.scale);
}

std::string Shown(const proto::Literal& literal) {
  std::string text = LiteralToText(literal);
  if (text.size() > kShownText) text = text.substr(0, kShownText) + "...";
  return "`" + text + "`";
}

absl::Status NoValueOf(const proto::Literal& literal, const Type& type) {
  const bool time = type.kind() == Kind::kDate || type.kind() == Kind::kTimestamp;
  const std::string hint =
      !time ? "" : type.kind() == Kind::kDate ? "; write DATE '1992-07-08'"
                                              : "; write TIMESTAMP '1992-07-08 12:30:00'";
  return base::Invalid(Shown(literal), " is no ", type.ToString(),
                       literal.type().empty() ? hint : "");
}

absl::StatusOr<ColumnPtr> BindNumber(const proto::Literal& literal, const TypePtr& beside) {
  const std::optional<Number> number = ReadNumber(literal.number());
  if (!number) return base::Invalid(Shown(literal), " is no number");
  const bool typed = !literal.type().empty();
  if (beside != nullptr) {
    // Without its type in front, a day count would too easily be a mistake.
    const bool time = beside->kind() == Kind::kDate || beside->kind() == Kind::kTimestamp;
    const bool numeric = beside->kind() >= Kind::kTinyint && beside->kind() <= Kind::kLongDecimal;
    if (time && !typed) return NoValueOf(literal, *beside);
    if (const auto value = NumberOf(beside, *number)) return *value;
    if (typed || !numeric) return NoValueOf(literal, *beside);
  }
  auto type = NaturalType(*number);
  if (!type.ok()) return base::Invalid(Shown(literal), ": ", base::ToStd(type.status().message()));
  const auto value = NumberOf(*type, *number);
  if (!value) return NoValueOf(literal, **type);
  return *value;
}

absl::StatusOr<ColumnPtr> BindList(const proto::Literal& literal, const TypePtr& type) {
  if (type == nullptr || type->kind() != Kind::kArray) {
    return base::Invalid(Shown(literal), " is a list",
                         type == nullptr ? ", whose type nothing tells; write ARRAY<INTEGER> [1]"
                                         : base::Cat(", not ", type->ToString()));
  }
  const TypePtr& element = type->children()[0];
  std::vector<ColumnPtr> items;
  for (const proto::Literal& item : literal.list().items()) {
    SPILLWAY_ASSIGN_OR_RETURN(const Literal bound, BindLiteral(item, element));
    if (!(*bound.type() == *element)) return NoValueOf(item, *element);
    items.push_back(bound.value);
  }
  int64_t budget = int64_t{1} << 20;
  SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr elements, vector::NullColumn(element, 0, &budget));
  if (!items.empty()) {
    SPILLWAY_ASSIGN_OR_RETURN(elements, vector::Concat(items));
  }
  const std::vector<int32_t> offsets = {0, static_cast<int32_t>(items.size())};
  const ColumnPtr ints = vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), offsets);
  return std::make_shared<vector::ListColumn>(type, 1, vector::Validity(),
                                              ints->As<vector::FlatColumn>().values(),
                                              std::vector<ColumnPtr>{elements});
}

absl::StatusOr<ColumnPtr> BindValue(const proto::Literal& literal, const TypePtr& beside) {
  switch (literal.value_case()) {
    case proto::Literal::kBoolean: {
      const TypePtr& type = beside != nullptr ? beside : Type::Scalar(Kind::kBoolean);
      if (type->kind() != Kind::kBoolean) return NoValueOf(literal, *type);
      return vector::Flat<uint8_t>(type, {static_cast<uint8_t>(literal.boolean())});
    }
    case proto::Literal::kNumber:
      return BindNumber(literal, beside);
    case proto::Literal::kBytes: {
      const TypePtr& type = beside != nullptr ? beside : Type::Scalar(Kind::kVarchar);
      if (!type->is_string()) return NoValueOf(literal, *type);
      return vector::Strings(type, {literal.bytes()});
    }
    case proto::Literal::kList:
      return BindList(literal, beside);
    default: {
      int64_t budget = int64_t{1} << 20;
      return vector::NullColumn(beside != nullptr ? beside : Type::Scalar(Kind::kUnknown), 1,
                                &budget);
    }
  }
}

}  // namespace

absl::StatusOr<Literal> BindLiteral(const proto::Literal& literal, const TypePtr& beside) {
  TypePtr type = beside;
  if (!literal.type().empty()) {
    SPILLWAY_ASSIGN_OR_RETURN(type, Type::Parse(literal.type()));
  }
  SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr value, BindValue(literal, type));
  return Literal{std::move(value)};
}

}  // namespace spillway::stats
