// SPDX-License-Identifier: Apache-2.0
#pragma once
// A histogram of bounded memory and stated precision, after HdrHistogram: within
// each power of two the buckets are of equal width.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spillway::sim {

// Of non-negative 64-bit values. Values below 512 have a bucket each; above, 256 buckets share each
// power of two, so that a quantile is within 1/512 (0.2 %) of a recorded value that stands at its
// rank. Count, sum, mean, least and greatest are exact.
//
// Memory is had for the powers of two that were met, 2 KiB each: about 150 bytes when empty, 20 KiB
// for values over three decades, 112 KiB at most.
class Histogram {
 public:
  // A negative value counts as 0.
  void Record(int64_t value) {
    value = value < 0 ? 0 : value;
    const int bucket = BucketOf(static_cast<uint64_t>(value));
    uint8_t place = places_[bucket >> kBits];
    if (place == 0) [[unlikely]]
      place = AddBlock(bucket >> kBits);
    ++counts_[IndexOf(place, bucket)];
    ++count_;
    sum_ += static_cast<uint64_t>(value);
    min_ = value < min_ ? value : min_;
    max_ = value > max_ ? value : max_;
  }

  void Merge(const Histogram& other);

  uint64_t count() const { return count_; }
  unsigned __int128 sum() const { return sum_; }
  int64_t min() const { return count_ == 0 ? 0 : min_; }
  int64_t max() const { return max_; }
  int64_t mean() const;  // rounded to the nearest integer; 0 when empty

  // The value of rank ceil(count x permille / 1000), at least rank 1: the middle of its bucket, but
  // not outside [min, max]. Permille 0 is min, 1000 is max. 0 when empty.
  int64_t Quantile(int permille) const { return QuantilePpm(permille * int64_t{1000}); }
  // Likewise in parts per million: 999'900 is p99.99.
  int64_t QuantilePpm(int64_t ppm) const;

 private:
  static constexpr int kBits = 8;  // 2^kBits buckets a power of two, a block
  static constexpr int kBlockSize = 1 << kBits;
  static constexpr int kBlocks = 64 - kBits;

  // Values of b significant bits, b > kBits + 1, drop their low b - kBits - 1 bits; what remains
  // lies in [2^kBits, 2^(kBits+1)), and each dropped bit moves the bucket up by a block.
  static int BucketOf(uint64_t value) {
    const int dropped = 63 - kBits - std::countl_zero(value | (2 * kBlockSize - 1));
    return (dropped << kBits) + static_cast<int>(value >> dropped);
  }
  static uint64_t MiddleOf(int bucket);
  static size_t IndexOf(uint8_t place, int bucket) {
    return (static_cast<size_t>(place - 1) << kBits) + (bucket & (kBlockSize - 1));
  }

  uint8_t AddBlock(int block);

  std::vector<uint64_t> counts_;
  std::array<uint8_t, kBlocks> places_{};  // of a block in counts_, from 1; 0: not met yet
  uint64_t count_ = 0;
  unsigned __int128 sum_ = 0;
  int64_t min_ = INT64_MAX;
  int64_t max_ = 0;
};

}  // namespace spillway::sim
