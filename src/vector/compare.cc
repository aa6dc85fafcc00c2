// SPDX-License-Identifier: Apache-2.0
#include "src/vector/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "src/base/strings.h"
#include "src/vector/build.h"
#include "src/vector/int128.h"
#include "src/vector/lazy_column.h"

namespace spillway::vector {
namespace {

constexpr size_t kShownBytes = 64;
constexpr int64_t kShownElements = 16;
constexpr size_t kShownText = 1000;

// A row behind its wrappers: `column` is flat, ROW, ARRAY or MAP, or the row is null.
struct Cell {
  const Column* column;
  int64_t row;
  bool null;
};

Cell Resolve(const Column& column, int64_t row) {
  Cell cell = {&column, row, false};
  while (true) {
    switch (cell.column->encoding()) {
      case Encoding::kConstant:
        cell = {cell.column->As<ConstantColumn>().value().get(), 0, false};
        break;
      case Encoding::kDictionary: {
        const auto& dictionary = cell.column->As<DictionaryColumn>();
        if (dictionary.validity().IsNull(cell.row)) return {cell.column, cell.row, true};
        cell = {dictionary.alphabet().get(), dictionary.Id(cell.row), false};
        break;
      }
      default:
        cell.null = cell.column->IsNull(cell.row);
        return cell;
    }
  }
}

std::string BothValues(const Cell& a, const Cell& b) {
  return base::Cat(ValueToString(*a.column, a.row), " and ", ValueToString(*b.column, b.row));
}

std::string FieldName(const Type& row_type, size_t field) {
  return base::Cat("field `", row_type.names()[field], "`: ");
}

std::optional<std::string> RowDifference(const Cell& a, const Cell& b);

std::optional<std::string> ListDifference(const Cell& a, const Cell& b) {
  const auto& x = a.column->As<ListColumn>();
  const auto& y = b.column->As<ListColumn>();
  const bool map = a.column->encoding() == Encoding::kMap;
  const int64_t size = x.Offset(a.row + 1) - x.Offset(a.row);
  const int64_t other_size = y.Offset(b.row + 1) - y.Offset(b.row);
  if (size != other_size) {
    return base::Cat(size, " and ", other_size, map ? " entries: " : " elements: ",
                     BothValues(a, b));
  }
  for (int64_t i = 0; i < size; ++i) {
    for (size_t child = 0; child < x.children().size(); ++child) {
      const auto difference = RowDifference(Resolve(*x.children()[child], x.Offset(a.row) + i),
                                            Resolve(*y.children()[child], y.Offset(b.row) + i));
      if (!difference) continue;
      const std::string_view what = !map ? "element " : child == 0 ? "key of entry "
                                                                    : "value of entry ";
      return base::Cat(what, i, ": ", *difference);
    }
  }
  return std::nullopt;
}

bool SameScalar(const Cell& a, const Cell& b) {
  if (a.column->type().is_string()) {
    return a.column->As<StringColumn>().Value(a.row) == b.column->As<StringColumn>().Value(b.row);
  }
  const int width = a.column->type().width();
  const uint8_t* x = a.column->As<FlatColumn>().values().data() + a.row * width;
  const uint8_t* y = b.column->As<FlatColumn>().values().data() + b.row * width;
  if (a.column->type().kind() == Kind::kBoolean) return (*x != 0) == (*y != 0);
  return std::memcmp(x, y, width) == 0;
}

std::optional<std::string> RowDifference(const Cell& a, const Cell& b) {
  if (a.null && b.null) return std::nullopt;
  if (a.null != b.null) return BothValues(a, b);
  switch (a.column->encoding()) {
    case Encoding::kArray:
    case Encoding::kMap:
      return ListDifference(a, b);
    case Encoding::kRow: {
      const auto& x = a.column->As<RowColumn>().fields();
      const auto& y = b.column->As<RowColumn>().fields();
      for (size_t field = 0; field < x.size(); ++field) {
        const auto difference =
            RowDifference(Resolve(*x[field], a.row), Resolve(*y[field], b.row));
        if (difference) return FieldName(a.column->type(), field) + *difference;
      }
      return std::nullopt;
    }
    default:
      if (SameScalar(a, b)) return std::nullopt;
      return BothValues(a, b);
  }
}

template <typename Float, typename Bits>
std::string FloatToString(const FlatColumn& column, int64_t row) {
  const auto bits = column.Value<Bits>(row);
  const auto value = std::bit_cast<Float>(bits);
  if (std::isnan(value)) return absl::StrFormat("nan(0x%x)", bits);
  return absl::StrFormat("%.*g", std::numeric_limits<Float>::max_digits10, value);
}

std::string QuotedString(std::string_view value) {
  std::string out =
      base::Cat("\"", absl::CEscape(base::ToAbsl(value.substr(0, kShownBytes))), "\"");
  if (value.size() > kShownBytes) out += base::Cat("... (", value.size(), " bytes)");
  return out;
}

std::string ScalarToString(const FlatColumn& column, int64_t row) {
  const Type& type = column.type();
  switch (type.kind()) {
    case Kind::kBoolean:
      return column.Value<uint8_t>(row) != 0 ? "true" : "false";
    case Kind::kTinyint:
      return base::Cat(static_cast<int>(column.Value<int8_t>(row)));
    case Kind::kSmallint:
      return base::Cat(column.Value<int16_t>(row));
    case Kind::kReal:
      return FloatToString<float, uint32_t>(column, row);
    case Kind::kDouble:
      return FloatToString<double, uint64_t>(column, row);
    case Kind::kShortDecimal:
      return DecimalToString(column.Value<int64_t>(row), type.scale());
    case Kind::kLongDecimal:
      return DecimalToString(column.Value<Int128>(row), type.scale());
    case Kind::kHugeint:
      return Int128ToString(column.Value<Int128>(row));
    case Kind::kTimestamp: {
      const auto value = column.Value<Timestamp>(row);
      return base::Cat("(", value.seconds, " s, ", value.nanos, " ns)");
    }
    default:
      return type.width() == 4 ? base::Cat(column.Value<int32_t>(row))
                               : base::Cat(column.Value<int64_t>(row));
  }
}

// Appends a row's value. Nested values stop growing at kShownText, so that a small column whose
// lists share elements at every level cannot ask for an exponential text.
void AppendValue(const Column& column, int64_t row, std::string& out);

void AppendList(const ListColumn& list, int64_t row, std::string& out) {
  const bool map = list.encoding() == Encoding::kMap;
  const int64_t size = list.Offset(row + 1) - list.Offset(row);
  out += map ? '{' : '[';
  for (int64_t i = 0; i < std::min(size, kShownElements); ++i) {
    if (i != 0) out += ", ";
    for (size_t child = 0; child < list.children().size(); ++child) {
      if (child != 0) out += ": ";
      AppendValue(*list.children()[child], list.Offset(row) + i, out);
    }
  }
  if (size > kShownElements) out += base::Cat(", ... (", size, ")");
  out += map ? '}' : ']';
}

void AppendValue(const Column& column, int64_t row, std::string& out) {
  if (out.size() > kShownText) {
    if (!out.ends_with("...")) out += "...";
    return;
  }
  const Cell cell = Resolve(column, row);
  if (cell.null) {
    out += "null";
  } else if (cell.column->encoding() == Encoding::kRow) {
    out += '(';
    for (size_t i = 0; i < cell.column->type().children().size(); ++i) {
      if (i != 0) out += ", ";
      AppendValue(*cell.column->As<RowColumn>().fields()[i], cell.row, out);
    }
    out += ')';
  } else if (cell.column->type().is_nested()) {
    AppendList(cell.column->As<ListColumn>(), cell.row, out);
  } else if (cell.column->type().is_string()) {
    out += QuotedString(cell.column->As<StringColumn>().Value(cell.row));
  } else {
    out += ScalarToString(cell.column->As<FlatColumn>(), cell.row);
  }
}

// Owned by the caller for the time of a call.
ColumnPtr Borrow(const Column& column) { return {ColumnPtr(), &column}; }

}  // namespace

std::string ValueToString(const Column& column, int64_t row) {
  const absl::StatusOr<ColumnPtr> loaded = Load(Borrow(column));
  if (!loaded.ok()) return std::string(loaded.status().message());
  std::string out;
  AppendValue(**loaded, row, out);
  return out;
}

std::optional<std::string> FirstDifference(const Column& lazy_a, const Column& lazy_b) {
  const absl::StatusOr<ColumnPtr> loaded_a = Load(Borrow(lazy_a));
  if (!loaded_a.ok()) return std::string(loaded_a.status().message());
  const absl::StatusOr<ColumnPtr> loaded_b = Load(Borrow(lazy_b));
  if (!loaded_b.ok()) return std::string(loaded_b.status().message());
  const Column& a = **loaded_a;
  const Column& b = **loaded_b;
  if (!(a.type() == b.type())) {
    return base::Cat("types differ: ", a.type().ToString(), " and ", b.type().ToString());
  }
  if (a.rows() != b.rows()) return base::Cat(a.rows(), " rows and ", b.rows(), " rows");
  // Two constants can claim more rows than anybody wants to walk over.
  const bool constants =
      a.encoding() == Encoding::kConstant && b.encoding() == Encoding::kConstant;
  const int64_t rows = constants ? std::min<int64_t>(a.rows(), 1) : a.rows();
  for (int64_t row = 0; row < rows; ++row) {
    const auto difference = RowDifference(Resolve(a, row), Resolve(b, row));
    if (difference) return base::Cat("row ", row, ": ", *difference);
  }
  return std::nullopt;
}

std::optional<std::string> FirstDifference(const Batch& a, const Batch& b) {
  if (!(*a.schema() == *b.schema())) {
    return base::Cat("schemas differ: ", a.schema()->ToString(), " and ",
                     b.schema()->ToString());
  }
  if (a.rows() != b.rows()) return base::Cat(a.rows(), " rows and ", b.rows(), " rows");
  for (size_t i = 0; i < a.columns().size(); ++i) {
    const auto difference = FirstDifference(a.column(i), b.column(i));
    if (difference) {
      return base::Cat("column ", i, " `", a.schema()->names()[i], "`: ", *difference);
    }
  }
  return std::nullopt;
}

}  // namespace spillway::vector
