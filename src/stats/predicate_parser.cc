// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>
#include <vector>

#include "src/base/status.h"
#include "src/stats/literal_parser.h"
#include "src/stats/predicate_lexer.h"
#include "src/stats/predicate_text.h"

namespace spillway::stats {
namespace {

using proto::Comparison;
using proto::Literal;
using proto::Match;
using proto::Operand;
using proto::Predicate;
using proto::Test;

std::optional<Comparison::Operator> ComparisonOf(const Token& token) {
  if (token.kind != Token::Kind::kSymbol) return std::nullopt;
  if (token.value == "=" || token.value == "==") return Comparison::EQUAL;
  if (token.value == "<=>") return Comparison::NULL_SAFE_EQUAL;
  if (token.value == "!=" || token.value == "<>") return Comparison::NOT_EQUAL;
  if (token.value == "<") return Comparison::LESS;
  if (token.value == "<=") return Comparison::LESS_EQUAL;
  if (token.value == ">") return Comparison::GREATER;
  if (token.value == ">=") return Comparison::GREATER_EQUAL;
  return std::nullopt;
}

std::optional<Match::Kind> MatchOf(std::string_view word) {
  if (word == "starts_with") return Match::STARTS_WITH;
  if (word == "ends_with") return Match::ENDS_WITH;
  if (word == "contains") return Match::CONTAINS;
  return std::nullopt;
}

class Parser : private LiteralParser {
 public:
  using LiteralParser::LiteralParser;

  absl::StatusOr<Predicate> Whole() {
    SPILLWAY_ASSIGN_OR_RETURN(Predicate predicate, Any(0));
    if (At().kind != Token::Kind::kEnd) return Expected("`and`, `or` or the end");
    return predicate;
  }

 private:
  absl::StatusOr<Predicate> Any(int depth) {
    return Joined(depth, "or", &Parser::All, &Predicate::mutable_any);
  }
  absl::StatusOr<Predicate> All(int depth) {
    return Joined(depth, "and", &Parser::Not, &Predicate::mutable_all);
  }

  // One `part`, or several with `word` between them as arguments of one node.
  absl::StatusOr<Predicate> Joined(int depth, std::string_view word,
                                   absl::StatusOr<Predicate> (Parser::*part)(int),
                                   proto::Arguments* (Predicate::*arguments)()) {
    const auto at = static_cast<uint32_t>(At().begin);
    SPILLWAY_ASSIGN_OR_RETURN(Predicate first, (this->*part)(depth));
    if (!IsWord(word)) return first;
    Predicate node;
    node.set_at(at);
    *(node.*arguments)()->add_arguments() = std::move(first);
    while (TryWord(word)) {
      SPILLWAY_ASSIGN_OR_RETURN(*(node.*arguments)()->add_arguments(), (this->*part)(depth));
    }
    return node;
  }

  absl::StatusOr<Predicate> Not(int depth) {
    if (depth > kMaxPredicateDepth) {
      return ErrorAt(At().begin,
                     base::Exhausted("nested deeper than ", kMaxPredicateDepth, " levels"));
    }
    const auto at = static_cast<uint32_t>(At().begin);
    if (TryWord("not")) {
      SPILLWAY_ASSIGN_OR_RETURN(Predicate negated, Not(depth + 1));
      return Negation(std::move(negated), at);
    }
    if (TrySymbol("(")) {
      SPILLWAY_ASSIGN_OR_RETURN(Predicate inner, Any(depth + 1));
      SPILLWAY_RETURN_IF_ERROR(ExpectSymbol(")"));
      return inner;
    }
    SPILLWAY_ASSIGN_OR_RETURN(Predicate condition, Condition());
    condition.set_at(at);
    return condition;
  }

  static Predicate Negation(Predicate negated, uint32_t at) {
    Predicate node;
    node.set_at(at);
    *node.mutable_negation() = std::move(negated);
    return node;
  }

