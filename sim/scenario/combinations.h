// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rules of a scenario that take more than one field.

#include "absl/status/status.h"
#include "sim/scenario/places.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

// InvalidArgument with the reason and the place of one of the fields. Each field by itself is
// within its range.
absl::Status CheckCombinations(const Scenario& scenario, const Places& places);

}  // namespace spillway::sim
