// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where an executor's writers spill to.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/kernel/time_weighted.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

// What the disks of all executors did together.
struct DiskUse {
  TimeWeighted line;  // spills that wait for a disk
  __int128 time = 0;  // of all spills on disks, ps
};

// The disks of one executor with one line for all, first come, first served; or, if the scenario
// has no number of disks, one for every writer, and no line.
//
// A spill takes spill_ns and spill_ns_per_mib by its bytes, rounded down to a ns, and `slow_factor`
// of that if it begins while disks are slow.
class Disks final : public Awaited {
 public:
  // `disk` has passed the loader. All three outlive this.
  Disks(Kernel& kernel, const Disk& disk, DiskUse& use);

  // From within the process's Resume(): it waits until its `bytes` >= 0 are on a disk, and is
  // resumed at that instant.
  void Write(Process& process, int64_t bytes);

  std::string Describe() const override;

 private:
  struct Spill {
    Process* process = nullptr;
    int64_t bytes = 0;
  };

  // One disk, at work from its Start to its Finish.
  class Spindle final : public Process {
   public:
    Spindle(Disks& disks, int64_t number) : Process("disk", number), disks_(disks) {}
    void Begin(const Spill& spill);

   private:
    void Resume() override;

    Disks& disks_;
    Spill spill_;
  };

  // How long a spill takes that begins now. Counts it.
  Duration Take(int64_t bytes);

  Kernel& kernel_;
  const Disk& disk_;
  DiskUse& use_;
  std::deque<Spindle> spindles_;
  std::vector<Spindle*> idle_;  // the last one begins next
  std::deque<Spill> line_;
};

}  // namespace spillway::sim
