// SPDX-License-Identifier: Apache-2.0
// Thousands of schedules of writers that block, spill and evict, and faults that they bring out.
#include "sim/model/exploration.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/model/cores.h"
#include "sim/model/lock.h"
#include "sim/model/scripted_thread.h"
#include "sim/model/simulation.h"
#include "sim/scenario/loader.h"
#include "src/base/random.h"
#include "src/base/strings.h"
#include "src/memory/counting_pool.h"
#include "src/memory/monitor.h"

namespace spillway::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Builds for debuggers and sanitizers, up to a hundred times slower, run a part of the schedules.
#ifdef NDEBUG
constexpr int kPart = 1;
#else
constexpr int kPart = 8;
#endif

constexpr int kScenarios = 60;
constexpr int kSchedules = 104 / kPart;  // of each

// Two to four tasks of one or two writers in a memory in which not all of them find room: by chance
// as little as they can live with, with cached blocks in the way or a holder.
Scenario SmallScenario(uint64_t seed) {
  base::Random random(seed);
  const auto often = [&] { return random.Below(2) == 0; };
  const int64_t tasks = random.Between(2, 4);
  const int64_t bytes = random.Between(1500, 6000);
  constexpr std::string_view kPools[] = {"GREEDY_UNIFIED", "FAIR_UNIFIED",
                                         "FAIR_UNIFIED fixed: true"};
  std::string text = base::Cat(
      "name: 'n' executor { slots: ", random.Between(2, 4), " cores: ", random.Between(0, 3),
      " tick_ns: 50000 slice_ns: 20000 } tasks { count: ", tasks, " chunks: ", random.Between(1, 3),
      " writers: ", random.Between(1, 2),
      " partitions: 1 keys { none {} } buffer_bytes: ", random.Between(200, 900),
      " think { quantile { permille: 0 ns: 0 } quantile { permille: 1000 ns: 40000 } } } ",
      "policies { name: 'p' step_bytes: ", often() ? 0 : random.Between(500, 2000),
      " limit_bytes: ", often() ? 0 : 1500, " } pool { kind: ", kPools[random.Below(3)],
      " } spark { off_heap_bytes: ", bytes, " storage_permille: ", often() ? 0 : 300,
      " restores_entries: true counts_usage: ", often() ? "true" : "false",
      " cached_blocks: ", often() ? 0 : 3, " cached_block_bytes: 400 evict_ns: 20000 } ",
      "jni { crossing { constant_ns: 1000 } inside_permille: 800 } monitor { spin_ns: 5000 } ",
      "disk { spill_ns: 30000 }");
  if (often()) {
    text += base::Cat("holders { name: 'h' min_bytes: 1 max_bytes: ", bytes / 2,
                      " hold { constant_ns: 100000 } idle { constant_ns: 50000 } }");
  }
  if (often()) text += "gc { every_ns: 100000 pause { constant_ns: 50000 } }";
  const auto scenario = ParseScenario(text, "x");
  EXPECT_TRUE(scenario.ok()) << scenario.status() << text;
  return scenario.ok() ? *scenario : Scenario();
}

// What every schedule must show; empty if it does.
std::string Fault(const Scenario& scenario, const PolicyRun& run) {
  const TaskGroup& group = scenario.tasks(0);
  const PolicyRun::Breakdown& parts = run.breakdown;
  if (run.task_time.count() != static_cast<uint64_t>(group.count())) return "tasks are missing";
  if (scenario.policies(0).step_bytes() == 0 &&
      run.requests.min() < group.chunks() * group.writers()) {
    return "a chunk was not asked for";
  }
  if (parts.attach + parts.outside + parts.bookkeeping + parts.mutex_wait + parts.lock_wait +
          parts.blocked + parts.off_core + parts.safepoint + parts.evicting !=
      static_cast<__int128>(run.jni_time.sum())) {
    return "time in the boundary is not the sum of its parts";
  }
  return "";
}

