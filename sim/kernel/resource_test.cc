// SPDX-License-Identifier: Apache-2.0
// Resources and preemptive servers: who is served when, and the books.
#include "sim/kernel/resource.h"

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/preemptive_server.h"
#include "src/base/random.h"

namespace spillway::sim {
namespace {

using ::testing::ElementsAre;
using Log = std::vector<std::pair<std::string, Time>>;

// Enters, notes when it is served, works, leaves.
class Visitor final : public Process {
 public:
  Visitor(Kernel& kernel, Resource& resource, std::string name, Duration work, int priority,
          Log& served)
      : Process(std::move(name)),
        kernel_(kernel),
        resource_(resource),
        work_(work),
        priority_(priority),
        served_(served) {}

 private:
  void Resume() override {
    switch (state_++) {
      case 0:
        if (!resource_.Enter(*this, priority_)) return;
        ++state_;
        [[fallthrough]];
      case 1:
        served_.emplace_back(name(), kernel_.now());
        state_ = 2;
        return kernel_.ResumeAfter(*this, work_);
      default:
        resource_.Leave(*this);
        kernel_.Finish(*this);
        state_ = 0;
    }
  }

  Kernel& kernel_;
  Resource& resource_;
  Duration work_;
  int priority_;
  Log& served_;
  int state_ = 0;
};

class ResourceTest : public testing::Test {
 protected:
  void Start(Resource& resource, std::string name, Time at, Duration work, int priority = 0) {
    kernel_.Start(
        visitors_.emplace_back(kernel_, resource, std::move(name), work, priority, served_), at);
  }

