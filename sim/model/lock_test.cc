// SPDX-License-Identifier: Apache-2.0
// Who gets into a lock after whom, when, and what it costs: MEMORY section 6.
#include "sim/model/lock.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "sim/kernel/histogram.h"
#include "sim/kernel/kernel.h"
#include "sim/model/cores.h"
#include "sim/model/scripted_thread.h"
#include "src/base/random.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

using ::testing::HasSubstr;

constexpr Duration kUs = kMicrosecond;

// An iteration of spinning takes a nanosecond.
constexpr LockTraits kTimes{
    .spin = 5 * kUs, .handover = kUs / 10, .unpark = 2 * kUs, .wake = 25 * kUs};

LockTraits WithoutSpinning() {
  LockTraits times = kTimes;
  times.spin = 0;
  return LockTraits::HotSpot(times);
}

// It takes half to one and a half of the mean.
void ExpectNoticed(Time at, Time left) {
  EXPECT_GE(at - left, kTimes.handover / 2);
  EXPECT_LT(at - left, kTimes.handover * 3 / 2);
}

// A lock, and a core for each thread.
class LockTest : public testing::Test {
 protected:
  Lock& Use(const LockTraits& traits) {
    return locks_.emplace_back(run_.cores, base::Cat("L", locks_.size()), traits, &contended_);
  }

  // Comes at `from`, keeps `lock` for `time` and then burns a microsecond. Line 1 is its entry.
  ScriptedThread& StartHolding(std::string name, Lock& lock, Time from, Duration time) {
    return run_.Start(std::move(name),
                      {Burn(from), Enter(lock), Burn(time), Exit(lock), Burn(kUs)});
  }

  void ExpectLittle() {
    __int128 area = 0;
    for (const Lock& lock : locks_) area += lock.line().Area(run_.kernel.now());
    EXPECT_TRUE(area == static_cast<__int128>(contended_.sum()));
  }

  ScriptedRun run_{CoreOptions{}};
  Histogram contended_;
  std::deque<Lock> locks_;
};

TEST_F(LockTest, ASpinnerGetsTheLockWhenItHasNoticedAndNobodyIsWoken) {
  Lock& lock = Use(LockTraits::HotSpot(kTimes));
  const ScriptedThread& a = StartHolding("a", lock, 0, 3 * kUs);
  const ScriptedThread& b = StartHolding("b", lock, kUs, kUs);
  EXPECT_EQ(run_.Run(), "");
  ExpectNoticed(b.done(1), 3 * kUs);
  EXPECT_EQ(a.ended(), 4 * kUs);
  EXPECT_EQ(a.paid_time(), 0);
  EXPECT_EQ(b.switches(), 1u);  // its end
  EXPECT_EQ(b.entry.waited, b.done(1) - kUs);
  EXPECT_EQ(lock.entries(), 2u);
  EXPECT_EQ(lock.contended_entries(), 1u);
  EXPECT_TRUE(lock.moved());
  ExpectLittle();
}

TEST_F(LockTest, ANewcomerMayBeFasterThanASpinnerWhichThenGoesOnSpinning) {
  Lock& lock = Use(LockTraits::HotSpot(kTimes));
  StartHolding("a", lock, 0, 3 * kUs);
  const ScriptedThread& b = StartHolding("b", lock, kUs, kUs);
  const ScriptedThread& c = StartHolding("c", lock, 3 * kUs + kTimes.handover / 4, kUs);
  EXPECT_EQ(run_.Run(), "");
  EXPECT_EQ(c.done(1), 3 * kUs + kTimes.handover / 4);
  ExpectNoticed(b.done(1), c.done(3));
  EXPECT_EQ(c.paid_time(), 0);
  ExpectLittle();
}

