// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a shuffle writer asks its memory pool for, and when it spills: as Comet's pull request #5387
// does it, or by another rule in its place. docs/memory/policy.md.

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "src/memory/reservation_rule.h"

namespace spillway::memory {

struct PolicyOptions {
  // Bytes to ask for at once at least, the slack for the chunks to come. 0: ask for exactly what is
  // missing (the exact policy). spark.comet.shuffle.native.reservationStepBytes.
  int64_t step = int64_t{1} << 20;
  // Bytes buffered at which the writer spills though the pool would give more. 0 or absent: none.
  std::optional<int64_t> limit = std::nullopt;
  ReservationRule rule = ReservationRule::kStep;
};

// What the writer has to do next.
struct Action {
  enum class Kind {
    kCovered,  // nothing: what is buffered is reserved
    kRequest,  // ask the pool for `bytes`, then call Answer()
    kSpill,    // write everything out, then call Release()
  };
  Kind kind = Kind::kCovered;
  int64_t bytes = 0;  // kRequest only, > 0

  bool operator==(const Action&) const = default;
};

// A state machine: no pool, no lock, no clock. With B bytes buffered and R of them reserved,
//
//   Grow(g)          B += g. If B > R: kRequest what the rule says, max(B - R, S) for kStep.
//   Answer(granted)  R += the request.
//   Answer(denied)   kRequest exactly B - R, once, even if that was what was denied; then kSpill.
//                    Rules that do not retry: kSpill.
//
// and whenever nothing is left to ask, kSpill if there is a limit L and B >= L, else kCovered.
// S = min(step, L / 8), or the step without a limit.
//
// kAdaptive asks for nothing at or over the limit, where it spills in any case, and does not repeat
// a denied request that was the exact one.
//
// Sums stop at 2^63 - 1: B stays there, and a request never takes R beyond it. Then R >= B still
// holds after a grant, and the next pool to see such a request denies it.
//
// Calls in any other order than shown (Answer() without a request, Grow() during one), and negative
// growth, are errors of the calling program and end it. Release() is right at any time.
class ReservationPolicy {
 public:
  // InvalidArgument: a negative step or limit.
  static absl::StatusOr<ReservationPolicy> Create(const PolicyOptions& options);

  // A chunk was charged `growth` >= 0 bytes.
  Action Grow(int64_t growth);

  // The pool's answer to the last kRequest.
  Action Answer(bool granted);

  // `bytes` of what is buffered, at most B, are needed no more, though nothing was spilled: what to
  // give back to the pool, which counts as given back. 0 for the rules that keep what they have.
  int64_t Shrink(int64_t bytes);

  // The pool is short, and asks its holders before it denies somebody: the slack, which counts as
  // given back, under kAdaptive; 0 under all other rules.
  int64_t Yield();

  // Everything was spilled, or the writer ends: what to give back to the pool. B and R become 0.
  int64_t Release();

  int64_t buffered() const { return buffered_; }          // B
  int64_t reserved() const { return reserved_; }          // R
  int64_t slack() const { return reserved_ - buffered_; }  // negative: what is missing
  int64_t step() const { return step_; }                  // S
  ReservationRule rule() const { return rule_; }
  bool limit_reached() const { return limit_.has_value() && buffered_ >= *limit_; }

 private:
  enum class State { kIdle, kFirstRequest, kExactRequest };

  ReservationPolicy(ReservationRule rule, int64_t step, std::optional<int64_t> limit)
      : rule_(rule), step_(step), limit_(limit) {}

  int64_t AdaptiveRequest();
  void BackOff();
  Action Request(State state, int64_t bytes);
  Action Settle();

  ReservationRule rule_;
  int64_t step_;
  std::optional<int64_t> limit_;
  State state_ = State::kIdle;
  int64_t request_ = 0;
  int64_t buffered_ = 0;
  int64_t reserved_ = 0;
  // kAdaptive: requests that are made exactly after the last denied step, and how many are left.
  int back_off_ = 0;
  int exact_left_ = 0;
};

}  // namespace spillway::memory
