// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rules of a scenario's tasks that take more than one field.

#include "absl/status/status.h"
#include "sim/scenario/places.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

// InvalidArgument with the reason and the place: keys, factors and times that make no sense, tasks
// that arrive when the run is over, and more than the simulator could hold or count.
absl::Status CheckTasks(const Scenario& scenario, const Places& places);

}  // namespace spillway::sim
