// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whoever is at work on a machine beside its tasks.

#include <cstdint>
#include <deque>

#include "absl/status/status.h"
#include "sim/model/background.h"
#include "sim/model/collector.h"
#include "sim/model/holder.h"
#include "sim/model/machine.h"

namespace spillway::sim {

// Owns them: it outlives the run.
class Others {
 public:
  // All that the scenario of `machine` names: background threads, pauses and holders. They begin
  // with the run. InvalidArgument: a distribution that is none.
  absl::Status StartOn(Machine& machine);

 private:
  absl::Status StartBackground(Machine& machine);
  absl::Status StartCollector(Machine& machine);
  absl::Status StartHolders(Machine& machine);

  std::deque<BackgroundThread> background_;
  std::deque<Collector> collectors_;
  std::deque<HolderThread> holders_;
};

}  // namespace spillway::sim
