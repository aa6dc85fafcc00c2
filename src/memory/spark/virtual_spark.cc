// SPDX-License-Identifier: Apache-2.0
#include "src/memory/spark/virtual_spark.h"

#include <utility>

#include "src/base/random.h"
#include "src/memory/spark/pool_calls.h"
#include "src/memory/spark/task_backend.h"
#include "src/memory/spark/task_calls.h"

namespace spillway::memory::spark {
namespace {

// Counted at once, as an operator does under a lock of its own: or its thread, which may run
// meanwhile, would give the same bytes back.
NestedCall Release(MemoryConsumer& consumer, int64_t bytes) {
  consumer.CountFreed(bytes);
  TaskMemory& task = consumer.task();
  return {std::make_unique<ReleaseCall>(task.memory().pool(consumer.mode()), task.task(), bytes),
          [bytes] { return bytes; }};
}

}  // namespace

absl::StatusOr<int64_t> ScriptedConsumer::Spill(int64_t bytes, const Spiller&) {
  const int64_t freed = PlannedFor(bytes);
  if (freed > 0) Free(freed);
  return freed;
}

Step Program::Next() {
  for (;;) {
    if (call_ != nullptr) {
      const Step step = call_->Next();
      if (step.kind != Step::Kind::kDone) return Forward(step, *call_);
      call_ = nullptr;
    }
    if (next_ == makers_.size()) return {};
    call_ = makers_[next_++]();
  }
}

VirtualSpark::VirtualSpark(int64_t size, MissingEntry missing, Disguise disguise)
    : disguise_(std::move(disguise)),
      threads_([this](Step::Kind kind, const Request& request) { return Meaning(kind, request); }) {
  UnifiedMemoryOptions options;
  options.off_heap.total = size;
  options.missing = missing;
  memory_ = std::make_unique<UnifiedMemory>(NewMonitor("U"), options);
}

Monitor& VirtualSpark::NewMonitor(std::string name) {
  Monitor& monitor = *monitors_.emplace_back(std::make_unique<VirtualMonitor>(std::move(name)));
  Monitor& watched = *monitors_.emplace_back(std::make_unique<OrderedMonitor>(monitor, order_));
  return disguise_ ? disguise_(watched) : watched;
}

TaskMemory& VirtualSpark::Task(int64_t task) {
  std::unique_ptr<TaskMemory>& found = tasks_[task];
  if (found == nullptr) {
    Monitor& lock = NewMonitor("T" + std::to_string(task));
    found = std::make_unique<TaskMemory>(*memory_, lock, task);
  }
  return *found;
}

NestedCall VirtualSpark::Meaning(Step::Kind kind, const Request& request) {
  if (kind == Step::Kind::kSpill) {
    auto* consumer = dynamic_cast<ScriptedConsumer*>(request.spiller);
    if (consumer == nullptr && spill_meaning_) return spill_meaning_(request);
    const int64_t freed = consumer == nullptr ? 0 : consumer->PlannedFor(request.bytes);
    if (freed == 0) return {nullptr, [] { return 0; }};
    return Release(*consumer, freed);
  }
  MemoryConsumer& consumer = static_cast<TaskBackend&>(*request.backend).consumer();
  if (kind == Step::Kind::kRelease) return Release(consumer, request.bytes);
  auto call = std::make_unique<TaskAcquireCall>(consumer, request.bytes);
  const TaskAcquireCall& asked = *call;
  return {std::move(call), [&asked] { return asked.granted(); }};
}

std::string RunAtRandom(VirtualThreads& threads, uint64_t seed,
                        const std::function<void()>& after_step) {
  base::Random random(seed);
  for (;;) {
    const std::vector<VirtualThread*> runnable = threads.Runnable();
    if (runnable.empty()) return threads.DescribeStuck();
    threads.TakeStep(*runnable[random.Below(runnable.size())]);
    if (after_step) after_step();
  }
}

}  // namespace spillway::memory::spark
