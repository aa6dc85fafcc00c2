// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/monitor.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/kernel/kernel.h"

namespace spillway::sim {
namespace {

using ::testing::ElementsAre;

// Enters the monitor, holds it, leaves.
class Visitor final : public Process {
 public:
  Visitor(Kernel& kernel, Monitor& monitor, std::string name, Duration hold,
          std::vector<std::string>& order)
      : Process(std::move(name)), kernel_(kernel), monitor_(monitor), hold_(hold), order_(order) {}

 private:
  void Resume() override {
    switch (state_++) {
      case 0:
        if (!monitor_.Enter(*this)) return;
        ++state_;
        [[fallthrough]];
      case 1:
        order_.push_back(name());
        state_ = 2;
        return kernel_.ResumeAfter(*this, hold_);
      default:
        monitor_.Exit(*this);
        kernel_.Finish(*this);
    }
  }

  Kernel& kernel_;
  Monitor& monitor_;
  Duration hold_;
  std::vector<std::string>& order_;
  int state_ = 0;
};

TEST(MonitorTest, EntryIsFirstComeFirstServedAndWaitsAreExact) {
  Kernel kernel;
  Monitor monitor(kernel, "m");
  std::vector<std::string> order;
  Visitor a(kernel, monitor, "a", 10, order), b(kernel, monitor, "b", 20, order),
      c(kernel, monitor, "c", 5, order), d(kernel, monitor, "d", 1, order);
  kernel.Start(a, 0);
  kernel.Start(c, 2);
  kernel.Start(b, 1);
  kernel.Start(d, 100);
  ASSERT_TRUE(kernel.Run({}).ok());
  EXPECT_THAT(order, ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(monitor.wait().count(), 4u);
  EXPECT_EQ(monitor.wait().max(), 28);                       // c: from 2 to 30
  EXPECT_EQ(static_cast<int64_t>(monitor.wait().sum()), 37);  // and b: from 1 to 10
  EXPECT_EQ(monitor.contended_entries(), 2u);
  EXPECT_EQ(monitor.held(kernel.now()), 36);
  EXPECT_EQ(monitor.line_length().peak(), 2);
  EXPECT_EQ(monitor.owner(), nullptr);
}

TEST(MonitorTest, WhoArrivesAtTheInstantOfAnExitStandsBehindTheLine) {
  Kernel kernel;
  Monitor monitor(kernel, "m");
  std::vector<std::string> order;
  Visitor a(kernel, monitor, "a", 10, order), b(kernel, monitor, "b", 10, order),
      c(kernel, monitor, "c", 10, order);
  kernel.Start(c, 10);  // scheduled before a's exit at 10, runs before it
  kernel.Start(a, 0);
  kernel.Start(b, 3);
  ASSERT_TRUE(kernel.Run({}).ok());
  EXPECT_THAT(order, ElementsAre("a", "b", "c"));
}

class Misuser final : public Process {
 public:
  Misuser(Monitor& monitor, bool enter) : Process("p"), monitor_(monitor), enter_(enter) {}

 private:
  void Resume() override {
    if (!enter_) return monitor_.Exit(*this);
    EXPECT_TRUE(monitor_.Enter(*this));
    EXPECT_FALSE(monitor_.Enter(*this));
  }

  Monitor& monitor_;
  bool enter_;
};

TEST(MonitorTest, LeavingWithoutHoldingAndEnteringTwiceAreFaults) {
  for (const bool enter : {false, true}) {
    Kernel kernel;
    Monitor monitor(kernel, "m");
    Misuser process(monitor, enter);
    kernel.Start(process);
    EXPECT_EQ(kernel.Run({}).message(),
              enter ? "p enters monitor m, which it holds already"
                    : "p leaves monitor m, which it does not hold");
  }
}

}  // namespace
}  // namespace spillway::sim
