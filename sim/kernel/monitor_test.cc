// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/monitor.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/kernel/exponential.h"
#include "sim/kernel/kernel.h"
#include "src/base/random.h"

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

// An open queue: customers arrive in a Poisson stream and are served one at a time in the monitor.
class OpenQueue final : public Process {
 public:
  OpenQueue(int customers, Duration between, Duration service, bool exponential_service)
      : Process("source"),
        left_(customers),
        between_(between),
        service_(service),
        exponential_(exponential_service) {}

  void Run() {
    kernel_.Start(*this);
    const absl::Status status = kernel_.Run({});
    ASSERT_TRUE(status.ok()) << status.message();
  }

  Kernel& kernel() { return kernel_; }
  Monitor& server() { return server_; }

 private:
  class Customer final : public Process {
   public:
    explicit Customer(OpenQueue& queue) : Process("customer"), queue_(queue) {}

   private:
    void Resume() override {
      if (!in_service_) {
        if (!entered_ && !queue_.server_.Enter(*this)) {
          entered_ = true;  // when it is resumed
          return;
        }
        in_service_ = true;
        return queue_.kernel_.ResumeAfter(*this, queue_.Service());
      }
      queue_.server_.Exit(*this);
      in_service_ = entered_ = false;
      queue_.kernel_.Finish(*this);
      queue_.idle_.push_back(this);
    }

    OpenQueue& queue_;
    bool entered_ = false;
    bool in_service_ = false;
  };

  Duration Service() {
    return exponential_ ? SampleExponential(services_, service_) : service_;
  }

  void Resume() override {
    if (idle_.empty()) idle_.push_back(&customers_.emplace_back(*this));
    Customer* const customer = idle_.back();
    idle_.pop_back();
    kernel_.Start(*customer);
    if (--left_ == 0) return kernel_.Finish(*this);
    kernel_.ResumeAfter(*this, SampleExponential(arrivals_, between_));
  }

  Kernel kernel_;
  Monitor server_{kernel_, "server"};
  int left_;
  Duration between_;
  Duration service_;
  bool exponential_;
  base::Random arrivals_ = base::Random::Stream(1, "arrivals");
  base::Random services_ = base::Random::Stream(1, "services");
  std::deque<Customer> customers_;
  std::vector<Customer*> idle_;
};

constexpr int kCustomers = 200'000;

// Mean wait in line of M/M/1: rho / (1 - rho) x service; of M/D/1: half of that. Interval: 3 %,
// two and a half standard errors of M/M/1 at rho = 0.5 and this number of customers.
TEST(MonitorTest, MeanWaitIsThatOfMM1) {
  for (const auto& [rho_percent, wait] : {std::pair<int, double>{50, 1.0}, {25, 1.0 / 3}}) {
    OpenQueue queue(kCustomers, kMicrosecond * 100 / rho_percent, kMicrosecond, true);
    queue.Run();
    EXPECT_NEAR(static_cast<double>(queue.server().wait().mean()) / kMicrosecond, wait,
                wait * 0.03);
  }
}

TEST(MonitorTest, MeanWaitIsThatOfMD1) {
  for (const auto& [rho_percent, wait] : {std::pair<int, double>{50, 0.5}, {25, 1.0 / 6}}) {
    OpenQueue queue(kCustomers, kMicrosecond * 100 / rho_percent, kMicrosecond, false);
    queue.Run();
    EXPECT_NEAR(static_cast<double>(queue.server().wait().mean()) / kMicrosecond, wait,
                wait * 0.03);
  }
}

TEST(MonitorTest, UtilisationIsServiceOverInterarrival) {
  OpenQueue queue(kCustomers, 2 * kMicrosecond, kMicrosecond, true);
  queue.Run();
  const Time end = queue.kernel().now();
  EXPECT_NEAR(static_cast<double>(queue.server().held(end)) / static_cast<double>(end), 0.5, 0.01);
}

// L = lambda x W holds exactly in a run that ends empty: both sides are the same sum of waits.
TEST(MonitorTest, LittlesLawHoldsToThePicosecond) {
  OpenQueue queue(20'000, 1'100 * kNanosecond, kMicrosecond, true);
  queue.Run();
  EXPECT_TRUE(queue.server().line_length().Area(queue.kernel().now()) ==
              static_cast<__int128>(queue.server().wait().sum()));
  EXPECT_GT(queue.server().line_length().peak(), 5);
}

TEST(MonitorTest, TheSameSeedGivesTheSameRun) {
  OpenQueue first(5'000, 2 * kMicrosecond, kMicrosecond, true);
  OpenQueue second(5'000, 2 * kMicrosecond, kMicrosecond, true);
  first.Run();
  second.Run();
  EXPECT_EQ(first.kernel().now(), second.kernel().now());
  EXPECT_EQ(first.kernel().events(), second.kernel().events());
  // Pinned: a change here is a change of every recorded run.
  EXPECT_EQ(first.kernel().now(), 9'839'089'595);
}

}  // namespace
}  // namespace spillway::sim
