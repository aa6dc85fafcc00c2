// SPDX-License-Identifier: Apache-2.0
#pragma once
// One server that the more urgent take from the less urgent, who go on later where they stopped:
// a core that serves threads by priority.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/kernel/time_weighted.h"

namespace spillway::sim {

// Preemptive-resume priority, 0 first; among equals first come, first served, and one that was
// preempted is still the first of its priority. Work is in whole picoseconds, and none is lost or
// done twice.
class PreemptiveServer final : public Awaited {
 public:
  // `priorities` is at least 1.
  PreemptiveServer(Kernel& kernel, std::string name, int priorities);

  // The running process wants `work`, >= 0, and returns from its Resume(), which is called again
  // when the work is done and begins with Leave. `priority` is below `priorities`.
  void Enter(Process& process, Duration work, int priority);
  // By the process whose work was done; by anybody else it is a fault that ends the run.
  void Leave(Process& process);

  uint64_t preemptions() const { return preemptions_; }
  // Over time: those who have or want the server, and 1 while it works.
  const TimeWeighted& present() const { return present_; }
  const TimeWeighted& busy() const { return busy_; }

  std::string Describe() const override;
  const Process* holder() const override { return current_.process; }

 private:
  struct Job {
    Process* process = nullptr;
    Duration left = 0;
    int priority = 0;
    uint64_t order = 0;  // of coming
  };
  // For a heap: the most urgent is the greatest.
  static bool LessUrgent(const Job& a, const Job& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.order > b.order;
  }

  void PutInLine(const Job& job);

  Kernel& kernel_;
  std::string name_;
  int priorities_;
  Job current_;
  std::vector<Job> line_;  // a heap
  uint64_t jobs_ = 0;
  uint64_t preemptions_ = 0;
  TimeWeighted present_;
  TimeWeighted busy_;
};

}  // namespace spillway::sim
