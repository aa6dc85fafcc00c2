// SPDX-License-Identifier: Apache-2.0
#include "golden/velox/velox_columns.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "golden/hex_file.h"
#include "nlohmann/json.hpp"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/build.h"
#include "src/vector/int128.h"
#include "src/vector/select.h"

namespace spillway::golden {
namespace {

using nlohmann::json;
using vector::BuildValidity;
using vector::Column;
using vector::ColumnPtr;
using vector::Kind;
using vector::TypePtr;
using vector::Validity;

constexpr int64_t kMaxBytes = int64_t{1} << 26;  // of one fixture's column

// As a buffer of int32, for ids and offsets.
vector::Buffer Int32s(const std::vector<int32_t>& values) {
  return vector::Flat(vector::Type::Scalar(Kind::kInteger), values)
      ->As<vector::FlatColumn>()
      .values();
}

template <typename T, typename Convert>
absl::StatusOr<ColumnPtr> FlatOf(const TypePtr& type, const json& values, Convert convert) {
  std::vector<std::optional<T>> out;
  for (const json& value : values) {
    if (value.is_null()) {
      out.push_back(std::nullopt);
      continue;
    }
    const std::optional<T> converted = convert(value);
    if (!converted.has_value()) {
      return base::Invalid(value.dump(), " is not a ", type->ToString(), " value");
    }
    out.push_back(converted);
  }
  return vector::Flat<T>(type, out);
}

template <typename T>
std::optional<T> Integer(const json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  return static_cast<T>(value.get<int64_t>());
}

std::optional<vector::Int128> Wide(const json& value) {
  return vector::ParseInt128(value.get<std::string>());
}

// "0x<bits>".
template <typename T>
std::optional<T> Bits(const json& value) {
  uint64_t bits = 0;
  const auto text = value.get<std::string>();
  if (text.size() != 2 + 2 * sizeof(T) || !absl::SimpleHexAtoi(text, &bits)) return std::nullopt;
  return static_cast<T>(bits);
}

absl::StatusOr<ColumnPtr> StringsOf(const TypePtr& type, const json& values) {
  std::vector<std::optional<std::string>> out;
  for (const json& value : values) {
    if (value.is_null()) {
      out.push_back(std::nullopt);
      continue;
    }
    SPILLWAY_ASSIGN_OR_RETURN(std::string bytes, FromHex(value.get<std::string>()));
    out.push_back(std::move(bytes));
  }
  return vector::Strings(type, out);
}

Validity NullsOf(const json& values) {
  return BuildValidity(static_cast<int64_t>(values.size()),
                       [&](int64_t row) { return values[row].is_null(); });
}

// Part `part` of every non-null value: a field of a row, or the key or value of a map's entry.
json Parts(const json& values, size_t part) {
  json out = json::array();
  for (const json& value : values) out.push_back(value.is_null() ? json() : value[part]);
  return out;
}

absl::StatusOr<ColumnPtr> RowsOf(const TypePtr& type, const json& values) {
  std::vector<ColumnPtr> fields;
  for (size_t i = 0; i < type->children().size(); ++i) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr field,
                              ColumnFromValues(type->children()[i], Parts(values, i)));
    fields.push_back(std::move(field));
  }
  return std::make_shared<vector::RowColumn>(type, static_cast<int64_t>(values.size()),
                                             NullsOf(values), std::move(fields));
}

absl::StatusOr<ColumnPtr> ListsOf(const TypePtr& type, const json& values) {
  std::vector<int32_t> offsets = {0};
  json elements = json::array();
  for (const json& value : values) {
    if (!value.is_null()) elements.insert(elements.end(), value.begin(), value.end());
    offsets.push_back(static_cast<int32_t>(elements.size()));
  }
  const bool map = type->kind() == Kind::kMap;
  std::vector<ColumnPtr> children;
  for (size_t i = 0; i < type->children().size(); ++i) {
    SPILLWAY_ASSIGN_OR_RETURN(
        ColumnPtr child,
        ColumnFromValues(type->children()[i], map ? Parts(elements, i) : elements));
    children.push_back(std::move(child));
  }
  return std::make_shared<vector::ListColumn>(type, static_cast<int64_t>(values.size()),
                                              NullsOf(values), Int32s(offsets),
                                              std::move(children));
}

// `nulls`, "0101..", 1 = null; absent: none. A bitmap is kept where Velox had one, nulls or not,
// since its choice of encodings looks at that.
absl::StatusOr<Validity> NullsField(const json& vector, int64_t rows) {
  if (!vector.contains("nulls")) return Validity();
  const auto nulls = vector["nulls"].get<std::string>();
  if (static_cast<int64_t>(nulls.size()) != rows) {
    return base::Invalid(nulls.size(), " null flags for ", rows, " rows");
  }
  std::string bits((rows + 7) / 8, '\0');
  for (int64_t row = 0; row < rows; ++row) {
    if (nulls[row] != '1') bits[row >> 3] |= static_cast<char>(1 << (row & 7));
  }
  return Validity::CountBits(vector::Buffer::Own(std::move(bits)), 0, rows);
}

