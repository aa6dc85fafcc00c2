// SPDX-License-Identifier: Apache-2.0
#pragma once
// An execution pool and a storage pool that borrow from each other: one mode (heap or off-heap) of
// Spark's UnifiedMemoryManager.

#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "src/memory/spark/execution_pool.h"
#include "src/memory/spark/storage_pool.h"

namespace spillway::memory::spark {

// Execution takes what storage does not use, and what storage has beyond its region by evicting
// blocks; storage takes what execution does not use, and evicts nothing but blocks. Memory that
// execution holds is never taken back.
class UnifiedPool final : public ExecutionPool {
 public:
  // `total` bytes in all, of which `region` <= `total` are storage's at first, and safe from
  // execution while it uses them.
  UnifiedPool(Monitor& lock, int64_t total, int64_t region,
              MissingEntry missing = MissingEntry::kFails, EvictionListener listener = nullptr)
      : ExecutionPool(lock, total - region, missing),
        total_(total),
        region_(region),
        storage_(region, std::move(listener)) {}

  int64_t total() const { return total_; }
  StoragePool& storage() { return storage_; }
  const StoragePool& storage() const { return storage_; }

  struct Caching {
    bool stored = false;
    int64_t evicted = 0;  // bytes of other blocks that made room
  };

  // Caches a block of `bytes`, if there is room.
  //
  //   InvalidArgument   negative `bytes`
  //   AlreadyExists     the name is taken
  absl::StatusOr<Caching> Put(std::string_view block, int64_t bytes);

 private:
  int64_t Grow(int64_t missing) override;
  int64_t MaxSize() const override;

  const int64_t total_;
  const int64_t region_;
  StoragePool storage_;
};

}  // namespace spillway::memory::spark
