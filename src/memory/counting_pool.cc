// SPDX-License-Identifier: Apache-2.0
#include "src/memory/counting_pool.h"

#include <algorithm>
#include <limits>

#include "src/base/status.h"

namespace spillway::memory {

absl::StatusOr<Grant> CountingPool::TryGrow(int64_t bytes) {
  if (bytes < 0) return base::Invalid("pool: cannot grow by ", bytes, " bytes");
  if (bytes == 0) return Grant{.granted = true};
  const std::lock_guard lock(mutex_);
  const int64_t capacity = capacity_.value_or(std::numeric_limits<int64_t>::max());
  const int64_t available = std::max<int64_t>(0, capacity - reserved_);
  if (bytes > available) {
    counters_.CountAcquire(bytes, 0);
    return Grant{.granted = false, .available = available};
  }
  counters_.CountAcquire(bytes, bytes);
  reserved_ += bytes;
  peak_ = std::max(peak_, reserved_);
  return Grant{.granted = true};
}

absl::Status CountingPool::Shrink(int64_t bytes) {
  if (bytes < 0) return base::Invalid("pool: cannot shrink by ", bytes, " bytes");
  if (bytes == 0) return absl::OkStatus();
  const std::lock_guard lock(mutex_);
  if (bytes > reserved_) {
    return base::Invalid("pool: cannot shrink by ", bytes, " bytes, only ", reserved_,
                         " are reserved");
  }
  counters_.CountRelease(bytes);
  reserved_ -= bytes;
  return absl::OkStatus();
}

int64_t CountingPool::reserved() const {
  const std::lock_guard lock(mutex_);
  return reserved_;
}

int64_t CountingPool::peak() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

}  // namespace spillway::memory
