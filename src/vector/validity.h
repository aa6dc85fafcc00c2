// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which rows of a column are null.

#include <cstdint>

#include "src/vector/buffer.h"

namespace spillway::vector {

// A bitmap as Arrow and Velox keep it in memory: least significant bit first, 1 = not null. (The
// wire has it the other way round; see src/page/null_bits.h.) Columns without nulls and columns of
// nulls only need no bits.
class Validity {
 public:
  // No row is null.
  Validity() = default;
  // All of `rows` rows are null.
  static Validity AllNull(int64_t rows);
  // Row r is bit `bit_offset` + r of `bits`. `null_count` must be the number of zero bits.
  static Validity FromBits(Buffer bits, int64_t bit_offset, int64_t null_count);
  // As above for `rows` rows, counting the nulls.
  static Validity CountBits(Buffer bits, int64_t bit_offset, int64_t rows);

  int64_t null_count() const { return null_count_; }
  bool has_nulls() const { return null_count_ != 0; }
  // True: every row is null and bits() is empty.
  bool all_null() const { return all_null_; }

  bool IsNull(int64_t row) const {
    if (all_null_) return true;
    if (!has_nulls()) return false;
    const int64_t bit = bit_offset_ + row;
    return ((bits_.data()[bit >> 3] >> (bit & 7)) & 1) == 0;
  }

  // The bitmap, if there is one. It may be there though no row is null, and is charged then.
  const Buffer& bits() const { return bits_; }
  int64_t bit_offset() const { return bit_offset_; }

  // Rows [offset, offset + rows): shares the bits.
  Validity Slice(int64_t offset, int64_t rows) const;

 private:
  Buffer bits_;
  int64_t bit_offset_ = 0;
  int64_t null_count_ = 0;
  bool all_null_ = false;
};

// Number of zero bits among bits [offset, offset + count) of `bits`.
int64_t CountZeroBits(const uint8_t* bits, int64_t offset, int64_t count);

}  // namespace spillway::vector
