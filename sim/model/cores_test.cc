// SPDX-License-Identifier: Apache-2.0
// Who is on which core, to the picosecond, and what no schedule may break.
#include "sim/model/cores.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "sim/kernel/kernel.h"
#include "sim/model/scripted_thread.h"
#include "src/base/random.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

constexpr Duration kMs = kMillisecond;

// A tick that never comes: who has a core keeps it.
constexpr Duration kNever = 1000 * kSecond;

CoreOptions Options(int64_t cores, Duration tick = 4 * kMs, Duration slice = 3 * kMs) {
  return {.cores = cores, .tick = tick, .slice = slice};
}

TEST(CoresTest, ThreadsOfOneCoreTakeTurnsAtItsTicks) {
  ScriptedRun run(Options(1));
  // Until 4, from 8 to 12, and from 16; between them the other, which is alone from 18 on.
  const ScriptedThread& a = run.Start("a", {Burn(3 * kMs), Burn(2 * kMs), Burn(5 * kMs)});
  const ScriptedThread& b = run.Start("b", {Burn(1 * kMs), Burn(4 * kMs), Burn(5 * kMs)});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(a.done(0), 3 * kMs);
  EXPECT_EQ(a.done(1), 9 * kMs);
  EXPECT_EQ(a.ended(), 18 * kMs);
  EXPECT_EQ(b.done(0), 5 * kMs);
  EXPECT_EQ(b.done(1), 13 * kMs);
  EXPECT_EQ(b.ended(), 20 * kMs);
  EXPECT_EQ(a.ready_time(), 8 * kMs);
  EXPECT_EQ(b.ready_time(), 10 * kMs);
  EXPECT_EQ(run.cores.switches(), 5u);
}

TEST(CoresTest, ATickLeavesASliceThatIsNotOver) {
  ScriptedRun run(Options(1, 4 * kMs, 6 * kMs));
  const ScriptedThread& a = run.Start("a", {Burn(9 * kMs)});
  const ScriptedThread& b = run.Start("b", {Burn(kMs)});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(b.ended(), 9 * kMs);
  EXPECT_EQ(a.ended(), 10 * kMs);
}

TEST(CoresTest, AThreadThatIsAloneIsNeverInterrupted) {
  ScriptedRun run(Options(1));
  const ScriptedThread& a = run.Start("a", {Burn(kSecond)});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(a.ended(), kSecond);
  EXPECT_EQ(run.kernel.events(), 3u);
}

TEST(CoresTest, ThreeThreadsShareACoreEquallyOverALongRun) {
  ScriptedRun run(Options(1));
  for (const char* name : {"a", "b", "c"}) run.Start(name, {Burn(10 * kSecond)});
  run.Run(7 * kSecond);
  for (const ScriptedThread& thread : run.threads) {
    if (thread.on_core()) run.cores.Account(thread);
    EXPECT_NEAR(thread.core_time(), 7 * kSecond / 3, 8 * kMs);
  }
}

TEST(CoresTest, SwitchingToAnotherThreadTakesTimeAndCounts) {
  CoreOptions options = Options(1);
  options.switch_time = 10 * kMicrosecond;
  ScriptedRun run(options);
  const ScriptedThread& a = run.Start("a", {Burn(5 * kMs)});
  const ScriptedThread& b = run.Start("b", {Burn(kMs)});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(b.ended(), 5 * kMs + 10 * kMicrosecond);
  EXPECT_EQ(a.ended(), 6 * kMs + 20 * kMicrosecond);
  EXPECT_EQ(run.cores.switches(), 2u);
  EXPECT_TRUE(run.cores.core_time(a.ended()) == 6 * kMs + 20 * kMicrosecond);
}

TEST(CoresTest, AWokenThreadThatIsBehindDisplacesOneThatIsAheadAndKeepsTheCore) {
  ScriptedRun run(Options(1));
  // b has had 1.5 ms less than its share when it goes to sleep, and has not lost that at 35.
  run.Start("a", {Burn(100 * kMs)});
  const ScriptedThread& b = run.Start("b", {Burn(kMs), Sleep(30 * kMs), Burn(kMs)});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(b.done(0), 5 * kMs);
  EXPECT_EQ(b.ended(), 36 * kMs);
  EXPECT_EQ(b.ready_time(), 4 * kMs);
}

