// SPDX-License-Identifier: Apache-2.0
#include "src/memory/spark/execution_pool.h"

#include <algorithm>

#include "src/base/status.h"
#include "src/memory/spark/wrapping.h"

namespace spillway::memory::spark {

int64_t ExecutionPool::free() const { return WrapSubtract(size_, used_); }

std::vector<ExecutionPool::TaskBytes>::iterator ExecutionPool::Find(int64_t task) {
  return std::lower_bound(tasks_.begin(), tasks_.end(), task,
                          [](const TaskBytes& entry, int64_t id) { return entry.task < id; });
}

int64_t ExecutionPool::Held(int64_t task) const {
  for (const TaskBytes& entry : tasks_) {
    if (entry.task == task) return entry.bytes;
  }
  return 0;
}

bool ExecutionPool::Register(int64_t task) {
  const auto at = Find(task);
  if (at != tasks_.end() && at->task == task) return false;
  tasks_.insert(at, {task, 0});
  return true;
}

ExecutionPool::Attempt ExecutionPool::TryAcquire(int64_t task, int64_t bytes) {
  if (missing_ == MissingEntry::kRestored) Register(task);
  const auto entry = Find(task);
  if (entry == tasks_.end() || entry->task != task) return {Attempt::Outcome::kNoEntry};
  const int64_t missing = WrapSubtract(bytes, free());
  const int64_t evicted = missing > 0 ? Grow(missing) : 0;
  const auto active = static_cast<int64_t>(tasks_.size());
  const int64_t max = MaxSize();
  const int64_t cap = active == 1 ? max : max / active;  // a division less for the usual case
  const int64_t below_cap = std::max<int64_t>(0, WrapSubtract(cap, entry->bytes));
  const int64_t granted = std::min({bytes, below_cap, free()});
  const int64_t held = WrapAdd(entry->bytes, granted);
  if (granted < bytes && held < size_ / (2 * active)) {
    return {Attempt::Outcome::kMustWait, 0, evicted};
  }
  entry->bytes = held;
  used_ = WrapAdd(used_, granted);
  return {Attempt::Outcome::kGranted, granted, evicted};
}

void ExecutionPool::Release(int64_t task, int64_t bytes) {
  const auto entry = Find(task);
  if (entry == tasks_.end() || entry->task != task) return;
  const int64_t freed = std::min(bytes, entry->bytes);
  used_ = WrapSubtract(used_, freed);
  entry->bytes = WrapSubtract(entry->bytes, freed);
  if (entry->bytes <= 0) {
    used_ = WrapSubtract(used_, entry->bytes);
    tasks_.erase(entry);
  }
}

absl::Status ExecutionPool::IncrementSize(int64_t bytes) {
  if (bytes < 0) return base::Invalid("execution pool: cannot grow by ", bytes, " bytes");
  size_ = WrapAdd(size_, bytes);
  return absl::OkStatus();
}

absl::Status ExecutionPool::DecrementSize(int64_t bytes) {
  if (bytes < 0 || bytes > size_ || WrapSubtract(size_, bytes) < used_) {
    return base::Invalid("execution pool: cannot shrink by ", bytes, " bytes of ", size_,
                         ", of which ", used_, " are in use");
  }
  size_ = WrapSubtract(size_, bytes);
  return absl::OkStatus();
}

int64_t ExecutionPool::Grow(int64_t) { return 0; }

}  // namespace spillway::memory::spark
