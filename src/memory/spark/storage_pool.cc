// SPDX-License-Identifier: Apache-2.0
#include "src/memory/spark/storage_pool.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/base/status.h"

namespace spillway::memory::spark {
namespace {

absl::Status NoSuchBlock(std::string_view block) {
  return absl::NotFoundError(base::Cat("storage pool: there is no block `", block, "`"));
}

}  // namespace

StoragePool::Block* StoragePool::Find(std::string_view block) {
  const auto at =
      std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.name == block; });
  return at == blocks_.end() ? nullptr : &*at;
}

absl::Status StoragePool::Add(std::string_view block, int64_t bytes) {
  if (Find(block) != nullptr) {
    return absl::AlreadyExistsError(
        base::Cat("storage pool: block `", block, "` is there already"));
  }
  blocks_.push_back({std::string(block), bytes, 0});
  used_ += bytes;
  return absl::OkStatus();
}

absl::Status StoragePool::Remove(std::string_view block) {
  const Block* found = Find(block);
  if (found == nullptr) return NoSuchBlock(block);
  used_ -= found->bytes;
  blocks_.erase(blocks_.begin() + (found - blocks_.data()));
  return absl::OkStatus();
}

absl::Status StoragePool::Pin(std::string_view block) {
  Block* found = Find(block);
  if (found == nullptr) return NoSuchBlock(block);
  ++found->pins;
  return absl::OkStatus();
}

absl::Status StoragePool::Unpin(std::string_view block) {
  Block* found = Find(block);
  if (found == nullptr) return NoSuchBlock(block);
  if (found->pins == 0) {
    return absl::FailedPreconditionError(
        base::Cat("storage pool: block `", block, "` is not pinned"));
  }
  --found->pins;
  return absl::OkStatus();
}

int64_t StoragePool::Evict(int64_t bytes) {
  int64_t chosen = 0;
  size_t end = 0;  // the blocks that were looked at
  for (; end < blocks_.size() && chosen < bytes; ++end) {
    if (blocks_[end].pins == 0) chosen += blocks_[end].bytes;
  }
  if (chosen < bytes) return 0;
  std::vector<Block> kept;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (i >= end || blocks_[i].pins > 0) {
      kept.push_back(std::move(blocks_[i]));
    } else if (listener_) {
      listener_(blocks_[i].name, blocks_[i].bytes);
    }
  }
  blocks_ = std::move(kept);
  used_ -= chosen;
  return chosen;
}

}  // namespace spillway::memory::spark
