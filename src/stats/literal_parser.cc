// SPDX-License-Identifier: Apache-2.0
#include "src/stats/literal_parser.h"

#include "src/base/status.h"
#include "src/stats/predicate_text.h"
#include "src/stats/time_text.h"
#include "src/vector/type.h"

namespace spillway::stats {

using proto::Literal;

absl::Status LiteralParser::Literals(std::string_view end,
                                     google::protobuf::RepeatedPtrField<Literal>& items,
                                     int depth) {
  if (TrySymbol(end)) return absl::OkStatus();
  do {
    SPILLWAY_ASSIGN_OR_RETURN(*items.Add(), ALiteral(depth));
  } while (TrySymbol(","));
  return ExpectSymbol(end);
}

// Whether a value stands there, its type aside.
bool LiteralParser::IsValue(size_t ahead) const {
  const Token::Kind kind = At(ahead).kind;
  if (kind == Token::Kind::kNumber || kind == Token::Kind::kString) return true;
  if (IsSymbol("[", ahead) || IsSymbol("-", ahead)) return true;
  for (const std::string_view word : {"null", "true", "false", "nan", "infinity"}) {
    if (IsWord(word, ahead)) return true;
  }
  return false;
}

// A word in front of a value is a type, as no column can stand there. Types of several words are
// known by their beginning.
bool LiteralParser::StartsType() const {
  if (At().kind != Token::Kind::kWord) return false;
  const std::string_view word = At().value;
  if (word == "ARRAY" || word == "MAP" || word == "ROW") return IsSymbol("<", 1);
  if (IsWord("decimal")) return IsSymbol("(", 1);
  if (IsWord("interval")) return IsWord("year", 1) || IsWord("day", 1);
  if (IsWord("varchar") && IsWord("collate", 1)) return true;
  return IsValue(1);
}

bool LiteralParser::StartsLiteral() const { return IsValue(0) || StartsType(); }

// Where the type at the current token ends, in bytes of the text.
size_t LiteralParser::TypeEnd() const {
  size_t ahead = 0;
  if (IsSymbol("<", 1) || IsSymbol("(", 1)) {
    const char close = IsSymbol("<", 1) ? '>' : ')';
    const char open = IsSymbol("<", 1) ? '<' : '(';
    int depth = 0;
    for (size_t at = At(1).begin; at < text().size(); ++at) {
      if (text()[at] == open) ++depth;
      if (text()[at] == close && --depth == 0) return at + 1;
    }
    return text().size();
  }
  while (At(ahead).kind == Token::Kind::kWord && !IsValue(ahead)) ++ahead;
  return ahead == 0 ? At().end : At(ahead - 1).end;
}

absl::StatusOr<std::string> LiteralParser::AType() {
  const size_t begin = At().begin;
  const size_t end = TypeEnd();
  const std::string_view name = text().substr(begin, end - begin);
  // Names of scalar types may be in lower case; those of fields stay as they are.
  const auto type = vector::Type::Parse(
      name.find('<') == std::string_view::npos ? UpperWord(name) : std::string(name));
  if (!type.ok()) return ErrorAt(begin, type.status());
  while (At().kind != Token::Kind::kEnd && At().begin < end) Take();
  return (*type)->ToString();
}

absl::StatusOr<Literal> LiteralParser::ALiteral(int depth) {
  if (depth > kMaxPredicateDepth) {
    return ErrorAt(At().begin,
                   base::Exhausted("nested deeper than ", kMaxPredicateDepth, " levels"));
  }
  Literal literal;
  literal.set_at(static_cast<uint32_t>(At().begin));
  if (!IsValue(0) && StartsType()) {
    SPILLWAY_ASSIGN_OR_RETURN(*literal.mutable_type(), AType());
  }
  if (TryWord("null")) return literal;
  if (IsWord("true") || IsWord("false")) {
    literal.set_boolean(TryWord("true"));
    if (!literal.boolean()) Take();
    return literal;
  }
  if (TrySymbol("[")) {
    SPILLWAY_RETURN_IF_ERROR(Literals("]", *literal.mutable_list()->mutable_items(), depth + 1));
    return literal;
  }
  if (At().kind == Token::Kind::kString) {
    SPILLWAY_RETURN_IF_ERROR(StringValue(literal));
    return literal;
  }
  if (At().kind == Token::Kind::kNumber) {
    literal.set_number(Take().value);
    return literal;
  }
  const bool negative = TrySymbol("-");
  if (TryWord("infinity")) {
    literal.set_number(negative ? "-Infinity" : "Infinity");
  } else if (!negative && TryWord("nan")) {
    literal.set_number("NaN");
  } else {
    return Expected(negative ? "`Infinity`" : "a literal");
  }
  return literal;
}

// A string is bytes, except that DATE and TIMESTAMP are written as strings.
absl::Status LiteralParser::StringValue(Literal& literal) {
  const Token& token = At();
  if (literal.type() == "DATE") {
    const auto days = ParseDate(token.value);
    if (!days) return Expected("a date as '1992-07-08', years 0001 to 9999");
    literal.set_number(base::Cat(*days));
  } else if (literal.type() == "TIMESTAMP") {
    const auto micros = ParseTimestamp(token.value);
    if (!micros) {
      return Expected("a timestamp as '1992-07-08 12:30:00.123456', years 0001 to 9999");
    }
    literal.set_number(base::Cat(*micros));
  } else {
    literal.set_bytes(token.value);
  }
  Take();
  return absl::OkStatus();
}

}  // namespace spillway::stats
