// SPDX-License-Identifier: Apache-2.0
#include "src/vector/validity.h"

#include <bit>
#include <utility>

#include "src/base/little_endian.h"

namespace spillway::vector {

Validity Validity::AllNull(int64_t rows) {
  Validity out;
  out.null_count_ = rows;
  out.all_null_ = rows != 0;
  return out;
}

Validity Validity::FromBits(Buffer bits, int64_t bit_offset, int64_t null_count) {
  Validity out;
  out.bits_ = std::move(bits);
  out.bit_offset_ = bit_offset;
  out.null_count_ = null_count;
  return out;
}

Validity Validity::CountBits(Buffer bits, int64_t bit_offset, int64_t rows) {
  const int64_t nulls = CountZeroBits(bits.data(), bit_offset, rows);
  return FromBits(std::move(bits), bit_offset, nulls);
}

Validity Validity::Slice(int64_t offset, int64_t rows) const {
  if (all_null_) return AllNull(rows);
  if (bits_.empty()) return Validity();
  const int64_t nulls =
      has_nulls() ? CountZeroBits(bits_.data(), bit_offset_ + offset, rows) : 0;
  return FromBits(bits_, bit_offset_ + offset, nulls);
}

int64_t CountZeroBits(const uint8_t* bits, int64_t offset, int64_t count) {
  const auto bit = [&](int64_t i) { return (bits[i >> 3] >> (i & 7)) & 1; };
  int64_t ones = 0;
  int64_t i = offset;
  const int64_t end = offset + count;
  for (; i < end && (i & 7) != 0; ++i) ones += bit(i);
  for (; i + 64 <= end; i += 64) ones += std::popcount(base::Load<uint64_t>(bits + (i >> 3)));
  for (; i < end; ++i) ones += bit(i);
  return count - ones;
}

}  // namespace spillway::vector