TEST(CoresTest, AWokenThreadLeavesASliceThatHasBegunToItsOwner) {
  ScriptedRun run(Options(1));
  run.Start("a", {Burn(100 * kMs)});
  const ScriptedThread& b = run.Start("b", {Burn(kMs)}, kMs);
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(b.ended(), 5 * kMs);
}

// a has had 1.5 ms more than its share when it goes to sleep. Of two that were woken the one that
// is ahead comes second, unless that has worn off; then it is first come, first served.
TEST(CoresTest, BeingAheadWearsOffDuringASleep) {
  for (const Duration sleep : {kMs / 2, 10 * kMs}) {
    ScriptedRun run(Options(1));
    const ScriptedThread& a = run.Start("a", {Burn(3 * kMs), Sleep(sleep), Burn(kMs)});
    run.Start("b", {Burn(100 * kMs)});
    const ScriptedThread& c = run.Start("c", {Burn(kMs)}, 3 * kMs + sleep + kMicrosecond);
    EXPECT_EQ(run.Run(), "");
    EXPECT_EQ(a.ended() < c.ended(), sleep == 10 * kMs) << sleep;
  }
}

TEST(PlacementTest, AWokenThreadGoesBackToItsCoreIfThatIsIdle) {
  ScriptedRun run(Options(2));
  const ScriptedThread& a = run.Start("a", {Burn(kMs), Sleep(5 * kMs), Burn(kMs)});
  const ScriptedThread& b = run.Start("b", {Burn(2 * kMs), Sleep(kMs), Burn(kMs)});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(a.core()->number(), 0);
  EXPECT_EQ(b.core()->number(), 1);
}

TEST(PlacementTest, ElseToAnIdleOne) {
  ScriptedRun run(Options(2));
  const ScriptedThread& a = run.Start("a", {Burn(kMs), Sleep(5 * kMs), Burn(kMs)});
  run.Start("b", {Burn(3 * kMs)});
  run.Start("c", {Burn(100 * kMs)}, 2 * kMs);  // on core 0, which a has left
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(a.core()->number(), 1);
  EXPECT_EQ(a.ended(), 7 * kMs);
}

// x was on core 0, where `others` are in line behind b when d, alone on core 1, wakes it.
int64_t CoreOfWoken(int others) {
  ScriptedRun run(Options(2, kNever));
  ScriptedThread& x = run.Start("x", {Burn(kMs), Block(), Burn(kMs)});
  run.Start("a", {Burn(10 * kMs)});
  run.Start("b", {Burn(kSecond)}, 2 * kMs);
  run.Start("c", {Burn(kMs)}, 3 * kMs);                          // behind b
  run.Start("d", {Burn(kMs), Wake(x), Burn(kSecond)}, 4 * kMs);  // behind a
  if (others > 1) run.Start("e", {Burn(kMs)}, 5 * kMs);          // behind b
  run.Run(12 * kMs);
  EXPECT_EQ(run.cores.ready().level(), others + 1);
  return x.core()->number();
}

TEST(PlacementTest, ElseToItsWakersCoreIfThatHasFewerByTwoOrMore) {
  EXPECT_EQ(CoreOfWoken(1), 0);
  EXPECT_EQ(CoreOfWoken(2), 1);
}

TEST(PlacementTest, ACoreThatRunsOutOfThreadsTakesTheOldestOfTheLongestLine) {
  ScriptedRun run(Options(2, kNever));
  run.Start("a", {Burn(50 * kMs)});  // on 0
  run.Start("b", {Burn(kMs)});       // on 1
  const ScriptedThread& c = run.Start("c", {Burn(kMs)});
  const ScriptedThread& d = run.Start("d", {Burn(kMs)});
  const ScriptedThread& e = run.Start("e", {Burn(kMs)});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(d.ended(), 2 * kMs);  // was in line for core 1 already
  EXPECT_EQ(c.ended(), 3 * kMs);
  EXPECT_EQ(e.ended(), 4 * kMs);
  EXPECT_EQ(e.core()->number(), 1);
}

