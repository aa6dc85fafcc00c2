// SPDX-License-Identifier: Apache-2.0
#include "src/memory/reservation_policy.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/base/check.h"
#include "src/base/status.h"

namespace spillway::memory {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kStepsPerLimit = 8;

}  // namespace

absl::StatusOr<ReservationPolicy> ReservationPolicy::Create(const PolicyOptions& options) {
  if (options.step < 0) {
    return base::Invalid("reservation policy: step is ", options.step, " bytes, not 0 or more");
  }
  const int64_t limit = options.limit.value_or(0);
  if (limit < 0) {
    return base::Invalid("reservation policy: limit is ", limit, " bytes, not 0 or more");
  }
  if (limit == 0) return ReservationPolicy(options.step, std::nullopt);
  return ReservationPolicy(std::min(options.step, limit / kStepsPerLimit), limit);
}

Action ReservationPolicy::Grow(int64_t growth) {
  SPILLWAY_CHECK(growth >= 0, "growth must not be negative");
  SPILLWAY_CHECK(state_ == State::kIdle, "the pool's answer must come before the next growth");
  buffered_ = growth > kMax - buffered_ ? kMax : buffered_ + growth;
  if (buffered_ <= reserved_) return Settle();
  return Request(State::kFirstRequest,
                 std::min(std::max(buffered_ - reserved_, step_), kMax - reserved_));
}

Action ReservationPolicy::Answer(bool granted) {
  SPILLWAY_CHECK(state_ != State::kIdle, "an answer needs a request");
  if (granted) {
    reserved_ += request_;
    return Settle();
  }
  if (state_ == State::kFirstRequest) {
    return Request(State::kExactRequest, buffered_ - reserved_);
  }
  state_ = State::kIdle;
  return {Action::Kind::kSpill};
}

int64_t ReservationPolicy::Release() {
  state_ = State::kIdle;
  buffered_ = 0;
  return std::exchange(reserved_, 0);
}

Action ReservationPolicy::Request(State state, int64_t bytes) {
  state_ = state;
  request_ = bytes;
  return {Action::Kind::kRequest, bytes};
}

Action ReservationPolicy::Settle() {
  state_ = State::kIdle;
  return {limit_reached() ? Action::Kind::kSpill : Action::Kind::kCovered};
}

}  // namespace spillway::memory