TEST_F(LockTest, WhoSpinsInVainParksAndIsWokenAtTheExpenseOfTheOwner) {
  Lock& lock = Use(LockTraits::HotSpot(kTimes));
  const ScriptedThread& a = StartHolding("a", lock, 0, 100 * kUs);
  const ScriptedThread& b = StartHolding("b", lock, kUs, kUs);
  run_.Run(6 * kUs - 1);
  EXPECT_TRUE(b.on_core());
  run_.Run(6 * kUs);
  EXPECT_FALSE(b.on_core());
  EXPECT_EQ(run_.Run(), "");
  EXPECT_EQ(a.done(3), 100 * kUs);
  EXPECT_EQ(a.ended(), 103 * kUs);
  EXPECT_EQ(a.paid_time(), kTimes.unpark);
  EXPECT_EQ(b.done(1), 125 * kUs);
  ExpectLittle();
}

class SpinningTest : public LockTest {
 protected:
  // How long `thread`, which comes at `from`, spins before it parks.
  Duration TimeSpun(const Thread& thread, Time from) {
    for (Duration spun = 0; spun <= kTimes.spin; spun += kUs / 1000) {
      run_.Run(from + spun);
      if (!thread.on_core()) return spun;
    }
    return -1;
  }
};

TEST_F(SpinningTest, AFailureTakes200OfThe5000IterationsOffAndASuccessAdds100) {
  Lock& lock = Use(LockTraits::HotSpot(kTimes));
  StartHolding("a", lock, 0, 30 * kUs);
  const ScriptedThread& b = StartHolding("b", lock, 10 * kUs, 0);
  const ScriptedThread& c = StartHolding("c", lock, 20 * kUs, 0);
  const ScriptedThread& d = StartHolding("d", lock, 29 * kUs, 100 * kUs);
  const ScriptedThread& e = StartHolding("e", lock, 40 * kUs, 0);
  EXPECT_EQ(TimeSpun(b, 10 * kUs), 5 * kUs);
  EXPECT_EQ(TimeSpun(c, 20 * kUs), kUs * 4800 / 1000);
  EXPECT_EQ(TimeSpun(e, 40 * kUs), kUs * 4700 / 1000);
  EXPECT_EQ(run_.Run(), "");
  ExpectNoticed(d.done(1), 30 * kUs);
}

TEST_F(SpinningTest, NoFailureTakesTheFirst10IterationsAndTheFirstSuccessAllows1100) {
  Lock& lock = Use(LockTraits::HotSpot(kTimes));
  StartHolding("a", lock, 0, 300 * kUs);
  for (int i = 1; i <= 26; ++i) StartHolding(base::Cat("f", i), lock, i * 10 * kUs, 0);
  StartHolding("lucky", lock, 300 * kUs - kUs / 200, 100 * kUs);
  const ScriptedThread& after = StartHolding("after", lock, 310 * kUs, 0);
  EXPECT_EQ(TimeSpun(run_.threads[25], 250 * kUs), kUs / 5);  // 200 are left
  EXPECT_EQ(TimeSpun(run_.threads[26], 260 * kUs), kUs / 100);
  EXPECT_EQ(TimeSpun(after, 310 * kUs), kUs * 1100 / 1000);
  EXPECT_EQ(run_.Run(), "");
  EXPECT_EQ(lock.contended_entries(), 28u);
  ExpectLittle();
}

TEST_F(LockTest, HotSpotsLineIsLastInFirstOutAndEmptiedBeforeNewcomersJoin) {
  Lock& lock = Use(WithoutSpinning());
  StartHolding("a", lock, 0, 100 * kUs);
  const ScriptedThread& b = StartHolding("b", lock, 1 * kUs, 10 * kUs);
  const ScriptedThread& c = StartHolding("c", lock, 2 * kUs, 10 * kUs);
  const ScriptedThread& d = StartHolding("d", lock, 3 * kUs, 10 * kUs);
  const ScriptedThread& e = StartHolding("e", lock, 130 * kUs, 10 * kUs);  // d is inside
  EXPECT_EQ(run_.Run(), "");
  EXPECT_EQ(d.done(1), 125 * kUs);
  EXPECT_EQ(c.done(1), 160 * kUs);
  EXPECT_EQ(b.done(1), 195 * kUs);
  EXPECT_EQ(e.done(1), 230 * kUs);
  ExpectLittle();
}

