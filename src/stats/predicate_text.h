// SPDX-License-Identifier: Apache-2.0
#pragma once
// Predicates as text, the condition of a WHERE. docs/format/pruning.md.
//
//   c0 >= 5 and (c2 like 'ab%' or c3 is null)
//
//   operand     a column: c0, "a name"; a literal; cast(c0 as BIGINT), abs(c0), length(c0)
//   literal     null true false 12 -0.50 1e300 NaN -Infinity 'it\'s' x'c328' [1, null], with its
//               type in front where it must not be that of the other side: DOUBLE 0.1,
//               DATE '1992-07-08' (or days), TIMESTAMP '1992-07-08 12:30:00.5' (or microseconds)
//   condition   operand = <=> != < <= > >= operand; operand in (literal, ...); operand between
//               literal and literal; operand like 'a%'; operand is null; starts_with(operand,
//               literal), ends_with, contains; is_nan(operand); in_set(operand, literal, ...);
//               opaque('text', column, ...); a BOOLEAN column; true; false
//   predicate   conditions with and, or, not and parentheses; `is not null`, `not in`, `not like`
//               and `not between` are there too
//
// Keywords in any case. Strings know \\ \' \n \r \t \xHH, and \% \_ for LIKE.

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/stats/predicate.pb.h"

namespace spillway::stats {

// Nesting of and, or, not and parentheses, in text and in trees.
inline constexpr int kMaxPredicateDepth = 40;
inline constexpr size_t kMaxPredicateText = size_t{1} << 20;

// The tree that `text` spells, every node with its place in it.
//
//   OK                 the tree; its columns and types are not looked up
//   InvalidArgument    the text breaks the grammar; the message says what stands where, and
//                      base::ByteOffset() has the byte
//   ResourceExhausted  over kMaxPredicateDepth or kMaxPredicateText
absl::StatusOr<proto::Predicate> ParsePredicate(std::string_view text);

// Text that ParsePredicate() reads to the same tree, places aside, if ParsePredicate() made it.
// Other trees give text too, in which a condition without its parts reads `?`.
std::string PredicateToText(const proto::Predicate& predicate);
std::string LiteralToText(const proto::Literal& literal);

}  // namespace spillway::stats
