// SPDX-License-Identifier: Apache-2.0
// Where the time of writers' calls goes, pool by pool.
#include "sim/model/pool_call.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "sim/model/crossing_times.h"
#include "sim/model/simulation.h"
#include "sim/scenario/loader.h"
#include "src/base/random.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

constexpr Duration kNs = kNanosecond;
constexpr Duration kUs = kMicrosecond;

// One task of one chunk of 1000 bytes; half of a crossing's microsecond is inside.
constexpr std::string_view kOneTask =
    "name: 'n' executor { slots: 1 } tasks { chunks: 1 partitions: 1 keys { none {} } "
    "buffer_bytes: 1000 think { constant_ns: 1000000 } } policies { name: 'p' step_bytes: 0 } "
    "pool { kind: GREEDY_UNIFIED } jni { crossing { constant_ns: 1000 } inside_permille: 500 }";

PolicyRun Measure(const std::vector<std::string>& overrides) {
  const auto scenario = ParseScenario(kOneTask, "x", overrides);
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  if (!scenario.ok()) return {};
  const auto run = Simulate(*scenario, scenario->policies(0));
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() ? *run : PolicyRun();
}

__int128 Sum(const PolicyRun::Breakdown& parts) {
  return parts.attach + parts.outside + parts.bookkeeping + parts.mutex_wait + parts.lock_wait +
         parts.blocked + parts.off_core + parts.safepoint + parts.evicting;
}

TEST(PoolCallTest, AGrantAndTheReleaseAreACrossingEach) {
  const PolicyRun run = Measure({});
  EXPECT_EQ(run.crossings.max(), 2);
  EXPECT_EQ(run.jni_time.max(), 2 * kUs);
  EXPECT_TRUE(run.breakdown.outside == kUs);
  EXPECT_TRUE(run.breakdown.bookkeeping == kUs);
  EXPECT_TRUE(Sum(run.breakdown) == 2 * kUs);
  EXPECT_EQ(run.short_grants, 0u);
}

// With 999 bytes in all, 999 are granted and go back, and so they are when the policy asks again.
// The chunk is spilled, and nothing is held.
TEST(PoolCallTest, AShortGrantGoesBackInACrossingOfItsOwn) {
  const PolicyRun run = Measure({"spark.off_heap_bytes=999", "spark.storage_permille=0"});
  EXPECT_EQ(run.crossings.max(), 4);
  EXPECT_EQ(run.short_grants, 2u);
  EXPECT_EQ(run.denied.max(), 2);
  EXPECT_EQ(run.spills.max(), 1);
  EXPECT_EQ(run.reserved.peak, 999);
}

// fair_unified that refuses by itself crosses nothing.
TEST(PoolCallTest, ALocalRefusalCrossesNothing) {
  const PolicyRun run = Measure({"pool={kind: FAIR_UNIFIED fair_bytes: 999}"});
  EXPECT_EQ(run.crossings.max(), 0);
  EXPECT_EQ(run.jni_time.max(), 0);
  EXPECT_EQ(run.denied.max(), 2);
}

TEST(PoolCallTest, AttachingComesBeforeTheFirstCrossing) {
  const PolicyRun run = Measure({"jni.attach_ns=34000"});
  EXPECT_TRUE(run.breakdown.attach == 34 * kUs);
  EXPECT_EQ(run.jni_time.max(), 36 * kUs);
  EXPECT_EQ(run.crossing_time.max(), kUs);
}

TEST(PoolCallTest, NoLockTakesNoneWhateverTheThreads) {
  const PolicyRun run = Measure({"pool.kind=NO_LOCK", "executor.slots=8", "tasks.count=8"});
  EXPECT_EQ(run.monitor_entries, 0u);
  EXPECT_EQ(run.jni_time.max(), 2 * kUs);
  EXPECT_TRUE(run.breakdown.bookkeeping == 0);
  EXPECT_TRUE(run.breakdown.outside == 16 * kUs);
}

