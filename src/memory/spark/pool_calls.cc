// SPDX-License-Identifier: Apache-2.0
#include "src/memory/spark/pool_calls.h"

#include <utility>

#include "absl/status/status.h"
#include "src/base/check.h"
#include "src/base/status.h"

namespace spillway::memory::spark {
namespace {

using Kind = Step::Kind;

Step On(Monitor& monitor, Kind kind) { return {.kind = kind, .monitor = &monitor}; }

// Cold, and so not inlined: the buffers of a message make the function that has them slow.
[[gnu::cold]] absl::Status NoSuchBytes(int64_t bytes) {
  return base::Invalid("invalid number of bytes requested: ", bytes);
}

[[gnu::cold]] absl::Status NoEntry(int64_t task) {
  return absl::NotFoundError(base::Cat("key not found: ", task));
}

}  // namespace

// Comparisons in the order in which the states come: a jump table is mispredicted at every step.
Step AcquireCall::Next() {
  if (state_ == State::kOutside) {
    state_ = State::kInside;
    return On(pool_->lock(), Kind::kEnter);
  }
  if (state_ == State::kInside) {
    if (bytes_ <= 0) {
      granted_ = NoSuchBytes(bytes_);
      return Decide();
    }
    state_ = State::kAttempting;
    if (pool_->Register(task_)) return On(pool_->lock(), Kind::kNotifyAll);
    return Attempt();
  }
  if (state_ == State::kAttempting) return Attempt();
  if (state_ == State::kDecided) return Decide();
  return {};
}

Step AcquireCall::Attempt() {
  using Outcome = ExecutionPool::Attempt::Outcome;
  const ExecutionPool::Attempt attempt = pool_->TryAcquire(task_, bytes_);
  must_wait_ = attempt.outcome == Outcome::kMustWait;
  if (attempt.outcome == Outcome::kGranted) {
    *granted_ = attempt.granted;
  } else if (attempt.outcome == Outcome::kNoEntry) {
    granted_ = NoEntry(task_);
  }
  if (attempt.evicted == 0) return Decide();
  state_ = State::kDecided;
  return Ask(Kind::kEvicted, {.bytes = attempt.evicted});
}

Step AcquireCall::Decide() {
  if (must_wait_) {
    ++waits_;
    state_ = State::kAttempting;
    return On(pool_->lock(), Kind::kWait);
  }
  state_ = State::kOver;
  return On(pool_->lock(), Kind::kExit);
}

ReleaseCall::ReleaseCall(ExecutionPool& pool, int64_t task, int64_t bytes)
    : first_(&pool), task_(task), bytes_(bytes), all_(false) {}

ReleaseCall::ReleaseCall(ExecutionPool& pool, int64_t task)
    : first_(&pool), task_(task), all_(true) {}

ReleaseCall::ReleaseCall(ExecutionPool& first, ExecutionPool& second, int64_t task)
    : first_(&first), second_(&second), task_(task), all_(true) {
  SPILLWAY_CHECK(&first.lock() == &second.lock(), "both pools need the same lock");
}

Step ReleaseCall::Next() {
  switch (state_) {
    case State::kOutside:
      state_ = State::kInside;
      return On(first_->lock(), Kind::kEnter);
    case State::kInside:
      Take(*first_, bytes_);
      if (second_ != nullptr) Take(*second_, 0);
      state_ = State::kNotified;
      return On(first_->lock(), Kind::kNotifyAll);
    case State::kNotified:
      state_ = State::kLeaving;
      return On(first_->lock(), Kind::kExit);
    case State::kLeaving:
    case State::kOver:
      state_ = State::kOver;
      return {};
  }
  return {};
}

void ReleaseCall::Take(ExecutionPool& pool, int64_t bytes) {
  const int64_t used = pool.used();
  pool.Release(task_, all_ ? pool.Held(task_) : bytes);
  freed_ += used - pool.used();
}

LockedCall::LockedCall(Monitor& lock, std::function<int64_t()> action)
    : lock_(lock), action_(std::move(action)) {}

Step LockedCall::Next() {
  switch (state_) {
    case State::kOutside:
      state_ = State::kInside;
      return On(lock_, Kind::kEnter);
    case State::kInside: {
      const int64_t evicted = action_();
      if (evicted > 0) {
        state_ = State::kEvicted;
        return Ask(Kind::kEvicted, {.bytes = evicted});
      }
      [[fallthrough]];
    }
    case State::kEvicted:
      state_ = State::kLeaving;
      return On(lock_, Kind::kExit);
    case State::kLeaving:
      return {};
  }
  return {};
}

}  // namespace spillway::memory::spark
