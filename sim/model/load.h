// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loads by which the simulation's own speed is measured: `spillway bench sim`.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace spillway::sim {

// One writer that asks for 32 KiB before each of `decisions` >= 1 chunks, and nothing else: each is
// a decision of the exact policy, a call of the pool and an entry into its monitor.
//
// `pool` is a kind of scenario.proto: COUNTING or GREEDY_UNIFIED, the latter in front of Spark's
// memory. The number of requests, which is `decisions`.
absl::StatusOr<uint64_t> RunDecisions(const std::string& pool, int64_t decisions);

// The same without JNI and measures: nothing but the kernel, the exact policy, a counting pool and
// its monitor, for `writers` >= 1 that share the monitor and have a core each.
absl::StatusOr<uint64_t> RunBareDecisions(int64_t writers, int64_t decisions);

// `tasks` >= 1 tasks of comet_5387 on 32 slots, 256 chunks each, by the policy with that step; 0:
// exactly. The number of chunks.
absl::StatusOr<uint64_t> RunTasks(int64_t tasks, int64_t step_bytes);

}  // namespace spillway::sim