TEST(ExplorationTest, NoScheduleIsStuckOrLosesBytesOrTimeOrAChunk) {
  uint64_t blocked = 0, spills = 0, short_grants = 0, pauses = 0;
  __int128 evicted = 0, mutex_wait = 0;
  for (uint64_t seed = 0; seed < kScenarios; ++seed) {
    const Scenario scenario = SmallScenario(seed);
    for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
      Exploration exploration(seed * kSchedules + schedule);
      const auto run = Explore(scenario, scenario.policies(0), exploration);
      ASSERT_TRUE(run.ok()) << "scenario " << seed << " schedule " << schedule << ": "
                            << run.status() << scenario.DebugString();
      ASSERT_EQ(Fault(scenario, *run), "") << "scenario " << seed << " schedule " << schedule;
      blocked += run->blocked_acquires;
      spills += static_cast<uint64_t>(run->spills.sum());
      short_grants += run->short_grants;
      pauses += run->pauses;
      evicted += run->evicted_bytes;
      mutex_wait += run->breakdown.mutex_wait;
    }
  }
  // All that they are about came up.
  EXPECT_GT(blocked, 1000u / kPart);
  EXPECT_GT(spills, 1000u / kPart);
  EXPECT_GT(short_grants, 1000u / kPart);
  EXPECT_GT(pauses, 1000u / kPart);
  EXPECT_GT(evicted, 0);
  EXPECT_GT(mutex_wait, 0);
}

TEST(ExplorationTest, TheSameSeedGivesTheSameScheduleAndAnotherAnother) {
  const Scenario scenario = SmallScenario(1);
  const auto stage_time = [&](uint64_t seed) {
    Exploration exploration(seed);
    return Explore(scenario, scenario.policies(0), exploration)->stage_time;
  };
  EXPECT_EQ(stage_time(7), stage_time(7));
  EXPECT_NE(stage_time(7), stage_time(8));
}

// Loses a notification in three.
class ForgetfulMonitor final : public memory::Monitor {
 public:
  ForgetfulMonitor(Monitor& monitor, uint64_t seed)
      : Monitor(monitor.name()), monitor_(monitor), random_(seed) {}
  bool Enter(memory::Caller& caller) override { return monitor_.Enter(caller); }
  void Exit(memory::Caller& caller) override { monitor_.Exit(caller); }
  bool Wait(memory::Caller& caller) override { return monitor_.Wait(caller); }
  void NotifyAll(memory::Caller& caller) override {
    if (random_.Below(3) > 0) monitor_.NotifyAll(caller);
  }

 private:
  Monitor& monitor_;
  base::Random random_;
};

class ForgetfulExploration final : public Exploration {
 public:
  using Exploration::Exploration;
  memory::Monitor& Disguise(memory::Monitor& lock) override {
    return disguises_.emplace_back(lock, tie_order());
  }

 private:
  std::deque<ForgetfulMonitor> disguises_;
};

// Of two tasks that want nearly everything, who comes second waits until the first has done.
TEST(ExplorationCanaryTest, ALostNotificationIsFoundAndNamed) {
  const auto scenario = ParseScenario(
      "name: 'n' executor { slots: 2 } tasks { count: 2 chunks: 1 partitions: 1 keys { none {} } "
      "buffer_bytes: 900 think { quantile { permille: 0 ns: 0 } quantile { permille: 1000 ns: "
      "40000 } } } policies { name: 'p' step_bytes: 0 limit_bytes: 900 } pool { kind: "
      "GREEDY_UNIFIED } spark { off_heap_bytes: 1000 storage_permille: 0 } jni { crossing { "
      "constant_ns: 1000 } } disk { spill_ns: 100000 }",
      "x");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  int found = 0;
  constexpr int kRuns = 1000 / kPart;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    Exploration honest(seed);
    ASSERT_TRUE(Explore(*scenario, scenario->policies(0), honest).ok()) << seed;
    ForgetfulExploration forgetful(seed);
    const auto run = Explore(*scenario, scenario->policies(0), forgetful);
    if (run.ok()) continue;
    ++found;
    EXPECT_THAT(std::string(base::ToStd(run.status().message())),
                AllOf(HasSubstr("lost wake-up: nobody is left to wake slot "),
                      HasSubstr("which waits for a notification in lock U of Spark's memory")));
  }
  EXPECT_GT(found, 0);
  EXPECT_LT(found, kRuns / 2);
}