// The second task comes at 1.5 ms and is below its floor of 1000 bytes. The first holds 3500 of
// 4000 until its second chunk is denied at 2 ms, and spills.
TEST(PoolCallTest, ATaskBelowItsFloorIsBlockedInSparksWait) {
  const PolicyRun run =
      Measure({"spark.off_heap_bytes=4000", "spark.storage_permille=0", "executor.slots=2",
               "tasks=[{chunks: 2 partitions: 1 keys { none {} } buffer_bytes: 3500 think { "
               "constant_ns: 1000000 }}, {chunks: 1 partitions: 1 keys { none {} } buffer_bytes: "
               "900 think { constant_ns: 1500000 }}]"});
  EXPECT_EQ(run.blocked_acquires, 1u);
  EXPECT_GT(run.breakdown.blocked, 499 * kUs);
  EXPECT_LT(run.breakdown.blocked, 510 * kUs);
  EXPECT_LT(run.breakdown.lock_wait, 50 * kUs);
  EXPECT_EQ(run.spills.sum(), 1u);
  EXPECT_TRUE(Sum(run.breakdown) == static_cast<__int128>(run.jni_time.sum()));
}

// The first task evicts a block for a millisecond; the second waits for that, and finds room.
TEST(PoolCallTest, CachedBlocksAreEvictedUnderTheLockAndOthersWaitForThat) {
  const PolicyRun run =
      Measure({"executor.slots=2", "tasks.count=2", "tasks.buffer_bytes=1048576",
               "spark={off_heap_bytes: 4194304 storage_permille: 0 cached_blocks: 4 "
               "cached_block_bytes: 1048576 evict_ns: 400000 evict_ns_per_mib: 600000}"});
  EXPECT_TRUE(run.evicted_bytes == 1 << 20);
  EXPECT_TRUE(run.breakdown.evicting == kMillisecond);
  EXPECT_GE(run.breakdown.lock_wait, kMillisecond);
  EXPECT_LT(run.breakdown.lock_wait, kMillisecond + 100 * kUs);
  EXPECT_GE(run.monitor_held, kMillisecond);
}

// A holder has 3500 of 4000 bytes until 5 ms. Of the task's two writers one is granted 300 at 1 ms
// and releases them after a spill of a millisecond; the other has to wait in Spark meanwhile:
// datafusion-comet#5613.
PolicyRun MeasureSiblings(std::string_view pool) {
  return Measure({base::Cat("pool={kind: FAIR_UNIFIED ", pool, "}"), "tasks.writers=2",
                  "tasks.buffer_bytes=300", "policies.limit_bytes=300", "disk.spill_ns=1000000",
                  "spark={off_heap_bytes: 4000 storage_permille: 0 restores_entries: true}",
                  "holders={name: 'h' min_bytes: 3500 max_bytes: 3500 hold { constant_ns: 5000000 "
                  "} idle { constant_ns: 1000 }}"});
}

TEST(PoolCallTest, AMutexHeldAcrossTheCallKeepsASiblingFromReleasing) {
  const PolicyRun run = MeasureSiblings("");
  EXPECT_EQ(run.blocked_acquires, 1u);
  EXPECT_GT(run.breakdown.blocked, 3900 * kUs);
  EXPECT_GT(run.breakdown.mutex_wait, 2900 * kUs);
  EXPECT_GT(run.stage_time, 6 * kMillisecond);
}

TEST(PoolCallTest, WithoutOneTheSiblingsReleaseIsWhatEndsTheWait) {
  const PolicyRun run = MeasureSiblings("fixed: true");
  EXPECT_EQ(run.blocked_acquires, 1u);
  EXPECT_LT(run.breakdown.blocked, 1100 * kUs);
  EXPECT_TRUE(run.breakdown.mutex_wait == 0);
  EXPECT_LT(run.stage_time, 3200 * kUs);
}

TEST(PoolCallTest, SharedTimeIsSpentOnlyWhereTheMonitorComesFromAnotherCore) {
  const PolicyRun alone = Measure({"tasks.count=4", "jni.shared={constant_ns: 70}"});
  EXPECT_TRUE(alone.breakdown.bookkeeping == 4 * kUs);
  const PolicyRun two =
      Measure({"tasks.count=4", "executor.slots=2", "jni.shared={constant_ns: 70}"});
  const __int128 shared = two.breakdown.bookkeeping - 4 * kUs;
  EXPECT_GT(shared, 0);
  EXPECT_TRUE(shared % (70 * kNs) == 0);
}

