// SPDX-License-Identifier: Apache-2.0
#include "src/stats/spark_filter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/stats/facts.h"
#include "src/stats/spark_characters.h"

namespace spillway::stats {
namespace {

using vector::Kind;
using vector::Type;

FilterTruth TruthOf(bool value) { return value ? FilterTruth::kTrue : FilterTruth::kFalse; }

// Three-valued AND and OR: kFalse < kNull < kTrue.
FilterTruth And(FilterTruth a, FilterTruth b) { return std::min(a, b); }
FilterTruth Or(FilterTruth a, FilterTruth b) { return std::max(a, b); }

bool Reads(FilterTruth truth) {
  return truth == FilterTruth::kTrue || truth == FilterTruth::kNone;
}

std::string_view Name(FilterTruth truth) {
  switch (truth) {
    case FilterTruth::kFalse:
      return "false";
    case FilterTruth::kNull:
      return "null";
    case FilterTruth::kTrue:
      return "true";
    default:
      return "no filter";
  }
}

// Types of literals that Spark looks at: atomic ones except BINARY.
bool IsExtractable(const Type& type) {
  return !type.is_nested() && type.kind() != Kind::kVarbinary && type.kind() != Kind::kUnknown;
}

// UTF8String.substring(0, characters). It copies as many bytes as the last first byte announces,
// though the text ends before; what lies behind is taken as zeros here.
std::string SparkSubstring(std::string_view text, int64_t characters) {
  size_t end = 0;
  for (int64_t i = 0; i < characters && end < text.size(); ++i) {
    end += SparkCharacterSize(text[end]);
  }
  std::string out(text.substr(0, end));
  out.resize(end, '\0');
  return out;
}

class Filter {
 public:
  Filter(const Type& schema, const BatchStats& stats, int64_t rows)
      : schema_(schema), stats_(stats), rows_(rows) {}

  FilterTruth Of(const Node& node, Explanation* why) const {
    const bool joins = node.condition == Condition::kAll || node.condition == Condition::kAny;
    const FilterTruth truth = joins ? Join(node, why) : Leaf(node);
    if (why != nullptr) {
      // Spark does not look into NOT.
      why->condition = joins ? ConditionText(node) : NodeText(node);
      why->verdict = std::string(Name(truth));
      why->skips = !Reads(truth);
      if (!joins) why->reason = FactsOf(node, schema_, stats_, rows_);
    }
    return truth;
  }

 private:
  FilterTruth Join(const Node& node, Explanation* why) const {
    const bool all = node.condition == Condition::kAll;
    std::optional<FilterTruth> joined;
    bool whole = true;  // every side has a filter
    for (const Node& argument : node.arguments) {
      Explanation* part = nullptr;
      if (why != nullptr) part = &why->arguments.emplace_back();
      const FilterTruth one = Of(argument, part);
      if (one == FilterTruth::kNone) {
        whole = false;
      } else {
        joined = !joined ? one : all ? And(*joined, one) : Or(*joined, one);
      }
    }
    if (!joined || (!all && !whole)) return FilterTruth::kNone;
    return *joined;
  }

  FilterTruth Leaf(const Node& node) const {
    switch (node.condition) {
      case Condition::kIsNull:
      case Condition::kIsNotNull:
        return Counts(node);
      case Condition::kIn:
        return In(node);
      case Condition::kStartsWith:
        return Prefix(node);
      case Condition::kEqual:
      case Condition::kNullSafeEqual:
      case Condition::kLess:
      case Condition::kLessEqual:
      case Condition::kGreater:
      case Condition::kGreaterEqual:
        return Compare(node);
      default:
        return FilterTruth::kNone;
    }
  }

  const ColumnStats* StatsOf(const Operand& operand) const {
    if (!operand.is_plain_column() || static_cast<size_t>(operand.column) >= stats_.size()) {
      return nullptr;
    }
    return &stats_[operand.column];
  }

  FilterTruth Counts(const Node& node) const {
    const ColumnStats* column = StatsOf(node.left);
    if (column == nullptr) return FilterTruth::kNone;
    const int64_t nulls = column->null_count;
    return TruthOf(node.condition == Condition::kIsNull ? nulls > 0 : column->count - nulls > 0);
  }

  // Whether Spark looks at a literal of `type` beside the column `operand`; casts around the column
  // are in its way.
  bool IsFilterable(const Operand& operand, const Type& type) const {
    return StatsOf(operand) != nullptr && *operand.type == type && IsExtractable(type);
  }

  struct Ends {
    std::optional<Value> low;
    std::optional<Value> high;
  };
  Ends EndsOf(const Operand& operand, Order order) const {
    const std::optional<Bounds>& bounds = StatsOf(operand)->bounds;
    if (!bounds.has_value() || order == Order::kLowerCase || order == Order::kUnknown) return {};
    return {ReadBound(order, *operand.type, bounds->lower),
            ReadBound(order, *operand.type, bounds->upper)};
  }

