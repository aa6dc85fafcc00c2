// SPDX-License-Identifier: Apache-2.0
#include "src/stats/interval.h"

#include <cmath>
#include <limits>
#include <optional>

namespace spillway::stats {
namespace {

using vector::Kind;
using vector::Type;

bool IsFloat(const Type& type) {
  return type.kind() == Kind::kReal || type.kind() == Kind::kDouble;
}

void SetBounds(Interval& interval, Order order, const Type& type, const Bounds& bounds,
               bool nan_aware) {
  const std::optional<Value> low = ReadBound(order, type, bounds.lower);
  const std::optional<Value> high = ReadBound(order, type, bounds.upper);
  if (!low || !high || Compare(order, *low, *high) > 0) return;
  interval.low = *low;
  interval.high = *high;
  interval.has_low = true;
  // A writer that rounds up stops at the last microsecond: greater values may be there.
  interval.has_high = type.kind() != Kind::kTimestamp ||
                      high->exact != std::numeric_limits<int64_t>::max();
  interval.maybe_nan = IsFloat(type) && !nan_aware;
}

// What every REAL and DOUBLE lies in.
void SetWholeRange(Interval& interval) {
  interval.low.real = -std::numeric_limits<double>::infinity();
  interval.high.real = std::numeric_limits<double>::quiet_NaN();
  interval.has_low = interval.has_high = true;
}

// The greatest value, absent if none is known.
std::optional<Value> Greatest(const Interval& a) {
  if (!a.has_high) return std::nullopt;
  if (!a.maybe_nan) return a.high;
  Value nan;
  nan.real = std::numeric_limits<double>::quiet_NaN();
  return nan;
}

bool IsPoint(Order order, const Interval& a) {
  return a.has_low && a.has_high && !a.maybe_nan && Compare(order, a.low, a.high) == 0;
}

}  // namespace

Interval IntervalOf(const Operand& operand, Order order, const Value* literal,
                    const BatchStats& stats, int64_t rows, bool nan_aware) {
  Interval interval;
  if (operand.is_literal()) {
    interval.null = operand.literal.is_null();
    interval.value = !interval.null;
    if (literal != nullptr && interval.value) {
      interval.low = interval.high = *literal;
      interval.has_low = interval.has_high = true;
    }
    return interval;
  }
  if (operand.function == Function::kNone && IsFloat(*operand.type)) SetWholeRange(interval);
  if (static_cast<size_t>(operand.column) >= stats.size()) return interval;
  const ColumnStats& column = stats[operand.column];
  const bool all_null = column.null_count == column.count;
  if (column.count != rows || column.null_count > column.count ||
      (all_null && column.bounds.has_value())) {
    return interval;
  }
  interval.null = column.null_count != 0;
  interval.value = !all_null;
  // Where casts do not fail, they give null.
  if (operand.function == Function::kCastToBigint) interval.null = true;
  if (operand.function == Function::kNone && column.bounds.has_value()) {
    SetBounds(interval, order, *operand.type, *column.bounds, nan_aware);
  }
  return interval;
}

bool MayBeLess(Order order, const Interval& a, const Interval& b) {
  const std::optional<Value> greatest = Greatest(b);
  return !a.has_low || !greatest || Compare(order, a.low, *greatest) < 0;
}

bool MayBeAtMost(Order order, const Interval& a, const Interval& b) {
  const std::optional<Value> greatest = Greatest(b);
  return !a.has_low || !greatest || Compare(order, a.low, *greatest) <= 0;
}

bool MayBeEqual(Order order, const Interval& a, const Interval& b) {
  const bool apart = (a.has_low && b.has_high && Compare(order, a.low, b.high) > 0) ||
                     (b.has_low && a.has_high && Compare(order, b.low, a.high) > 0);
  if (!apart) return true;
  return (a.maybe_nan && MayBeNan(b)) || (b.maybe_nan && MayBeNan(a));
}

bool MayDiffer(Order order, const Interval& a, const Interval& b) {
  return !IsPoint(order, a) || !IsPoint(order, b) || Compare(order, a.low, b.low) != 0;
}

bool MayBeNan(const Interval& a) {
  return a.maybe_nan || !a.has_high || std::isnan(a.high.real);
}

bool MayBeOtherThanNan(const Interval& a) { return !a.has_low || !std::isnan(a.low.real); }

}  // namespace spillway::stats
