// SPDX-License-Identifier: Apache-2.0
#include "src/memory/spark/task_memory.h"

#include <algorithm>
#include <utility>

#include "src/memory/spark/pool_calls.h"
#include "src/memory/spark/task_calls.h"
#include "src/memory/thread_monitor.h"

namespace spillway::memory::spark {

MemoryConsumer::MemoryConsumer(TaskMemory& task, MemoryMode mode, std::string name,
                               Accounting accounting)
    : task_(task),
      mode_(mode),
      name_(std::move(name)),
      accounting_(accounting),
      ordinal_(task.consumers_made_.fetch_add(1)) {}

MemoryConsumer::~MemoryConsumer() {
  std::vector<MemoryConsumer*>& consumers = task_.consumers_;
  consumers.erase(std::remove(consumers.begin(), consumers.end(), this), consumers.end());
}

absl::StatusOr<int64_t> MemoryConsumer::Acquire(int64_t bytes) {
  TaskAcquireCall call(*this, bytes);
  RunBlocking(call, ThisThread());
  return call.granted();
}

void MemoryConsumer::Free(int64_t bytes) {
  ReleaseCall call(task_.memory().pool(mode_), task_.task(), bytes);
  RunBlocking(call, ThisThread());
  CountFreed(bytes);
}

int64_t TaskMemory::End() {
  TaskEndCall call(*this);
  RunBlocking(call, ThisThread());
  return call.freed();
}

void TaskMemory::Join(MemoryConsumer& consumer) {
  if (std::exchange(consumer.joined_, true)) return;
  const auto at = std::lower_bound(
      consumers_.begin(), consumers_.end(), consumer.ordinal_,
      [](const MemoryConsumer* other, int64_t ordinal) { return other->ordinal_ < ordinal; });
  consumers_.insert(at, &consumer);
}

void TaskMemory::ForgetConsumers() {
  for (MemoryConsumer* consumer : consumers_) consumer->joined_ = false;
  consumers_.clear();
}

}  // namespace spillway::memory::spark
