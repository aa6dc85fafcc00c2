// SPDX-License-Identifier: Apache-2.0
#include "sim/model/simulation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/scenario/loader.h"
#include "sim/scenario/presets.h"
#include "src/base/strings.h"
#include "src/memory/counting_pool.h"

namespace spillway::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kKiB = 1024;

Scenario Preset(const std::string& name, const std::vector<std::string>& overrides = {}) {
  const auto path = PresetPath(name);
  EXPECT_TRUE(path.ok()) << path.status();
  const auto scenario = LoadScenario(*path, overrides);
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  return *scenario;
}

// The preset with fewer and smaller tasks, and as much less memory.
Scenario SmallContention() {
  return Preset("contention", {"tasks.count=48", "tasks.chunks=64", "tasks.rows_per_chunk=128",
                               "pool.capacity_bytes=12582912"});
}

PolicyRun Measure(const Scenario& scenario, int policy) {
  const auto run = Simulate(scenario, scenario.policies(policy));
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() ? *run : PolicyRun();
}

// Remembers what was asked for.
class RecordingPool final : public memory::Pool {
 public:
  explicit RecordingPool(std::optional<int64_t> capacity = std::nullopt) : pool_(capacity) {}

  absl::StatusOr<memory::Grant> TryGrow(int64_t bytes) override {
    requests.push_back(bytes);
    return pool_.TryGrow(bytes);
  }
  absl::Status Shrink(int64_t bytes) override {
    releases.push_back(bytes);
    return pool_.Shrink(bytes);
  }
  int64_t reserved() const override { return pool_.reserved(); }

  std::vector<int64_t> requests;
  std::vector<int64_t> releases;

 private:
  memory::CountingPool pool_;
};

void ExpectEach(const Histogram& values, int64_t value) {
  EXPECT_EQ(values.min(), value);
  EXPECT_EQ(values.max(), value);
}

TEST(Comet5387Test, ExactAsksForEveryChunk) {
  const PolicyRun run = Measure(Preset("comet_5387"), 0);
  EXPECT_EQ(run.requests.count(), 110u);
  ExpectEach(run.requests, 256);
  ExpectEach(run.requested_bytes, 25'165'824);
  ExpectEach(run.crossings, 257);
  ExpectEach(run.denied, 0);
  EXPECT_EQ(run.slack.peak, 0);
  EXPECT_NEAR(run.jni_time.mean(), 327 * kMicrosecond, 327 * kMicrosecond / 20);
  EXPECT_NEAR(run.jni_time.mean() / 257, 1'270 * kNanosecond, 1'270 * kNanosecond / 20);
}

TEST(Comet5387Test, StepsAskThirteenTimes) {
  const PolicyRun run = Measure(Preset("comet_5387"), 1);
  EXPECT_EQ(run.requests.count(), 110u);
  ExpectEach(run.requests, 13);
  ExpectEach(run.requested_bytes, 25'198'592);
  ExpectEach(run.crossings, 14);
  EXPECT_NEAR(run.jni_time.mean(), 50 * kMicrosecond, 50 * kMicrosecond / 20);
  EXPECT_GT(run.peak_task_slack, 900 * kKiB);
  EXPECT_LT(run.peak_task_slack, 1024 * kKiB);
}

// Waiting for the monitor, which a few crossings do, lifts the upper quantile by 2 %.
TEST(Comet5387Test, CrossingsHaveThePublishedShape) {
  const PolicyRun run = Measure(Preset("comet_5387"), 0);
  const auto by_mean = [&](int64_t value) {
    return static_cast<double>(value) / static_cast<double>(run.crossing_time.mean());
  };
  EXPECT_NEAR(by_mean(run.crossing_time.Quantile(500)), 1.23 / 1.27, 0.01);
  EXPECT_NEAR(by_mean(run.crossing_time.Quantile(900)), 1.39 / 1.27, 0.03);
}

TEST(Comet5387Test, OneTaskAsksForTheThirteenAmountsOfThePublishedArithmetic) {
  const Scenario scenario = Preset("comet_5387", {"tasks.count=1"});
  RecordingPool pool;
  ASSERT_TRUE(Simulate(scenario, scenario.policies(1), pool).ok());
  std::vector<int64_t> kib;
  for (const int64_t bytes : pool.requests) kib.push_back(bytes / kKiB);
  EXPECT_THAT(kib, ElementsAre(1024, 1024, 1024, 2080, 1024, 4096, 1024, 1024, 8192, 1024, 1024,
                               1024, 1024));
  EXPECT_THAT(pool.releases, ElementsAre(25'198'592));
}

