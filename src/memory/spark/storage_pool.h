// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cached blocks beside an execution pool: Spark's StorageMemoryPool and as much of its
// MemoryStore as decides what is evicted.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace spillway::memory::spark {

// Hears of each block that is evicted, inside the lock: Spark's BlockEvictionHandler.
using EvictionListener = std::function<void(std::string_view block, int64_t bytes)>;

// Like ExecutionPool it is called inside the lock of its memory only.
class StoragePool {
 public:
  explicit StoragePool(int64_t size, EvictionListener listener = nullptr)
      : size_(size), listener_(std::move(listener)) {}

  int64_t size() const { return size_; }
  int64_t used() const { return used_; }
  int64_t free() const { return size_ - used_; }

  // Adds a block where `bytes` are free already. AlreadyExists: its name is taken.
  absl::Status Add(std::string_view block, int64_t bytes);

  // NotFound: there is no such block. Pins count; a pinned block is not evicted.
  absl::Status Remove(std::string_view block);
  absl::Status Pin(std::string_view block);
  absl::Status Unpin(std::string_view block);

  // Evicts whole blocks that are not pinned, in the order in which they came, until `bytes` or more
  // have gone; none at all if there are not enough. The bytes that went.
  int64_t Evict(int64_t bytes);

  void Resize(int64_t delta) { size_ += delta; }

 private:
  struct Block {
    std::string name;
    int64_t bytes;
    int64_t pins;
  };

  Block* Find(std::string_view block);

  int64_t size_;
  const EvictionListener listener_;
  int64_t used_ = 0;
  std::vector<Block> blocks_;  // oldest first
};

}  // namespace spillway::memory::spark
