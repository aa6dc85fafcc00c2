// SPDX-License-Identifier: Apache-2.0
// Pools that operators share, those of this process and those that ask Spark. MEMORY section 3, its
// tests of counters in section 8, and reports of section 7.

#include "src/memory/shared_pool.h"

#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "src/memory/fake_spark.h"
#include "src/memory/local_pool.h"
#include "src/memory/pool_kind.h"
#include "src/memory/pool_registry.h"
#include "src/memory/reservation.h"
#include "src/memory/reservation_policy.h"
#include "src/memory/spark_pool.h"

namespace spillway::memory {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr PoolVariant kBoth[] = {PoolVariant::kAsIs, PoolVariant::kFixed};

bool Grows(Pool& pool, int64_t bytes) { return pool.TryGrow(bytes)->granted; }

TEST(PoolNameTest, EveryNameStandsForOnePoolAndATypoForTheNearest) {
  int names = 0;
  for (const char* text :
       {"greedy", "fair_spill", "unbounded", "greedy_task_shared", "fair_spill_task_shared",
        "greedy_global", "fair_spill_global", "greedy_unified", "fair_unified"}) {
    EXPECT_EQ(NameOf(*ParsePoolName(text)), text);
    ++names;
  }
  EXPECT_EQ(names, 9);
  EXPECT_EQ(NameOf({PoolKind::kUnbounded, PoolScope::kTask}), "");
  EXPECT_EQ(ParsePoolName("fair_unifed").status().message(),
            "`fair_unifed` is no memory pool; did you mean `fair_unified`?");
  EXPECT_EQ(ParsePoolName("x").status().message(), "`x` is no memory pool");
  EXPECT_EQ(*ParsePoolVariant("as_is"), PoolVariant::kAsIs);
  EXPECT_EQ(*ParsePoolVariant("fixed"), PoolVariant::kFixed);
  EXPECT_EQ(*ParseFairRule("pool_wide"), FairRule::kPoolWide);
  EXPECT_EQ(ParseFairRule("per_customer").status().message(),
            "`per_customer` is no rule of fair_unified; did you mean `per_consumer`?");
}

TEST(LocalPoolTest, GreedyGivesWhatIsLeftToWhoComesFirst) {
  LocalPool pool(PoolKind::kGreedy, 100, PoolVariant::kFixed);
  const auto first = pool.Register("first", true);
  const auto second = pool.Register("second", false);
  EXPECT_TRUE(Grows(*first, 70));
  EXPECT_EQ(second->TryGrow(31)->available, 30);
  EXPECT_TRUE(Grows(*second, 30));
  EXPECT_TRUE(first->Shrink(50).ok());
  EXPECT_EQ(pool.reserved(), 50);
  EXPECT_EQ(first->reserved(), 20);
}

TEST(LocalPoolTest, FairSharesAmongThoseThatSpillWhatTheOthersLeave) {
  for (const PoolVariant variant : kBoth) {
    LocalPool pool(PoolKind::kFairSpill, 100, variant);
    const auto fixed = pool.Register("cannot spill", false);
    const auto first = pool.Register("first", true);
    ASSERT_TRUE(Grows(*fixed, 20));
    {
      const auto second = pool.Register("second", true);
      EXPECT_EQ(first->TryGrow(41)->available, 40);
      EXPECT_TRUE(Grows(*second, 40));
      EXPECT_EQ(fixed->TryGrow(41)->available, 40) << "what is left, though it is `first`'s share";
    }
    EXPECT_TRUE(Grows(*first, 80)) << "alone, since `second` has left and given back";
    EXPECT_FALSE(Grows(*first, 1));
  }
}

TEST(LocalPoolTest, UnboundedStopsAtTheLargestInteger) {
  LocalPool pool(PoolKind::kUnbounded, 0, PoolVariant::kFixed);
  const auto first = pool.Register("first", true);
  const auto second = pool.Register("second", true);
  EXPECT_TRUE(Grows(*first, kMax - 1));
  EXPECT_TRUE(Grows(*second, 1));
  EXPECT_FALSE(Grows(*second, 1));
}

TEST(SharedPoolTest, ArgumentsAreChecked) {
  LocalPool pool(PoolKind::kGreedy, 100, PoolVariant::kFixed);
  const auto consumer = pool.Register("c", true);
  ASSERT_TRUE(Grows(*consumer, 10));
  EXPECT_EQ(consumer->TryGrow(-1).status().message(), "pool: cannot grow by -1 bytes");
  EXPECT_EQ(consumer->Shrink(11).message(),
            "pool: cannot shrink by 11 bytes, only 10 are reserved");
  EXPECT_EQ(consumer->Shrink(-1).message(), "pool: cannot shrink by -1 bytes");
  EXPECT_TRUE(consumer->TryGrow(0)->granted);
  EXPECT_EQ(pool.reserved(), 10);
}

TEST(SharedPoolTest, TopConsumersAreListedAsDataFusionDoes) {
  LocalPool pool(PoolKind::kUnbounded, 0, PoolVariant::kFixed);
  EXPECT_EQ(TopConsumers(pool), "");
  const auto small = pool.Register("FilterExec[0]", false);
  const auto large = pool.Register("ShuffleRepartitioner[0]", true);
  const auto none = pool.Register("ExternalSorter[0]", true);
  ASSERT_TRUE(Grows(*small, 2047));
  ASSERT_TRUE(Grows(*large, 30 * kMiB + 104858));
  ASSERT_TRUE(large->Shrink(14 * kMiB + 104858).ok());
  EXPECT_EQ(TopConsumers(pool, 2),
            "  ShuffleRepartitioner[0]#1(can spill: true) consumed 16.0 MB, peak 30.1 MB,\n"
            "  FilterExec[0]#0(can spill: false) consumed 2047.0 B, peak 2047.0 B.");
}

struct Unified {
  Unified(int64_t capacity, SparkPoolOptions options)
      : spark(std::make_shared<FakeSpark>(capacity)), pool(WithDefaults(options), spark) {}

