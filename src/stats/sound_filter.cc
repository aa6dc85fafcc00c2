// SPDX-License-Identifier: Apache-2.0
#include "src/stats/sound_filter.h"

#include <string>
#include <string_view>

#include "src/stats/facts.h"
#include "src/stats/interval.h"

namespace spillway::stats {
namespace {

Possible Not(Possible inner) { return {.yes = inner.no, .no = inner.yes}; }

class Judge {
 public:
  Judge(const vector::Type& schema, const BatchStats& stats, int64_t rows, bool nan_aware)
      : schema_(schema), stats_(stats), rows_(rows), nan_aware_(nan_aware) {}

  Possible Of(const Node& node, Explanation* why) const {
    const Possible possible = Joins(node) ? Join(node, why) : Leaf(node);
    if (why != nullptr) {
      why->condition = ConditionText(node);
      why->verdict = !possible.yes ? "never true" : possible.no ? "may be true" : "never false";
      why->skips = !possible.yes;
      if (!Joins(node)) why->reason = Reason(node, possible);
    }
    return possible;
  }

 private:
  static bool Joins(const Node& node) {
    return node.condition == Condition::kAll || node.condition == Condition::kAny ||
           node.condition == Condition::kNot;
  }

  std::string Reason(const Node& node, Possible possible) const {
    if (rows_ == 0) return "no rows";
    std::string reason = FactsOf(node, schema_, stats_, rows_);
    if (!possible.yes) reason += Decider(node);
    return reason;
  }

  // Which statistic proves that a condition is never true.
  std::string Decider(const Node& node) const {
    for (const Operand* operand : {&node.left, &node.right}) {
      if (operand->is_literal()) continue;
      if (!Known(*operand, node.order, nullptr).value) return "; decided by the null count";
    }
    const bool column_left = !node.left.is_literal();
    switch (node.condition) {
      case Condition::kIsNull:
      case Condition::kIsNotNull:
        return "; decided by the null count";
      case Condition::kLess:
      case Condition::kLessEqual:
        return column_left ? "; decided by the lower bound" : "; decided by the upper bound";
      case Condition::kGreater:
      case Condition::kGreaterEqual:
        return column_left ? "; decided by the upper bound" : "; decided by the lower bound";
      case Condition::kConstant:
        return "";
      default:
        return "; decided by the bounds";
    }
  }

  Possible Join(const Node& node, Explanation* why) const {
    const bool all = node.condition == Condition::kAll;
    Possible joined{.yes = all, .no = !all};
    for (const Node& argument : node.arguments) {
      Explanation* part = nullptr;
      if (why != nullptr) part = &why->arguments.emplace_back();
      const Possible one = Of(argument, part);
      if (node.condition == Condition::kNot) return Not(one);
      joined.yes = all ? joined.yes && one.yes : joined.yes || one.yes;
      joined.no = all ? joined.no || one.no : joined.no && one.no;
      // Nothing that follows can change this; an explanation wants to hear it all the same.
      if (why == nullptr && joined.yes != all && joined.no == all) break;
    }
    return joined;
  }

  Possible Leaf(const Node& node) const {
    if (rows_ == 0) return {};
    switch (node.condition) {
      case Condition::kConstant:
        return {.yes = node.constant == true, .no = node.constant == false};
      case Condition::kOpaque:
        return {.yes = true, .no = true};
      case Condition::kColumn:
        return Bare(node);
      case Condition::kIn:
      case Condition::kInSet:
        return In(node);
      case Condition::kIsNull:
      case Condition::kIsNotNull:
      case Condition::kIsNan:
        return Test(node);
      case Condition::kStartsWith:
      case Condition::kEndsWith:
      case Condition::kContains:
      case Condition::kLike:
        return Match(node);
      default:
        return Compare(node);
    }
  }

  Interval Known(const Operand& operand, Order order, const Value* literal) const {
    return IntervalOf(operand, order, literal, stats_, rows_, nan_aware_);
  }

