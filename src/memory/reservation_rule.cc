// SPDX-License-Identifier: Apache-2.0
#include "src/memory/reservation_rule.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "src/base/status.h"
#include "src/base/suggest.h"

namespace spillway::memory {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMiB = int64_t{1} << 20;

constexpr ReservationRule kRules[] = {
    ReservationRule::kStep,     ReservationRule::kRoundUp,
    ReservationRule::kMultiple, ReservationRule::kDeficitPlusStep,
    ReservationRule::kBlocks,   ReservationRule::kVeloxQuantum,
    ReservationRule::kAdaptive,
};

int64_t Sum(int64_t a, int64_t b) { return b > kMax - a ? kMax : a + b; }

int64_t RoundUp(int64_t bytes, int64_t unit) {
  const int64_t rest = unit == 0 ? 0 : bytes % unit;
  return rest == 0 ? bytes : Sum(bytes, unit - rest);
}

// What Velox rounds a reservation of `bytes` up to a multiple of.
int64_t Quantum(int64_t bytes) {
  if (bytes < 16 * kMiB) return kMiB;
  if (bytes < 64 * kMiB) return 4 * kMiB;
  return 8 * kMiB;
}

// What R is to be, not less than `buffered`.
int64_t Target(ReservationRule rule, int64_t buffered, int64_t reserved, int64_t step) {
  const int64_t deficit = buffered - reserved;
  switch (rule) {
    case ReservationRule::kRoundUp:
      return Sum(reserved, RoundUp(deficit, step));
    case ReservationRule::kMultiple:
    case ReservationRule::kBlocks:
      return RoundUp(buffered, step);
    case ReservationRule::kDeficitPlusStep:
      return Sum(buffered, step);
    case ReservationRule::kVeloxQuantum:
      return RoundUp(buffered, Quantum(buffered));
    default:
      return Sum(reserved, std::max(deficit, step));
  }
}

}  // namespace

std::string_view RuleName(ReservationRule rule) {
  switch (rule) {
    case ReservationRule::kStep:
      return "step";
    case ReservationRule::kRoundUp:
      return "round_up";
    case ReservationRule::kMultiple:
      return "multiple";
    case ReservationRule::kDeficitPlusStep:
      return "deficit_plus_step";
    case ReservationRule::kBlocks:
      return "blocks";
    case ReservationRule::kVeloxQuantum:
      return "velox_quantum";
    case ReservationRule::kAdaptive:
      return "adaptive";
  }
  return "";
}

absl::StatusOr<ReservationRule> ParseRule(std::string_view name) {
  std::vector<std::string> names;
  for (const ReservationRule rule : kRules) {
    if (RuleName(rule) == name) return rule;
    names.emplace_back(RuleName(rule));
  }
  const std::string nearest = base::Nearest(std::string(name), names);
  if (nearest.empty()) return base::Invalid("`", name, "` is no reservation rule");
  return base::Invalid("`", name, "` is no reservation rule; did you mean `", nearest, "`?");
}

bool RetriesExactly(ReservationRule rule) {
  return rule != ReservationRule::kMultiple && rule != ReservationRule::kBlocks &&
         rule != ReservationRule::kVeloxQuantum;
}

int64_t FirstRequest(ReservationRule rule, int64_t buffered, int64_t reserved, int64_t step) {
  return Target(rule, buffered, reserved, step) - reserved;
}

int64_t KeptAfterShrinking(ReservationRule rule, int64_t buffered, int64_t reserved, int64_t step) {
  if (rule != ReservationRule::kBlocks && rule != ReservationRule::kVeloxQuantum) return reserved;
  return std::min(reserved, Target(rule, buffered, reserved, step));
}

}  // namespace spillway::memory
