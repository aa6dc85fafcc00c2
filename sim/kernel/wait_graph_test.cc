// SPDX-License-Identifier: Apache-2.0
// What a run that cannot go on says about the processes that are left.
#include "sim/kernel/wait_graph.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/resource.h"
#include "sim/kernel/steps.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A kernel with locks 0, 1, ... and processes named a0, b1, ...
class WaitGraphTest : public testing::Test {
 protected:
  Resource& lock(size_t i) {
    while (locks_.size() <= i) {
      locks_.emplace_back(kernel_, base::Cat("lock ", locks_.size()));
    }
    return locks_[i];
  }

  void Start(std::string name, std::function<void(Steps&, int)> step) {
    kernel_.Start(processes_.emplace_back(std::move(name), std::move(step)));
  }

  // Enters `first` at once and `second` 10 ps later, and keeps both if it gets them.
  void StartTaking(std::string name, size_t first, size_t second) {
    lock(std::max(first, second));
    Start(std::move(name), [this, first, second](Steps& self, int count) {
      if (count == 0 && lock(first).Enter(self)) return kernel_.ResumeAfter(self, 10);
      if (lock(second).Enter(self)) kernel_.Finish(self);
    });
  }

  void StartListening(std::string name) {
    Start(std::move(name), [this](Steps& self, int) { kernel_.Wait(self, bell_); });
  }

  std::string Run(const Kernel::Limits& limits = {}) {
    const absl::Status status = kernel_.Run(limits);
    EXPECT_EQ(status.code(), limits.max_events == UINT64_MAX
                                 ? absl::StatusCode::kFailedPrecondition
                                 : absl::StatusCode::kResourceExhausted);
    return std::string(base::ToStd(status.message()));
  }

  Kernel kernel_;
  Bell bell_;
  std::deque<Resource> locks_;
  std::deque<Steps> processes_;
};

TEST_F(WaitGraphTest, ADeadlockIsNamedAsACircle) {
  StartTaking("a", 0, 1);
  StartTaking("b", 1, 0);
  EXPECT_EQ(Run(),
            "no event is left at 10 ps of virtual time after 4 events, but 2 processes are: "
            "deadlock: a waits for lock 1, held by b; b waits for lock 0, held by a");
}

TEST_F(WaitGraphTest, ALostWakeUpIsNamedAsOne) {
  StartListening("c");
  EXPECT_EQ(Run(),
            "no event is left at 0 ps of virtual time after 1 events, but 1 process is: "
            "lost wake-up: nobody is left to wake c, which waits for the bell");
}

TEST_F(WaitGraphTest, WhatAFinishedProcessHoldsWasNeverReleased) {
  StartTaking("a", 0, 1);
  StartTaking("b", 2, 0);
  EXPECT_THAT(Run(), HasSubstr("1 process is: never released: b waits for lock 0, held by a, "
                               "which has finished"));
}

TEST_F(WaitGraphTest, CausesAreToldApartFromThoseWhoWaitBehindThem) {
  StartTaking("a", 0, 1);
  StartTaking("b", 1, 2);
  StartTaking("c", 2, 0);
  StartListening("d");
  StartTaking("behind the circle", 3, 1);
  StartTaking("behind that one", 4, 3);
  EXPECT_THAT(Run(),
              HasSubstr("6 processes are: deadlock: a waits for lock 1, held by b; b waits for "
                        "lock 2, held by c; c waits for lock 0, held by a; lost wake-up: "
                        "nobody is left to wake d, which waits for the bell; 2 more wait behind "
                        "these"));
}

TEST_F(WaitGraphTest, WhoEntersWhatItHoldsIsACircleOfOne) {
  struct Own final : Awaited {
    std::string Describe() const override { return "itself"; }
    const Process* holder() const override { return self; }
    const Process* self = nullptr;
  } own;
  Start("a", [&](Steps& self, int) {
    own.self = &self;
    kernel_.Wait(self, own);
  });
  EXPECT_THAT(Run(), HasSubstr("1 process is: deadlock: a waits for itself"));
}

TEST_F(WaitGraphTest, ARunThatIsCutNamesTheDeadlocksAmongThoseThatWait) {
  StartTaking("a", 0, 1);
  StartTaking("b", 1, 0);
  Start("clock", [this](Steps& self, int) { kernel_.ResumeAfter(self, 1); });
  EXPECT_THAT(Run({.max_events = 50}),
              HasSubstr("clock waits for its time to come; deadlock: a waits for lock 1, held by "
                        "b; b waits for lock 0, held by a"));
  EXPECT_THAT(Run({.max_events = 60}), Not(HasSubstr("lost")));
}

// Ten thousand of each kind: a circle of all, 5,000 circles of two, nobody to wake them, one that
// keeps what all the others want.
TEST_F(WaitGraphTest, TenThousandProcessesAreDescribedInAFewLines) {
  constexpr int kProcesses = 10'000;
  for (int i = 0; i < kProcesses; ++i) StartTaking(base::Cat("r", i), i, (i + 1) % kProcesses);
  for (int i = 0; i < kProcesses; ++i) {
    StartTaking(base::Cat("p", i), kProcesses + i, kProcesses + (i ^ 1));
  }
  for (int i = 0; i < kProcesses; ++i) StartListening(base::Cat("w", i));
  for (int i = 0; i < kProcesses; ++i) {
    Start(base::Cat("s", i), [this](Steps& self, int) {
      if (lock(2 * kProcesses).Enter(self)) kernel_.Finish(self);  // and keeps it
    });
  }
  const std::string message = Run();
  EXPECT_THAT(message, HasSubstr("but 39999 processes are: deadlock: r0 waits for lock 1, held "
                                 "by r1; r1 waits for"));
  EXPECT_THAT(message, HasSubstr("held by r10; and 9990 more; deadlock: p0 waits for lock 10001,"
                                 " held by p1; p1 waits for lock 10000, held by p0; deadlock: "));
  EXPECT_THAT(message, HasSubstr("; and 4998 more such circles; lost wake-up: "));
  EXPECT_THAT(message, HasSubstr("w9, which waits for the bell; and 9990 more; never released: "));
  EXPECT_THAT(message, HasSubstr("held by s0, which has finished; and 9989 more"));
  EXPECT_THAT(message, Not(HasSubstr("behind")));
  EXPECT_LT(message.size(), 3'000u);
}

}  // namespace
}  // namespace spillway::sim