// MEMORY section 2, the rejected alternatives and the rules of Gluten and Velox.
TEST(RulesTest, EveryRuleMakesThePublishedCalls) {
  const Scenario scenario = Preset("rules", {"tasks.count=1"});
  const std::vector<std::pair<std::string, int64_t>> expected = {{"exact", 256},
                                                                 {"step", 13},
                                                                 {"round up", 10},
                                                                 {"multiple", 10},
                                                                 {"deficit plus step", 10},
                                                                 {"Gluten blocks", 3},
                                                                 {"Velox quantum", 7},
                                                                 {"adaptive", 13}};
  ASSERT_EQ(scenario.policies_size(), static_cast<int>(expected.size()));
  for (int i = 0; i < scenario.policies_size(); ++i) {
    EXPECT_EQ(scenario.policies(i).name(), expected[i].first);
    ExpectEach(Measure(scenario, i).requests, expected[i].second);
  }
}

// MEMORY section 2, rows spread evenly.
TEST(Comet5387Test, EvenlySpreadRowsGiveTheOtherPublishedFigures) {
  const Scenario scenario = Preset("comet_5387", {"tasks.count=1", "tasks.keys={dealt {}}"});
  ExpectEach(Measure(scenario, 0).requests, 256);
  ExpectEach(Measure(scenario, 0).requested_bytes, 29'280'256);
  ExpectEach(Measure(scenario, 1).requests, 18);
  ExpectEach(Measure(scenario, 1).requested_bytes, 30'296'064);
}

// The table of MEMORY section 3: one chunk of 400 bytes (80 of values and 40 indices) in front of
// pools of different size, and a release at the end if anything is held.
TEST(SimulationTest, CrossingsAreThoseOfGreedyUnified) {
  const auto crossings = [](int64_t capacity, int64_t step) {
    const auto scenario = ParseScenario(
        base::Cat("name: 'n' executor { slots: 1 } tasks { chunks: 1 rows_per_chunk: 40 "
                  "partitions: 1 keys { constant: 1 } buffer_bytes: 80 think { constant_ns: 1 } } "
                  "policies { name: 'p' step_bytes: ",
                  step, " } pool { capacity_bytes: ", capacity,
                  " } jni { crossing { constant_ns: 1000 } }"),
        "x");
    EXPECT_TRUE(scenario.ok()) << scenario.status();
    return Measure(*scenario, 0).crossings.max();
  };
  EXPECT_EQ(crossings(400, 0), 1 + 1);      // granted
  EXPECT_EQ(crossings(1000, 1000), 1 + 1);  // step granted
  EXPECT_EQ(crossings(999, 1000), 3 + 1);   // step denied, exact granted
  EXPECT_EQ(crossings(399, 1000), 4);       // both denied; the spill has nothing to give back
}

TEST(SimulationTest, TheSameSeedGivesTheSameRunAndAnotherAnother) {
  const Scenario scenario = Preset("small");
  const PolicyRun first = Measure(scenario, 1), second = Measure(scenario, 1);
  EXPECT_EQ(first.stage_time, second.stage_time);
  EXPECT_EQ(first.events, second.events);
  EXPECT_TRUE(first.jni_time.sum() == second.jni_time.sum());
  EXPECT_NE(first.stage_time, Measure(Preset("small", {"seed=43"}), 1).stage_time);
}

// Think times and keys are common to the policies: with free crossings and no denials all end at
// the same instant.
TEST(SimulationTest, PoliciesSeeCommonRandomNumbers) {
  const Scenario scenario =
      Preset("small", {"jni.crossing={constant_ns: 0}", "jni.attach_ns=0",
                       "pool.capacity_bytes=1000000000", "tasks[0].keys={uniform {high: 99}}"});
  EXPECT_EQ(Measure(scenario, 0).stage_time, Measure(scenario, 1).stage_time);
}

TEST(SimulationTest, AThreadAttachesOnceAndATaskOnItsOwn) {
  const Duration once = 34'000 * kNanosecond;
  EXPECT_EQ(Measure(Preset("comet_5387", {"tasks.chunks=2"}), 0).breakdown.attach, 110 * once);
  EXPECT_EQ(
      Measure(Preset("comet_5387", {"tasks.chunks=2", "jni.attach=THREAD"}), 0).breakdown.attach,
      5 * once);
}

