// SPDX-License-Identifier: Apache-2.0
#include "src/memory/spark/unified_pool.h"

#include <algorithm>

#include "src/base/status.h"

namespace spillway::memory::spark {

int64_t UnifiedPool::MaxSize() const {
  return std::max<int64_t>(0, total_ - std::min(storage_.used(), region_));
}

int64_t UnifiedPool::Grow(int64_t missing) {
  const int64_t reclaimable = std::max(storage_.free(), storage_.size() - region_);
  if (reclaimable <= 0) return 0;
  const int64_t wanted = std::min(missing, reclaimable);
  const int64_t unused = std::min(wanted, storage_.free());
  const int64_t evicted = wanted > unused ? storage_.Evict(wanted - unused) : 0;
  storage_.Resize(-(unused + evicted));
  IncrementSize(unused + evicted).IgnoreError();  // neither is negative
  return evicted;
}

absl::StatusOr<UnifiedPool::Caching> UnifiedPool::Put(std::string_view block, int64_t bytes) {
  if (bytes < 0) {
    return base::Invalid("unified pool: block `", block, "` cannot have ", bytes, " bytes");
  }
  Caching caching;
  if (bytes > total_ - used()) return caching;
  if (bytes > storage_.free()) {
    const int64_t borrowed = std::min(free(), bytes - storage_.free());
    SPILLWAY_RETURN_IF_ERROR(DecrementSize(borrowed));
    storage_.Resize(borrowed);
  }
  if (bytes > storage_.free()) caching.evicted = storage_.Evict(bytes - storage_.free());
  if (bytes > storage_.free()) return caching;
  SPILLWAY_RETURN_IF_ERROR(storage_.Add(block, bytes));
  caching.stored = true;
  return caching;
}

}  // namespace spillway::memory::spark
