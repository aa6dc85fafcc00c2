// SPDX-License-Identifier: Apache-2.0
#pragma once
// Null bitmaps between their two forms. On the wire: most significant bit first,
// 1 = null. In memory (vector::Validity): least significant bit first, 1 = not null.

#include <cstdint>

#include "src/vector/validity.h"

namespace spillway::page {

constexpr int64_t NullBytes(int64_t rows) { return (rows + 7) / 8; }

// 64 rows' validity bits from `row` on, row `row` in the lowest bit. Bits of rows at or past `rows`
// are zero. Never reads past the bitmap's last byte.
uint64_t ValidWord(const vector::Validity& validity, int64_t row, int64_t rows);

// Writes NullBytes(rows) bytes and returns their end. Pad bits are zero: Velox leaves heap bytes
// there, which makes its pages differ from run to run (apache/gluten#12196). May also overwrite up
// to 7 bytes behind the end.
uint8_t* WriteNullBits(const vector::Validity& validity, int64_t rows, uint8_t* out);

// The validity of `rows` > 0 rows from NullBytes(rows) bytes at `wire`; pad bits are ignored.
vector::Validity ReadNullBits(const uint8_t* wire, int64_t rows);

}  // namespace spillway::page