// 10^4 slots that attach side by side, 1000 s each: 10^19 ps.
TEST(SimulationTest, SumsOverTasksMayPass64Bits) {
  const auto scenario = ParseScenario(
      "name: 'n' executor { slots: 10000 } tasks { count: 10000 chunks: 1 rows_per_chunk: 1 "
      "partitions: 1 keys { constant: 1 } think { constant_ns: 0 } } policies { name: 'p' } "
      "jni { attach_ns: 1000000000000 crossing { constant_ns: 0 } } monitor { kind: IDEAL }",
      "x");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  const PolicyRun run = Measure(*scenario, 0);
  EXPECT_TRUE(run.breakdown.attach == static_cast<__int128>(10'000) * 1'000 * kSecond);
  EXPECT_EQ(run.stage_time, 1'000 * kSecond);
}

TEST(SimulationTest, TimeInTheBoundaryIsTheSumOfItsParts) {
  for (const int policy : {0, 1, 2, 3}) {
    const PolicyRun run = Measure(SmallContention(), policy);
    EXPECT_EQ(static_cast<int64_t>(run.jni_time.sum()),
              run.breakdown.attach + run.breakdown.outside + run.breakdown.bookkeeping +
                  static_cast<int64_t>(run.monitor_wait.sum()));
    EXPECT_TRUE(run.monitor_held == run.breakdown.bookkeeping);
    EXPECT_EQ(run.crossing_time.count(), static_cast<uint64_t>(run.crossings.sum()));
  }
}

TEST(SimulationTest, ContentionMakesWritersWaitAndDenialsMakeThemSpill) {
  const Scenario scenario = SmallContention();
  const PolicyRun exact = Measure(scenario, 0), step = Measure(scenario, 2);
  EXPECT_GT(exact.monitor_wait.mean(), 5 * step.monitor_wait.mean());
  EXPECT_GT(exact.monitor_held, exact.stage_time / 2);
  EXPECT_LT(step.requests.mean(), exact.requests.mean() / 2);
  EXPECT_GT(exact.spills.sum(), 0u);
  EXPECT_GE(step.spills.sum(), exact.spills.sum());
  EXPECT_LE(exact.reserved.peak, scenario.pool().capacity_bytes());
  EXPECT_LE(step.reserved.peak, scenario.pool().capacity_bytes());
}

TEST(SimulationTest, SpillsTakeTheDisksTime) {
  // One chunk of 1 MiB that the pool denies: 3 ms and 5 ms a MiB.
  const auto scenario = ParseScenario(
      "name: 'n' executor { slots: 1 } tasks { chunks: 1 rows_per_chunk: 1 partitions: 1 "
      "keys { constant: 1 } buffer_bytes: 1048544 think { constant_ns: 1000 } } "
      "policies { name: 'p' } pool { capacity_bytes: 1 } jni { crossing { constant_ns: 0 } } "
      "disk { spill_ns: 3000000 spill_ns_per_mib: 5000000 }",
      "x");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  const PolicyRun run = Measure(*scenario, 0);
  EXPECT_EQ(run.spilled_bytes, 1 << 20);
  EXPECT_EQ(run.stage_time, kMicrosecond + 8 * kMillisecond);
}

TEST(SimulationTest, BoundsCutARunAndSayWhoWaits) {
  const Scenario by_events = Preset("comet_5387", {"bounds.max_events=50000"});
  const auto cut = Simulate(by_events, by_events.policies(0));
  EXPECT_EQ(cut.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(cut.status().message()),
              AllOf(HasSubstr("policy \"exact\": cut after 50000 events"),
                    HasSubstr("5 processes left: slot ")));
  const Scenario by_time = Preset("comet_5387", {"bounds.max_virtual_ms=100"});
  EXPECT_THAT(std::string(Simulate(by_time, by_time.policies(0)).status().message()),
              HasSubstr("cut at 100000000000 ps of virtual time"));
}

// Two executors whose threads share cores with long bursts, some of which outlast the tasks.
Scenario WithOthers(const std::vector<std::string>& overrides = {}) {
  const auto scenario = ParseScenario(
      "name: 'n' executor { slots: 4 count: 2 cores: 2 background { every_ns: 1000 "
      "burst { constant_ns: 30000000 } } } tasks { count: 8 chunks: 8 partitions: 1 "
      "keys { none {} } buffer_bytes: 1024 think { constant_ns: 20000 } writers: 2 } "
      "policies { name: 'p' step_bytes: 0 } pool { kind: GREEDY_UNIFIED } "
      "jni { crossing { constant_ns: 20000 } } gc { every_ns: 3000000 pause { constant_ns: "
      "100 } } holders { name: 'h' count: 3 min_bytes: 1 max_bytes: 1 "
      "hold { constant_ns: 1000000 } idle { constant_ns: 1 } }",
      "x", overrides);
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  return *scenario;
}

TEST(SimulationTest, WhatOthersDoAfterTheLastTaskIsNoneOfTheStage) {
  for (int seed = 1; seed <= 8; ++seed) {
    const Scenario scenario = WithOthers({base::Cat("seed=", seed)});
    const PolicyRun run = Measure(scenario, 0);
    const __int128 time = static_cast<__int128>(run.stage_time) * 2;
    EXPECT_EQ(run.cores, 4);
    EXPECT_TRUE(run.core_time <= time * 2) << seed;
    EXPECT_TRUE(run.paused <= time) << seed;
    EXPECT_TRUE(run.monitor_held <= time) << seed;
    EXPECT_LE(run.line.average, run.line.peak) << "two lines are not one, seed " << seed;
    EXPECT_LE(run.ready.average, run.ready.peak) << seed;
  }
}

// One task that enters a few times, and two holders that take the monitor from each other's cores.
TEST(SimulationTest, HoldersFetchTheMonitorFromOtherCoresAsWritersDo) {
  const auto held = [](int64_t shared_ns) {
    const auto scenario = ParseScenario(
        "name: 'n' executor { slots: 1 } tasks { chunks: 1 partitions: 1 keys { none {} } "
        "buffer_bytes: 1 think { constant_ns: 10000000 } } policies { name: 'p' step_bytes: 0 } "
        "pool { kind: GREEDY_UNIFIED } jni { crossing { constant_ns: 1000 } } "
        "holders { name: 'h' count: 2 min_bytes: 1 max_bytes: 1 hold { constant_ns: 100000 } "
        "idle { constant_ns: 100000 } }",
        "x", {base::Cat("jni.shared={constant_ns: ", shared_ns, "}")});
    EXPECT_TRUE(scenario.ok()) << scenario.status();
    return Measure(*scenario, 0).monitor_held;
  };
  EXPECT_TRUE(held(1000) - held(0) > 20 * kMicrosecond);
}

TEST(SimulationTest, CoresOfTheirOwnAreCountedByTheThreadsThatRan) {
  const PolicyRun run = Measure(Preset("comet_5387"), 0);
  EXPECT_EQ(run.cores, 5);
  EXPECT_TRUE(run.core_time <= static_cast<__int128>(run.stage_time) * 5);
}

TEST(SimulationTest, ThreadsOfSeveralExecutorsHaveNamesOfTheirOwn) {
  const Scenario scenario = WithOthers({"bounds.max_events=128"});
  EXPECT_THAT(std::string(Simulate(scenario, scenario.policies(0)).status().message()),
              AllOf(HasSubstr("slot 0 on executor 0 waits for "),
                    HasSubstr("slot 0 on executor 1 waits for ")));
}

// MEMORY section 4: a writer that waits may find that Spark has forgotten its task.
TEST(SimulationTest, ATaskThatSparkForgetsEndsTheRunWithTheReason) {
  int forgotten = 0;
  for (int seed = 0; seed < 5; ++seed) {
    const auto scenario = ParseScenario(
        "name: 'n' executor { slots: 3 } tasks { count: 10 chunks: 10 partitions: 1 keys { none {} "
        "} "
        "buffer_bytes: 20000 think { quantile { permille: 0 ns: 10000 } "
        "quantile { permille: 1000 ns: 80000 } } writers: 4 } policies { name: 'p' step_bytes: 0 } "
        "pool { kind: GREEDY_UNIFIED } spark { off_heap_bytes: 65536 } "
        "jni { crossing { constant_ns: 40000 } }",
        "x", {base::Cat("seed=", seed)});
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    Scenario newer = *scenario;
    newer.mutable_spark()->set_restores_entries(true);
    EXPECT_TRUE(Simulate(newer, newer.policies(0)).ok()) << seed;
    const auto run = Simulate(*scenario, scenario->policies(0));
    if (run.ok()) continue;
    ++forgotten;
    EXPECT_THAT(std::string(run.status().message()),
                AllOf(HasSubstr(": key not found: "), HasSubstr("Spark forgot the task"),
                      HasSubstr("spark.restores_entries")));
  }
  EXPECT_GT(forgotten, 0);
}

}  // namespace
}  // namespace spillway::sim