  // low <= value AND value <= high. `value` absent: null.
  static FilterTruth Between(Order order, const Ends& ends, const Value* value) {
    const auto at_most = [&](const Value* a, const Value* b) {
      if (a == nullptr || b == nullptr) return FilterTruth::kNull;
      return TruthOf(stats::Compare(order, *a, *b) <= 0);
    };
    return And(at_most(ends.low ? &*ends.low : nullptr, value),
               at_most(value, ends.high ? &*ends.high : nullptr));
  }

  FilterTruth Compare(const Node& node) const {
    const bool swapped = node.left.is_literal();
    const Operand& column = swapped ? node.right : node.left;
    const Operand& literal = swapped ? node.left : node.right;
    if (!literal.is_literal() || !IsFilterable(column, *literal.type)) return FilterTruth::kNone;
    const Ends ends = EndsOf(column, node.order);
    const Value* value =
        literal.literal.is_null() || node.values.empty() ? nullptr : &node.values[0];
    if (node.condition == Condition::kEqual || node.condition == Condition::kNullSafeEqual) {
      return Between(node.order, ends, value);
    }
    const bool less =
        node.condition == Condition::kLess || node.condition == Condition::kLessEqual;
    const bool strict = node.condition == Condition::kLess || node.condition == Condition::kGreater;
    // column < value reads the lower bound, column > value the upper one.
    const bool reads_low = less != swapped;
    const std::optional<Value>& bound = reads_low ? ends.low : ends.high;
    if (!bound || value == nullptr) return FilterTruth::kNull;
    const int order = stats::Compare(node.order, *bound, *value) * (reads_low ? 1 : -1);
    return TruthOf(strict ? order < 0 : order <= 0);
  }

  FilterTruth In(const Node& node) const {
    if (node.items.empty()) return FilterTruth::kNone;
    for (const Literal& item : node.items) {
      if (!IsFilterable(node.left, *item.type())) return FilterTruth::kNone;
    }
    const Ends ends = EndsOf(node.left, node.order);
    FilterTruth any = FilterTruth::kFalse;
    for (size_t i = 0; i < node.items.size(); ++i) {
      const bool null = node.items[i].is_null() || node.values.empty();
      any = Or(any, Between(node.order, ends, null ? nullptr : &node.values[i]));
    }
    return any;
  }

  FilterTruth Prefix(const Node& node) const {
    if (!IsFilterable(node.left, *node.items[0].type())) return FilterTruth::kNone;
    const Ends ends = EndsOf(node.left, node.order);
    if (!ends.low || !ends.high || node.items[0].is_null()) return FilterTruth::kNull;
    const std::string_view prefix = node.values[0].bytes;
    const int64_t characters = SparkLength(prefix);
    return And(TruthOf(SparkSubstring(ends.low->bytes, characters) <= prefix),
               TruthOf(prefix <= SparkSubstring(ends.high->bytes, characters)));
  }

  const Type& schema_;
  const BatchStats& stats_;
  int64_t rows_;
};

// Spark has the conjuncts of a condition as a list.
void Collect(const Type& schema, const Node& node, std::vector<Conjunct>& out) {
  if (node.condition == Condition::kAll) {
    for (const Node& argument : node.arguments) Collect(schema, argument, out);
    return;
  }
  Conjunct conjunct{.node = &node, .columns = Predicate::ColumnsOf(node)};
  for (const int column : conjunct.columns) {
    conjunct.collated |= !schema.children()[column]->collation().empty();
  }
  out.push_back(std::move(conjunct));
}

}  // namespace

FilterTruth SparkFilter(const Predicate& predicate, const BatchStats& stats, int64_t rows,
                        Explanation* why) {
  return Filter(*predicate.schema(), stats, rows).Of(predicate.root(), why);
}

std::vector<Conjunct> ConjunctsOf(const Predicate& predicate) {
  std::vector<Conjunct> conjuncts;
  Collect(*predicate.schema(), predicate.root(), conjuncts);
  return conjuncts;
}

bool GlutenSkips(const Predicate& predicate, const std::vector<Conjunct>& conjuncts,
                 const BatchStats& stats, int64_t rows, Explanation* why) {
  const Filter filter(*predicate.schema(), stats, rows);
  FilterTruth joined = FilterTruth::kTrue;
  bool bypass = false;
  for (const Conjunct& conjunct : conjuncts) {
    Explanation* part = why == nullptr ? nullptr : &why->arguments.emplace_back();
    const FilterTruth truth = filter.Of(*conjunct.node, part);
    if (conjunct.collated) {
      if (part != nullptr) {
        part->verdict = "dropped: a collated column";
        part->skips = false;
      }
      continue;
    }
    for (const int column : conjunct.columns) {
      const auto index = static_cast<size_t>(column);
      bypass |= index >= stats.size() || !stats[index].bounds.has_value();
    }
    if (truth != FilterTruth::kNone) joined = And(joined, truth);
  }
  if (why != nullptr) {
    why->condition = "and";
    why->verdict = bypass ? "bypassed: a column without bounds" : std::string(Name(joined));
    why->skips = !bypass && !Reads(joined);
  }
  return !bypass && !Reads(joined);
}

}  // namespace spillway::stats
