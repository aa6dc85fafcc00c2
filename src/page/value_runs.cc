// SPDX-License-Identifier: Apache-2.0
#include "src/page/value_runs.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "src/page/null_bits.h"
#include "src/page/value_runs_avx2.h"

namespace spillway::page {
namespace {

using vector::Validity;

constexpr uint64_t kAllValid = ~uint64_t{0};

// Moves the values of up to 64 rows, of which `valid` has a bit each. A kernel's two functions.
using CompactWord = uint8_t* (*)(const uint8_t* values, uint64_t valid, uint8_t* out);
// `end` is where the packed values end; returns where the next word's begin. `rows` <= 64 rows of
// `out` are written.
using ExpandWord = const uint8_t* (*)(const uint8_t* packed, const uint8_t* end, uint64_t valid,
                                      int64_t rows, uint8_t* out);

template <int kWidth>
uint8_t* CompactWordPortable(const uint8_t* values, uint64_t valid, uint8_t* out) {
  // Storing each row and stepping only past the valid ones has no branch to mispredict.
  for (; valid != 0; valid >>= 1, values += kWidth) {
    std::memcpy(out, values, kWidth);
    out += kWidth * (valid & 1);
  }
  return out;
}

template <int kWidth>
const uint8_t* ExpandWordPortable(const uint8_t* packed, const uint8_t*, uint64_t valid,
                                  int64_t rows, uint8_t* out) {
  // Up to its last valid row a word always has a value left to read, so that a null row may
  // harmlessly take the next one; behind it there may be no bytes at all.
  const int64_t last = 64 - std::countl_zero(valid);
  for (int64_t i = 0; i < last; ++i, valid >>= 1) {
    std::memcpy(out + i * kWidth, packed, kWidth);
    packed += kWidth * (valid & 1);
  }
  std::memset(out + last * kWidth, 0, (rows - last) * kWidth);
  return packed;
}

template <int kWidth, CompactWord kWord>
uint8_t* Compact(const uint8_t* values, const Validity& validity, int64_t rows, uint8_t* out) {
  for (int64_t row = 0; row < rows; row += 64, values += 64 * kWidth) {
    const uint64_t valid = ValidWord(validity, row, rows);
    if (valid == kAllValid) {
      std::memcpy(out, values, 64 * kWidth);
      out += 64 * kWidth;
    } else if (rows - row >= 64) {
      out = kWord(values, valid, out);
    } else {
      out = CompactWordPortable<kWidth>(values, valid, out);
    }
  }
  return out;
}

template <int kWidth, ExpandWord kWord>
void Expand(const uint8_t* packed, const Validity& validity, int64_t rows, uint8_t* out) {
  const uint8_t* const end = packed + (rows - validity.null_count()) * kWidth;
  for (int64_t row = 0; row < rows; row += 64, out += 64 * kWidth) {
    const uint64_t valid = ValidWord(validity, row, rows);
    if (valid == kAllValid) {
      std::memcpy(out, packed, 64 * kWidth);
      packed += 64 * kWidth;
    } else if (rows - row >= 64) {
      packed = kWord(packed, end, valid, 64, out);
    } else {
      packed = ExpandWordPortable<kWidth>(packed, end, valid, rows - row, out);
    }
  }
}

RunKernel Fastest() {
  static const RunKernel kernel =
      HasRunKernel(RunKernel::kAvx2) ? RunKernel::kAvx2 : RunKernel::kPortable;
  return kernel;
}

}  // namespace

bool HasRunKernel(RunKernel kernel) { return kernel == RunKernel::kPortable || HasAvx2(); }

uint8_t* CompactValuesBy(RunKernel kernel, const uint8_t* values, int width,
                         const Validity& validity, int64_t rows, uint8_t* out) {
  if (!validity.has_nulls()) {
    if (rows != 0) std::memcpy(out, values, rows * width);
    return out + rows * width;
  }
  const bool avx2 = kernel == RunKernel::kAvx2;
  switch (width) {
    case 1:
      return avx2 ? Compact<1, CompactWord1Avx2>(values, validity, rows, out)
                  : Compact<1, CompactWordPortable<1>>(values, validity, rows, out);
    case 2:
      return avx2 ? Compact<2, CompactWord2Avx2>(values, validity, rows, out)
                  : Compact<2, CompactWordPortable<2>>(values, validity, rows, out);
    case 4:
      return avx2 ? Compact<4, CompactWord4Avx2>(values, validity, rows, out)
                  : Compact<4, CompactWordPortable<4>>(values, validity, rows, out);
    case 8:
      return avx2 ? Compact<8, CompactWord8Avx2>(values, validity, rows, out)
                  : Compact<8, CompactWordPortable<8>>(values, validity, rows, out);
    default:  // 16 bytes are one move each already
      return Compact<16, CompactWordPortable<16>>(values, validity, rows, out);
  }
}

void ExpandValuesBy(RunKernel kernel, const uint8_t* packed, int width, const Validity& validity,
                    int64_t rows, uint8_t* out) {
  const bool avx2 = kernel == RunKernel::kAvx2;
  switch (width) {
    case 1:
      return avx2 ? Expand<1, ExpandWord1Avx2>(packed, validity, rows, out)
                  : Expand<1, ExpandWordPortable<1>>(packed, validity, rows, out);
    case 2:
      return avx2 ? Expand<2, ExpandWord2Avx2>(packed, validity, rows, out)
                  : Expand<2, ExpandWordPortable<2>>(packed, validity, rows, out);
    case 4:
      return avx2 ? Expand<4, ExpandWord4Avx2>(packed, validity, rows, out)
                  : Expand<4, ExpandWordPortable<4>>(packed, validity, rows, out);
    case 8:
      return avx2 ? Expand<8, ExpandWord8Avx2>(packed, validity, rows, out)
                  : Expand<8, ExpandWordPortable<8>>(packed, validity, rows, out);
    default:
      return Expand<16, ExpandWordPortable<16>>(packed, validity, rows, out);
  }
}

uint8_t* CompactValues(const uint8_t* values, int width, const Validity& validity, int64_t rows,
                       uint8_t* out) {
  return CompactValuesBy(Fastest(), values, width, validity, rows, out);
}

void ExpandValues(const uint8_t* packed, int width, const Validity& validity, int64_t rows,
                  uint8_t* out) {
  ExpandValuesBy(Fastest(), packed, width, validity, rows, out);
}

}  // namespace spillway::page