TEST(PoolCallTest, EachOtherActiveTaskMakesTheInsideLonger) {
  const std::vector<std::string> base = {"tasks.chunks=9", "jni.inside_ns_per_task=10"};
  EXPECT_TRUE(Measure(base).breakdown.bookkeeping == 5 * kUs);
  std::vector<std::string> more = base;
  more.insert(more.end(), {"tasks.count=3", "executor.slots=3"});
  const __int128 added = Measure(more).breakdown.bookkeeping - 15 * kUs;
  EXPECT_GT(added, 16 * 10 * kNs);
  EXPECT_LE(added, 30 * 20 * kNs);
  EXPECT_TRUE(added % (10 * kNs) == 0);
}

CrossingTimes Times(const std::string& jni) {
  const auto scenario = ParseScenario(kOneTask, "x", {base::Cat("jni={", jni, "}")});
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  return *CrossingTimes::Create(scenario->jni());
}

TEST(CrossingTimesTest, BetweenTwoGapsTimesAreInterpolatedAndOutsideThoseOfTheNearest) {
  const CrossingTimes times = Times(
      "gap { gap_ns: 100 crossing { constant_ns: 1000 } } "
      "gap { gap_ns: 1100 crossing { constant_ns: 3000 } } "
      "release_gap { gap_ns: 0 crossing { constant_ns: 7 } } inside_permille: 800");
  using Kind = CrossingTimes::Kind;
  base::Random random(1);
  const auto at = [&](Kind kind, Duration gap) { return times.Sample(kind, gap, random); };
  EXPECT_EQ(at(Kind::kAcquire, 0).whole(), 1000 * kNs);
  EXPECT_EQ(at(Kind::kAcquire, 100 * kNs).whole(), 1000 * kNs);
  EXPECT_EQ(at(Kind::kAcquire, 600 * kNs).whole(), 2000 * kNs);
  EXPECT_EQ(at(Kind::kAcquire, 1100 * kNs).whole(), 3000 * kNs);
  EXPECT_EQ(at(Kind::kAcquire, INT64_MAX).whole(), 3000 * kNs);
  EXPECT_EQ(at(Kind::kRelease, 600 * kNs).whole(), 7 * kNs);
  const CrossingTime parts = at(Kind::kAcquire, 600 * kNs);
  EXPECT_EQ(parts.inside, 1600 * kNs);
  EXPECT_EQ(parts.before, 200 * kNs);
  EXPECT_EQ(parts.after, 200 * kNs);
}

TEST(CrossingTimesTest, SharedTimeShrinksAsACrossingGrowsAndADrawIsOneNumber) {
  const CrossingTimes times = Times(
      "gap { gap_ns: 0 crossing { constant_ns: 1000 } } gap { gap_ns: 1000 crossing { "
      "constant_ns: 4000 } } shared { constant_ns: 400 }");
  base::Random random(1), same(1);
  EXPECT_EQ(times.Sample(CrossingTimes::Kind::kAcquire, 0, random).shared, 400 * kNs);
  EXPECT_EQ(times.Sample(CrossingTimes::Kind::kAcquire, 1000 * kNs, random).shared, 100 * kNs);
  same.Next();
  same.Next();
  EXPECT_EQ(random.Next(), same.Next());
}

