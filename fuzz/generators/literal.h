// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random literals of predicates. A part of predicate.

#include <string>

#include "src/base/random.h"
#include "src/stats/column_stats.h"
#include "src/stats/predicate.pb.h"
#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::fuzz {

// Whether values of `type` compare with each other, in an order that the value oracle knows.
bool IsComparable(const vector::Type& type);

// A literal to stand beside `column`, of a comparable type, with the statistics `stats` (null if
// there are none): a value of it, a bound, a neighbour of either, anything, or null.
stats::proto::Literal MakeLiteral(base::Random& random, const vector::Column& column,
                                  const stats::ColumnStats* stats);

// Bytes to look for in a VARCHAR or VARBINARY column: mostly a beginning of a value or bound, cut
// anywhere, within characters too.
std::string MakePart(base::Random& random, const vector::Column& column,
                     const stats::ColumnStats* stats);

}  // namespace spillway::fuzz
