// SPDX-License-Identifier: Apache-2.0
#pragma once
// From recorded latencies to the costs of the model: docs/simulator.md, "Calibrating".

#include <string_view>

#include "absl/status/statusor.h"
#include "golden/pool_latency/recording.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

// What a crossing of `backend` takes, by how long its thread has not crossed, from the rows with
// one thread; where that was 100 us or longer, from those with two as well, in which both threads
// are as cold. Rows with more threads are not looked at. Fills `gap` and nothing else.
//
// NotFound: the recording has no row of `backend` with one thread.
absl::StatusOr<Jni> CalibrateCrossings(const golden::Recording& recording,
                                       std::string_view backend);

}  // namespace spillway::sim
