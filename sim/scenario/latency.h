// SPDX-License-Identifier: Apache-2.0
#pragma once
// Times and factors of a scenario as distributions of the kernel.

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/kernel/empirical.h"
#include "sim/scenario/places.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

// InvalidArgument unless `latency` is either constant or a quantile function. The scenario has
// passed the loader's ranges.
absl::StatusOr<Empirical> ToEmpirical(const Latency& latency);

// The same of factors; draws are in thousandths.
absl::StatusOr<Empirical> ToEmpirical(const Factor& factor);

// Its least and its greatest value, in ns. ToEmpirical accepts it.
int64_t ShortestNanos(const Latency& latency);
int64_t LongestNanos(const Latency& latency);

// What ToEmpirical says, with the place of the field `path`.
absl::Status CheckLatency(const Latency& latency, std::string_view path, const Places& places);

}  // namespace spillway::sim
