// SPDX-License-Identifier: Apache-2.0
#pragma once
// Threads of the kernel and of the JVM that now and then take a core for a moment.

#include <string>

#include "sim/kernel/empirical.h"
#include "sim/kernel/time.h"
#include "sim/model/machine.h"
#include "sim/model/thread.h"
#include "src/base/random.h"

namespace spillway::sim {

// Sleeps and burns in turn until no task runs on its machine.
class BackgroundThread final : public Thread {
 public:
  // `every`: mean of the exponentially distributed sleep. `machine` outlives it.
  BackgroundThread(Machine& machine, Duration every, Empirical burst, base::Random random,
                   std::string name);

 private:
  void Run() override;

  Machine& machine_;
  const Duration every_;
  const Empirical burst_;
  base::Random random_;
  bool asleep_ = false;
};

}  // namespace spillway::sim
