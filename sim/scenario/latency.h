// SPDX-License-Identifier: Apache-2.0
#pragma once
// Times of a scenario as distributions of the kernel.

#include "absl/status/statusor.h"
#include "sim/kernel/empirical.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

// InvalidArgument unless `latency` is either constant or a quantile function. The scenario has
// passed the loader's ranges.
absl::StatusOr<Empirical> ToEmpirical(const Latency& latency);

}  // namespace spillway::sim
