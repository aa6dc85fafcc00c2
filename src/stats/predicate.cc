// SPDX-License-Identifier: Apache-2.0
#include "src/stats/predicate.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "src/base/status.h"
#include "src/base/suggest.h"
#include "src/stats/like.h"
#include "src/stats/predicate_text.h"

namespace spillway::stats {
namespace {

using vector::Kind;
using vector::Type;
using vector::TypePtr;

constexpr size_t kShownText = 80;

std::string Shortened(std::string text) {
  if (text.size() > kShownText) text = text.substr(0, kShownText) + "...";
  return text;
}

Condition ComparisonOf(proto::Comparison::Operator comparison) {
  switch (comparison) {
    case proto::Comparison::NULL_SAFE_EQUAL:
      return Condition::kNullSafeEqual;
    case proto::Comparison::NOT_EQUAL:
      return Condition::kNotEqual;
    case proto::Comparison::LESS:
      return Condition::kLess;
    case proto::Comparison::LESS_EQUAL:
      return Condition::kLessEqual;
    case proto::Comparison::GREATER:
      return Condition::kGreater;
    case proto::Comparison::GREATER_EQUAL:
      return Condition::kGreaterEqual;
    default:
      return Condition::kEqual;
  }
}

bool IsNumeric(Kind kind) { return kind >= Kind::kTinyint && kind <= Kind::kLongDecimal; }

class Binder {
 public:
  Binder(const Type& schema, std::string_view text) : schema_(schema), text_(text) {}

  absl::StatusOr<Node> Bind(const proto::Predicate& tree, int depth = 0) {
    if (depth > kMaxPredicateDepth) {
      return Place(tree.at(), base::Exhausted("nested deeper than ", kMaxPredicateDepth,
                                              " levels"));
    }
    at_ = tree.at();
    switch (tree.node_case()) {
      case proto::Predicate::kAll:
        return Join(Condition::kAll, tree.all(), depth);
      case proto::Predicate::kAny:
        return Join(Condition::kAny, tree.any(), depth);
      case proto::Predicate::kNegation: {
        SPILLWAY_ASSIGN_OR_RETURN(Node inner, Bind(tree.negation(), depth + 1));
        Node node{.condition = Condition::kNot};
        node.arguments.push_back(std::move(inner));
        return node;
      }
      default:
        break;
    }
    SPILLWAY_ASSIGN_OR_RETURN(Node node, Leaf(tree));
    node.text = Shortened(PredicateToText(tree));
    return node;
  }

 private:
  absl::Status Place(uint32_t at, absl::Status status) const {
    if (text_.empty()) return status;
    return base::AtByte(std::move(status), at, static_cast<int64_t>(text_.size()));
  }
  template <typename... Args>
  absl::Status Error(uint32_t at, const Args&... what) const {
    return Place(at, base::Invalid(what...));
  }

  absl::StatusOr<Node> Join(Condition condition, const proto::Arguments& arguments, int depth) {
    if (arguments.arguments().empty()) return Error(at_, "`and` or `or` without arguments");
    Node node{.condition = condition};
    for (const proto::Predicate& argument : arguments.arguments()) {
      SPILLWAY_ASSIGN_OR_RETURN(Node bound, Bind(argument, depth + 1));
      node.arguments.push_back(std::move(bound));
    }
    return node;
  }

  absl::StatusOr<Node> Leaf(const proto::Predicate& tree) {
    switch (tree.node_case()) {
      case proto::Predicate::kConstant:
        return Node{.condition = Condition::kConstant,
                    .constant = tree.constant().has_value()
                                    ? std::optional<bool>(tree.constant().value())
                                    : std::nullopt};
      case proto::Predicate::kColumn: {
        Node node{.condition = Condition::kColumn};
        SPILLWAY_ASSIGN_OR_RETURN(node.left, Column(tree.column(), tree.at()));
        if (node.left.type->kind() != Kind::kBoolean) {
          return Error(tree.at(), "column `", tree.column(), "` is ", node.left.type->ToString(),
                       ", a condition is BOOLEAN");
        }
        return node;
      }
      case proto::Predicate::kCompare:
        return Compare(tree.compare());
      case proto::Predicate::kIn:
        return In(tree.in());
      case proto::Predicate::kTest:
        return Test(tree.test());
      case proto::Predicate::kMatch:
        return Match(tree.match());
      case proto::Predicate::kOpaque: {
        Node node{.condition = Condition::kOpaque};
        for (const std::string& name : tree.opaque().columns()) {
          SPILLWAY_ASSIGN_OR_RETURN(const Operand column, Column(name, tree.at()));
          node.columns.push_back(column.column);
        }
        return node;
      }
      default:
        return Error(tree.at(), "a predicate node without content");
    }
  }

