// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loads that are nearly nothing but the kernel, to measure it with.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/kernel/kernel.h"
#include "sim/kernel/time.h"
#include "src/base/random.h"

namespace spillway::sim {

// M/M/1 with two processes, at 90 % load, as simulators are compared by: a source that notes each
// arrival, and a server that serves those noted one after the other and adds up their waits. Two
// events and two exponential draws a customer.
class BareMM1 {
 public:
  explicit BareMM1(uint64_t seed = 1);

  // `events` more. Returns how many were run.
  uint64_t Run(uint64_t events);

  // Mean time in the system of those served so far, rounded down.
  Duration mean_response() const {
    return served_ == 0 ? 0 : static_cast<Duration>(responses_ / served_);
  }

 private:
  class Source final : public Process {
   public:
    explicit Source(BareMM1& queue) : Process("source"), queue_(queue) {}

   private:
    void Resume() override;
    BareMM1& queue_;
  };

  class Server final : public Process, private Awaited {
   public:
    explicit Server(BareMM1& queue) : Process("server"), queue_(queue) {}

   private:
    friend class Source;
    void Resume() override;
    std::string Describe() const override { return "a customer"; }
    BareMM1& queue_;
    bool serving_ = false;
  };

  Duration ServiceTime();
  void Arrive();

  Kernel kernel_;
  base::Random arrivals_;
  base::Random services_;
  std::vector<Time> line_;  // a ring of arrivals; its size is a power of two
  uint64_t arrived_ = 0;
  uint64_t served_ = 0;
  __int128 responses_ = 0;
  Source source_{*this};
  Server server_{*this};
};

// The hold model: so many processes, each of which does nothing but go on after an exponential
// time. One draw an event; the number pending stays the same.
class BareHold {
 public:
  explicit BareHold(int pending, uint64_t seed = 1);

  // `events` more. Returns how many were run.
  uint64_t Run(uint64_t events);

 private:
  class Holder final : public Process {
   public:
    explicit Holder(BareHold& hold) : Process("holder"), hold_(hold) {}

   private:
    void Resume() override;
    BareHold& hold_;
  };

  Kernel kernel_;
  base::Random random_;
  std::deque<Holder> holders_;
};

}  // namespace spillway::sim