TEST_F(LockTest, HotSpotReleasesBeforeItWakesSoThatANewcomerPasses) {
  Lock& lock = Use(WithoutSpinning());
  StartHolding("a", lock, 0, 100 * kUs);
  const ScriptedThread& b = StartHolding("b", lock, 1 * kUs, 10 * kUs);
  const ScriptedThread& passing = StartHolding("passing", lock, 110 * kUs, 5 * kUs);
  EXPECT_EQ(run_.Run(), "");
  EXPECT_EQ(passing.done(1), 110 * kUs);
  EXPECT_EQ(b.done(1), 125 * kUs);
}

TEST_F(LockTest, HotSpotsWokenThreadParksAgainIfItComesTooLate) {
  Lock& lock = Use(WithoutSpinning());
  StartHolding("a", lock, 0, 100 * kUs);
  const ScriptedThread& b = StartHolding("b", lock, 1 * kUs, 10 * kUs);
  const ScriptedThread& passing = StartHolding("passing", lock, 110 * kUs, 50 * kUs);
  EXPECT_EQ(run_.Run(), "");
  EXPECT_EQ(passing.done(1), 110 * kUs);
  EXPECT_EQ(b.done(1), 185 * kUs);
  EXPECT_EQ(b.switches(), 3u);  // parked twice, and its end
}

// While b is on the way, woken at 100, nobody else is.
TEST_F(LockTest, HotSpotWakesOneHeirAtATimeAndAMutexOneAtEveryExit) {
  for (const bool mutex : {false, true}) {
    Lock& lock = Use(mutex ? LockTraits::Mutex(kTimes) : WithoutSpinning());
    const Time zero = run_.kernel.now();
    const auto start = [&](const char* name, Time from, Duration time) -> ScriptedThread& {
      return StartHolding(name, lock, from, time);
    };
    start("a", 0, 100 * kUs);
    const ScriptedThread& c = start("c", mutex ? 2 * kUs : kUs, 10 * kUs);
    const ScriptedThread& b = start("b", mutex ? kUs : 2 * kUs, 10 * kUs);
    const ScriptedThread& passing = start("passing", 110 * kUs, 5 * kUs);
    EXPECT_EQ(run_.Run(), "");
    EXPECT_EQ(passing.paid_time(), mutex ? kTimes.unpark : 0);
    EXPECT_EQ(b.done(1) - zero, 125 * kUs);
    // At 140 it finds the lock free that b left at 135; or b has it woken.
    EXPECT_EQ(c.done(1) - zero, mutex ? 140 * kUs : 160 * kUs);
  }
}

TEST_F(LockTest, AMutexParksAtOnceAndWakesFirstInFirstOut) {
  Lock& lock = Use(LockTraits::Mutex(kTimes));
  StartHolding("a", lock, 0, 100 * kUs);
  const ScriptedThread& b = StartHolding("b", lock, 1 * kUs, 10 * kUs);
  const ScriptedThread& c = StartHolding("c", lock, 2 * kUs, 10 * kUs);
  const ScriptedThread& passing = StartHolding("passing", lock, 110 * kUs, kUs);
  run_.Run(kUs);
  EXPECT_FALSE(b.on_core());
  EXPECT_EQ(run_.Run(), "");
  EXPECT_EQ(passing.done(1), 110 * kUs);
  EXPECT_EQ(b.done(1), 125 * kUs);
  EXPECT_GT(c.done(1), b.done(3));
}

