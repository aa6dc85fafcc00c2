// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rules of the pool, of Spark's memory and of those who hold it that take more than one field.

#include "absl/status/status.h"
#include "sim/scenario/places.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

// InvalidArgument with the reason and the place: fields that the pool's kind has no use for, and
// memory of which somebody could never get what they ask for.
absl::Status CheckMemory(const Scenario& scenario, const Places& places);

}  // namespace spillway::sim
