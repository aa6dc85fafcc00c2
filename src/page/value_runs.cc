// SPDX-License-Identifier: Apache-2.0
#include "src/page/value_runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "src/page/null_bits.h"
#include "src/page/value_runs_avx2.h"

namespace spillway::page {
namespace {

using vector::Validity;

constexpr uint64_t kAllValid = ~uint64_t{0};

// Moves the values of 64 rows, of which `valid` has a bit each. A kernel's two functions. The first
// may read one value behind the 64.
using CompactWord = uint8_t* (*)(const uint8_t* values, uint64_t valid, uint8_t* out);
// `end` is where the packed values end; returns where the next word's begin. May read one value
// before `packed` if the first row is null.
using ExpandWord = const uint8_t* (*)(const uint8_t* packed, const uint8_t* end, uint64_t valid,
                                      uint8_t* out);

// The same for up to 64 rows at an end of a column, where no byte beside the values may be read.
template <int kWidth>
uint8_t* CompactLast(const uint8_t* values, uint64_t valid, uint8_t* out) {
  // Storing each row and stepping only past the valid ones has no branch to mispredict.
  for (; valid != 0; valid >>= 1, values += kWidth) {
    std::memcpy(out, values, kWidth);
    out += kWidth * (valid & 1);
  }
  return out;
}

template <int kWidth>
const uint8_t* ExpandLast(const uint8_t* packed, uint64_t valid, int64_t rows, uint8_t* out) {
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

// For every pattern of eight validity bits, how four pairs of rows move, each pair at once. A pair
// whose first row is null moves with one value's difference, so that its second lands right; what
// lands wrong is a null row, or is overwritten by the next pair.
struct alignas(16) PairMoves {
  std::array<uint8_t, 4> from;   // compacting: the first value to take, of eight
  std::array<uint8_t, 4> rank;   // compacting: where it goes, in values
  std::array<uint8_t, 4> after;  // expanding: the first value to take, from one before the next on
  uint8_t valid;
};

constexpr std::array<PairMoves, 256> MakeMoves() {
  std::array<PairMoves, 256> moves{};
  for (uint32_t bits = 0; bits < 256; ++bits) {
    uint8_t rank = 0;
    for (uint8_t pair = 0; pair < 4; ++pair) {
      const auto first = static_cast<uint8_t>(bits >> (2 * pair) & 1);
      const auto second = static_cast<uint8_t>(bits >> (2 * pair + 1) & 1);
      moves[bits].from[pair] = static_cast<uint8_t>(2 * pair + 1 - first);
      moves[bits].rank[pair] = rank;
      moves[bits].after[pair] = static_cast<uint8_t>(rank + first);
      rank = static_cast<uint8_t>(rank + first + second);
    }
    moves[bits].valid = rank;
  }
  return moves;
}

constexpr std::array<PairMoves, 256> kMoves = MakeMoves();

template <int kWidth>
uint8_t* CompactPairs(const uint8_t* values, uint64_t valid, uint8_t* out) {
  for (int row = 0; row < 64; row += 8, values += 8 * kWidth, valid >>= 8) {
    const PairMoves& moves = kMoves[valid & 255];
    for (int pair = 0; pair < 4; ++pair) {
      const size_t from = moves.from[pair];
      const size_t rank = moves.rank[pair];
      std::memcpy(out + rank * kWidth, values + from * kWidth, 2 * kWidth);
    }
    out += size_t{moves.valid} * kWidth;
  }
  return out;
}

template <int kWidth>
const uint8_t* ExpandPairs(const uint8_t* packed, const uint8_t* end, uint64_t valid,
                           uint8_t* out) {
  int row = 0;
  for (; row < 64 && end - packed >= 8 * kWidth; row += 8, out += 8 * kWidth, valid >>= 8) {
    const PairMoves& moves = kMoves[valid & 255];
    for (int pair = 0; pair < 4; ++pair) {
      const size_t after = moves.after[pair];
      std::memcpy(out + 2 * pair * kWidth, packed + after * kWidth - kWidth, 2 * kWidth);
    }
    packed += size_t{moves.valid} * kWidth;
  }
  return row == 64 ? packed : ExpandLast<kWidth>(packed, valid, 64 - row, out);
}

template <int kWidth, CompactWord kWord>
uint8_t* Compact(const uint8_t* values, const Validity& validity, int64_t rows, uint8_t* out) {
  for (int64_t row = 0; row < rows; row += 64, values += 64 * kWidth) {
    const uint64_t valid = ValidWord(validity, row, rows);
    if (valid == kAllValid) {
      std::memcpy(out, values, 64 * kWidth);
      out += 64 * kWidth;
    } else if (rows - row > 64) {  // there is a value behind the word's
      out = kWord(values, valid, out);
    } else {
      out = CompactLast<kWidth>(values, valid, out);
    }
  }
  return out;
}

template <int kWidth, ExpandWord kWord>
void Expand(const uint8_t* packed, const Validity& validity, int64_t rows, uint8_t* out) {
  const uint8_t* const begin = packed;
  const uint8_t* const end = packed + (rows - validity.null_count()) * kWidth;
  for (int64_t row = 0; row < rows; row += 64, out += 64 * kWidth) {
    const uint64_t valid = ValidWord(validity, row, rows);
    if (valid == kAllValid) {
      std::memcpy(out, packed, 64 * kWidth);
      packed += 64 * kWidth;
    } else if (rows - row >= 64 && (packed != begin || (valid & 1) != 0)) {  // or before its first
      packed = kWord(packed, end, valid, out);
    } else {
      packed = ExpandLast<kWidth>(packed, valid, std::min<int64_t>(64, rows - row), out);
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
                  : Compact<1, CompactPairs<1>>(values, validity, rows, out);
    case 2:
      return avx2 ? Compact<2, CompactWord2Avx2>(values, validity, rows, out)
                  : Compact<2, CompactPairs<2>>(values, validity, rows, out);
    case 4:
      return avx2 ? Compact<4, CompactWord4Avx2>(values, validity, rows, out)
                  : Compact<4, CompactPairs<4>>(values, validity, rows, out);
    case 8:
      return avx2 ? Compact<8, CompactWord8Avx2>(values, validity, rows, out)
                  : Compact<8, CompactPairs<8>>(values, validity, rows, out);
    default:
      return Compact<16, CompactPairs<16>>(values, validity, rows, out);
  }
}

void ExpandValuesBy(RunKernel kernel, const uint8_t* packed, int width, const Validity& validity,
                    int64_t rows, uint8_t* out) {
  const bool avx2 = kernel == RunKernel::kAvx2;
  switch (width) {
    case 1:
      return avx2 ? Expand<1, ExpandWord1Avx2>(packed, validity, rows, out)
                  : Expand<1, ExpandPairs<1>>(packed, validity, rows, out);
    case 2:
      return avx2 ? Expand<2, ExpandWord2Avx2>(packed, validity, rows, out)
                  : Expand<2, ExpandPairs<2>>(packed, validity, rows, out);
    case 4:
      return avx2 ? Expand<4, ExpandWord4Avx2>(packed, validity, rows, out)
                  : Expand<4, ExpandPairs<4>>(packed, validity, rows, out);
    case 8:
      return Expand<8, ExpandPairs<8>>(packed, validity, rows, out);
    default:
      return Expand<16, ExpandPairs<16>>(packed, validity, rows, out);
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
