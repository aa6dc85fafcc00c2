// SPDX-License-Identifier: Apache-2.0
#pragma once
// Processes that a test writes down in a few lines, and something for them to wait for.

#include <functional>
#include <string>
#include <utility>

#include "sim/kernel/process.h"

namespace spillway::sim {

// Each resumption calls `step` with the number of resumptions before.
class Steps final : public Process {
 public:
  Steps(std::string name, std::function<void(Steps&, int)> step)
      : Process(std::move(name)), step_(std::move(step)) {}

 private:
  void Resume() override { step_(*this, count_++); }

  std::function<void(Steps&, int)> step_;
  int count_ = 0;
};

struct Bell final : Awaited {
  std::string Describe() const override { return "the bell"; }
};

}  // namespace spillway::sim
