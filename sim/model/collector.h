// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pauses of the JVM, for garbage collection and whatever else needs a safepoint.

#include <string>

#include "sim/kernel/empirical.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/model/machine.h"
#include "src/base/random.h"

namespace spillway::sim {

// Stops whoever runs Java on its machine, again and again until no task runs there. Uses no core
// itself.
class Collector final : public Process {
 public:
  // `every`: from the end of a pause to the beginning of the next; its mean if `poisson`. `machine`
  // outlives it.
  Collector(Machine& machine, Duration every, bool poisson, Empirical pause, base::Random random,
            std::string name);

 private:
  void Resume() override;

  Machine& machine_;
  const Duration every_;
  const bool poisson_;
  const Empirical pause_;
  base::Random random_;
  bool begun_ = false;
  bool pausing_ = false;
};

}  // namespace spillway::sim