  Possible Compare(const Node& node) const {
    const Value* left_value = nullptr;
    const Value* right_value = nullptr;
    if (!node.values.empty()) {
      if (node.left.is_literal()) left_value = &node.values.front();
      if (node.right.is_literal()) right_value = &node.values.back();
    }
    const Interval a = Known(node.left, node.order, left_value);
    const Interval b = Known(node.right, node.order, right_value);
    const bool values = a.value && b.value;
    if (node.condition == Condition::kNullSafeEqual) {
      return {.yes = (values && MayBeEqual(node.order, a, b)) || (a.null && b.null),
              .no = (values && MayDiffer(node.order, a, b)) || (a.null && b.value) ||
                    (a.value && b.null)};
    }
    if (!values) return {};
    switch (node.condition) {
      case Condition::kNotEqual:
        return {.yes = MayDiffer(node.order, a, b), .no = MayBeEqual(node.order, a, b)};
      case Condition::kLess:
        return {.yes = MayBeLess(node.order, a, b), .no = MayBeAtMost(node.order, b, a)};
      case Condition::kLessEqual:
        return {.yes = MayBeAtMost(node.order, a, b), .no = MayBeLess(node.order, b, a)};
      case Condition::kGreater:
        return {.yes = MayBeLess(node.order, b, a), .no = MayBeAtMost(node.order, a, b)};
      case Condition::kGreaterEqual:
        return {.yes = MayBeAtMost(node.order, b, a), .no = MayBeLess(node.order, a, b)};
      default:
        return {.yes = MayBeEqual(node.order, a, b), .no = MayDiffer(node.order, a, b)};
    }
  }

  Possible Bare(const Node& node) const {
    const Interval a = Known(node.left, Order::kExact, nullptr);
    return {.yes = a.value && (!a.has_high || a.high.exact != 0),
            .no = a.value && (!a.has_low || a.low.exact == 0)};
  }

  Possible In(const Node& node) const {
    if (node.items.empty()) return {.yes = false, .no = true};
    const Interval a = Known(node.left, node.order, nullptr);
    Possible possible{.yes = false, .no = a.value};
    for (size_t i = 0; i < node.items.size(); ++i) {
      if (node.items[i].is_null()) {
        possible.no = false;  // what equals no item is null
        continue;
      }
      Interval item{.null = false};
      if (!node.values.empty()) {
        item.low = item.high = node.values[i];
        item.has_low = item.has_high = true;
      }
      possible.yes |= a.value && MayBeEqual(node.order, a, item);
      possible.no &= MayDiffer(node.order, a, item);
    }
    return possible;
  }

  Possible Test(const Node& node) const {
    if (node.condition == Condition::kIsNan) {
      const Interval a = Known(node.left, Order::kDouble, nullptr);
      return {.yes = a.value && MayBeNan(a), .no = a.null || (a.value && MayBeOtherThanNan(a))};
    }
    const Interval a = Known(node.left, Order::kExact, nullptr);
    const Possible is_null{.yes = a.null, .no = a.value};
    return node.condition == Condition::kIsNull ? is_null : Not(is_null);
  }

  Possible Match(const Node& node) const {
    const Interval a = Known(node.left, node.order, nullptr);
    if (!a.value || node.items[0].is_null()) return {};
    if (node.order != Order::kBytes) return {.yes = true, .no = true};
    const std::string_view pattern = node.values[0].bytes;
    switch (node.condition) {
      case Condition::kStartsWith:
        return Prefix(a, pattern);
      case Condition::kLike:
        return {.yes = Prefix(a, node.prefix).yes, .no = true};
      default:
        return {.yes = true, .no = !pattern.empty()};
    }
  }

  // The first bytes of the bounds, as many as the prefix has: bytes, since a cut at characters
  // would leave too much of a bound (BUGS 11.94).
  static Possible Prefix(const Interval& a, std::string_view prefix) {
    const std::string_view low = a.low.bytes.substr(0, prefix.size());
    const std::string_view high = a.high.bytes.substr(0, prefix.size());
    const bool below = a.has_low && prefix < low;
    const bool above = a.has_high && high < prefix;
    const bool all = a.has_low && a.has_high && low == prefix && high == prefix;
    return {.yes = !below && !above, .no = !all && !prefix.empty()};
  }

  const vector::Type& schema_;
  const BatchStats& stats_;
  int64_t rows_;
  bool nan_aware_;
};

}  // namespace

Possible SoundFilter(const Predicate& predicate, const BatchStats& stats, int64_t rows,
                     bool nan_aware, Explanation* why) {
  return Judge(*predicate.schema(), stats, rows, nan_aware).Of(predicate.root(), why);
}

}  // namespace spillway::stats
