// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rules of cores, of the boundary, of pauses and of disks that take more than one field.

#include "absl/status/status.h"
#include "sim/scenario/places.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

// InvalidArgument with the reason and the place: crossings given twice or not at all, tables out of
// order, pauses that outlast the run, disks that are always slow.
absl::Status CheckMachine(const Scenario& scenario, const Places& places);

}  // namespace spillway::sim