  absl::StatusOr<Predicate> Condition() {
    if (At().kind == Token::Kind::kWord && IsSymbol("(", 1)) {
      const std::string word = LowerWord(At().value);
      if (const auto kind = MatchOf(word)) return MatchCall(*kind);
      if (word == "is_nan") return NanCall();
      if (word == "in_set") return InSetCall();
      if (word == "opaque") return OpaqueCall();
    }
    const auto at = static_cast<uint32_t>(At().begin);
    SPILLWAY_ASSIGN_OR_RETURN(Operand operand, AnOperand());
    Predicate node;
    if (const auto comparison = ComparisonOf(At())) {
      Take();
      node.mutable_compare()->set_operator_(*comparison);
      *node.mutable_compare()->mutable_left() = std::move(operand);
      SPILLWAY_ASSIGN_OR_RETURN(*node.mutable_compare()->mutable_right(), AnOperand());
      return node;
    }
    if (TryWord("is")) {
      node.mutable_test()->set_kind(TryWord("not") ? Test::IS_NOT_NULL : Test::IS_NULL);
      *node.mutable_test()->mutable_operand() = std::move(operand);
      if (!TryWord("null")) return Expected("`null`");
      return node;
    }
    const bool negated = TryWord("not");
    if (TryWord("in")) {
      SPILLWAY_RETURN_IF_ERROR(ExpectSymbol("("));
      node.mutable_in();
      SPILLWAY_RETURN_IF_ERROR(Literals(")", *node.mutable_in()->mutable_items()));
    } else if (TryWord("like")) {
      node.mutable_match()->set_kind(Match::LIKE);
      SPILLWAY_ASSIGN_OR_RETURN(*node.mutable_match()->mutable_pattern(), ALiteral(0));
    } else if (TryWord("between")) {
      SPILLWAY_RETURN_IF_ERROR(Between(std::move(operand), at, node));
      return negated ? Negation(std::move(node), at) : std::move(node);
    } else if (negated) {
      return Expected("`in`, `like` or `between`");
    } else {
      return Bare(operand);
    }
    (node.has_in() ? *node.mutable_in()->mutable_operand()
                   : *node.mutable_match()->mutable_operand()) = std::move(operand);
    node.set_at(at);
    return negated ? Negation(std::move(node), at) : std::move(node);
  }

