// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/histogram.h"

#include <algorithm>
#include <cstddef>

namespace spillway::sim {

uint64_t Histogram::MiddleOf(int bucket) {
  const int dropped = std::max(0, (bucket >> kBits) - 1);
  const uint64_t low = static_cast<uint64_t>(bucket - (dropped << kBits)) << dropped;
  return low + ((uint64_t{1} << dropped) - 1) / 2;
}

uint8_t Histogram::AddBlock(int block) {
  counts_.resize(counts_.size() + kBlockSize);
  return places_[block] = static_cast<uint8_t>(counts_.size() >> kBits);
}

void Histogram::Merge(const Histogram& other) {
  for (int block = 0; block < kBlocks; ++block) {
    const uint8_t from = other.places_[block];
    if (from == 0) continue;
    const uint8_t to = places_[block] != 0 ? places_[block] : AddBlock(block);
    for (int i = 0; i < kBlockSize; ++i) counts_[IndexOf(to, i)] += other.counts_[IndexOf(from, i)];
  }
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

int64_t Histogram::mean() const {
  return count_ == 0 ? 0 : static_cast<int64_t>((sum_ + count_ / 2) / count_);
}

int64_t Histogram::QuantilePpm(int64_t ppm) const {
  constexpr int64_t kMillion = 1'000'000;
  if (count_ == 0) return 0;
  if (ppm <= 0) return min();
  if (ppm >= kMillion) return max();
  const auto product = static_cast<unsigned __int128>(count_) * static_cast<uint64_t>(ppm);
  const auto rank = static_cast<uint64_t>((product + kMillion - 1) / kMillion);
  uint64_t seen = 0;
  for (int block = 0; block < kBlocks; ++block) {
    if (places_[block] == 0) continue;
    for (int i = 0; i < kBlockSize; ++i) {
      seen += counts_[IndexOf(places_[block], i)];
      if (seen >= rank) {
        const auto middle = static_cast<int64_t>(MiddleOf((block << kBits) + i));
        return std::clamp(middle, min_, max_);
      }
    }
  }
  return max_;
}

}  // namespace spillway::sim
