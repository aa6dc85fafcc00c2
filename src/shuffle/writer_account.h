// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a shuffle writer that buffers batches owes its pool: the rule of Comet's repartitioner
// (MEMORY section 1). No I/O. docs/memory/repartitioner.md.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"

namespace spillway::shuffle {

// Rows of a chunk that go to one partition.
struct PartitionRows {
  int32_t partition = 0;
  uint32_t rows = 0;

  bool operator==(const PartitionRows&) const = default;
};

// The charge of a chunk is ChargeBuffers() + ChargeIndices(), in bytes:
//
//   buffers   the capacity of each allocation that no buffered chunk has pinned before, told apart
//             by start address; its whole capacity, however little of it a slice shows. An
//             allocation that is gone is another than the one at its address after it, so that what
//             a writer copies and lets go is charged as if it had been kept
//   indices   growth of the capacity of one vector a partition that holds (batch, row) pairs
//
// Not charged, as in Comet: scratch arrays, the list of batches, this account itself.
class WriterAccount {
 public:
  // Bytes of one (batch u32, row u32) pair.
  static constexpr int64_t kIndexEntryBytes = 8;

  // `partitions` >= 0.
  explicit WriterAccount(int32_t partitions) : indices_(partitions) {}

  // Pins every allocation `chunk` looks into and returns the capacity of the new ones.
  int64_t ChargeBuffers(const vector::Batch& chunk);
  // Pins one allocation; the charge of a chunk that is only simulated. A null address is free. The
  // allocation counts as kept until Clear().
  int64_t ChargeAllocation(vector::Allocation allocation);

  // The same of an allocation that is known to be new, and that no Report() names: no need to look.
  // `bytes` >= 0 is its capacity, and what is returned.
  int64_t ChargeNew(int64_t bytes);

  // Adds rows_per_partition[p] entries to the vector of each partition p and returns the bytes by
  // which capacities grew. One number a partition.
  int64_t ChargeIndices(std::span<const uint32_t> rows_per_partition);
  // The same where few partitions get rows: those alone, in any order, each below the number of
  // partitions.
  int64_t ChargeIndices(std::span<const PartitionRows> touched);

  // Bytes of buffers charged in this account's whole life: Comet's metric `data_size`. Charged
  // again after Clear().
  int64_t data_size() const { return data_size_; }

  // Entries that partition's vector has room for.
  int64_t index_capacity(int32_t partition) const { return indices_[partition].capacity; }

  // Allocations pinned now.
  int64_t pinned() const { return static_cast<int64_t>(pinned_.size()) + new_allocations_; }

  // One outer batch is cut into chunks that share its buffers, and each may spill. These calls keep
  // its bytes from being reported as spilled more than once.
  //
  // An outer batch begins or ends: forget what was reported.
  void ForgetReported() { reported_.clear(); }
  // `chunk`, the last one charged, is about to spill: its allocations are reported.
  void Report(const vector::Batch& chunk);
  // Of the bytes charged since Clear(), those whose allocations were already reported when charged.
  int64_t repeated() const { return repeated_; }

  // After a spill: nothing is pinned, index vectors are new and empty. Reports stay.
  void Clear();

 private:
  struct Index {
    int64_t length = 0;
    int64_t capacity = 0;
  };

  // Absent: kept.
  using Lifetime = std::optional<std::weak_ptr<const void>>;

  int64_t Pin(vector::Allocation allocation, Lifetime lifetime);
  // The entries by which the partition's vector grows.
  int64_t Grow(Index& index, int64_t rows);

  absl::flat_hash_map<const uint8_t*, Lifetime> pinned_;
  absl::flat_hash_set<const uint8_t*> reported_;
  int64_t new_allocations_ = 0;  // pinned, but not in `pinned_`
  std::vector<Index> indices_;
  int64_t data_size_ = 0;
  int64_t repeated_ = 0;
};

}  // namespace spillway::shuffle
