// SPDX-License-Identifier: Apache-2.0
#include "src/page/value_runs.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "src/page/null_bits.h"

namespace spillway::page {
namespace {

constexpr uint64_t kAllValid = ~uint64_t{0};

// Calls `run` with the width as a constant, so that each copy is one move.
template <typename Run>
auto WithWidth(int width, Run run) {
  switch (width) {
    case 1:
      return run.template operator()<1>();
    case 2:
      return run.template operator()<2>();
    case 4:
      return run.template operator()<4>();
    case 8:
      return run.template operator()<8>();
    default:
      return run.template operator()<16>();
  }
}

template <int kWidth>
uint8_t* Compact(const uint8_t* values, const vector::Validity& validity, int64_t rows,
                 uint8_t* out) {
  for (int64_t row = 0; row < rows; row += 64) {
    uint64_t word = ValidWord(validity, row, rows);
    const uint8_t* in = values + row * kWidth;
    if (word == kAllValid) {
      std::memcpy(out, in, 64 * kWidth);
      out += 64 * kWidth;
      continue;
    }
    // Storing each row and stepping only past the valid ones has no branch to mispredict.
    for (; word != 0; word >>= 1, in += kWidth) {
      std::memcpy(out, in, kWidth);
      out += kWidth * (word & 1);
    }
  }
  return out;
}

template <int kWidth>
void Expand(const uint8_t* packed, const vector::Validity& validity, int64_t rows, uint8_t* out) {
  for (int64_t row = 0; row < rows; row += 64) {
    uint64_t word = ValidWord(validity, row, rows);
    uint8_t* to = out + row * kWidth;
    if (word == kAllValid) {
      std::memcpy(to, packed, 64 * kWidth);
      packed += 64 * kWidth;
      continue;
    }
    // Up to its last valid row a word always has a value left to read, so that a null row may
    // harmlessly take the next one; behind it there may be no bytes at all.
    const int64_t last = 64 - std::countl_zero(word);
    const int64_t count = std::min<int64_t>(64, rows - row);
    for (int64_t i = 0; i < last; ++i, word >>= 1) {
      std::memcpy(to + i * kWidth, packed, kWidth);
      packed += kWidth * (word & 1);
    }
    std::memset(to + last * kWidth, 0, (count - last) * kWidth);
  }
}

}  // namespace

uint8_t* CompactValues(const uint8_t* values, int width, const vector::Validity& validity,
                       int64_t rows, uint8_t* out) {
  if (validity.has_nulls()) {
    return WithWidth(width, [&]<int kWidth>() { return Compact<kWidth>(values, validity, rows, out); });
  }
  if (rows != 0) std::memcpy(out, values, rows * width);
  return out + rows * width;
}

void ExpandValues(const uint8_t* packed, int width, const vector::Validity& validity, int64_t rows,
                  uint8_t* out) {
  WithWidth(width, [&]<int kWidth>() { Expand<kWidth>(packed, validity, rows, out); });
}

}  // namespace spillway::page
