// SPDX-License-Identifier: Apache-2.0
#pragma once
// Schema D: columns of few values, encoded in memory as a scan of Parquet or a join leaves them. A
// value of each is a function of the row number i; "of n" is a dictionary of n values, i % n.
//
//   c0 INTEGER i, flat                          c7  TIMESTAMP of 30, one a day
//   c1 BIGINT of 100                            c8  DECIMAL(38, 2) of 64
//   c2 VARCHAR of 200, about 20 bytes           c9  VARCHAR of 400, about 55 bytes
//   c3 VARCHAR constant, 28 bytes               c10 ROW of a VARCHAR of 10 and a constant BIGINT
//   c4 INTEGER constant                         c11 ARRAY<VARCHAR> of 16, of 0 to 3 elements
//   c5 VARCHAR of 5, one of them null           c12 VARCHAR 'order-' || i, flat
//   c6 DOUBLE of 50

#include <cstdint>

#include "src/vector/batch.h"

namespace spillway::vector {

const TypePtr& SchemaD();

// Rows [first, first + rows) of the table; all batches share their alphabets. 0 <= first,
// first + rows < 2^31.
Batch SchemaDBatch(int64_t first, int64_t rows);

}  // namespace spillway::vector
