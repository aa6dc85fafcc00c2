// SPDX-License-Identifier: Apache-2.0
#include "src/stats/matching_rows.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "src/base/status.h"
#include "src/stats/like.h"
#include "src/stats/lower_case.h"
#include "src/stats/spark_characters.h"
#include "src/vector/column_name.h"
#include "src/vector/lazy_column.h"

namespace spillway::stats {
namespace {

// SQL's truth, in the order of AND: the least argument decides; OR: the greatest.
enum class Truth : uint8_t { kFalse, kNull, kTrue };

Truth Of(bool value) { return value ? Truth::kTrue : Truth::kFalse; }

absl::Status CheckCanEvaluate(const Node& node) {
  if (node.condition == Condition::kOpaque) {
    return absl::UnimplementedError(base::Cat("`", node.text, "` cannot be evaluated"));
  }
  if (node.order == Order::kUnknown) {
    return absl::UnimplementedError(
        base::Cat("`", node.text, "`: the order of ", node.left.type->ToString(), " is not known"));
  }
  for (const Node& argument : node.arguments) {
    SPILLWAY_RETURN_IF_ERROR(CheckCanEvaluate(argument));
  }
  return absl::OkStatus();
}

class Evaluator {
 public:
  explicit Evaluator(const vector::Batch& batch) : batch_(batch) {}

  // The first value that could not be cast.
  const absl::Status& error() const { return error_; }

  Truth Evaluate(const Node& node, int64_t row) {
    switch (node.condition) {
      case Condition::kConstant:
        return node.constant ? Of(*node.constant) : Truth::kNull;
      case Condition::kAll:
      case Condition::kAny:
        return Join(node, row);
      case Condition::kNot: {
        const Truth inner = Evaluate(node.arguments[0], row);
        return inner == Truth::kNull ? inner : Of(inner == Truth::kFalse);
      }
      case Condition::kIsNull:
        return Of(CellOf(node.left, row).null);
      case Condition::kIsNotNull:
        return Of(!CellOf(node.left, row).null);
      case Condition::kColumn: {
        const Cell cell = CellOf(node.left, row);
        return cell.null ? Truth::kNull : Of(ReadValue(Order::kExact, cell).exact != 0);
      }
      case Condition::kIsNan: {
        const Cell cell = CellOf(node.left, row);
        return Of(!cell.null && std::isnan(ReadValue(Order::kDouble, cell).real));
      }
      case Condition::kIn:
      case Condition::kInSet:
        return In(node, row);
      case Condition::kStartsWith:
      case Condition::kEndsWith:
      case Condition::kContains:
      case Condition::kLike:
        return Match(node, row);
      default:
        return Comparison(node, row);
    }
  }

 private:
  Truth Join(const Node& node, int64_t row) {
    const bool all = node.condition == Condition::kAll;
    Truth joined = Of(all);
    for (const Node& argument : node.arguments) {
      const Truth one = Evaluate(argument, row);
      if (all ? one < joined : one > joined) joined = one;
    }
    return joined;
  }

  Cell CellOf(const Operand& operand, int64_t row) const {
    if (operand.is_literal()) return Peel(*operand.literal.value, 0);
    return Peel(batch_.column(operand.column), row);
  }

  // The value of an operand that is not null.
  Value ValueOf(const Operand& operand, Order order, const Cell& cell) {
    switch (operand.function) {
      case Function::kAbs: {
        Value value = ReadValue(order, cell);
        if (value.exact < 0) value.exact = -value.exact;
        value.real = std::fabs(value.real);
        return value;
      }
      case Function::kLength: {
        const std::string_view text = ReadValue(Order::kBytes, cell).bytes;
        const bool binary = cell.column->type().kind() == vector::Kind::kVarbinary;
        return Number(order, binary ? static_cast<int64_t>(text.size()) : SparkLength(text));
      }
      case Function::kCastToBigint: {
        const std::string_view text = ReadValue(Order::kBytes, cell).bytes;
        int64_t value = 0;
        if (!absl::SimpleAtoi(base::ToAbsl(text), &value) && error_.ok()) {
          error_ = base::Invalid("row ", cell.row, ": `", text.substr(0, 64), "` is no BIGINT");
        }
        return Number(order, value);
      }
      default:
        return ReadValue(order, cell);
    }
  }

