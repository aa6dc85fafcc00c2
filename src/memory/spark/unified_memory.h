// SPDX-License-Identifier: Apache-2.0
#pragma once
// Spark's memory of an executor: heap and off-heap, under one lock.

#include <cstdint>
#include <string_view>

#include "src/memory/monitor.h"
#include "src/memory/spark/unified_pool.h"

namespace spillway::memory::spark {

enum class MemoryMode : uint8_t { kOnHeap, kOffHeap };

struct ModeOptions {
  int64_t total = 0;           // bytes, execution and storage together
  int64_t storage_region = 0;  // at most `total`: spark.memory.storageFraction of it
};

struct UnifiedMemoryOptions {
  ModeOptions on_heap = {};
  ModeOptions off_heap = {};
  MissingEntry missing = MissingEntry::kFails;
  EvictionListener eviction_listener = nullptr;
};

class UnifiedMemory {
 public:
  // `lock` is U, the one monitor of all modes, tasks and blocks, and outlives this.
  UnifiedMemory(Monitor& lock, const UnifiedMemoryOptions& options)
      : on_heap_(lock, options.on_heap.total, options.on_heap.storage_region, options.missing,
                 options.eviction_listener),
        off_heap_(lock, options.off_heap.total, options.off_heap.storage_region, options.missing,
                  options.eviction_listener) {}

  UnifiedPool& pool(MemoryMode mode) { return mode == MemoryMode::kOnHeap ? on_heap_ : off_heap_; }

 private:
  UnifiedPool on_heap_;
  UnifiedPool off_heap_;
};

}  // namespace spillway::memory::spark
