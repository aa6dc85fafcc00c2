// SPDX-License-Identifier: Apache-2.0
#pragma once
// A histogram of constant memory and stated precision, after HdrHistogram: within
// each power of two the buckets are of equal width.

#include <cstdint>
#include <vector>

namespace spillway::sim {

// Of non-negative 64-bit values. Values below 512 have a bucket each; above, 256 buckets share each
// power of two, so that a quantile is within 1/512 (0.2 %) of a recorded value that stands at its
// rank. Count, sum, mean, least and greatest are exact. About 115 KiB.
class Histogram {
 public:
  void Record(int64_t value);  // a negative value counts as 0
  void Merge(const Histogram& other);

  uint64_t count() const { return count_; }
  unsigned __int128 sum() const { return sum_; }
  int64_t min() const { return count_ == 0 ? 0 : min_; }
  int64_t max() const { return max_; }
  int64_t mean() const;  // rounded to the nearest integer; 0 when empty

  // The value of rank ceil(count x permille / 1000), at least rank 1: the middle of its bucket, but
  // not outside [min, max]. Permille 0 is min, 1000 is max. 0 when empty.
  int64_t Quantile(int permille) const;

 private:
  static constexpr int kBits = 8;  // 2^kBits buckets a power of two
  static constexpr int kBuckets = (64 - kBits) << kBits;

  static int BucketOf(uint64_t value);
  static uint64_t MiddleOf(int bucket);

  std::vector<uint64_t> buckets_ = std::vector<uint64_t>(kBuckets);
  uint64_t count_ = 0;
  unsigned __int128 sum_ = 0;
  int64_t min_ = INT64_MAX;
  int64_t max_ = 0;
};

}  // namespace spillway::sim