  SparkPoolOptions WithDefaults(SparkPoolOptions options) {
    options.task = 4334;
    options.log = [this](std::string_view line) { log.emplace_back(line); };
    options.clock = [this] { return now += 1000; };
    return options;
  }

  uint64_t now = 0;
  std::vector<std::string> log;
  std::shared_ptr<FakeSpark> spark;
  SparkPool pool;
};

SparkPoolOptions Greedy() { return {.kind = PoolKind::kGreedyUnified}; }
SparkPoolOptions Fair(int64_t size, PoolVariant variant = PoolVariant::kFixed,
                      FairRule rule = FairRule::kPoolWide) {
  return {.kind = PoolKind::kFairUnified, .variant = variant, .rule = rule, .size = size};
}

// Comet #5384's three cases.
TEST(SparkPoolTest, CountsWhatItAsksSpark) {
  Unified unified(1 << 20, Greedy());
  const auto consumer = unified.pool.Register("c", true);
  ASSERT_TRUE(Grows(*consumer, 100));
  ASSERT_TRUE(Grows(*consumer, 200));
  ASSERT_TRUE(consumer->Shrink(300).ok());
  EXPECT_EQ(unified.spark->held(), 0);
  EXPECT_EQ(unified.pool.counters(), (PoolCounts{.acquire_calls = 2,
                                                 .requested_bytes = 300,
                                                 .granted_bytes = 300,
                                                 .release_calls = 1,
                                                 .release_bytes = 300,
                                                 .backend_nanos = 3000}));
}

TEST(SparkPoolTest, NothingIsRetainedOfAShortGrant) {
  for (const SparkPoolOptions& options : {Greedy(), Fair(1000), Fair(1000, PoolVariant::kAsIs)}) {
    Unified unified(100, options);
    const auto consumer = unified.pool.Register("c", true);
    EXPECT_EQ(consumer->TryGrow(150)->available, 100);
    EXPECT_EQ(unified.spark->held(), 0);
    EXPECT_EQ(unified.pool.reserved(), 0);
    EXPECT_EQ(unified.pool.counters().short_grants, 1u);
    EXPECT_EQ(unified.pool.counters().release_bytes, 100u);
  }
}

TEST(SparkPoolTest, TenPairsAreTenCallsOfEachKind) {
  Unified unified(1 << 20, Fair(1 << 20));
  const auto consumer = unified.pool.Register("c", true);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Grows(*consumer, 10));
    ASSERT_TRUE(consumer->Shrink(10).ok());
  }
  EXPECT_EQ(unified.pool.counters().acquire_calls, 10u);
  EXPECT_EQ(unified.pool.counters().release_calls, 10u);
}

