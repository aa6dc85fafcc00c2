// SPDX-License-Identifier: Apache-2.0
#pragma once
// What statistics tell of the values that one side of a condition can have. A part of sound_filter.

#include <cstdint>

#include "src/stats/blob.h"
#include "src/stats/predicate.h"
#include "src/stats/spark_order.h"

namespace spillway::stats {

// A superset of the values: those from `low` to `high`, NaN besides if `maybe_nan`.
struct Interval {
  bool null = true;   // some row may be null
  bool value = true;  // some row may not be null
  bool has_low = false;
  bool has_high = false;
  bool maybe_nan = false;  // has_high, but NaN is not covered by it
  Value low = {};
  Value high = {};
};

// What is known of `operand` in a batch of `rows` rows. `literal` is its value, if it is a literal.
// A contradiction (counts that do not fit `rows` or each other, inverted bounds) is no knowledge.
Interval IntervalOf(const Operand& operand, Order order, const Value* literal,
                    const BatchStats& stats, int64_t rows, bool nan_aware);

// Whether some value of `a` may be less than (at most, equal to, other than) some value of `b`.
bool MayBeLess(Order order, const Interval& a, const Interval& b);
bool MayBeAtMost(Order order, const Interval& a, const Interval& b);
bool MayBeEqual(Order order, const Interval& a, const Interval& b);
bool MayDiffer(Order order, const Interval& a, const Interval& b);

// Whether NaN may be (something other than NaN may be) among the values of a REAL or DOUBLE.
bool MayBeNan(const Interval& a);
bool MayBeOtherThanNan(const Interval& a);

}  // namespace spillway::stats
