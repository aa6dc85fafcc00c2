// SPDX-License-Identifier: Apache-2.0
#pragma once
// The recorded Comet run that comes with the repository, computed anew.

#include <string>

#include "absl/status/statusor.h"
#include "sim/report/report.h"

namespace spillway::sim {

struct Reproduction {
  RecordedRun run;
  std::string first_difference;  // empty if there is none
};

// Reads the bundled log and computes each of its requests. NotFound if the log is missing from the
// program's runfiles, InvalidArgument if it is not a log.
absl::StatusOr<Reproduction> ReproduceRecordedRun();

}  // namespace spillway::sim