TEST_F(LockTest, FifoHandsOverInTheOrderOfArrivalAndEachTakesAWakeUp) {
  Lock& lock = Use(LockTraits::Fifo(kTimes));
  StartHolding("a", lock, 0, 100 * kUs);
  const ScriptedThread& b = StartHolding("b", lock, 1 * kUs, 10 * kUs);
  const ScriptedThread& c = StartHolding("c", lock, 2 * kUs, 10 * kUs);
  const ScriptedThread& late = StartHolding("late", lock, 110 * kUs, 10 * kUs);
  run_.Run(110 * kUs);
  EXPECT_EQ(lock.owner(), &b);  // though it is not there yet
  EXPECT_EQ(run_.Run(), "");
  EXPECT_EQ(b.done(1), 125 * kUs);
  EXPECT_EQ(c.done(1), 160 * kUs);
  EXPECT_EQ(late.done(1), 195 * kUs);
  EXPECT_EQ(b.paid_time(), kTimes.unpark);
  EXPECT_EQ(lock.held(run_.kernel.now()), 205 * kUs);
  ExpectLittle();
}

TEST_F(LockTest, IdealHandsOverInNoTime) {
  Lock& lock = Use(LockTraits::Ideal());
  const ScriptedThread& a = StartHolding("a", lock, 0, 100 * kUs);
  const ScriptedThread& b = StartHolding("b", lock, 1 * kUs, 10 * kUs);
  const ScriptedThread& c = StartHolding("c", lock, 2 * kUs, 10 * kUs);
  EXPECT_EQ(run_.Run(), "");
  EXPECT_EQ(b.done(1), 100 * kUs);
  EXPECT_EQ(c.done(1), 110 * kUs);
  EXPECT_EQ(a.paid_time(), 0);
  ExpectLittle();
}

TEST_F(LockTest, NotifyAllMovesWaitersToTheLineAndLeavesWakingThemToExits) {
  Lock& lock = Use(WithoutSpinning());
  const auto wait = [&](const char* name, Time from) -> const ScriptedThread& {
    return run_.Start(name, {Burn(from), Enter(lock), Wait(lock), Burn(10 * kUs), Exit(lock)});
  };
  const ScriptedThread& first = wait("first", 1 * kUs);
  const ScriptedThread& second = wait("second", 2 * kUs);
  const ScriptedThread& third = wait("third", 3 * kUs);
  run_.Start("notifier",
             {Burn(10 * kUs), Enter(lock), NotifyAll(lock), Burn(90 * kUs), Exit(lock)});
  run_.Run(99 * kUs);
  for (const Thread* thread : {&first, &second, &third}) EXPECT_FALSE(thread->on_core());
  EXPECT_EQ(lock.line().level(), 3);
  EXPECT_EQ(run_.Run(), "");
  // The first was put where wake-ups come from, the others behind it, last in first out.
  EXPECT_EQ(first.done(2), 125 * kUs);
  EXPECT_EQ(third.done(2), 160 * kUs);
  EXPECT_EQ(second.done(2), 195 * kUs);
  EXPECT_EQ(first.entry.blocked, 9 * kUs);
  EXPECT_EQ(first.entry.waited, 115 * kUs);
  ExpectLittle();
}

TEST_F(LockTest, WaitingReleasesFullyAndComesBackAsDeep) {
  for (const LockTraits& traits : {LockTraits::HotSpot(kTimes), LockTraits::Fifo(kTimes),
                                   LockTraits::Ideal(), LockTraits::Mutex(kTimes)}) {
    Lock& lock = Use(traits);
    const ScriptedThread& a = run_.Start("a", {Enter(lock), Enter(lock), Wait(lock), Exit(lock),
                                               Burn(50 * kUs), Exit(lock), Burn(kUs)});
    const ScriptedThread& b = run_.Start("b", {Burn(kUs), Enter(lock), NotifyAll(lock), Exit(lock),
                                               Burn(40 * kUs), Enter(lock), Exit(lock)});
    EXPECT_EQ(run_.Run(), "");
    EXPECT_EQ(b.done(1) - b.done(0), 0);
    EXPECT_GE(b.done(5), a.done(5));
    EXPECT_EQ(lock.owner(), nullptr);
    EXPECT_EQ(lock.entries(), 3u);
  }
  ExpectLittle();
}