// All that the model knows, each of it now and then.
class RandomScenario {
 public:
  explicit RandomScenario(uint64_t seed) : random_(seed) {
    Set("seed", base::Cat(seed % 1000));
    Set("executor.slots", base::Cat(random_.Between(1, 6)));
    if (Often()) {
      Set("executor.cores", base::Cat(random_.Between(1, 4)));
      Set("executor.tick_ns", base::Cat(random_.Between(5'000, 500'000)));
      Set("executor.slice_ns", base::Cat(random_.Between(0, 200'000)));
      if (Often()) Set("executor.background", "{every_ns: 50000 burst " + Latency(20'000) + "}");
    }
    Set("tasks", base::Cat("{count: ", random_.Between(1, 8), " chunks: ", random_.Between(1, 12),
                           " writers: ", random_.Between(1, 3),
                           " partitions: 7 rows_per_chunk: 20 keys { dealt {} } buffer_bytes: ",
                           random_.Between(1, 3000), " think ", Latency(40'000), "}"));
    Set("policies.step_bytes", base::Cat(Often() ? random_.Between(1, 8000) : 0));
    Set("jni", base::Cat("{attach_ns: ", random_.Between(0, 40'000), " crossing ", Latency(3'000),
                         " inside_permille: ", random_.Between(0, 1000), " shared ", Latency(300),
                         " inside_ns_per_task: ", random_.Between(0, 30), "}"));
    Set("monitor", base::Cat("{kind: ", One({"HOTSPOT", "FIFO", "IDEAL"}),
                             " spin_ns: ", random_.Between(0, 30'000),
                             " wake_ns: ", random_.Between(0, 30'000), "}"));
    if (Often()) {
      Set("gc", base::Cat("{every_ns: ", random_.Between(50'000, 300'000), " pause ",
                          Latency(100'000), "}"));
    }
    if (Often()) {
      Set("disk", base::Cat("{spill_ns: ", random_.Between(0, 100'000),
                            " disks: ", random_.Between(0, 2), "}"));
    }
    SetPool();
  }

  const std::vector<std::string>& overrides() const { return overrides_; }

 private:
  bool Often() { return random_.Below(2) == 0; }
  std::string One(const std::vector<std::string>& names) {
    return names[random_.Below(names.size())];
  }
  std::string Latency(int64_t most) {
    const int64_t least = random_.Between(0, most / 2);
    return base::Cat("{quantile {permille: 0 ns: ", least,
                     "} quantile {permille: 1000 ns: ", random_.Between(least + 1, most), "}}");
  }
  void Set(const std::string& field, const std::string& value) {
    overrides_.push_back(base::Cat(field, "=", value));
  }
  void SetPool() {
    const std::string kind = One({"COUNTING", "GREEDY_UNIFIED", "FAIR_UNIFIED"});
    if (kind == "COUNTING") {
      return Set("pool", base::Cat("{capacity_bytes: ", random_.Between(1000, 60'000), "}"));
    }
    const std::string fair = kind == "FAIR_UNIFIED" && Often() ? " fixed: true" : "";
    Set("pool", base::Cat("{kind: ", kind, fair, "}"));
    const int64_t bytes = random_.Between(4'000, 60'000);
    Set("spark", base::Cat("{off_heap_bytes: ", bytes, " storage_permille: ",
                           random_.Between(0, 900), " cached_blocks: ", random_.Between(0, 3),
                           " cached_block_bytes: 1000 evict_ns: 20000 restores_entries: true "
                           "counts_usage: ",
                           Often() ? "true" : "false", "}"));
    if (Often()) {
      Set("holders", base::Cat("{name: 'h' min_bytes: 1 max_bytes: ", bytes / 2, " hold ",
                               Latency(200'000), " idle ", Latency(200'000), "}"));
    }
  }

  base::Random random_;
  std::vector<std::string> overrides_;
};

RC_GTEST_PROP(BreakdownPropertyTest, TimeInTheBoundaryIsTheSumOfItsParts, (uint64_t seed)) {
  const RandomScenario random(seed);
  const auto scenario = ParseScenario(kOneTask, "x", random.overrides());
  RC_LOG() << scenario.status();
  RC_ASSERT(scenario.ok());
  const auto run = Simulate(*scenario, scenario->policies(0));
  RC_LOG() << run.status() << scenario->DebugString();
  RC_ASSERT(run.ok());
  const PolicyRun::Breakdown& parts = run->breakdown;
  RC_ASSERT(Sum(parts) == static_cast<__int128>(run->jni_time.sum()));
  RC_ASSERT(parts.mutex_wait + parts.lock_wait == static_cast<__int128>(run->monitor_wait.sum()));
  for (const __int128 part : {parts.attach, parts.outside, parts.bookkeeping, parts.mutex_wait,
                              parts.lock_wait, parts.blocked, parts.off_core, parts.safepoint}) {
    RC_ASSERT(part >= 0);
  }
  RC_ASSERT(run->crossing_time.count() == static_cast<uint64_t>(run->crossings.sum()));
  RC_ASSERT(run->task_time.count() == static_cast<uint64_t>(scenario->tasks(0).count()));
  RC_ASSERT(run->acquire_time.count() + run->release_time.count() <= run->crossing_time.count());
}

}  // namespace
}  // namespace spillway::sim