  static Value Number(Order order, int64_t value) {
    if (order == Order::kDouble) return {.real = static_cast<double>(value)};
    return {.exact = value};
  }

  Truth Comparison(const Node& node, int64_t row) {
    const Cell left = CellOf(node.left, row);
    const Cell right = CellOf(node.right, row);
    if (left.null || right.null) {
      if (node.condition == Condition::kNullSafeEqual) return Of(left.null && right.null);
      return Truth::kNull;
    }
    const int order = node.order == Order::kList
                          ? CompareCells(node.order, left, right)
                          : Compare(node.order, ValueOf(node.left, node.order, left),
                                    ValueOf(node.right, node.order, right));
    switch (node.condition) {
      case Condition::kNotEqual:
        return Of(order != 0);
      case Condition::kLess:
        return Of(order < 0);
      case Condition::kLessEqual:
        return Of(order <= 0);
      case Condition::kGreater:
        return Of(order > 0);
      case Condition::kGreaterEqual:
        return Of(order >= 0);
      default:
        return Of(order == 0);
    }
  }

  Truth In(const Node& node, int64_t row) {
    if (node.items.empty()) return Truth::kFalse;  // even for null: Spark, since 3.5
    const Cell cell = CellOf(node.left, row);
    if (cell.null) return Truth::kNull;
    Truth found = Truth::kFalse;
    for (size_t i = 0; i < node.items.size(); ++i) {
      const Literal& item = node.items[i];
      if (item.is_null()) {
        found = Truth::kNull;
      } else if (node.order == Order::kList
                     ? CompareCells(node.order, cell, Peel(*item.value, 0)) == 0
                     : Compare(node.order, ValueOf(node.left, node.order, cell),
                               node.values[i]) == 0) {
        return Truth::kTrue;
      }
    }
    return found;
  }

  Truth Match(const Node& node, int64_t row) {
    const Cell cell = CellOf(node.left, row);
    if (cell.null || node.items[0].is_null()) return Truth::kNull;
    std::string_view text = ReadValue(node.order, cell).bytes;
    std::string_view pattern = node.values[0].bytes;
    std::string lower_text;
    std::string lower_pattern;
    if (node.order == Order::kLowerCase) {
      lower_text = LowerCase(text);
      lower_pattern = LowerCase(pattern);
      text = lower_text;
      pattern = lower_pattern;
    }
    switch (node.condition) {
      case Condition::kStartsWith:
        return Of(text.substr(0, pattern.size()) == pattern);
      case Condition::kEndsWith:
        return Of(text.size() >= pattern.size() &&
                  text.substr(text.size() - pattern.size()) == pattern);
      case Condition::kContains:
        return Of(text.find(pattern) != std::string_view::npos);
      default:
        return Of(IsLike(text, pattern));
    }
  }

  const vector::Batch& batch_;
  absl::Status error_;
};

}  // namespace

absl::StatusOr<std::vector<int64_t>> MatchingRows(const Predicate& predicate,
                                                  const vector::Batch& batch) {
  SPILLWAY_RETURN_IF_ERROR(CheckCanEvaluate(predicate.root()));
  const vector::Type& schema = *predicate.schema();
  std::vector<vector::ColumnPtr> columns = batch.columns();
  for (const int column : Predicate::ColumnsOf(predicate.root())) {
    const bool there = static_cast<size_t>(column) < batch.columns().size() &&
                       batch.column(column).type() == *schema.children()[column];
    if (!there) return base::Invalid("the batch has no ", vector::ColumnName(schema, column));
    SPILLWAY_ASSIGN_OR_RETURN(columns[column], base::In(vector::ColumnName(schema, column),
                                                        vector::Load(columns[column])));
  }
  const vector::Batch loaded(batch.schema(), batch.rows(), std::move(columns));
  Evaluator evaluator(loaded);
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < batch.rows(); ++row) {
    if (evaluator.Evaluate(predicate.root(), row) == Truth::kTrue) rows.push_back(row);
  }
  if (!evaluator.error().ok()) return evaluator.error();
  return rows;
}

}  // namespace spillway::stats
