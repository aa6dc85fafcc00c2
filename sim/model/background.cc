// SPDX-License-Identifier: Apache-2.0
#include "sim/model/background.h"

#include <utility>

#include "sim/kernel/exponential.h"

namespace spillway::sim {

BackgroundThread::BackgroundThread(Machine& machine, Duration every, Empirical burst,
                                   base::Random random, std::string name)
    : Thread(std::move(name)),
      machine_(machine),
      every_(every),
      burst_(std::move(burst)),
      random_(random) {}

void BackgroundThread::Run() {
  if (machine_.finished()) return machine_.cores().Finish(*this);
  asleep_ = !asleep_;
  if (!asleep_) return machine_.cores().Burn(*this, burst_.Sample(random_));
  machine_.cores().Sleep(*this, SampleExponential(random_, every_));
}

}  // namespace spillway::sim