TEST(SparkPoolTest, TheLogGetsTheCountersAtTheEndAndWhatWasForgotten) {
  std::vector<std::string> log;
  {
    SparkPoolOptions options = Greedy();
    options.task = 7;
    options.log = [&](std::string_view line) { log.emplace_back(line); };
    options.clock = [] { return 0; };
    const SparkPool idle(options, std::make_shared<FakeSpark>(0));
    SparkPool pool(options, std::make_shared<FakeSpark>(100));
    SparkGrowCall call(pool, pool.Join("c", true), 5);
    RunBlocking(call, ThisThread());
    EXPECT_EQ(call.crossings(), 1);
  }
  EXPECT_EQ(log, (std::vector<std::string>{
                     "Task 7 dropped CometUnifiedMemoryPool with 5 bytes still reserved",
                     "Task 7 CometUnifiedMemoryPool memory pool stats: acquire(calls=1, "
                     "requested=5 bytes, granted=5 bytes, short=0), release(calls=0, bytes=0), "
                     "backend_time=0ns"}));
}

// The table of MEMORY section 3, and one crossing more where a spill gives something back.
TEST(SparkPoolTest, CrossingsAreThoseOfTheTable) {
  struct Case {
    int64_t capacity;  // of Spark; the fair pool's size for local refusals
    int64_t greedy;
    int64_t fair_refused;
  };
  for (const Case& c : {Case{1000, 1, 1}, Case{100, 3, 1}, Case{10, 4, 0}}) {
    for (const bool local : {false, true}) {
      Unified unified(local ? kMax : c.capacity, local ? Fair(c.capacity) : Greedy());
      const auto consumer = unified.pool.Register("writer", true);
      Reservation reservation(*consumer);
      auto policy = *ReservationPolicy::Create({.step = 500});
      Action action = policy.Grow(40);
      while (action.kind == Action::Kind::kRequest) {
        action = policy.Answer(reservation.TryGrow(action.bytes)->granted);
      }
      EXPECT_EQ(unified.spark->crossings(), local ? c.fair_refused : c.greedy) << c.capacity;
      const bool held = reservation.size() > 0;
      ASSERT_TRUE(reservation.Free().ok());
      EXPECT_EQ(unified.spark->crossings(), (local ? c.fair_refused : c.greedy) + (held ? 1 : 0));
    }
  }
  Unified exact(10, Greedy());
  EXPECT_FALSE(Grows(*exact.pool.Register("writer", true), 40));
  EXPECT_EQ(exact.spark->crossings(), 2) << "an exact request that is denied";
}

TEST(SparkPoolTest, EvenNothingIsGivenBack) {
  Unified unified(0, Greedy());
  EXPECT_FALSE(Grows(*unified.pool.Register("c", true), 40));
  EXPECT_EQ(unified.pool.counters().release_calls, 1u);
  EXPECT_EQ(unified.pool.counters().release_bytes, 0u);
}

// Numbers and text of a Comet 1.2.0 job (hashagg, two tasks in 64 MiB): the limit of fair_unified,
// then what was left of the task's half for a request within the limit.
TEST(SparkPoolTest, TheLimitAndTheShortGrantOfARealRun) {
  Unified unified(32 * kMiB, Fair(64 * kMiB, PoolVariant::kAsIs, FairRule::kPerConsumer));
  const auto aggregate = unified.pool.Register("PartialHashAggregateStream[0]", true);
  const auto writer = unified.pool.Register("ShuffleRepartitioner[0]", true);
  ASSERT_TRUE(Grows(*aggregate, 31'562'138));
  ASSERT_TRUE(aggregate->Shrink(31'562'138).ok());
  EXPECT_EQ(writer->TryGrow(33'619'968)->available, 33'554'432);
  EXPECT_EQ(unified.spark->crossings(), 2) << "Spark was not asked";
  EXPECT_EQ(TopConsumers(unified.pool),
            "  PartialHashAggregateStream[0]#0(can spill: true) consumed 0.0 B, peak 30.1 MB,\n"
            "  ShuffleRepartitioner[0]#1(can spill: true) consumed 0.0 B, peak 0.0 B.");
  ASSERT_TRUE(Grows(*aggregate, 16'777'600));
  EXPECT_EQ(writer->TryGrow(16'842'752)->available, 16'776'832);
}

