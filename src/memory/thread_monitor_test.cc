// SPDX-License-Identifier: Apache-2.0
#include "src/memory/thread_monitor.h"

#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace spillway::memory {
namespace {

TEST(ThreadMonitorTest, TheOwnerEntersAgainAndLeavesAsOften) {
  ThreadMonitor monitor("m");
  int entered = 0;
  ASSERT_TRUE(monitor.Enter(ThisThread()));
  ASSERT_TRUE(monitor.Enter(ThisThread()));
  std::thread other([&] {
    ASSERT_TRUE(monitor.Enter(ThisThread()));
    EXPECT_EQ(entered, 2) << "it was let in only when the owner had left twice";
    monitor.Exit(ThisThread());
  });
  entered = 1;
  monitor.Exit(ThisThread());
  entered = 2;
  monitor.Exit(ThisThread());
  other.join();
}

TEST(ThreadMonitorTest, WaitingLeavesEntirelyAndComesBackAsDeep) {
  ThreadMonitor monitor("m");
  bool told = false;
  bool waits = false;
  std::thread waiter([&] {
    ASSERT_TRUE(monitor.Enter(ThisThread()));
    ASSERT_TRUE(monitor.Enter(ThisThread()));
    waits = true;
    while (!told) ASSERT_TRUE(monitor.Wait(ThisThread()));
    monitor.Exit(ThisThread());
    monitor.Exit(ThisThread());
  });
  while (!told) {
    ASSERT_TRUE(monitor.Enter(ThisThread()));
    told = waits;
    monitor.NotifyAll(ThisThread());
    monitor.Exit(ThisThread());
  }
  waiter.join();
  ASSERT_TRUE(monitor.Enter(ThisThread())) << "nobody is left inside";
  monitor.Exit(ThisThread());
}

TEST(ThreadMonitorTest, NotifyAllWakesEverybody) {
  ThreadMonitor monitor("m");
  int waiting = 0;
  bool open = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ASSERT_TRUE(monitor.Enter(ThisThread()));
      ++waiting;
      while (!open) ASSERT_TRUE(monitor.Wait(ThisThread()));
      monitor.Exit(ThisThread());
    });
  }
  for (bool all = false; !all;) {
    ASSERT_TRUE(monitor.Enter(ThisThread()));
    all = waiting == 4;
    if (all) {
      open = true;
      monitor.NotifyAll(ThisThread());
    }
    monitor.Exit(ThisThread());
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ThreadMonitorDeathTest, OnlyTheOwnerMayLeaveWaitOrNotify) {
  ThreadMonitor monitor("m");
  EXPECT_DEATH(monitor.Exit(ThisThread()), "only its owner");
  EXPECT_DEATH(static_cast<void>(monitor.Wait(ThisThread())), "only its owner");
  EXPECT_DEATH(monitor.NotifyAll(ThisThread()), "only its owner");
}

}  // namespace
}  // namespace spillway::memory
