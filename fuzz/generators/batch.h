// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random batches: what properties of the codec, the statistics and the shuffle are checked over.

#include <cstdint>
#include <iosfwd>

#include "fuzz/generators/column.h"
#include "fuzz/generators/type.h"
#include "rapidcheck.h"
#include "src/base/random.h"
#include "src/vector/batch.h"

namespace spillway::fuzz {

struct BatchOptions {
  TypeOptions types = {};
  Features allowed = kAllFeatures;
  int max_columns = 4;  // at most 31
  int64_t max_rows = 260;
};

// Scalar types without constants and dictionaries.
inline BatchOptions FlatBatches() {
  return {.types = {.nested = false}, .allowed = kFlatFeatures};
}

// A batch of `columns` random columns, at most 31, under a random schema. The same seed gives the
// same batch, and fewer columns its first ones.
vector::Batch MakeBatch(uint64_t seed, int columns, int64_t rows, Features features,
                        const TypeOptions& types);

// Row counts at and about powers of two, and between; shrinks to 0.
rc::Gen<int64_t> AnyRows(int64_t max_rows);

// Shrinks to fewer columns, rows and features and to shallower types. A failing case is printed in
// its neutral form, which FromTextproto reads.
rc::Gen<vector::Batch> AnyBatch(const BatchOptions& options = {});

}  // namespace spillway::fuzz

namespace spillway::vector {

void showValue(const Batch& batch, std::ostream& out);

}  // namespace spillway::vector
