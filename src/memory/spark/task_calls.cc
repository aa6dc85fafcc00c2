// SPDX-License-Identifier: Apache-2.0
#include "src/memory/spark/task_calls.h"

#include <iterator>
#include <utility>

#include "src/base/check.h"
#include "src/base/status.h"

namespace spillway::memory::spark {

using Kind = Step::Kind;

TaskAcquireCall::TaskAcquireCall(MemoryConsumer& consumer, int64_t bytes)
    : consumer_(consumer), task_(consumer.task()), bytes_(bytes) {}

Step TaskAcquireCall::Next() {
  switch (state_) {
    case State::kOutside:
      state_ = State::kAcquiring;
      acquire_.emplace(task_.memory().pool(consumer_.mode()), task_.task(), bytes_);
      return {.kind = Kind::kEnter, .monitor = &task_.lock()};
    case State::kAcquiring:
      return AskPool();
    case State::kSpilling:
      return SpillAnswered();
    case State::kLeaving:
      if (granted_.ok()) consumer_.Count(*granted_);
      state_ = State::kOver;
      return {};
    case State::kOver:
      return {};
  }
  return {};
}

Step TaskAcquireCall::AskPool() {
  const Step step = acquire_->Next();
  return step.kind == Kind::kDone ? PoolAnswered() : Forward(step, *acquire_);
}

Step TaskAcquireCall::PoolAnswered() {
  waits_ += acquire_->waits();
  if (!acquire_->granted().ok()) return Leave(acquire_->granted().status());
  got_ += *acquire_->granted();
  return missing() > 0 ? Spill() : Leave(got_);
}

Step TaskAcquireCall::Spill() {
  MemoryConsumer* next = Choose();
  if (next == nullptr) return Leave(got_);
  ++spills_;
  state_ = State::kSpilling;
  return Ask(Kind::kSpill, {.bytes = missing(), .spiller = next, .trigger = &consumer_});
}

void TaskAcquireCall::Answer(absl::StatusOr<int64_t> freed) {
  SPILLWAY_CHECK(state_ == State::kSpilling, "only a spill has an answer");
  freed_ = std::move(freed);
}

Step TaskAcquireCall::SpillAnswered() {
  if (!freed_.ok()) {
    return Leave(base::Exhausted("error while calling spill() on ",
                                 own_turn_ ? consumer_.name() : chosen_->second.back()->name(),
                                 ": ", base::ToStd(freed_.status().message())));
  }
  if (*freed_ <= 0) {
    LeaveOut();
    return Spill();
  }
  acquire_.emplace(task_.memory().pool(consumer_.mode()), task_.task(), missing());
  state_ = State::kAcquiring;
  return AskPool();
}

void TaskAcquireCall::OrderConsumers() {
  order_.emplace();
  for (MemoryConsumer* consumer : task_.consumers_) {
    const bool self = consumer == &consumer_;
    if (consumer->used() <= 0 || consumer->mode() != consumer_.mode()) continue;
    if (self && task_.order() == SpillOrder::kOthersFirst) continue;
    (*order_)[self ? 0 : consumer->used()].push_back(consumer);
  }
}

MemoryConsumer* TaskAcquireCall::Choose() {
  if (!order_) OrderConsumers();
  if (!order_->empty()) {
    chosen_ = order_->lower_bound(missing());
    if (chosen_ == order_->end()) chosen_ = std::prev(chosen_);
    return chosen_->second.back();
  }
  if (task_.order() == SpillOrder::kAllTogether || own_turn_) return nullptr;
  own_turn_ = true;
  return &consumer_;
}

void TaskAcquireCall::LeaveOut() {
  if (own_turn_) return;
  chosen_->second.pop_back();
  if (chosen_->second.empty()) order_->erase(chosen_);
}

Step TaskAcquireCall::Leave(absl::StatusOr<int64_t> granted) {
  granted_ = std::move(granted);
  if (granted_.ok()) task_.Join(consumer_);
  state_ = State::kLeaving;
  return {.kind = Kind::kExit, .monitor = &task_.lock()};
}

TaskEndCall::TaskEndCall(TaskMemory& task)
    : task_(task),
      release_(task.memory().pool(MemoryMode::kOnHeap), task.memory().pool(MemoryMode::kOffHeap),
               task.task()) {}

Step TaskEndCall::Next() {
  switch (state_) {
    case State::kOutside:
      state_ = State::kInside;
      return {.kind = Kind::kEnter, .monitor = &task_.lock()};
    case State::kInside:
      task_.ForgetConsumers();
      state_ = State::kReleasing;
      return {.kind = Kind::kExit, .monitor = &task_.lock()};
    case State::kReleasing:
      return release_.Next();
  }
  return {};
}

}  // namespace spillway::memory::spark
