// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computes a recorded Comet run anew, with the library's own repartitioner. README.md has the data.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "golden/comet_trace/pool_log.h"

namespace spillway::golden {

struct Replay {
  int64_t requests = 0;  // in the log or computed, whichever has more
  int64_t matching = 0;  // those of the same size and answer at the same place of their task
  // Where log and computation part first, "task 3, request 17: the log has 98304, computed 98312";
  // empty if they do not.
  std::string first_difference = {};
};

// The map tasks of int201_l5_4g_fair_b8192.log are numbered 1 to kInt201Tasks.
inline constexpr int64_t kInt201Tasks = 10;

// Runs the data of one task of int201_l5_4g_fair_b8192.log through the repartitioner under the
// exact policy and compares every request, and what it gives back at the end, with `log`.
// InvalidArgument: `task` is not one of the run's.
absl::StatusOr<Replay> ReplayInt201Task(const PoolLog& log, int64_t task);

// All tasks, and that `log` has no other: the sums, and the first difference of all.
absl::StatusOr<Replay> ReplayInt201(const PoolLog& log);

}  // namespace spillway::golden
