// SPDX-License-Identifier: Apache-2.0
#include "src/page/null_bits.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "src/base/little_endian.h"

namespace spillway::page {
namespace {

// Reverses the bits of each byte.
uint64_t ReverseInBytes(uint64_t x) {
  x = ((x >> 1) & 0x5555555555555555u) | ((x & 0x5555555555555555u) << 1);
  x = ((x >> 2) & 0x3333333333333333u) | ((x & 0x3333333333333333u) << 2);
  return ((x >> 4) & 0x0F0F0F0F0F0F0F0Fu) | ((x & 0x0F0F0F0F0F0F0F0Fu) << 4);
}

// The first `bits` bits, 0..64.
uint64_t LowMask(int64_t bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// Up to eight bytes as the low bytes of a word.
uint64_t LoadPartial(const uint8_t* at, int64_t bytes) {
  if (bytes >= 8) return base::Load<uint64_t>(at);
  uint64_t word = 0;
  std::memcpy(&word, at, bytes);
  return word;
}

}  // namespace

uint64_t ValidWord(const vector::Validity& validity, int64_t row, int64_t rows) {
  const int64_t wanted = std::min<int64_t>(64, rows - row);
  if (!validity.has_nulls()) return LowMask(wanted);
  if (validity.all_null()) return 0;
  const int64_t bit = validity.bit_offset() + row;
  const int shift = static_cast<int>(bit & 7);
  const uint8_t* at = validity.bits().data() + (bit >> 3);
  const int64_t bytes = (shift + wanted + 7) / 8;  // up to nine
  uint64_t word = LoadPartial(at, bytes) >> shift;
  if (bytes > 8) word |= static_cast<uint64_t>(at[8]) << (64 - shift);
  return word & LowMask(wanted);
}

uint8_t* WriteNullBits(const vector::Validity& validity, int64_t rows, uint8_t* out) {
  for (int64_t row = 0; row < rows; row += 64) {
    const uint64_t nulls = ~ValidWord(validity, row, rows) & LowMask(rows - row);
    base::Store(out + row / 8, ReverseInBytes(nulls));
  }
  return out + NullBytes(rows);
}

vector::Validity ReadNullBits(const uint8_t* wire, int64_t rows) {
  const int64_t bytes = NullBytes(rows);
  vector::MutableBuffer bits(bytes);
  int64_t valid = 0;
  for (int64_t at = 0; at < bytes; at += 8) {
    const uint64_t nulls = ReverseInBytes(LoadPartial(wire + at, bytes - at));
    const uint64_t word = ~nulls & LowMask(rows - at * 8);
    valid += std::popcount(word);
    base::Store(bits.data() + at, word);  // the buffer's slack takes the last word's rest
  }
  return vector::Validity::FromBits(std::move(bits).Freeze(), 0, rows - valid);
}

}  // namespace spillway::page
