// SPDX-License-Identifier: Apache-2.0
#include "sim/model/collector.h"

#include <utility>

#include "sim/kernel/exponential.h"

namespace spillway::sim {

Collector::Collector(Machine& machine, Duration every, bool poisson, Empirical pause,
                     base::Random random, std::string name)
    : Process(std::move(name)),
      machine_(machine),
      every_(every),
      poisson_(poisson),
      pause_(std::move(pause)),
      random_(random) {}

void Collector::Resume() {
  Kernel& kernel = machine_.kernel();
  if (!pausing_ && begun_ && !machine_.finished()) {
    pausing_ = true;
    ++machine_.measures().run.pauses;
    machine_.cores().BeginPause();
    return kernel.ResumeAfter(*this, pause_.Sample(random_));
  }
  if (std::exchange(pausing_, false)) machine_.cores().EndPause();
  if (machine_.finished()) return kernel.Finish(*this);
  begun_ = true;
  kernel.ResumeAfter(*this, poisson_ ? SampleExponential(random_, every_) : every_);
}

}  // namespace spillway::sim