  // `operand` >= low and `operand` <= high.
  absl::Status Between(Operand operand, uint32_t at, Predicate& node) {
    node.set_at(at);
    for (const auto comparison : {Comparison::GREATER_EQUAL, Comparison::LESS_EQUAL}) {
      if (comparison == Comparison::LESS_EQUAL && !TryWord("and")) return Expected("`and`");
      Predicate& bound = *node.mutable_all()->add_arguments();
      bound.set_at(at);
      bound.mutable_compare()->set_operator_(comparison);
      *bound.mutable_compare()->mutable_left() = operand;
      SPILLWAY_ASSIGN_OR_RETURN(*bound.mutable_compare()->mutable_right(), AnOperand());
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Predicate> Bare(const Operand& operand) {
    Predicate node;
    if (operand.operand_case() == Operand::kColumn) {
      node.set_column(operand.column());
      return node;
    }
    const Literal& literal = operand.literal();
    if (operand.has_literal() && literal.type().empty() &&
        (literal.value_case() == Literal::kBoolean ||
         literal.value_case() == Literal::VALUE_NOT_SET)) {
      node.mutable_constant();
      if (literal.has_boolean()) node.mutable_constant()->set_value(literal.boolean());
      return node;
    }
    return Expected("a comparison, `is`, `in`, `like` or `between`");
  }

  absl::StatusOr<Predicate> MatchCall(Match::Kind kind) {
    Take();
    Take();
    Predicate node;
    node.mutable_match()->set_kind(kind);
    SPILLWAY_ASSIGN_OR_RETURN(*node.mutable_match()->mutable_operand(), AnOperand());
    SPILLWAY_RETURN_IF_ERROR(ExpectSymbol(","));
    SPILLWAY_ASSIGN_OR_RETURN(*node.mutable_match()->mutable_pattern(), ALiteral(0));
    SPILLWAY_RETURN_IF_ERROR(ExpectSymbol(")"));
    return node;
  }

  absl::StatusOr<Predicate> NanCall() {
    Take();
    Take();
    Predicate node;
    node.mutable_test()->set_kind(Test::IS_NAN);
    SPILLWAY_ASSIGN_OR_RETURN(*node.mutable_test()->mutable_operand(), AnOperand());
    SPILLWAY_RETURN_IF_ERROR(ExpectSymbol(")"));
    return node;
  }

  absl::StatusOr<Predicate> InSetCall() {
    Take();
    Take();
    Predicate node;
    node.mutable_in()->set_set(true);
    SPILLWAY_ASSIGN_OR_RETURN(*node.mutable_in()->mutable_operand(), AnOperand());
    if (TrySymbol(")")) return node;
    SPILLWAY_RETURN_IF_ERROR(ExpectSymbol(","));
    SPILLWAY_RETURN_IF_ERROR(Literals(")", *node.mutable_in()->mutable_items()));
    return node;
  }

  absl::StatusOr<Predicate> OpaqueCall() {
    Take();
    Take();
    if (At().kind != Token::Kind::kString) return Expected("a string");
    Predicate node;
    node.mutable_opaque()->set_text(Take().value);
    while (TrySymbol(",")) {
      SPILLWAY_ASSIGN_OR_RETURN(*node.mutable_opaque()->add_columns(), Name());
    }
    SPILLWAY_RETURN_IF_ERROR(ExpectSymbol(")"));
    return node;
  }

  absl::StatusOr<std::string> Name() {
    const bool name = At().kind == Token::Kind::kWord || At().kind == Token::Kind::kQuotedName;
    if (!name) return Expected("a column");
    return Take().value;
  }

  absl::StatusOr<Operand> AnOperand() {
    Operand operand;
    operand.set_at(static_cast<uint32_t>(At().begin));
    if (StartsLiteral()) {
      SPILLWAY_ASSIGN_OR_RETURN(*operand.mutable_literal(), ALiteral(0));
      return operand;
    }
    if (IsSymbol("(", 1)) {
      proto::Call& call = *operand.mutable_call();
      if (IsWord("cast")) {
        call.set_function(proto::Call::CAST);
      } else if (IsWord("abs")) {
        call.set_function(proto::Call::ABS);
      } else if (IsWord("length")) {
        call.set_function(proto::Call::LENGTH);
      } else {
        return Expected("a function: cast, abs or length");
      }
      Take();
    Take();
      SPILLWAY_ASSIGN_OR_RETURN(*call.mutable_column(), Name());
      if (call.function() == proto::Call::CAST) {
        if (!TryWord("as")) return Expected("`as`");
        if (!TryWord("bigint")) return Expected("`BIGINT`");
      }
      SPILLWAY_RETURN_IF_ERROR(ExpectSymbol(")"));
      return operand;
    }
    if (At().kind != Token::Kind::kWord && At().kind != Token::Kind::kQuotedName) {
      return Expected("a column, a literal or a condition");
    }
    for (const std::string_view keyword : {"and", "or", "not", "in", "is", "like", "between"}) {
      if (IsWord(keyword)) return Expected("a column or a literal");
    }
    SPILLWAY_ASSIGN_OR_RETURN(*operand.mutable_column(), Name());
    return operand;
  }
};

}  // namespace

absl::StatusOr<Predicate> ParsePredicate(std::string_view text) {
  if (text.size() > kMaxPredicateText) {
    return base::Exhausted("a predicate of ", text.size(), " bytes, at most ", kMaxPredicateText);
  }
  SPILLWAY_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(text));
  return Parser(text, std::move(tokens)).Whole();
}

}  // namespace spillway::stats
