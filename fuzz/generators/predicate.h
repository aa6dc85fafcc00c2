// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random predicates over a batch, made to lie at the edge of what its statistics tell.

#include <cstdint>
#include <iosfwd>

#include "rapidcheck.h"
#include "src/base/random.h"
#include "src/stats/blob.h"
#include "src/stats/predicate.pb.h"
#include "src/vector/batch.h"
#include "src/vector/column.h"

namespace spillway::fuzz {

struct PredicateOptions {
  int max_depth = 3;  // of and, or, not
};

// Every condition of predicate.proto but `opaque`, over columns of every type. Literals are values
// of the column, bounds of `stats` (of the batch, or empty), their neighbours, nulls, values at
// random, and values in another type that compares. It binds to the batch's schema, and the value
// oracle can evaluate it: only columns whose strings are numbers are cast.
stats::proto::Predicate MakePredicate(base::Random& random, const vector::Batch& batch,
                                      const stats::BatchStats& stats,
                                      const PredicateOptions& options = {});

// MakePredicate, shrinking towards the parts of the tree.
rc::Gen<stats::proto::Predicate> AnyPredicate(vector::Batch batch, stats::BatchStats stats,
                                              const PredicateOptions& options = {});

// A VARCHAR column whose strings are whole numbers, which no other generator makes.
vector::ColumnPtr MakeNumberStrings(base::Random& random, int64_t rows);

}  // namespace spillway::fuzz

namespace spillway::stats::proto {

// How RapidCheck prints a predicate of a failing case: as ParsePredicate reads it.
void showValue(const Predicate& predicate, std::ostream& out);

}  // namespace spillway::stats::proto