  absl::StatusOr<Operand> Column(const std::string& name, uint32_t at) {
    const auto& names = schema_.names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string nearest = base::Nearest(name, names);
      return Error(at, "unknown column `", name, "`",
                   nearest.empty() ? "" : base::Cat(", did you mean `", nearest, "`?"));
    }
    if (std::find(found + 1, names.end(), name) != names.end()) {
      return Error(at, "several columns are named `", name, "`");
    }
    const auto index = static_cast<int>(found - names.begin());
    return Operand{.column = index, .type = schema_.children()[index]};
  }

  absl::StatusOr<Operand> Call(const proto::Call& call, uint32_t at) {
    SPILLWAY_ASSIGN_OR_RETURN(Operand operand, Column(call.column(), at));
    const Kind kind = operand.type->kind();
    switch (call.function()) {
      case proto::Call::CAST:
        if (kind != Kind::kVarchar) {
          return Error(at, "cast of ", operand.type->ToString(), ", only VARCHAR is cast");
        }
        operand.function = Function::kCastToBigint;
        operand.type = Type::Scalar(Kind::kBigint);
        return operand;
      case proto::Call::ABS:
        // The least HUGEINT has no positive counterpart in 128 bits.
        if (!IsNumeric(kind) || kind == Kind::kHugeint) {
          return Error(at, "abs of ", operand.type->ToString());
        }
        operand.function = Function::kAbs;
        return operand;
      case proto::Call::LENGTH:
        if (!operand.type->is_string()) return Error(at, "length of ", operand.type->ToString());
        operand.function = Function::kLength;
        operand.type = Type::Scalar(Kind::kInteger);
        return operand;
      default:
        return Error(at, "unknown function ", int{call.function()});
    }
  }

  // Literals are bound by the caller, which knows what they stand beside.
  absl::StatusOr<Operand> ColumnOrCall(const proto::Operand& operand) {
    switch (operand.operand_case()) {
      case proto::Operand::kColumn:
        return Column(operand.column(), operand.at());
      case proto::Operand::kCall:
        return Call(operand.call(), operand.at());
      case proto::Operand::kLiteral:
        return Error(operand.at(), "expected a column, found the literal `",
                     Shortened(LiteralToText(operand.literal())), "`");
      default:
        return Error(operand.at(), "an operand without content");
    }
  }

  absl::StatusOr<Operand> LiteralOperand(const proto::Literal& literal, const TypePtr& beside) {
    absl::StatusOr<stats::Literal> bound = BindLiteral(literal, beside);
    if (!bound.ok()) return Place(literal.at(), bound.status());
    const TypePtr type = bound->type();
    return Operand{.literal = *std::move(bound), .type = type};
  }

  absl::Status SetOrder(Node& node, const Type& other, uint32_t at) {
    const std::optional<Order> order = OrderOf(*node.left.type, other);
    if (!order) {
      return Error(at, node.left.type->ToString(), " and ", other.ToString(),
                   " cannot be compared");
    }
    node.order = *order;
    return absl::OkStatus();
  }

  static void AddValue(Node& node, const Literal& literal) {
    if (node.order == Order::kList || node.order == Order::kUnknown) return;
    const Cell cell = Peel(*literal.value, 0);
    node.values.push_back(cell.null ? Value{} : ReadValue(node.order, cell));
  }

  absl::StatusOr<Node> Compare(const proto::Comparison& compare) {
    Node node{.condition = ComparisonOf(compare.operator_())};
    const bool left_literal = compare.left().has_literal();
    const bool right_literal = compare.right().has_literal();
    if (!left_literal) {
      SPILLWAY_ASSIGN_OR_RETURN(node.left, ColumnOrCall(compare.left()));
    }
    if (!right_literal) {
      SPILLWAY_ASSIGN_OR_RETURN(node.right, ColumnOrCall(compare.right()));
    }
    if (left_literal) {
      SPILLWAY_ASSIGN_OR_RETURN(node.left,
                                LiteralOperand(compare.left().literal(), node.right.type));
    }
    if (right_literal) {
      SPILLWAY_ASSIGN_OR_RETURN(node.right,
                                LiteralOperand(compare.right().literal(), node.left.type));
    }
    SPILLWAY_RETURN_IF_ERROR(SetOrder(node, *node.right.type, at_));
    for (Operand* side : {&node.left, &node.right}) {
      const Operand& other = side == &node.left ? node.right : node.left;
      if (node.condition == Condition::kNullSafeEqual && side->is_literal() &&
          side->literal.is_null() && !other.is_literal()) {
        return Node{.condition = Condition::kIsNull, .left = other};
      }
    }
    // A literal on the left is values[0] as well: two literals are left, then right.
    if (left_literal) AddValue(node, node.left.literal);
    if (right_literal) AddValue(node, node.right.literal);
    return node;
  }

