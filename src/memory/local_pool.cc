// SPDX-License-Identifier: Apache-2.0
#include "src/memory/local_pool.h"

#include <algorithm>
#include <limits>

#include "src/base/check.h"

namespace spillway::memory {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

}  // namespace

LocalPool::LocalPool(PoolKind kind, int64_t size, PoolVariant variant)
    : kind_(kind), size_(kind == PoolKind::kUnbounded ? kMax : size), variant_(variant) {
  SPILLWAY_CHECK(size_ >= 0, "a pool has no less than 0 bytes");
  SPILLWAY_CHECK(kind != PoolKind::kGreedyUnified && kind != PoolKind::kFairUnified,
                 "unified pools are SparkPool");
}

int64_t LocalPool::Available(const Consumer& consumer, int64_t held) const {
  const int64_t left = std::max<int64_t>(0, size_ - sums_.reserved);
  if (kind_ != PoolKind::kFairSpill || !consumer.can_spill) return left;
  const int64_t share = std::max<int64_t>(0, size_ - sums_.unspillable) / sums_.spillers;
  if (variant_ == PoolVariant::kAsIs) {
    return std::clamp<int64_t>(share - held, 0, kMax - sums_.reserved);
  }
  return std::clamp<int64_t>(share - consumer.bytes, 0, left);
}

absl::StatusOr<Grant> LocalPool::Grow(Consumer& consumer, int64_t held, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const int64_t available = Available(consumer, held);
  if (bytes > available) return Grant{.granted = false, .available = available};
  Count(consumer, bytes);
  return Grant{.granted = true};
}

absl::Status LocalPool::Return(Consumer& consumer, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  Count(consumer, -bytes);
  return absl::OkStatus();
}

}  // namespace spillway::memory
