// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a scenario under one of its policies.

#include "absl/status/statusor.h"
#include "sim/model/exploration.h"
#include "sim/model/policy_run.h"
#include "sim/scenario/scenario.pb.h"
#include "src/memory/pool.h"

namespace spillway::sim {

// All tasks of `scenario`, which the loader has accepted, under `policy`. A function of its
// arguments: random numbers come from streams named by the scenario's seed, the task and their
// purpose, so that two policies see the same keys, think times and crossing times.
//
//   OK                 what was measured
//   ResourceExhausted  the run passed one of scenario.bounds()
//   (other)            a fault of the model or of the pool, with the place in the run
absl::StatusOr<PolicyRun> Simulate(const Scenario& scenario, const Policy& policy);

// The same in front of a pool of the caller's, empty at the start. scenario.pool() is not used.
absl::StatusOr<PolicyRun> Simulate(const Scenario& scenario, const Policy& policy,
                                   memory::Pool& pool);

// The first in a schedule that `exploration` gives, with the books of memory checked before each
// event.
absl::StatusOr<PolicyRun> Explore(const Scenario& scenario, const Policy& policy,
                                  Exploration& exploration);

}  // namespace spillway::sim
