// SPDX-License-Identifier: Apache-2.0
#pragma once
// Schema S: the 16 columns of the published table-cache benchmark, a value of each a function of
// the row number i.
//
//   c0 int i         c4 int i % 100    c8  'payload-b-' || i % 100000    c12 int 3i
//   c1 int i         c5 int 2i         c9  int i + 1                     c13 as c8, 'payload-c-'
//   c2 string i      c6 double i       c10 string i                      c14 int i % 200
//   c3 as c8, 'payload-a-'             c7  int i % 10    c11 int i % 50  c15 double i

#include <cstdint>

#include "src/vector/batch.h"

namespace spillway::vector {

const TypePtr& SchemaS();

// Row numbers are below this.
inline constexpr int64_t kMaxSchemaSRow = 1'000'000'000'000'000;

// Rows [first, first + rows) of the table, without nulls; ints wrap like Spark's. 0 <= first,
// first + rows <= kMaxSchemaSRow, and rows so few that no column has 2^31 bytes.
Batch SchemaSBatch(int64_t first, int64_t rows);

}  // namespace spillway::vector