TEST_F(LockTest, AnOwnerThatAPauseStopsKeepsEverybodyWaiting) {
  Lock& lock = Use(LockTraits::HotSpot(kTimes));
  const ScriptedThread& owner = run_.Start(
      "owner", {IntoJava(), Enter(lock), Burn(10 * kUs), Exit(lock), OutOfJava(), Burn(kUs)});
  const ScriptedThread& native = StartHolding("native", lock, 9 * kUs, kUs);
  run_.Pause({{8 * kUs, 1000 * kUs}});
  EXPECT_EQ(run_.Run(), "");
  EXPECT_EQ(owner.done(3), 1002 * kUs);
  EXPECT_EQ(owner.stopped_time(), 992 * kUs);
  EXPECT_EQ(native.done(1), 1027 * kUs);
  EXPECT_EQ(native.entry.waited, 1018 * kUs);
}

// On one core the owner cannot go on while somebody spins, and what the spinner waits for a core
// is not a wait for the lock.
TEST(LockAndCoresTest, AnOwnerWithoutACoreIsWaitedForByWhoTookIt) {
  ScriptedRun run({.cores = 1, .tick = 100 * kUs, .slice = 50 * kUs});
  Lock lock(run.cores, "L", LockTraits::HotSpot(kTimes));
  const ScriptedThread& a = run.Start("a", {Enter(lock), Burn(150 * kUs), Exit(lock)});
  const ScriptedThread& b = run.Start("b", {Burn(20 * kUs), Enter(lock), Exit(lock)});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(a.ended(), 175 * kUs);  // it lost its core from 100 to 125: b's burst and its spinning
  EXPECT_EQ(b.done(1), 175 * kUs);  // its core has not been idle, which would take 25 to notice
  EXPECT_EQ(b.ready_time(), 100 * kUs);
}

// The owner leaves at 260 while the spinner is without a core, which it gets back at 300.
TEST(LockAndCoresTest, ASpinnerSeesThatTheLockIsFreeOnceItHasBeenSwitchedTo) {
  ScriptedRun run({.cores = 1, .tick = 100 * kUs, .slice = 50 * kUs, .switch_time = 10 * kUs});
  LockTraits times = kTimes;
  times.spin = 500 * kUs;
  Lock lock(run.cores, "L", LockTraits::HotSpot(times));
  const ScriptedThread& a =
      run.Start("a", {Enter(lock), Burn(150 * kUs), Exit(lock), Burn(100 * kUs)});
  const ScriptedThread& b = run.Start("b", {Burn(20 * kUs), Enter(lock), Exit(lock)});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(a.done(2), 260 * kUs);
  ExpectNoticed(b.done(1), 310 * kUs);
}

TEST_F(LockTest, ADeadlockNamesTheCircle) {
  for (const LockTraits& traits : {LockTraits::HotSpot(kTimes), LockTraits::Fifo(kTimes)}) {
    ScriptedRun run{CoreOptions{}};
    Lock first(run.cores, "T1", traits), second(run.cores, "T2", traits);
    run.Start("a", {Enter(first), Burn(kUs), Enter(second), Exit(second), Exit(first)});
    run.Start("b", {Enter(second), Burn(kUs), Enter(first), Exit(first), Exit(second)});
    EXPECT_THAT(run.Run(), HasSubstr("deadlock: a waits for lock T2, held by b; b waits for lock "
                                     "T1, held by a"));
  }
}

TEST_F(LockTest, AWaitWithoutANotificationIsALostWakeUp) {
  Lock& lock = Use(LockTraits::HotSpot(kTimes));
  run_.Start("a", {Enter(lock), Wait(lock), Exit(lock)});
  EXPECT_THAT(run_.Run(), HasSubstr("lost wake-up: nobody is left to wake a, which waits for a "
                                    "notification in lock L0"));
}

