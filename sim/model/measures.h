// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is being measured while a run of one policy is under way.

#include "sim/kernel/time_weighted.h"
#include "sim/model/disk.h"
#include "sim/model/policy_run.h"

namespace spillway::sim {

struct Measures {
  PolicyRun run;
  // These become levels of `run` at its end.
  TimeWeighted reserved;
  TimeWeighted slack;
  TimeWeighted unreserved;
  DiskUse disks;
};

}  // namespace spillway::sim
