// SPDX-License-Identifier: Apache-2.0
#pragma once
// Schedules of one scenario other than the one that its times give: ties in any order, and threads
// that are held up, or lose their core, between any two steps of their calls.

#include <cstdint>

#include "sim/kernel/time.h"
#include "sim/model/cores.h"
#include "sim/model/thread.h"
#include "src/base/random.h"
#include "src/memory/monitor.h"

namespace spillway::sim {

// One schedule: a run that is given the same one with the same seed is the same run. Used once.
class Exploration {
 public:
  // Threads are held up before every other step, for up to `longest` > 0.
  explicit Exploration(uint64_t seed, Duration longest = 100 * kMicrosecond);
  virtual ~Exploration() = default;
  Exploration(const Exploration&) = delete;
  Exploration& operator=(const Exploration&) = delete;

  // Of the kernel's order of ties.
  uint64_t tie_order() const { return tie_order_; }

  struct Delay {
    Duration time = 0;  // 0: the thread goes on
    bool off_core = false;
  };

  // From within Run() of a thread that is about to take a step, whatever locks it has. If there is
  // a delay it has been told to burn it or to sleep, and returns.
  Delay BeforeStep(Cores& cores, Thread& thread);

  // What callers are to take for `lock`, that of a machine's memory: itself, or one of the
  // exploration's own in front of it, which has a fault planted and outlives the run.
  virtual memory::Monitor& Disguise(memory::Monitor& lock) { return lock; }

 private:
  base::Random random_;
  const uint64_t tie_order_;
  const Duration longest_;
};

}  // namespace spillway::sim
