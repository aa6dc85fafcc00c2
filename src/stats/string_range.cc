// SPDX-License-Identifier: Apache-2.0
#include "src/stats/string_range.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "src/stats/string_keys.h"
#include "src/stats/string_keys_avx2.h"

namespace spillway::stats {
namespace {

using vector::StringColumn;

// Rows that are compared first, to learn what all values may begin with.
constexpr int64_t kSamples = 16;

int64_t CommonPrefix(std::string_view a, std::string_view b) {
  return std::mismatch(a.begin(), a.begin() + std::min(a.size(), b.size()), b.begin()).first -
         a.begin();
}

bool MakeKeysPortable(const KeyChunk& chunk, const KeyPrefix& prefix, int64_t* keys,
                      KeyRange* range) {
  KeyRange found = *range;
  int differ = 0;
  int32_t shortest = INT32_MAX;
  for (int64_t i = 0; i < chunk.count; ++i) {
    const uint8_t* const value = chunk.bytes + chunk.Start(i);
    const int64_t rest = chunk.Size(i) - prefix.size;
    shortest = std::min(shortest, chunk.Size(i));
    if (prefix.size != 0) differ |= std::memcmp(value, prefix.value.data(), prefix.size);
    keys[i] = KeyAt(value + prefix.size, std::max<int64_t>(rest, 0));
    found.low = std::min(found.low, keys[i]);
    found.high = std::max(found.high, keys[i]);
  }
  *range = found;
  return differ == 0 && shortest >= prefix.size;
}

class Search {
 public:
  Search(RangeKernel kernel, const StringColumn& column, const RowSet& rows, int64_t max_size)
      : make_keys_(kernel == RangeKernel::kAvx2 ? MakeKeysAvx2 : MakeKeysPortable),
        column_(column),
        rows_(rows),
        max_size_(max_size) {
    chunk_.bytes = column.bytes().data();
  }

  std::optional<StringRange> Run() {
    const int64_t step = std::max<int64_t>(1, rows_.rows / kSamples);
    for (int64_t row = 0; row < rows_.rows; row += step) {
      if ((rows_.Word(row) & 1) != 0) Compare(column_.Value(row));
    }
    if (step == 1) return range_;  // these were all
    SharePrefix();
    // A value starts where the one before ends. The first has none before it, but was a sample.
    for (int64_t row = 1; row < rows_.rows; row += KeyChunk::kMaxCount) {
      Take(row, std::min(KeyChunk::kMaxCount, rows_.rows - row));
      const int64_t keyed = range_.has_value() ? Keyed() : 0;
      const int64_t done = keyed != 0 && CompareKeys(keyed) ? keyed : 0;
      if (done == chunk_.count) continue;
      for (int64_t i = done; i < chunk_.count; ++i) Compare(chunk_.Value(i));
      SharePrefix();
    }
    return range_;
  }

 private:
  // Makes rows [first, first + rows) the chunk. A row that does not count stands for the value of a
  // neighbour that does; the chunk is empty if there is none.
  void Take(int64_t first, int64_t rows) {
    const uint8_t* const ends = column_.ends().data() + first * KeyChunk::kWidth;
    chunk_.starts = ends - KeyChunk::kWidth;
    chunk_.stops = ends;
    chunk_.count = rows;
    if (!rows_.all()) Cover(first, rows);
  }

