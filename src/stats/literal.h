// SPDX-License-Identifier: Apache-2.0
#pragma once
// Literals of predicates, typed.

#include "absl/status/statusor.h"
#include "src/stats/predicate.pb.h"
#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::stats {

// A value or null of `value`'s type: a column of one row.
struct Literal {
  vector::ColumnPtr value;

  const vector::TypePtr& type() const { return value->type_ptr(); }
  bool is_null() const { return value->IsNull(0); }
};

// The literal beside something of type `beside`; null: beside another literal.
//
//   a type of its own   is kept; the value must be one of that type
//   none                null, true, strings, lists: `beside`, of which they must be values.
//                       Numbers: `beside` if that holds the number exactly, REAL and DOUBLE
//                       always (rounded); otherwise BIGINT, DECIMAL of as many digits as there
//                       are, or, with an exponent, NaN or Infinity, DOUBLE. Dates and timestamps
//                       always have their type in front.
//
//   OK               the literal
//   InvalidArgument  no value of the type; the message says which and why, without a place
absl::StatusOr<Literal> BindLiteral(const proto::Literal& literal, const vector::TypePtr& beside);

}  // namespace spillway::stats