// As before datafusion-comet#5493: each of two tasks has the other spill, under its own lock and
// then the other's.
TEST(ExplorationCanaryTest, LocksInTwoOrdersAreFoundAndTheCircleIsNamed) {
  int found = 0;
  constexpr int kRuns = 1000 / kPart;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    Exploration exploration(seed, 20 * kMicrosecond);
    ScriptedRun run{CoreOptions{}};
    run.kernel.set_tie_order(exploration.tie_order());
    Lock first(run.cores, "T1", LockTraits::HotSpot({}));
    Lock second(run.cores, "T2", LockTraits::HotSpot({}));
    run.Start("a", {Burn(kMicrosecond), Enter(first), Enter(second), Exit(second), Exit(first)})
        .set_exploration(exploration);
    run.Start("b", {Burn(kMicrosecond), Enter(second), Enter(first), Exit(first), Exit(second)})
        .set_exploration(exploration);
    const std::string stuck = run.Run();
    if (stuck.empty()) continue;
    ++found;
    EXPECT_THAT(stuck, HasSubstr("deadlock: a waits for lock T2, held by b; b waits for lock T1, "
                                 "held by a"));
  }
  EXPECT_GT(found, 0);
  EXPECT_LT(found, kRuns);
}

// datafusion-comet#5613: a holder has 900 of 1000 bytes until 60 ms. A writer is granted some of
// the rest, spills and gives them back; its sibling waits in Spark for more than is left.
Scenario Siblings(std::string_view pool) {
  const auto scenario = ParseScenario(
      base::Cat("name: 'n' executor { slots: 1 } tasks { chunks: 1 writers: 2 partitions: 1 keys { "
                "none {} } buffer_bytes: 60 think { quantile { permille: 0 ns: 1000000 } quantile "
                "{ permille: 1000 ns: 1200000 } } } policies { name: 'p' step_bytes: 0 "
                "limit_bytes: 60 } pool { kind: FAIR_UNIFIED ",
                pool,
                " } spark { off_heap_bytes: 1000 storage_permille: 0 restores_entries: true } jni "
                "{ crossing { constant_ns: 1000 } } disk { spill_ns: 100000 } holders { name: 'h' "
                "min_bytes: 900 max_bytes: 900 hold { constant_ns: 60000000 } idle { constant_ns: "
                "1000 } }"),
      "x");
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  return *scenario;
}

TEST(ExplorationCanaryTest, AMutexHeldAcrossABlockingCallIsFoundAndWhoHasItIsNamed) {
  constexpr int kRuns = 480 / kPart;
  int stalled = 0;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    for (const bool fixed : {false, true}) {
      Scenario scenario = Siblings(fixed ? "fixed: true" : "");
      const auto explore = [&] {
        Exploration exploration(seed);
        return Explore(scenario, scenario.policies(0), exploration);
      };
      const auto run = explore();
      ASSERT_TRUE(run.ok()) << run.status();
      if (run->stage_time < 50 * kMillisecond) continue;
      ASSERT_FALSE(fixed) << seed;
      // Cut short, the same schedule says why.
      if (++stalled > 10) continue;
      scenario.mutable_bounds()->set_max_virtual_ms(50);
      const auto cut = explore();
      EXPECT_THAT(std::string(base::ToStd(cut.status().message())),
                  AllOf(HasSubstr("waits for lock mutex of task 0, held by slot 0"),
                        HasSubstr("waits for a notification in lock U of Spark's memory")));
    }
  }
  EXPECT_GT(stalled, 0);
  EXPECT_LT(stalled, kRuns);
}

// A pool that has something left at the end, whatever it was given back.
class LeakyPool final : public memory::Pool {
 public:
  absl::StatusOr<memory::Grant> TryGrow(int64_t bytes) override { return pool_.TryGrow(bytes); }
  absl::Status Shrink(int64_t bytes) override { return pool_.Shrink(bytes); }
  int64_t reserved() const override { return pool_.reserved() + 96; }

 private:
  memory::CountingPool pool_{std::nullopt};
};

TEST(BooksTest, BytesThatAreLeftFailARunUnlessNobodyLooks) {
  const std::string text =
      "name: 'n' executor { slots: 1 } tasks { chunks: 1 partitions: 1 keys { none {} } "
      "buffer_bytes: 1 think { constant_ns: 1 } } policies { name: 'p' } jni { crossing { "
      "constant_ns: 1000 } }";
  const auto run = [&](const std::vector<std::string>& overrides) {
    LeakyPool pool;
    const auto scenario = ParseScenario(text, "x", overrides);
    return Simulate(*scenario, scenario->policies(0), pool).status();
  };
  EXPECT_EQ(run({}).code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(base::ToStd(run({}).message())),
              HasSubstr("96 bytes are left in the pool"));
  EXPECT_TRUE(run({"bounds.check_books=false"}).ok());
}

}  // namespace
}  // namespace spillway::sim