  void Cover(int64_t first, int64_t rows) {
    int64_t counts = 0;
    uint64_t word = rows_.Word(first);
    while (word == 0 && counts + 64 < rows) word = rows_.Word(first + (counts += 64));
    counts += std::countr_zero(word);
    if (counts >= rows) {
      chunk_.count = 0;
      return;
    }
    std::memcpy(starts_.data(), chunk_.starts, rows * KeyChunk::kWidth);
    std::memcpy(stops_.data(), chunk_.stops, rows * KeyChunk::kWidth);
    chunk_.starts = reinterpret_cast<const uint8_t*>(starts_.data());
    chunk_.stops = reinterpret_cast<const uint8_t*>(stops_.data());
    std::fill_n(starts_.begin(), counts, starts_[counts]);
    std::fill_n(stops_.begin(), counts, stops_[counts]);
    for (int64_t row = counts / 64 * 64; row < rows; row += 64) {
      uint64_t others = ~rows_.Word(first + row);
      if (row < counts) others &= ~uint64_t{0} << (counts - row);
      if (rows - row < 64) others &= (uint64_t{1} << (rows - row)) - 1;
      for (; others != 0; others &= others - 1) {
        const int64_t i = row + std::countr_zero(others);
        starts_[i] = starts_[i - 1];
        stops_[i] = stops_[i - 1];
      }
    }
  }

  // How many of the chunk's values a kernel takes: a multiple of 8 of those behind whose start
  // there is enough to read. Starts ascend.
  int64_t Keyed() const {
    const int64_t last_start = column_.bytes().size() - prefix_.reach();
    int64_t count = chunk_.count;
    while (count > 0 && chunk_.Start(count - 1) > last_start) --count;
    return count - count % 8;
  }

  void Compare(std::string_view value) {
    value = value.substr(0, max_size_);
    if (!range_.has_value()) {
      range_ = {value, value};
    } else if (value < range_->low) {
      range_->low = value;
    } else if (value > range_->high) {
      range_->high = value;
    }
  }

  // Values between two that share a prefix share it too, and one that does not widens the range: so
  // the prefix need be found again only after such a value, and only ever gets shorter.
  void SharePrefix() {
    if (!range_.has_value()) return;
    const int64_t size = CommonPrefix(range_->low, range_->high);
    // A key has room for the first bytes of a block of the prefix.
    const int64_t spare = size % KeyPrefix::kBlock;
    prefix_ = KeyPrefix(range_->low.substr(0, spare <= kKeyBytes / 2 ? size - spare : size));
  }

  // Widens the range by the first `count` values of the chunk. False: one has not got the prefix.
  bool CompareKeys(int64_t count) {
    const int64_t low = KeyOf(range_->low.substr(prefix_.size));
    const int64_t high = KeyOf(range_->high.substr(prefix_.size));
    // Only what reaches a bound is of interest. No key is the least or the greatest integer.
    KeyRange found{low + 1, high - 1};
    std::array<int64_t, KeyChunk::kMaxCount> keys;
    const int64_t all = std::exchange(chunk_.count, count);
    const bool shared = make_keys_(chunk_, prefix_, keys.data(), &found);
    chunk_.count = all;
    if (!shared) return false;
    const auto compare = [&](int64_t key) {
      // From the back, where the bounds of an ordered column are.
      for (int64_t i = count - 1; i >= 0; --i) {
        if (keys[i] != key) continue;
        Compare(chunk_.Value(i));
        if (IsWhole(key)) return;
      }
    };
    if (found.low < low || (found.low == low && !IsWhole(low))) compare(found.low);
    if (found.high > high || (found.high == high && !IsWhole(high))) compare(found.high);
    return true;
  }

  bool (*make_keys_)(const KeyChunk&, const KeyPrefix&, int64_t*, KeyRange*);
  const StringColumn& column_;
  const RowSet& rows_;
  const int64_t max_size_;
  std::optional<StringRange> range_;
  KeyPrefix prefix_{""};
  KeyChunk chunk_{};
  std::array<int32_t, KeyChunk::kMaxCount> starts_;
  std::array<int32_t, KeyChunk::kMaxCount> stops_;
};

}  // namespace

std::optional<StringRange> FindStringRangeBy(RangeKernel kernel, const StringColumn& column,
                                             const RowSet& rows, int64_t max_size) {
  return Search(kernel, column, rows, max_size).Run();
}

std::optional<StringRange> FindStringRange(const StringColumn& column, const RowSet& rows,
                                           int64_t max_size) {
  return FindStringRangeBy(FastestRangeKernel(), column, rows, max_size);
}

}  // namespace spillway::stats
