// SPDX-License-Identifier: Apache-2.0
#include "src/stats/facts.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "src/base/strings.h"
#include "src/stats/predicate_text.h"
#include "src/stats/spark_order.h"
#include "src/vector/int128.h"

namespace spillway::stats {
namespace {

using vector::Kind;
using vector::Type;

constexpr size_t kShownBytes = 40;
constexpr size_t kShownNode = 200;

// The shortest text that reads back as the same number.
template <typename T>
std::string Shortest(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

std::string StringToText(std::string_view bytes) {
  proto::Literal literal;
  literal.set_bytes(std::string(bytes.substr(0, kShownBytes)));
  const std::string text = LiteralToText(literal);
  return bytes.size() > kShownBytes ? base::Cat(text, "... (", bytes.size(), " bytes)") : text;
}

// Null and row counts that no batch of `rows` rows has.
std::string Contradiction(const ColumnStats& column, int64_t rows) {
  if (column.count != rows) return base::Cat("; distrusted: the batch has ", rows, " rows");
  if (column.null_count > column.count) return "; distrusted: more nulls than rows";
  if (column.null_count == column.count && column.bounds.has_value()) {
    return "; distrusted: bounds of nulls only";
  }
  return "";
}

void AppendNode(const Node& node, bool inside, std::string& out) {
  if (out.size() > kShownNode) return;
  const bool joins = node.condition == Condition::kAll || node.condition == Condition::kAny;
  if (node.condition == Condition::kNot) {
    out += "not (";
    AppendNode(node.arguments[0], false, out);
    out += ")";
  } else if (joins) {
    if (inside) out += "(";
    for (const Node& argument : node.arguments) {
      if (&argument != &node.arguments[0]) {
        out += node.condition == Condition::kAll ? " and " : " or ";
      }
      AppendNode(argument, true, out);
    }
    if (inside) out += ")";
  } else {
    out += node.text;
  }
}

}  // namespace

std::string BoundToText(const Type& type, std::string_view bound) {
  if (type.is_string()) return StringToText(bound);
  const bool real = type.kind() == Kind::kReal || type.kind() == Kind::kDouble;
  const std::optional<Value> value =
      ReadBound(real ? Order::kDouble : Order::kExact, type, bound);
  if (!value) return base::Cat("(", bound.size(), " bytes)");
  switch (type.kind()) {
    case Kind::kBoolean:
      return value->exact != 0 ? "true" : "false";
    case Kind::kReal:
      return Shortest(static_cast<float>(value->real));
    case Kind::kDouble:
      return Shortest(value->real);
    case Kind::kDate:
    case Kind::kTimestamp: {
      proto::Literal literal;
      literal.set_type(type.ToString());
      literal.set_number(vector::Int128ToString(value->exact));
      return LiteralToText(literal);
    }
    default:
      return vector::DecimalToString(value->exact, value->scale);
  }
}

std::string ColumnFacts(const Type& type, const ColumnStats& column, int64_t rows) {
  const std::string bounds =
      column.bounds.has_value() ? base::Cat(BoundToText(type, column.bounds->lower), " to ",
                                            BoundToText(type, column.bounds->upper))
                                : "no bounds";
  return base::Cat(bounds, ", ", column.null_count, " of ", column.count, " null",
                   Contradiction(column, rows));
}

std::string FactsOf(const Node& node, const Type& schema, const BatchStats& stats, int64_t rows) {
  std::string facts;
  for (const int column : Predicate::ColumnsOf(node)) {
    if (!facts.empty()) facts += "; ";
    const auto index = static_cast<size_t>(column);
    facts += base::Cat(schema.names()[index], ": ",
                       index < stats.size()
                           ? ColumnFacts(*schema.children()[index], stats[index], rows)
                           : "no statistics");
  }
  return facts;
}

std::string ConditionText(const Node& node) {
  switch (node.condition) {
    case Condition::kAll:
      return "and";
    case Condition::kAny:
      return "or";
    case Condition::kNot:
      return "not";
    default:
      return node.text;
  }
}

std::string NodeText(const Node& node) {
  std::string out;
  AppendNode(node, false, out);
  if (out.size() > kShownNode) out = base::Cat(out.substr(0, kShownNode), "...");
  return out;
}

}  // namespace spillway::stats