  Kernel kernel_;
  std::deque<Visitor> visitors_;
  Log served_;
};

using Served = std::pair<std::string, Time>;

TEST_F(ResourceTest, OneServerIsFirstComeFirstServedAndWaitsAreExact) {
  Resource lock(kernel_, "lock");
  Start(lock, "a", 0, 10);
  Start(lock, "c", 2, 5);
  Start(lock, "b", 1, 20);
  Start(lock, "d", 100, 1);
  ASSERT_TRUE(kernel_.Run({}).ok());
  EXPECT_THAT(served_,
              ElementsAre(Served("a", 0), Served("b", 10), Served("c", 30), Served("d", 100)));
  EXPECT_EQ(lock.wait().count(), 4u);
  EXPECT_EQ(lock.wait().max(), 28);
  EXPECT_EQ(lock.service().max(), 20);
  EXPECT_EQ(lock.line_length().peak(), 2);
  EXPECT_TRUE(lock.busy_servers().Area(kernel_.now()) == 36);
  EXPECT_EQ(lock.UtilisationPpm(), 356'435);  // 36 / 101
  EXPECT_TRUE(lock.CheckLittle().ok());
}

TEST_F(ResourceTest, WhoComesAtTheInstantOfALeaveStandsBehindTheLine) {
  Resource lock(kernel_, "lock");
  Start(lock, "c", 10, 10);  // scheduled before a's leave at 10, runs before it
  Start(lock, "a", 0, 10);
  Start(lock, "b", 3, 10);
  ASSERT_TRUE(kernel_.Run({}).ok());
  EXPECT_THAT(served_, ElementsAre(Served("a", 0), Served("b", 10), Served("c", 20)));
}

TEST_F(ResourceTest, SeveralServersServeAtTheSameTime) {
  Resource disks(kernel_, "disks", 2);
  for (const char* name : {"a", "b", "c", "d", "e"}) Start(disks, name, 0, 10);
  ASSERT_TRUE(kernel_.Run({}).ok());
  EXPECT_EQ(kernel_.now(), 30);
  EXPECT_EQ(disks.busy_servers().peak(), 2);
  EXPECT_EQ(disks.UtilisationPpm(), 833'333);
}

TEST_F(ResourceTest, TheUrgentGoFirstButInterruptNobody) {
  Resource disk(kernel_, "disk", 1, 3);
  Start(disk, "running", 0, 10, 2);
  Start(disk, "late", 1, 10, 2);
  Start(disk, "later", 2, 10, 2);
  Start(disk, "urgent", 3, 10, 0);
  Start(disk, "middle", 4, 10, 1);
  ASSERT_TRUE(kernel_.Run({}).ok());
  EXPECT_THAT(served_, ElementsAre(Served("running", 0), Served("urgent", 10), Served("middle", 20),
                                   Served("late", 30), Served("later", 40)));
  EXPECT_EQ(disk.wait(0).mean(), 7);
  EXPECT_EQ(disk.wait(2).max(), 38);
}

TEST_F(ResourceTest, LittlesLawHoldsAtAnyInstant) {
  Resource disks(kernel_, "disks", 3, 2);
  base::Random random(11);
  for (int i = 0; i < 300; ++i) {
    Start(disks, "v", random.Between(0, 1000), random.Between(0, 20), i % 2);
  }
  for (Time until = 1; until < 2000; until += 7) {
    kernel_.Run({.until = until}).IgnoreError();
    EXPECT_TRUE(disks.CheckLittle().ok()) << until;
  }
  EXPECT_GT(disks.line_length().peak(), 20);
  EXPECT_EQ(disks.waiting(), 0);
  EXPECT_EQ(disks.busy(), 0);
}

class Misuser final : public Process {
 public:
  Misuser(Resource& resource, bool enter) : Process("p"), resource_(resource), enter_(enter) {}

 private:
  void Resume() override {
    if (!enter_) return resource_.Leave(*this);
    EXPECT_TRUE(resource_.Enter(*this));
    EXPECT_FALSE(resource_.Enter(*this));
  }

  Resource& resource_;
  bool enter_;
};

TEST(ResourceFaultTest, LeavingWithoutHoldingIsAFaultAndEnteringTwiceADeadlock) {
  for (const bool enter : {false, true}) {
    Kernel kernel;
    Resource lock(kernel, "lock");
    Misuser process(lock, enter);
    kernel.Start(process);
    EXPECT_THAT(std::string(kernel.Run({}).message()),
                testing::HasSubstr(enter ? "deadlock: p waits for lock, held by p"
                                         : "p leaves lock, which it does not hold"));
  }
}

TEST_F(ResourceTest, OfSeveralServersTheHolderIsNamedOnlyIfAllWait) {
  Resource disks(kernel_, "disks", 2);
  Start(disks, "a", 0, 10);
  Start(disks, "b", 0, 20);
  Start(disks, "c", 0, 20);
  kernel_.Run({.until = 5}).IgnoreError();
  EXPECT_EQ(disks.holder(), nullptr);
  EXPECT_EQ(disks.Describe(), "disks, held by a and 1 more");
  ASSERT_TRUE(kernel_.Run({}).ok());
  EXPECT_EQ(disks.Describe(), "disks, held by nobody");
}

// Works once, and notes when the work is done.
class Job final : public Process {
 public:
  Job(Kernel& kernel, PreemptiveServer& server, std::string name, Duration work, int priority,
      Log& done)
      : Process(std::move(name)),
        kernel_(kernel),
        server_(server),
        work_(work),
        priority_(priority),
        done_(done) {}

 private:
  void Resume() override {
    if (!std::exchange(entered_, true)) return server_.Enter(*this, work_, priority_);
    server_.Leave(*this);
    done_.emplace_back(name(), kernel_.now());
    kernel_.Finish(*this);
  }

  Kernel& kernel_;
  PreemptiveServer& server_;
  Duration work_;
  int priority_;
  Log& done_;
  bool entered_ = false;
};

TEST(PreemptiveServerTest, TheUrgentTakeTheServerAndTheOthersGoOnWhereTheyStopped) {
  Kernel kernel;
  PreemptiveServer core(kernel, "core", 3);
  Log done;
  Job low(kernel, core, "low", 100, 2, done), low2(kernel, core, "low 2", 10, 2, done),
      middle(kernel, core, "middle", 30, 1, done), high(kernel, core, "high", 5, 0, done);
  kernel.Start(low, 0);
  kernel.Start(low2, 5);
  kernel.Start(middle, 40);
  kernel.Start(high, 50);
  ASSERT_TRUE(kernel.Run({}).ok());
  EXPECT_THAT(done, ElementsAre(Served("high", 55), Served("middle", 75), Served("low", 135),
                                Served("low 2", 145)));
  EXPECT_EQ(core.preemptions(), 2u);
  EXPECT_TRUE(core.busy().Area(kernel.now()) == 145);
  EXPECT_EQ(core.present().peak(), 4);
}

TEST(PreemptiveServerTest, WhoIsPreemptedAtItsLastInstantHasNothingLeftToDo) {
  Kernel kernel;
  PreemptiveServer core(kernel, "core", 2);
  Log done;
  Job high(kernel, core, "high", 5, 0, done), low(kernel, core, "low", 10, 1, done);
  kernel.Start(high, 10);  // its event stands before the end of low's work
  kernel.Start(low, 0);
  ASSERT_TRUE(kernel.Run({}).ok());
  EXPECT_THAT(done, ElementsAre(Served("high", 15), Served("low", 15)));
}

// Whatever the order, work is neither lost nor done twice.
TEST(PreemptiveServerTest, AllWorkIsDoneOnce) {
  base::Random random(3);
  Kernel kernel;
  PreemptiveServer core(kernel, "core", 4);
  Log done;
  std::deque<Job> jobs;
  Duration work = 0;
  for (int i = 0; i < 1'000; ++i) {
    const Duration of_this = random.Between(0, 50);
    work += of_this;
    kernel.Start(
        jobs.emplace_back(kernel, core, "j", of_this, static_cast<int>(random.Below(4)), done),
        random.Between(0, 30'000));
  }
  ASSERT_TRUE(kernel.Run({}).ok());
  EXPECT_EQ(done.size(), 1'000u);
  EXPECT_TRUE(core.busy().Area(kernel.now()) == work);
  EXPECT_GT(core.preemptions(), 100u);
}

}  // namespace
}  // namespace spillway::sim
