// SPDX-License-Identifier: Apache-2.0
#include "fuzz/generators/predicate.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/generators/literal.h"
#include "fuzz/generators/type.h"
#include "src/stats/predicate_text.h"
#include "src/stats/spark_order.h"
#include "src/vector/build.h"

namespace spillway::fuzz {
namespace {

using stats::proto::Call;
using stats::proto::Comparison;
using stats::proto::Match;
using stats::proto::Operand;
using stats::proto::Predicate;
using stats::proto::Test;
using vector::Kind;
using vector::Type;

bool IsNumber(const Type& type) {
  return type.kind() >= Kind::kTinyint && type.kind() <= Kind::kLongDecimal;
}

// Of up to 18 digits, which any reader of BIGINT takes.
bool IsWhole(std::string_view text) {
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

class PredicateMaker {
 public:
  PredicateMaker(base::Random& random, const vector::Batch& batch, const stats::BatchStats& stats)
      : random_(random), batch_(batch), stats_(stats) {}

  Predicate Tree(int depth) {
    Predicate node;
    switch (depth > 0 ? random_.Below(6) : 5) {
      case 0:
        Arguments(depth, *node.mutable_all());
        return node;
      case 1:
        Arguments(depth, *node.mutable_any());
        return node;
      case 2:
        *node.mutable_negation() = Tree(depth - 1);
        return node;
      default:
        return Leaf();
    }
  }

 private:
  bool Chance(uint64_t one_in) { return random_.Below(one_in) == 0; }

  const Type& TypeOf(size_t column) const { return *batch_.schema()->children()[column]; }
  const std::string& NameOf(size_t column) const { return batch_.schema()->names()[column]; }

  void Arguments(int depth, stats::proto::Arguments& out) {
    for (uint64_t i = 1 + random_.Below(3); i > 0; --i) *out.add_arguments() = Tree(depth - 1);
  }

  Operand ColumnOperand(size_t column) const {
    Operand operand;
    operand.set_column(NameOf(column));
    return operand;
  }

  stats::proto::Literal LiteralFor(size_t column) {
    return MakeLiteral(random_, batch_.column(column),
                       column < stats_.size() ? &stats_[column] : nullptr);
  }

  Predicate Leaf() {
    if (batch_.columns().empty() || Chance(30)) {
      Predicate node;
      node.mutable_constant();
      if (!Chance(3)) node.mutable_constant()->set_value(Chance(2));
      return node;
    }
    const size_t column = random_.Below(batch_.columns().size());
    const Type& type = TypeOf(column);
    if (Chance(8) || !IsComparable(type)) return NullTest(column);
    if (type.kind() == Kind::kBoolean && Chance(4)) {
      Predicate node;
      node.set_column(NameOf(column));
      return node;
    }
    const bool real = type.kind() == Kind::kReal || type.kind() == Kind::kDouble;
    if (real && Chance(8)) {
      Predicate node;
      node.mutable_test()->set_kind(Test::IS_NAN);
      *node.mutable_test()->mutable_operand() = ColumnOperand(column);
      return node;
    }
    if (type.is_string() && Chance(3)) return Part(column);
    if (Chance(8)) return CallComparison(column);
    switch (random_.Below(8)) {
      case 0:
        return In(column);
      case 1:
        return Between(column);
      case 2:
        return ColumnsComparison(column);
      default: {
        Operand literal;
        *literal.mutable_literal() = LiteralFor(column);
        return Compare(ColumnOperand(column), std::move(literal));
      }
    }
  }

  Predicate NullTest(size_t column) {
    Predicate node;
    node.mutable_test()->set_kind(Chance(2) ? Test::IS_NULL : Test::IS_NOT_NULL);
    *node.mutable_test()->mutable_operand() = ColumnOperand(column);
    return node;
  }

  // `a` and `b` in either order.
  Predicate Compare(Operand a, Operand b) {
    if (Chance(4)) std::swap(a, b);
    Predicate node;
    Comparison& compare = *node.mutable_compare();
    compare.set_operator_(
        static_cast<Comparison::Operator>(random_.Below(Comparison::Operator_ARRAYSIZE)));
    *compare.mutable_left() = std::move(a);
    *compare.mutable_right() = std::move(b);
    return node;
  }

  // With another column that compares, the same one at least.
  Predicate ColumnsComparison(size_t column) {
    std::vector<size_t> others;
    for (size_t i = 0; i < batch_.columns().size(); ++i) {
      const auto order = stats::OrderOf(TypeOf(column), TypeOf(i));
      if (order.has_value() && *order != stats::Order::kUnknown) others.push_back(i);
    }
    return Compare(ColumnOperand(column), ColumnOperand(others[random_.Below(others.size())]));
  }

  Predicate In(size_t column) {
    Predicate node;
    stats::proto::In& in = *node.mutable_in();
    *in.mutable_operand() = ColumnOperand(column);
    in.set_set(Chance(4));
    for (uint64_t i = random_.Below(4); i > 0; --i) *in.add_items() = LiteralFor(column);
    return node;
  }

  Predicate Between(size_t column) {
    Predicate node;
    for (const auto side : {Comparison::GREATER_EQUAL, Comparison::LESS_EQUAL}) {
      Comparison& compare = *node.mutable_all()->add_arguments()->mutable_compare();
      compare.set_operator_(side);
      *compare.mutable_left() = ColumnOperand(column);
      *compare.mutable_right()->mutable_literal() = LiteralFor(column);
    }
    return node;
  }

  Predicate Part(size_t column) {
    Predicate node;
    Match& match = *node.mutable_match();
    *match.mutable_operand() = ColumnOperand(column);
    if (Chance(20)) return node;  // starts_with(column, null)
    std::string part = MakePart(random_, batch_.column(column),
                                column < stats_.size() ? &stats_[column] : nullptr);
    switch (random_.Below(6)) {
      case 0:
        match.set_kind(Match::ENDS_WITH);
        break;
      case 1:
        match.set_kind(Match::CONTAINS);
        break;
      case 2:
        if (TypeOf(column).kind() != Kind::kVarchar) break;
        match.set_kind(Match::LIKE);
        part = Pattern(part);
        break;
      default:
        break;
    }
    match.mutable_pattern()->set_bytes(std::move(part));
    return node;
  }

  // A LIKE pattern that `part` matches, mostly.
  std::string Pattern(std::string_view part) {
    std::string pattern = Chance(8) ? "%" : "";
    for (const char c : part) {
      if (c == '%' || c == '_' || c == '\\') pattern += '\\';
      pattern += Chance(16) && c != '\\' ? '_' : c;
      if (Chance(16)) pattern += '%';
    }
    return Chance(3) ? pattern : pattern + '%';
  }

  // abs, length or cast beside a number.
  Predicate CallComparison(size_t column) {
    const Type& type = TypeOf(column);
    Operand call;
    call.mutable_call()->set_column(NameOf(column));
    Operand literal;
    if (IsNumber(type) && type.kind() != Kind::kHugeint) {
      call.mutable_call()->set_function(Call::ABS);
      *literal.mutable_literal() = LiteralFor(column);
    } else if (type.is_string()) {
      const bool cast = Chance(2) && HoldsNumbers(column);
      call.mutable_call()->set_function(cast ? Call::CAST : Call::LENGTH);
      const int64_t number = cast ? random_.Between(-1000, 1000) : random_.Between(-1, 300);
      literal.mutable_literal()->set_number(std::to_string(number));
    } else {
      return NullTest(column);
    }
    return Compare(std::move(call), std::move(literal));
  }

  bool HoldsNumbers(size_t column) const {
    if (TypeOf(column).kind() != Kind::kVarchar) return false;
    for (int64_t row = 0; row < batch_.rows(); ++row) {
      const stats::Cell cell = stats::Peel(batch_.column(column), row);
      if (!cell.null && !IsWhole(cell.column->As<vector::StringColumn>().Value(cell.row))) {
        return false;
      }
    }
    return true;
  }

  base::Random& random_;
  const vector::Batch& batch_;
  const stats::BatchStats& stats_;
};

std::vector<Predicate> PartsOf(const Predicate& predicate) {
  if (predicate.has_negation()) return {predicate.negation()};
  const auto& arguments =
      predicate.has_all() ? predicate.all().arguments() : predicate.any().arguments();
  return {arguments.begin(), arguments.end()};
}

}  // namespace

Predicate MakePredicate(base::Random& random, const vector::Batch& batch,
                        const stats::BatchStats& stats, const PredicateOptions& options) {
  return PredicateMaker(random, batch, stats).Tree(options.max_depth);
}

rc::Gen<Predicate> AnyPredicate(vector::Batch batch, stats::BatchStats stats,
                                const PredicateOptions& options) {
  return rc::gen::shrink(
      rc::gen::map(AnySeed(),
                   [batch = std::move(batch), stats = std::move(stats), options](uint64_t seed) {
                     base::Random random(seed);
                     return MakePredicate(random, batch, stats, options);
                   }),
      [](const Predicate& predicate) { return rc::seq::fromContainer(PartsOf(predicate)); });
}

vector::ColumnPtr MakeNumberStrings(base::Random& random, int64_t rows) {
  std::vector<std::optional<std::string>> values(rows);
  for (auto& value : values) {
    if (random.Below(6) != 0) value = std::to_string(random.Between(-1200, 1200));
  }
  return vector::Strings(Type::Scalar(Kind::kVarchar), values);
}

}  // namespace spillway::fuzz

namespace spillway::stats::proto {

void showValue(const Predicate& predicate, std::ostream& out) {
  out << PredicateToText(predicate);
}

}  // namespace spillway::stats::proto
