// SPDX-License-Identifier: Apache-2.0
#pragma once
// A predicate bound to a schema: columns found, literals typed, every comparison known to have a
// meaning. What the value oracle (matching_rows.h) and pruning (prune.h) walk over.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "src/stats/literal.h"
#include "src/stats/predicate.pb.h"
#include "src/stats/spark_order.h"
#include "src/vector/type.h"

namespace spillway::stats {

enum class Function : uint8_t { kNone, kCastToBigint, kAbs, kLength };

// A column, a function of a column, or a literal.
struct Operand {
  int column = -1;  // -1: a literal
  Function function = Function::kNone;
  Literal literal = {};  // typed
  vector::TypePtr type = nullptr;

  bool is_literal() const { return column < 0; }
  bool is_plain_column() const { return column >= 0 && function == Function::kNone; }
};

enum class Condition : uint8_t {
  kConstant,
  kColumn,  // a bare BOOLEAN column
  kEqual,
  kNullSafeEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kInSet,
  kIsNull,
  kIsNotNull,
  kIsNan,
  kStartsWith,
  kEndsWith,
  kContains,
  kLike,
  kAll,
  kAny,
  kNot,
  kOpaque,
};

// `condition` tells which members mean something.
struct Node {
  Condition condition = Condition::kConstant;
  std::optional<bool> constant = {};  // absent: null
  Operand left = {};             // of everything that has operands
  Operand right = {};            // of comparisons
  Order order = Order::kExact;   // in which left is compared with right or the items
  std::vector<Literal> items =
      {};  // kIn, kInSet: in order, nulls included; kStartsWith ... kLike: 1
  std::vector<Node> arguments = {};  // kAll, kAny; kNot: 1
  std::vector<int> columns = {};     // kOpaque
  // The literals of `right` or `items` in the form of `order`; nulls are Value{}. Empty where
  // `order` has no such form. Borrow from the literals.
  std::vector<Value> values = {};
  std::string prefix = {};  // kLike: LikePrefix() of the pattern
  std::string text = {};    // the condition, in short; empty for kAll, kAny, kNot
};

// Immutable; copies share everything.
class Predicate {
 public:
  // `tree` over the columns of `schema`, a ROW type. A column is known by its exact name. If the
  // tree was parsed from `text`, errors say where in it they are.
  //
  //   OK                 the predicate. `<=> null` has become IS NULL
  //   InvalidArgument    no such column (the nearest name is suggested) or several of the name; a
  //                      literal that is no value of its type; operands that do not compare; a
  //                      node without its parts
  //   ResourceExhausted  nested deeper than kMaxPredicateDepth
  static absl::StatusOr<Predicate> Bind(const proto::Predicate& tree, vector::TypePtr schema,
                                        std::string_view text = {});

  // ParsePredicate() and Bind().
  static absl::StatusOr<Predicate> Parse(std::string_view text, vector::TypePtr schema);

  const vector::TypePtr& schema() const { return schema_; }
  const Node& root() const { return *root_; }

  // The columns that `node` reads, each once, ascending.
  static std::vector<int> ColumnsOf(const Node& node);

 private:
  Predicate(vector::TypePtr schema, std::shared_ptr<const Node> root)
      : schema_(std::move(schema)), root_(std::move(root)) {}

  vector::TypePtr schema_;
  std::shared_ptr<const Node> root_;
};

}  // namespace spillway::stats
