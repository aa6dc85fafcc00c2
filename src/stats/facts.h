// SPDX-License-Identifier: Apache-2.0
#pragma once
// Statistics in words, for explanations and tools.

#include <cstdint>
#include <string>
#include <string_view>

#include "src/stats/blob.h"
#include "src/stats/predicate.h"
#include "src/vector/type.h"

namespace spillway::stats {

// A bound as a literal of predicate_text.h, cut after 40 bytes; "(n bytes)" if it has not its
// type's length.
std::string BoundToText(const vector::Type& type, std::string_view bound);

// "-2 to 7, 1 of 3 null", "no bounds, 3 of 3 null"; what contradicts `rows` or itself is said.
std::string ColumnFacts(const vector::Type& type, const ColumnStats& column, int64_t rows);

// The facts of every column that `node`, which is no and, or, not, reads: "c0: -2 to 7, ...".
std::string FactsOf(const Node& node, const vector::Type& schema, const BatchStats& stats,
                    int64_t rows);

// "and", "or", "not", or the condition's text.
std::string ConditionText(const Node& node);

// All of `node` in a line: "not (c0 > 5 and c1 is null)". Cut after 200 bytes.
std::string NodeText(const Node& node);

}  // namespace spillway::stats
