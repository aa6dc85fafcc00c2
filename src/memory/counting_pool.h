// SPDX-License-Identifier: Apache-2.0
#pragma once
// A pool in this process that remembers what was asked of it.

#include <cstdint>
#include <mutex>
#include <optional>

#include "src/memory/pool.h"
#include "src/memory/pool_counters.h"

namespace spillway::memory {

// Grants while the sum stays within `capacity` bytes; absent: always. Thread-safe. Calls with 0
// bytes succeed and are not counted: Comet's never reach Spark either.
class CountingPool final : public Pool {
 public:
  explicit CountingPool(std::optional<int64_t> capacity = std::nullopt) : capacity_(capacity) {}

  absl::StatusOr<Grant> TryGrow(int64_t bytes) override;
  absl::Status Shrink(int64_t bytes) override;
  int64_t reserved() const override;

  // The largest reserved() so far.
  int64_t peak() const;
  PoolCounts counters() const { return counters_.Snapshot(); }

 private:
  const std::optional<int64_t> capacity_;
  PoolCounters counters_;
  mutable std::mutex mutex_;
  int64_t reserved_ = 0;  // guarded by mutex_, as is peak_
  int64_t peak_ = 0;
};

}  // namespace spillway::memory
