// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cctype>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "src/base/strings.h"
#include "src/base/utf8.h"
#include "src/stats/predicate_text.h"
#include "src/stats/time_text.h"

namespace spillway::stats {
namespace {

using proto::Comparison;
using proto::Literal;
using proto::Match;
using proto::Operand;
using proto::Predicate;

// Names that would be read as something else.
constexpr std::array<std::string_view, 18> kKeywords = {
    "and",  "or",   "not", "in",       "is",    "like", "between", "null",    "true",
    "false", "nan", "as",  "infinity", "array", "map",  "row",     "interval", "varchar"};

std::string Name(std::string_view name) {
  bool plain = !name.empty() && (std::isdigit(static_cast<unsigned char>(name[0])) == 0);
  for (const char c : name) {
    plain &= std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }
  for (const std::string_view keyword : kKeywords) {
    plain &= absl::AsciiStrToLower(base::ToAbsl(name)) != base::ToAbsl(keyword);
  }
  if (plain) return std::string(name);
  std::string out = "\"";
  for (const char c : name) {
    out += c;
    if (c == '"') out += c;
  }
  return out + "\"";
}

// As a string if people can read it, else as hexadecimal digits.
std::string Quoted(std::string_view bytes) {
  std::string out = "'";
  for (std::string_view rest = bytes; !rest.empty();) {
    const base::Utf8Character c = base::NextCharacter(rest);
    const std::string_view seen = rest.substr(0, c.size);
    rest.remove_prefix(c.size);
    if (c.code == '\n') {
      out += "\\n";
    } else if (c.code == '\t') {
      out += "\\t";
    } else if (!c.valid || c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0)) {
      return base::Cat("x'", absl::BytesToHexString(base::ToAbsl(bytes)), "'");
    } else if (c.code == '\'' ||
               (c.code == '\\' && (rest.empty() || (rest[0] != '%' && rest[0] != '_')))) {
      out += base::Cat("\\", seen);
    } else {
      out += seen;
    }
  }
  return out + "'";
}

std::string OperandToText(const Operand& operand) {
  switch (operand.operand_case()) {
    case Operand::kColumn:
      return Name(operand.column());
    case Operand::kLiteral:
      return LiteralToText(operand.literal());
    case Operand::kCall: {
      const std::string column = Name(operand.call().column());
      if (operand.call().function() == proto::Call::CAST) {
        return base::Cat("cast(", column, " as BIGINT)");
      }
      return base::Cat(operand.call().function() == proto::Call::ABS ? "abs(" : "length(", column,
                       ")");
    }
    default:
      return "?";
  }
}

std::string_view Symbol(Comparison::Operator comparison) {
  switch (comparison) {
    case Comparison::EQUAL:
      return " = ";
    case Comparison::NULL_SAFE_EQUAL:
      return " <=> ";
    case Comparison::NOT_EQUAL:
      return " != ";
    case Comparison::LESS:
      return " < ";
    case Comparison::LESS_EQUAL:
      return " <= ";
    case Comparison::GREATER:
      return " > ";
    case Comparison::GREATER_EQUAL:
      return " >= ";
    default:
      return " ? ";
  }
}

std::string List(const google::protobuf::RepeatedPtrField<Literal>& items) {
  std::string out;
  for (const Literal& item : items) out += (out.empty() ? "" : ", ") + LiteralToText(item);
  return out;
}

std::string InToText(const proto::In& in) {
  const std::string operand = OperandToText(in.operand());
  const std::string items = List(in.items());
  if (!in.set()) return base::Cat(operand, " in (", items, ")");
  return base::Cat("in_set(", operand, items.empty() ? "" : ", ", items, ")");
}

std::string TestToText(const proto::Test& test) {
  const std::string operand = OperandToText(test.operand());
  if (test.kind() == proto::Test::IS_NAN) return base::Cat("is_nan(", operand, ")");
  return operand + (test.kind() == proto::Test::IS_NULL ? " is null" : " is not null");
}

std::string MatchToText(const Match& match) {
  const std::string operand = OperandToText(match.operand());
  const std::string pattern = LiteralToText(match.pattern());
  if (match.kind() == Match::LIKE) return base::Cat(operand, " like ", pattern);
  return base::Cat(match.kind() == Match::STARTS_WITH ? "starts_with("
                   : match.kind() == Match::ENDS_WITH ? "ends_with("
                                                      : "contains(",
                   operand, ", ", pattern, ")");
}

std::string ToText(const Predicate& node, int depth);

bool IsJoined(const Predicate& node) { return node.has_all() || node.has_any(); }

std::string Joined(const Predicate& node, int depth) {
  std::string out;
  for (const Predicate& argument : (node.has_all() ? node.all() : node.any()).arguments()) {
    if (!out.empty()) out += node.has_all() ? " and " : " or ";
    const std::string text = ToText(argument, depth + 1);
    // `and` binds more tightly than `or`; an `and` in an `and` is a tree of its own.
    const bool same = node.has_all() == argument.has_all() || node.has_all();
    out += IsJoined(argument) && same ? "(" + text + ")" : text;
  }
  return out.empty() ? "?" : out;
}

std::string ToText(const Predicate& node, int depth) {
  if (depth > 2 * kMaxPredicateDepth) return "?";
  switch (node.node_case()) {
    case Predicate::kConstant:
      return !node.constant().has_value() ? "null" : node.constant().value() ? "true" : "false";
    case Predicate::kColumn:
      return Name(node.column());
    case Predicate::kCompare:
      return base::Cat(OperandToText(node.compare().left()), Symbol(node.compare().operator_()),
                       OperandToText(node.compare().right()));
    case Predicate::kIn:
      return InToText(node.in());
    case Predicate::kTest:
      return TestToText(node.test());
    case Predicate::kMatch:
      return MatchToText(node.match());
    case Predicate::kAll:
    case Predicate::kAny:
      return Joined(node, depth);
    case Predicate::kNegation: {
      const std::string text = ToText(node.negation(), depth + 1);
      const auto inner = node.negation().node_case();
      const bool simple = inner == Predicate::kConstant || inner == Predicate::kColumn ||
                          inner == Predicate::kNegation || inner == Predicate::kOpaque;
      return simple ? "not " + text : "not (" + text + ")";
    }
    case Predicate::kOpaque: {
      std::string out = base::Cat("opaque(", Quoted(node.opaque().text()));
      for (const std::string& column : node.opaque().columns()) out += ", " + Name(column);
      return out + ")";
    }
    default:
      return "?";
  }
}

}  // namespace

std::string LiteralToText(const Literal& literal) {
  std::string out = literal.type().empty() ? "" : literal.type() + " ";
  switch (literal.value_case()) {
    case Literal::kBoolean:
      return out + (literal.boolean() ? "true" : "false");
    case Literal::kNumber: {
      int64_t value = 0;
      if (absl::SimpleAtoi(literal.number(), &value)) {
        const auto text = literal.type() == "DATE"        ? DateToText(value)
                          : literal.type() == "TIMESTAMP" ? TimestampToText(value)
                                                          : std::nullopt;
        if (text) return base::Cat(out, "'", *text, "'");
      }
      return out + literal.number();
    }
    case Literal::kBytes:
      return out + Quoted(literal.bytes());
    case Literal::kList:
      return base::Cat(out, "[", List(literal.list().items()), "]");
    default:
      return out + "null";
  }
}

std::string PredicateToText(const Predicate& predicate) { return ToText(predicate, 0); }

}  // namespace spillway::stats
