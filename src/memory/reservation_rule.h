// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much a shuffle writer asks for at once: by the rule of Comet's pull request #5387, by rules
// of other systems to compare it with, and by one of ours. docs/memory/policy.md.

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace spillway::memory {

// With B bytes buffered, R < B reserved, d = B - R missing, and a step S; S = 0 makes d of each but
// kVeloxQuantum.
enum class ReservationRule : uint8_t {
  kStep,             // max(d, S): the pull request
  kRoundUp,          // d, up to a multiple of S
  kMultiple,         // what makes R a multiple of S; R never is anything else
  kDeficitPlusStep,  // d + S
  kBlocks,           // as kMultiple, and R falls with B at every boundary: Gluten, S = 8 MiB
  kVeloxQuantum,     // what makes R as Velox rounds it: B up to 1 MiB below 16 MiB, to 4 MiB below
                     // 64 MiB, else to 8 MiB; R falls with B
  kAdaptive,         // ours: as kStep, but never past the limit, and a denied step is not tried
                     // again before the 1, 2, 4 .. 64 requests that follow it
};

// Block size of Gluten's memory reservations, bytes.
inline constexpr int64_t kGlutenBlock = int64_t{8} << 20;

// "step", "round_up", "multiple", "deficit_plus_step", "blocks", "velox_quantum", "adaptive".
std::string_view RuleName(ReservationRule rule);

// InvalidArgument, with the nearest name, if there is no such rule.
absl::StatusOr<ReservationRule> ParseRule(std::string_view name);

// Whether a request that was denied is followed by one for exactly d. Rules that keep R on a grid
// cannot do that; a writer under them spills where less would have been granted.
bool RetriesExactly(ReservationRule rule);

// What to ask for first: d or more. Sums stop at 2^63 - 1, so that R + the request is one of them.
int64_t FirstRequest(ReservationRule rule, int64_t buffered, int64_t reserved, int64_t step);

// What of R stays reserved when B has fallen to `buffered`: R itself, but for kBlocks and
// kVeloxQuantum.
int64_t KeptAfterShrinking(ReservationRule rule, int64_t buffered, int64_t reserved, int64_t step);

}  // namespace spillway::memory