TEST(SparkPoolTest, AThrowOfTheJvmMovesNothingAndIsAShortGrant) {
  for (const SparkPoolOptions& options : {Greedy(), Fair(1000), Fair(1000, PoolVariant::kAsIs)}) {
    Unified unified(100, options);
    const auto consumer = unified.pool.Register("c", true);
    unified.spark->ThrowAt({1, 3});
    EXPECT_EQ(consumer->TryGrow(50).status(), absl::UnavailableError("the JVM threw"));
    EXPECT_EQ(unified.pool.reserved(), 0);
    EXPECT_EQ(unified.pool.counters().short_grants, 1u);
    EXPECT_EQ(unified.pool.counters().granted_bytes, 0u);
    EXPECT_TRUE(Grows(*consumer, 50));
    EXPECT_FALSE(consumer->Shrink(50).ok());
    EXPECT_EQ(unified.pool.reserved(), 0) << "counted as returned: asking again could do it twice";
  }
}

TEST(SparkPoolTest, MoreThanWasAskedForIsAFault) {
  class Generous final : public SparkBackend {
   public:
    absl::StatusOr<int64_t> Acquire(int64_t bytes) override { return bytes + 1; }
    absl::Status Release(int64_t) override { return absl::OkStatus(); }
  };
  SparkPool pool(Fair(100), std::make_shared<Generous>());
  EXPECT_EQ(pool.Register("c", true)->TryGrow(7).status(),
            absl::InternalError("Spark granted 8 bytes of 7"));
  EXPECT_EQ(pool.reserved(), 0);
}

TEST(PoolRegistryTest, PlansTasksAndProcessesShareWhatTheirScopeSays) {
  PoolRegistry registry;
  const auto pool = [&](const char* name, int64_t size, int64_t task) {
    return *registry.ForPlan({.name = *ParsePoolName(name), .size = size}, task, nullptr);
  };
  EXPECT_NE(pool("greedy", 10, 1), pool("greedy", 10, 1));
  auto of_task = pool("greedy_task_shared", 10, 1);
  EXPECT_EQ(pool("greedy_task_shared", 10, 1), of_task);
  EXPECT_NE(pool("greedy_task_shared", 10, 2), of_task);
  ASSERT_TRUE(Grows(*of_task->Register("c", true), 10));
  const std::weak_ptr<SharedPool> gone = of_task;
  of_task.reset();
  EXPECT_TRUE(gone.expired()) << "with its last plan";
  const auto of_process = pool("greedy_global", 10, 1);
  EXPECT_EQ(pool("greedy_global", 99, 2), of_process);
  EXPECT_FALSE(Grows(*of_process->Register("c", true), 11)) << "the first caller fixes the size";
}

// datafusion-comet#3921, 6 of MEMORY section 7.
TEST(PoolRegistryTest, EveryNativePlanOfATaskWithAPoolOfItsOwnTakesTheWholeLimit) {
  const auto held_by_two_plans = [](const char* name) {
    PoolRegistry registry;
    const PoolOptions options{.name = *ParsePoolName(name), .size = 100};
    const auto first = *registry.ForPlan(options, 1, nullptr);
    const auto second = *registry.ForPlan(options, 1, nullptr);
    const auto scan = first->Register("scan", true);
    const auto write = second->Register("write", true);
    Grows(*scan, 100);
    Grows(*write, 100);
    return scan->reserved() + write->reserved();
  };
  EXPECT_EQ(held_by_two_plans("greedy"), 200);
  EXPECT_EQ(held_by_two_plans("greedy_task_shared"), 100);
}

TEST(PoolRegistryTest, WhatCannotBeMadeIsSaid) {
  const auto message = [](PoolOptions options) {
    return std::string(MakePool(options, 1, nullptr).status().message());
  };
  EXPECT_EQ(message({.name = *ParsePoolName("fair_unified")}),
            "pool fair_unified needs Spark to ask");
  EXPECT_EQ(message({.name = *ParsePoolName("greedy"), .size = -1}),
            "pool greedy cannot have -1 bytes");
  EXPECT_EQ(message({.name = {PoolKind::kUnbounded, PoolScope::kProcess}}),
            "there is no pool of this kind and scope");
  const auto unified = MakePool({.name = *ParsePoolName("fair_unified"), .size = 100}, 1,
                                std::make_shared<FakeSpark>(100));
  EXPECT_TRUE(Grows(*(*unified)->Register("c", true), 100));
}

}  // namespace
}  // namespace spillway::memory