TEST(PlacementTest, WithoutANumberOfCoresNobodyEverWaitsForOne) {
  ScriptedRun run(Options(0));
  for (int i = 0; i < 20; ++i) {
    run.Start(base::Cat("t", i), {Burn(3 * kMs), Sleep(kMs), Burn(9 * kMs)});
  }
  EXPECT_EQ(run.Run(), "");
  for (const ScriptedThread& thread : run.threads) {
    EXPECT_EQ(thread.ended(), 13 * kMs);
    EXPECT_EQ(thread.ready_time(), 0);
  }
  EXPECT_EQ(run.cores.switches(), 0u);
}

TEST(PauseTest, ThreadsInJavaStopWithTheirBurstKeptAndNativeOnesGoOn) {
  ScriptedRun run(Options(0));
  const ScriptedThread& java = run.Start("java", {IntoJava(), Burn(10 * kMs)});
  const ScriptedThread& native = run.Start("native", {Burn(10 * kMs)});
  const ScriptedThread& back = run.Start("back", {IntoJava(), OutOfJava(), Burn(10 * kMs)});
  run.Pause({{3 * kMs, 5 * kMs}, {7 * kMs, 8 * kMs}});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(java.ended(), 13 * kMs);
  EXPECT_EQ(java.stopped_time(), 3 * kMs);
  EXPECT_EQ(native.ended(), 10 * kMs);
  EXPECT_EQ(back.ended(), 10 * kMs);
}

TEST(PauseTest, NobodyGetsIntoJavaOrIsWokenThere) {
  ScriptedRun run(Options(0));
  const ScriptedThread& late = run.Start("late", {Burn(4 * kMs), IntoJava(), Burn(kMs)});
  ScriptedThread& blocked = run.Start("blocked", {IntoJava(), Block(), Burn(kMs)});
  const ScriptedThread& waker = run.Start("waker", {Burn(4 * kMs), Wake(blocked), Burn(kMs)});
  const ScriptedThread& asleep = run.Start("asleep", {IntoJava(), Sleep(4 * kMs), Burn(kMs)});
  run.Pause({{3 * kMs, 6 * kMs}});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(late.ended(), 7 * kMs);
  EXPECT_EQ(blocked.ended(), 7 * kMs);
  EXPECT_EQ(waker.ended(), 5 * kMs);
  EXPECT_EQ(asleep.ended(), 7 * kMs);
  EXPECT_EQ(late.stopped_time(), 2 * kMs);
  EXPECT_EQ(blocked.stopped_time(), 2 * kMs);
  EXPECT_EQ(asleep.stopped_time(), 2 * kMs);
}

TEST(PauseTest, CoresOfStoppedThreadsGoToNativeOnes) {
  ScriptedRun run(Options(1, kNever));
  const ScriptedThread& java = run.Start("java", {IntoJava(), Burn(10 * kMs)});
  const ScriptedThread& second = run.Start("second", {IntoJava(), Burn(kMs)});
  const ScriptedThread& native = run.Start("native", {Burn(kMs)});
  run.Pause({{3 * kMs, 8 * kMs}});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(native.ended(), 4 * kMs);
  EXPECT_EQ(java.ended(), 15 * kMs);
  EXPECT_EQ(second.ended(), 16 * kMs);
}

TEST(PauseTest, AThreadInLineStopsWhenItsTurnComes) {
  ScriptedRun run(Options(1));
  // When the pause begins the second is on the core, and the first stands in line before it is
  // over.
  const ScriptedThread& first = run.Start("first", {IntoJava(), Burn(10 * kMs)});
  const ScriptedThread& second = run.Start("second", {IntoJava(), Burn(10 * kMs)});
  const ScriptedThread& native = run.Start("native", {Burn(10 * kMs)});
  run.Pause({{5 * kMs, 20 * kMs}});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(native.ended(), 15 * kMs);
  EXPECT_EQ(first.stopped_time(), 8 * kMs);  // from the tick at 12 on
  EXPECT_EQ(second.stopped_time(), 15 * kMs);
  EXPECT_EQ(run.kernel.now(), 35 * kMs);
}

