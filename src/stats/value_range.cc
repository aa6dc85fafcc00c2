// SPDX-License-Identifier: Apache-2.0
#include "src/stats/value_range.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "src/base/little_endian.h"
#include "src/page/null_bits.h"
#include "src/stats/value_range_avx2.h"

namespace spillway::stats {
namespace {

constexpr uint64_t kAllRows = ~uint64_t{0};
constexpr int64_t kWordRows = 64;
// Rows whose masks are taken at once. Values that were read are still in the first cache should a
// chunk be gone through again.
constexpr int64_t kChunkWords = 32;

template <typename T>
bool IsNan(T value) {
  if constexpr (std::is_floating_point_v<T>) return value != value;
  return false;
}

template <typename T>
T ValueAt(const uint8_t* values, int64_t row) {
  return base::Load<T>(values + row * static_cast<int64_t>(sizeof(T)));
}

// The first value of a word that counts becomes the range.
template <typename T>
void Begin(const uint8_t* values, uint64_t mask, FoundRange<T>& found) {
  for (; mask != 0 && !found.range.has_value(); mask &= mask - 1) {
    const T value = ValueAt<T>(values, std::countr_zero(mask));
    if (IsNan(value)) {
      found.nan = true;
    } else {
      found.range = {value, value};
    }
  }
}

// Widens a range by the rows of a word, of which `rows` exist.
template <typename T>
void WidenWord(const uint8_t* values, uint64_t mask, int64_t rows, ValueRange<T>& range,
               bool& nan) {
  T low = range.low;
  T high = range.high;
  bool any_nan = false;
  const auto widen = [&](T value) {
    low = value < low ? value : low;
    high = high < value ? value : high;
    any_nan |= IsNan(value);
  };
  if (mask == kAllRows) {
    for (int64_t row = 0; row < kWordRows; ++row) widen(ValueAt<T>(values, row));
  } else {
    // A row that does not count stands for the lower bound, which changes nothing: no branches.
    for (int64_t row = 0; row < rows; ++row, mask >>= 1) {
      const T value = ValueAt<T>(values, row);
      widen((mask & 1) != 0 ? value : low);
    }
  }
  range = {low, high};
  nan |= any_nan;
}

// Widens a range by the rows of a chunk of `rows` rows.
template <typename T>
void WidenChunk(RangeKernel kernel, const uint8_t* values, const uint64_t* masks, int64_t rows,
                FoundRange<T>& found) {
  int64_t word = 0;
  if (kernel == RangeKernel::kAvx2) {
    const int64_t whole = rows / kWordRows;
    if (WidenAvx2(values, masks, whole, &found.range->low, &found.range->high, &found.nan)) {
      word = whole;
    }
  }
  for (; word * kWordRows < rows; ++word) {
    const int64_t row = word * kWordRows;
    WidenWord(values + row * static_cast<int64_t>(sizeof(T)), masks[word],
              std::min(kWordRows, rows - row), *found.range, found.nan);
  }
}

}  // namespace

uint64_t RowSet::Word(int64_t row) const {
  const uint64_t word = page::ValidWord(validity, row, rows);
  return shown == nullptr ? word : word & page::ValidWord(*shown, row, rows);
}

void RowSet::Words(int64_t row, int64_t words, uint64_t* out) const {
  int64_t word = 0;
  if (shown == nullptr && validity.has_nulls() && !validity.all_null()) {
    // Words that have a byte behind them, whatever bit they begin at.
    const int64_t bit = validity.bit_offset() + row;
    const int shift = static_cast<int>(bit % 8);
    const uint8_t* const at = validity.bits().data() + bit / 8;
    const int64_t whole = std::min(words, (rows - row - 8) / kWordRows);
    for (; word < whole; ++word) {
      const uint64_t rest = uint64_t{at[8 * word + 8]} << 1 << (63 - shift);
      out[word] = base::Load<uint64_t>(at + 8 * word) >> shift | rest;
    }
  }
  for (; word < words; ++word) out[word] = Word(row + word * kWordRows);
}

bool HasRangeKernel(RangeKernel kernel) { return kernel == RangeKernel::kPortable || HasAvx2(); }

RangeKernel FastestRangeKernel() {
  static const RangeKernel kernel =
      HasRangeKernel(RangeKernel::kAvx2) ? RangeKernel::kAvx2 : RangeKernel::kPortable;
  return kernel;
}

template <typename T>
FoundRange<T> FindRangeBy(RangeKernel kernel, const uint8_t* values, const RowSet& set) {
  FoundRange<T> found;
  uint64_t masks[kChunkWords];
  const bool all = set.all();
  if (all) std::fill(masks, masks + kChunkWords, kAllRows);
  for (int64_t start = 0; start < set.rows; start += kChunkWords * kWordRows) {
    const int64_t rows = std::min(kChunkWords * kWordRows, set.rows - start);
    const uint8_t* const chunk = values + start * static_cast<int64_t>(sizeof(T));
    const int64_t words = (rows + kWordRows - 1) / kWordRows;
    if (!all) {
      set.Words(start, words, masks);
    } else if (rows % kWordRows != 0) {
      masks[words - 1] = set.Word(start + (words - 1) * kWordRows);
    }
    for (int64_t row = 0; row < rows && !found.range.has_value(); row += kWordRows) {
      Begin(chunk + row * static_cast<int64_t>(sizeof(T)), masks[row / kWordRows], found);
    }
    if (found.range.has_value()) WidenChunk(kernel, chunk, masks, rows, found);
  }
  return found;
}

template <typename T>
FoundRange<T> FindRange(const uint8_t* values, const RowSet& set) {
  return FindRangeBy<T>(FastestRangeKernel(), values, set);
}

#define SPILLWAY_RANGES(T)                                                              \
  template FoundRange<T> FindRange<T>(const uint8_t* values, const RowSet& set);        \
  template FoundRange<T> FindRangeBy<T>(RangeKernel kernel, const uint8_t* values,      \
                                        const RowSet& set)

SPILLWAY_RANGES(uint8_t);
SPILLWAY_RANGES(int8_t);
SPILLWAY_RANGES(int16_t);
SPILLWAY_RANGES(int32_t);
SPILLWAY_RANGES(int64_t);
SPILLWAY_RANGES(__int128);
SPILLWAY_RANGES(Instant);
SPILLWAY_RANGES(float);
SPILLWAY_RANGES(double);

}  // namespace spillway::stats