LockTraits TraitsOf(base::Random& random) {
  LockTraits times{.spin = random.Between(0, 20 * kUs),
                   .handover = random.Between(0, kUs),
                   .unpark = random.Between(0, 3 * kUs),
                   .wake = random.Between(0, 30 * kUs)};
  switch (random.Below(4)) {
    case 0:
      return LockTraits::Fifo(times);
    case 1:
      return LockTraits::Ideal();
    case 2:
      return LockTraits::Mutex(times);
    default:
      return LockTraits::HotSpot(times);
  }
}

// A program and, of each number of its lines, whether the lock is held when that many are done.
struct LockProgram {
  LockProgram(Lock& lock, base::Random& random) {
    Add(Burn(random.Between(0, 50 * kUs)), false);
    for (int64_t visits = random.Between(1, 6); visits > 0; --visits) {
      const bool java = random.Below(3) == 0;
      if (java) Add(IntoJava(), false);
      const int64_t depth = random.Between(1, 3);
      for (int64_t i = 0; i < depth; ++i) Add(Enter(lock), i > 0);
      Add(Burn(random.Between(0, 20 * kUs)), true);
      if (random.Below(3) == 0) Add(Wait(lock), false);
      if (random.Below(2) == 0) Add(NotifyAll(lock), true);
      for (int64_t i = 0; i < depth; ++i) Add(Exit(lock), true);
      if (java) Add(OutOfJava(), false);
      Add(random.Below(2) == 0 ? Burn(random.Between(0, 30 * kUs))
                               : Sleep(random.Between(0, 30 * kUs)),
          false);
    }
    inside.push_back(false);
  }

  // `holds`: while the line is the next one.
  void Add(Action action, bool holds) {
    actions.push_back(action);
    inside.push_back(holds);
  }

  std::vector<Action> actions;
  std::vector<bool> inside;
};

RC_GTEST_PROP(LockPropertyTest, OneAtATimeIsInsideAndAllGetInAndTheirWaitsAreTheLinesArea,
              (uint64_t seed)) {
  base::Random random(seed);
  ScriptedRun run({.cores = random.Between(0, 3),
                   .tick = random.Between(10 * kUs, 200 * kUs),
                   .slice = random.Between(0, 100 * kUs),
                   .switch_time = random.Between(0, 2 * kUs)});
  run.kernel.set_tie_order(seed);
  Histogram contended;
  Lock lock(run.cores, "L", TraitsOf(random), &contended);
  std::vector<std::vector<bool>> inside;
  for (int64_t i = random.Between(2, 6); i > 0; --i) {
    LockProgram program(lock, random);
    inside.push_back(program.inside);
    run.Start(base::Cat("t", i), std::move(program.actions));
  }
  // Rings long after all have begun to wait for the last time.
  std::vector<Action> bell;
  for (int i = 0; i < 60; ++i) {
    for (const Action& action : {Sleep(200 * kUs), Enter(lock), NotifyAll(lock), Exit(lock)}) {
      bell.push_back(action);
    }
  }
  run.Start("bell", bell);
  if (random.Below(2) == 0)
    run.Pause({{random.Between(1, 100 * kUs), random.Between(100 * kUs, kUs * 500)}});
  run.kernel.set_observer([&](const Kernel::Step&) {
    for (size_t i = 0; i < inside.size(); ++i) {
      if (inside[i][run.threads[i].line()]) RC_ASSERT(lock.owner() == &run.threads[i]);
    }
  });
  RC_ASSERT(run.Run() == "");
  RC_ASSERT(lock.owner() == nullptr);
  RC_ASSERT(lock.line().level() == 0);
  RC_ASSERT(lock.line().Area(run.kernel.now()) == static_cast<__int128>(contended.sum()));
}

}  // namespace
}  // namespace spillway::sim