TEST(PauseTest, AnIdleCoreTakesNobodyWhoIsInJava) {
  ScriptedRun run(Options(2, 4 * kMs, 6 * kMs));
  const ScriptedThread& java = run.Start("java", {IntoJava(), Burn(10 * kMs)});  // on core 0
  run.Start("short", {Burn(10 * kMs)});                                          // on core 1
  run.Start("long", {Burn(50 * kMs)});  // on core 0, from 8 on
  run.Pause({{9 * kMs, 20 * kMs}});
  EXPECT_EQ(run.Run(), "");
  EXPECT_EQ(java.stopped_time(), 10 * kMs);  // from when core 1 would have taken it
  EXPECT_EQ(java.ended(), 22 * kMs);
  EXPECT_EQ(java.core()->number(), 1);
}

// A program of bursts, sleeps and visits to Java, and what its thread burns and sleeps in all.
struct RandomProgram {
  explicit RandomProgram(base::Random& random) {
    bool in_java = false;
    for (int64_t lines = random.Between(1, 30); lines > 0; --lines) {
      switch (random.Below(4)) {
        case 0:
          in_java = !in_java;
          actions.push_back(in_java ? IntoJava() : OutOfJava());
          break;
        case 1:
          actions.push_back(Sleep(random.Between(0, 9 * kMs)));
          slept += actions.back().time;
          break;
        default:
          actions.push_back(Burn(random.Between(0, 9 * kMs)));
          burned += actions.back().time;
      }
    }
  }

  std::vector<Action> actions;
  Duration burned = 0;
  Duration slept = 0;
};

RC_GTEST_PROP(CoresPropertyTest, NoCoreIsIdleWhileAThreadIsReadyAndAllTimeIsAccountedFor,
              (uint64_t seed)) {
  base::Random random(seed);
  CoreOptions options =
      Options(random.Between(1, 4), random.Between(kMs / 2, 5 * kMs), random.Between(0, 5 * kMs));
  options.switch_time = random.Between(0, 20 * kMicrosecond);
  ScriptedRun run(options);
  run.kernel.set_tie_order(seed);
  Duration burned = 0;
  std::vector<Duration> slept;
  std::vector<Time> began;
  for (int64_t threads = random.Between(1, 9); threads > 0; --threads) {
    RandomProgram program(random);
    burned += program.burned;
    slept.push_back(program.slept);
    began.push_back(random.Between(0, 20 * kMs));
    run.Start(base::Cat("t", threads), std::move(program.actions), began.back());
  }
  if (random.Below(2) == 0) {
    const Time from = random.Between(1, 30 * kMs);
    const Time to = from + random.Between(0, 10 * kMs);
    run.Pause({{from, to}, {to + kMs, to + 2 * kMs}});
  }
  run.kernel.set_observer([&](const Kernel::Step&) {
    const auto running = std::count_if(run.threads.begin(), run.threads.end(),
                                       [](const Thread& thread) { return thread.on_core(); });
    RC_ASSERT(running <= options.cores);
    if (run.cores.ready().level() > 0) RC_ASSERT(running == options.cores);
  });
  RC_ASSERT(run.Run() == "");

  const Time end = run.kernel.now();
  const auto switching = static_cast<Duration>(run.cores.switches()) * options.switch_time;
  RC_ASSERT(run.cores.core_time(end) == burned + switching);
  // What switching to a thread takes stands in its core_time() and in its ready_time().
  Duration on_cores = 0;
  Duration twice = 0;
  for (size_t i = 0; i < run.threads.size(); ++i) {
    const ScriptedThread& thread = run.threads[i];
    on_cores += thread.core_time();
    const Duration wall = thread.ended() - began[i];
    const Duration known = thread.core_time() + thread.off_core_time() + slept[i];
    RC_ASSERT(known >= wall);
    twice += known - wall;
  }
  RC_ASSERT(on_cores == burned + switching);
  RC_ASSERT(twice == switching);
}

}  // namespace
}  // namespace spillway::sim
