// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/writer_account.h"

#include <algorithm>
#include <utility>

#include "src/base/check.h"
#include "src/shuffle/index_growth.h"

namespace spillway::shuffle {

int64_t WriterAccount::ChargeBuffers(const vector::Batch& chunk) {
  int64_t charged = 0;
  for (const vector::ColumnPtr& column : chunk.columns()) {
    column->VisitBuffers([&](const vector::Buffer& buffer) {
      charged += Pin(buffer.allocation(), buffer.lifetime());
    });
  }
  return charged;
}

int64_t WriterAccount::ChargeAllocation(vector::Allocation allocation) {
  return Pin(allocation, std::nullopt);
}

int64_t WriterAccount::Pin(vector::Allocation allocation, Lifetime lifetime) {
  if (allocation.address == nullptr) return 0;
  const auto [pin, added] = pinned_.try_emplace(allocation.address, lifetime);
  if (!added) {
    const bool alive = !pin->second.has_value() || !pin->second->expired();
    if (alive) return 0;
    pin->second = std::move(lifetime);
  }
  data_size_ += allocation.capacity;
  if (reported_.contains(allocation.address)) repeated_ += allocation.capacity;
  return allocation.capacity;
}

int64_t WriterAccount::ChargeNew(int64_t bytes) {
  ++new_allocations_;
  data_size_ += bytes;
  return bytes;
}

int64_t WriterAccount::Grow(Index& index, int64_t rows) {
  const int64_t capacity = GrownCapacity(index.length, index.capacity, rows);
  const int64_t grown = capacity - index.capacity;
  index = {index.length + rows, capacity};
  return grown;
}

int64_t WriterAccount::ChargeIndices(std::span<const uint32_t> rows_per_partition) {
  SPILLWAY_CHECK(rows_per_partition.size() == indices_.size(), "one number of rows a partition");
  int64_t entries = 0;
  for (size_t partition = 0; partition < indices_.size(); ++partition) {
    entries += Grow(indices_[partition], rows_per_partition[partition]);
  }
  return entries * kIndexEntryBytes;
}

int64_t WriterAccount::ChargeIndices(std::span<const PartitionRows> touched) {
  int64_t entries = 0;
  for (const PartitionRows& some : touched) {
    SPILLWAY_CHECK(static_cast<size_t>(some.partition) < indices_.size(), "a partition there is");
    entries += Grow(indices_[some.partition], some.rows);
  }
  return entries * kIndexEntryBytes;
}

void WriterAccount::Report(const vector::Batch& chunk) {
  for (const vector::ColumnPtr& column : chunk.columns()) {
    column->VisitBuffers([&](const vector::Buffer& buffer) {
      if (buffer.allocation().address != nullptr) reported_.insert(buffer.allocation().address);
    });
  }
}

void WriterAccount::Clear() {
  pinned_.clear();
  new_allocations_ = 0;
  std::fill(indices_.begin(), indices_.end(), Index());
  repeated_ = 0;
}

}  // namespace spillway::shuffle