  absl::StatusOr<Node> In(const proto::In& in) {
    Node node{.condition = in.set() ? Condition::kInSet : Condition::kIn};
    SPILLWAY_ASSIGN_OR_RETURN(node.left, ColumnOrCall(in.operand()));
    const TypePtr beside = node.left.type;
    std::optional<Order> order;
    for (const proto::Literal& item : in.items()) {
      SPILLWAY_ASSIGN_OR_RETURN(const Operand bound, LiteralOperand(item, beside));
      node.items.push_back(bound.literal);
      if (bound.literal.is_null()) continue;
      SPILLWAY_RETURN_IF_ERROR(SetOrder(node, *bound.type, item.at()));
      order = order ? Common(*order, node.order) : node.order;
    }
    if (!order) {  // no items, or nulls only
      SPILLWAY_RETURN_IF_ERROR(SetOrder(node, *beside, at_));
      order = node.order;
    }
    node.order = *order;
    for (const Literal& item : node.items) AddValue(node, item);
    return node;
  }

  // The one order for items of several types: of numbers with a DOUBLE among them, or of dates with
  // a TIMESTAMP.
  static Order Common(Order a, Order b) {
    if (a == b) return a;
    return a == Order::kDouble || b == Order::kDouble ? Order::kDouble : Order::kInstant;
  }

  absl::StatusOr<Node> Test(const proto::Test& test) {
    Node node{.condition = test.kind() == proto::Test::IS_NAN        ? Condition::kIsNan
                           : test.kind() == proto::Test::IS_NOT_NULL ? Condition::kIsNotNull
                                                                     : Condition::kIsNull};
    SPILLWAY_ASSIGN_OR_RETURN(node.left, ColumnOrCall(test.operand()));
    const Kind kind = node.left.type->kind();
    if (node.condition == Condition::kIsNan && kind != Kind::kReal && kind != Kind::kDouble) {
      return Error(test.operand().at(), "is_nan of ", node.left.type->ToString(),
                   ", only REAL and DOUBLE have NaN");
    }
    return node;
  }

  absl::StatusOr<Node> Match(const proto::Match& match) {
    Node node;
    switch (match.kind()) {
      case proto::Match::STARTS_WITH:
        node.condition = Condition::kStartsWith;
        break;
      case proto::Match::ENDS_WITH:
        node.condition = Condition::kEndsWith;
        break;
      case proto::Match::CONTAINS:
        node.condition = Condition::kContains;
        break;
      case proto::Match::LIKE:
        node.condition = Condition::kLike;
        break;
      default:
        return Error(at_, "unknown kind of match ", int{match.kind()});
    }
    SPILLWAY_ASSIGN_OR_RETURN(node.left, ColumnOrCall(match.operand()));
    const bool like = node.condition == Condition::kLike;
    if (like ? node.left.type->kind() != Kind::kVarchar : !node.left.type->is_string()) {
      return Error(match.operand().at(), "expected a VARCHAR", like ? "" : " or VARBINARY",
                   ", found ", node.left.type->ToString());
    }
    SPILLWAY_ASSIGN_OR_RETURN(const Operand pattern,
                              LiteralOperand(match.pattern(), node.left.type));
    SPILLWAY_RETURN_IF_ERROR(SetOrder(node, *pattern.type, match.pattern().at()));
    node.items.push_back(pattern.literal);
    AddValue(node, pattern.literal);
    if (like && !pattern.literal.is_null()) {
      const absl::Status valid = CheckLikePattern(match.pattern().bytes());
      if (!valid.ok()) return Place(match.pattern().at(), valid);
      node.prefix = LikePrefix(match.pattern().bytes());
    }
    return node;
  }

  const Type& schema_;
  std::string_view text_;
  uint32_t at_ = 0;  // of the node that is being bound
};

void Collect(const Node& node, std::set<int>& columns) {
  for (const Operand* operand : {&node.left, &node.right}) {
    if (operand->column >= 0) columns.insert(operand->column);
  }
  columns.insert(node.columns.begin(), node.columns.end());
  for (const Node& argument : node.arguments) Collect(argument, columns);
}

}  // namespace

absl::StatusOr<Predicate> Predicate::Bind(const proto::Predicate& tree, TypePtr schema,
                                          std::string_view text) {
  SPILLWAY_ASSIGN_OR_RETURN(Node root, Binder(*schema, text).Bind(tree));
  return Predicate(std::move(schema), std::make_shared<const Node>(std::move(root)));
}

absl::StatusOr<Predicate> Predicate::Parse(std::string_view text, TypePtr schema) {
  SPILLWAY_ASSIGN_OR_RETURN(const proto::Predicate tree, ParsePredicate(text));
  return Bind(tree, std::move(schema), text);
}

std::vector<int> Predicate::ColumnsOf(const Node& node) {
  std::set<int> columns;
  Collect(node, columns);
  return {columns.begin(), columns.end()};
}

}  // namespace spillway::stats
