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
constexpr int kMaxBackOff = 64;

}  // namespace

absl::StatusOr<ReservationPolicy> ReservationPolicy::Create(const PolicyOptions& options) {
  if (options.step < 0) {
    return base::Invalid("reservation policy: step is ", options.step, " bytes, not 0 or more");
  }
  const int64_t limit = options.limit.value_or(0);
  if (limit < 0) {
    return base::Invalid("reservation policy: limit is ", limit, " bytes, not 0 or more");
  }
  if (limit == 0) return ReservationPolicy(options.rule, options.step, std::nullopt);
  return ReservationPolicy(options.rule, std::min(options.step, limit / kStepsPerLimit), limit);
}

Action ReservationPolicy::Grow(int64_t growth) {
  SPILLWAY_CHECK(growth >= 0, "growth must not be negative");
  SPILLWAY_CHECK(state_ == State::kIdle, "the pool's answer must come before the next growth");
  buffered_ = growth > kMax - buffered_ ? kMax : buffered_ + growth;
  if (buffered_ <= reserved_) return Settle();
  if (rule_ != ReservationRule::kAdaptive) {
    return Request(State::kFirstRequest, FirstRequest(rule_, buffered_, reserved_, step_));
  }
  if (limit_reached()) return Settle();
  return Request(State::kFirstRequest, AdaptiveRequest());
}

int64_t ReservationPolicy::AdaptiveRequest() {
  const int64_t deficit = buffered_ - reserved_;
  if (exact_left_ > 0) {
    --exact_left_;
    return deficit;
  }
  // Below the limit, so more than the deficit is left up to it.
  const int64_t most = limit_.value_or(kMax) - reserved_;
  return std::min(FirstRequest(rule_, buffered_, reserved_, step_), most);
}

void ReservationPolicy::BackOff() {
  back_off_ = std::clamp(2 * back_off_, 1, kMaxBackOff);
  exact_left_ = back_off_;
}

Action ReservationPolicy::Answer(bool granted) {
  SPILLWAY_CHECK(state_ != State::kIdle, "an answer needs a request");
  if (granted) {
    if (request_ > buffered_ - reserved_) back_off_ = 0;
    reserved_ += request_;
    return Settle();
  }
  const int64_t deficit = buffered_ - reserved_;
  const bool adaptive = rule_ == ReservationRule::kAdaptive;
  if (state_ == State::kFirstRequest && RetriesExactly(rule_) &&
      !(adaptive && request_ == deficit)) {
    if (adaptive) BackOff();
    return Request(State::kExactRequest, deficit);
  }
  state_ = State::kIdle;
  return {Action::Kind::kSpill};
}

int64_t ReservationPolicy::Shrink(int64_t bytes) {
  SPILLWAY_CHECK(state_ == State::kIdle, "the pool's answer must come before shrinking");
  SPILLWAY_CHECK(bytes >= 0 && bytes <= buffered_, "more is given up than is buffered");
  buffered_ -= bytes;
  const int64_t kept = KeptAfterShrinking(rule_, buffered_, reserved_, step_);
  return std::exchange(reserved_, kept) - kept;
}

int64_t ReservationPolicy::Yield() {
  SPILLWAY_CHECK(state_ == State::kIdle, "the pool's answer must come before yielding");
  if (rule_ != ReservationRule::kAdaptive || slack() <= 0) return 0;
  // The next step would take back what somebody else is waiting for.
  BackOff();
  return std::exchange(reserved_, buffered_) - buffered_;
}

int64_t ReservationPolicy::Release() {
  state_ = State::kIdle;
  buffered_ = 0;
  back_off_ = exact_left_ = 0;
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
