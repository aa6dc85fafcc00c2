// SPDX-License-Identifier: Apache-2.0
#include "sim/model/exploration.h"

namespace spillway::sim {

Exploration::Exploration(uint64_t seed, Duration longest)
    : random_(base::Random::Stream(seed, "exploration")),
      tie_order_(random_.Next()),
      longest_(longest) {}

Exploration::Delay Exploration::BeforeStep(Cores& cores, Thread& thread) {
  const uint64_t kind = random_.Below(4);
  if (kind > 1) return {};
  const Delay delay{.time = random_.Between(1, longest_), .off_core = kind == 1};
  if (delay.off_core) {
    cores.Sleep(thread, delay.time);
  } else {
    cores.Burn(thread, delay.time);
  }
  return delay;
}

}  // namespace spillway::sim