absl::StatusOr<ColumnPtr> ListsFromVector(const TypePtr& type, const json& vector, int64_t rows,
                                          Validity validity) {
  const auto starts = vector["offsets"].get<std::vector<int32_t>>();
  const auto sizes = vector["sizes"].get<std::vector<int32_t>>();
  std::vector<int32_t> offsets = {0};
  std::vector<int32_t> elements;
  bool in_order = true;
  for (size_t row = 0; row < starts.size(); ++row) {
    in_order = in_order && starts[row] == offsets.back();
    for (int32_t i = 0; i < sizes[row]; ++i) elements.push_back(starts[row] + i);
    offsets.push_back(offsets.back() + sizes[row]);
  }
  std::vector<ColumnPtr> children;
  const std::vector<const char*> names = type->kind() == Kind::kMap
                                             ? std::vector<const char*>{"keys", "mapValues"}
                                             : std::vector<const char*>{"elements"};
  for (size_t i = 0; i < names.size(); ++i) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr child,
                              ColumnFromVector(type->children()[i], vector[names[i]]));
    if (!in_order) {
      int64_t budget = kMaxBytes;
      SPILLWAY_ASSIGN_OR_RETURN(child, vector::Select(*child, elements, &budget));
    }
    children.push_back(std::move(child));
  }
  return std::make_shared<vector::ListColumn>(type, rows, std::move(validity), Int32s(offsets),
                                              std::move(children));
}

}  // namespace

absl::StatusOr<ColumnPtr> ColumnFromValues(const TypePtr& type, const json& values) {
  switch (type->kind()) {
    case Kind::kBoolean:
      return FlatOf<uint8_t>(type, values, [](const json& value) -> std::optional<uint8_t> {
        return value.get<bool>() ? 1 : 0;
      });
    case Kind::kTinyint:
      return FlatOf<int8_t>(type, values, Integer<int8_t>);
    case Kind::kSmallint:
      return FlatOf<int16_t>(type, values, Integer<int16_t>);
    case Kind::kInteger:
    case Kind::kDate:
    case Kind::kIntervalYearMonth:
      return FlatOf<int32_t>(type, values, Integer<int32_t>);
    case Kind::kBigint:
    case Kind::kShortDecimal:
    case Kind::kIntervalDayTime:
      return FlatOf<int64_t>(type, values, Integer<int64_t>);
    case Kind::kHugeint:
    case Kind::kLongDecimal:
      return FlatOf<vector::Int128>(type, values, Wide);
    case Kind::kReal:
      return FlatOf<uint32_t>(type, values, Bits<uint32_t>);
    case Kind::kDouble:
      return FlatOf<uint64_t>(type, values, Bits<uint64_t>);
    case Kind::kTimestamp:
      return FlatOf<vector::Timestamp>(
          type, values, [](const json& value) -> std::optional<vector::Timestamp> {
            return vector::Timestamp{value[0].get<int64_t>(), value[1].get<uint64_t>()};
          });
    case Kind::kVarchar:
    case Kind::kVarbinary:
      return StringsOf(type, values);
    case Kind::kUnknown:
      return vector::FlatColumn::Unknown(static_cast<int64_t>(values.size()));
    case Kind::kArray:
    case Kind::kMap:
      return ListsOf(type, values);
    case Kind::kRow:
      return RowsOf(type, values);
  }
  return base::Invalid("no values of ", type->ToString());
}

absl::StatusOr<ColumnPtr> ColumnFromVector(const TypePtr& type, const json& vector) {
  const auto encoding = vector["enc"].get<std::string>();
  const auto rows = vector["size"].get<int64_t>();
  SPILLWAY_ASSIGN_OR_RETURN(Validity validity, NullsField(vector, rows));
  if (encoding == "FLAT") return ColumnFromValues(type, vector["values"]);
  if (encoding == "CONSTANT") {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr value,
                              ColumnFromValues(type, json::array({vector["value"]})));
    return std::make_shared<vector::ConstantColumn>(std::move(value), rows);
  }
  if (encoding == "DICTIONARY") {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr alphabet, ColumnFromVector(type, vector["base"]));
    return std::make_shared<vector::DictionaryColumn>(
        rows, std::move(validity), Int32s(vector["indices"].get<std::vector<int32_t>>()),
        std::move(alphabet));
  }
  if (encoding == "ARRAY" || encoding == "MAP") {
    return ListsFromVector(type, vector, rows, std::move(validity));
  }
  if (encoding != "ROW") return base::Invalid("unknown encoding `", encoding, "`");
  std::vector<ColumnPtr> fields;
  for (size_t i = 0; i < type->children().size(); ++i) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr field,
                              ColumnFromVector(type->children()[i], vector["children"][i]));
    fields.push_back(std::move(field));
  }
  return std::make_shared<vector::RowColumn>(type, rows, std::move(validity), std::move(fields));
}

}  // namespace spillway::golden
