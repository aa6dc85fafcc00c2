// SPDX-License-Identifier: Apache-2.0
#pragma once
// A monitor in virtual time: one owner at a time, the others wait in line.

#include <cstdint>
#include <string>
#include <utility>

#include "sim/kernel/histogram.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "sim/kernel/time_weighted.h"

namespace spillway::sim {

// First come, first served: the owner that leaves hands over to the first in line, and nobody can
// get in between. Not reentrant. A JVM's monitor is neither fair nor that cheap to hand over; see
// docs/simulator.md.
class Monitor final : public Awaited {
 public:
  Monitor(Kernel& kernel, std::string name)
      : kernel_(kernel), name_(std::move(name)), line_(kernel) {}

  // True: `process` is the owner and goes on at once. False: it stands in line and must return from
  // its Resume(), which is called again when it is the owner.
  [[nodiscard]] bool Enter(Process& process);

  // The owner leaves. By anybody else it is a fault that ends the run.
  void Exit(Process& process);

  const Process* owner() const { return owner_; }
  const Process* holder() const override { return owner_; }
  int64_t waiting() const { return line_.size(); }

  // One value for each entry so far: the time in line, 0 for those who found it free.
  const Histogram& wait() const { return wait_; }
  uint64_t contended_entries() const { return contended_; }
  // Length of the line over time, the owner not counted.
  const TimeWeighted& line_length() const { return line_length_; }
  // Total time with an owner, until `now`; by `now` this is the utilisation.
  Duration held(Time now) const { return held_ + (owner_ == nullptr ? 0 : now - owned_since_); }

  std::string Describe() const override;

 private:
  void Own(Process& process, Duration waited);

  Kernel& kernel_;
  std::string name_;
  WaitLine line_;
  Process* owner_ = nullptr;
  Time owned_since_ = 0;
  Duration held_ = 0;
  uint64_t contended_ = 0;
  Histogram wait_;
  TimeWeighted line_length_;
};

}  // namespace spillway::sim
