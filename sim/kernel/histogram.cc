// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/histogram.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace spillway::sim {

// Values of b significant bits, b > kBits + 1, drop their low b - kBits - 1 bits; what remains lies
// in [2^kBits, 2^(kBits+1)), and each dropped bit moves the bucket up by 2^kBits.
int Histogram::BucketOf(uint64_t value) {
  const int dropped = std::max(0, static_cast<int>(std::bit_width(value)) - kBits - 1);
  return (dropped << kBits) + static_cast<int>(value >> dropped);
}

uint64_t Histogram::MiddleOf(int bucket) {
  const int dropped = std::max(0, (bucket >> kBits) - 1);
  const uint64_t low = static_cast<uint64_t>(bucket - (dropped << kBits)) << dropped;
  return low + ((uint64_t{1} << dropped) - 1) / 2;
}

void Histogram::Record(int64_t value) {
  value = std::max<int64_t>(value, 0);
  ++buckets_[BucketOf(static_cast<uint64_t>(value))];
  ++count_;
  sum_ += static_cast<uint64_t>(value);
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void Histogram::Merge(const Histogram& other) {
  for (size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

int64_t Histogram::mean() const {
  return count_ == 0 ? 0 : static_cast<int64_t>((sum_ + count_ / 2) / count_);
}

int64_t Histogram::Quantile(int permille) const {
  if (count_ == 0) return 0;
  if (permille <= 0) return min();
  if (permille >= 1000) return max();
  const auto rank = std::max<uint64_t>(
      1, static_cast<uint64_t>((static_cast<unsigned __int128>(count_) * permille + 999) / 1000));
  uint64_t seen = 0;
  for (int bucket = 0; bucket < kBuckets; ++bucket) {
    seen += buckets_[bucket];
    if (seen >= rank) {
      return std::clamp(static_cast<int64_t>(MiddleOf(bucket)), min_, max_);
    }
  }
  return max_;
}

}  // namespace spillway::sim
