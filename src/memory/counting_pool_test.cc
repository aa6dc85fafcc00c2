// SPDX-License-Identifier: Apache-2.0
#include "src/memory/counting_pool.h"

#include <limits>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace spillway::memory {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(CountingPoolTest, GrantsAllOrNothing) {
  CountingPool pool(300);
  EXPECT_TRUE(pool.TryGrow(100)->granted);
  const Grant denied = *pool.TryGrow(201);
  EXPECT_FALSE(denied.granted);
  EXPECT_EQ(denied.available, 200);
  EXPECT_EQ(pool.reserved(), 100) << "a denial moves nothing";
  EXPECT_TRUE(pool.TryGrow(200)->granted) << "the capacity itself fits";
}

// Comet #5384's own case: 100 and 200 granted, 300 given back at once.
TEST(CountingPoolTest, CountsAcquiresAndReleases) {
  CountingPool pool;
  ASSERT_TRUE(pool.TryGrow(100)->granted);
  ASSERT_TRUE(pool.TryGrow(200)->granted);
  ASSERT_TRUE(pool.Shrink(300).ok());
  EXPECT_EQ(pool.reserved(), 0);
  EXPECT_EQ(pool.peak(), 300);
  EXPECT_EQ(pool.counters(), (PoolCounts{.acquire_calls = 2,
                                         .requested_bytes = 300,
                                         .granted_bytes = 300,
                                         .release_calls = 1,
                                         .release_bytes = 300}));
}

TEST(CountingPoolTest, ADenialIsAShortGrantOfNothing) {
  CountingPool pool(100);
  ASSERT_FALSE(pool.TryGrow(150)->granted);
  EXPECT_EQ(pool.counters(),
            (PoolCounts{.acquire_calls = 1, .requested_bytes = 150, .short_grants = 1}));
}

TEST(CountingPoolTest, ZeroBytesAreNoCall) {
  CountingPool pool(0);
  EXPECT_TRUE(pool.TryGrow(0)->granted);
  EXPECT_TRUE(pool.Shrink(0).ok());
  EXPECT_EQ(pool.counters(), PoolCounts());
}

TEST(CountingPoolTest, GivingBackMoreThanIsHeldMovesNothing) {
  CountingPool pool;
  ASSERT_TRUE(pool.TryGrow(10)->granted);
  EXPECT_EQ(pool.Shrink(11).message(), "pool: cannot shrink by 11 bytes, only 10 are reserved");
  EXPECT_EQ(pool.Shrink(-1).message(), "pool: cannot shrink by -1 bytes");
  EXPECT_EQ(pool.TryGrow(-1).status().message(), "pool: cannot grow by -1 bytes");
  EXPECT_EQ(pool.reserved(), 10);
}

TEST(CountingPoolTest, AnUnboundedPoolStopsAtTheLargestInteger) {
  CountingPool pool;
  ASSERT_TRUE(pool.TryGrow(kMax)->granted);
  EXPECT_FALSE(pool.TryGrow(1)->granted);
}

TEST(CountingPoolTest, ThreadsNeverExceedTheCapacityTogether) {
  CountingPool pool(64);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        if (!pool.TryGrow(20)->granted) continue;
        ASSERT_TRUE(pool.Shrink(20).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool.reserved(), 0);
  EXPECT_LE(pool.peak(), 60);
  EXPECT_EQ(pool.counters().acquire_calls, 8000u);
  EXPECT_EQ(pool.counters().granted_bytes, pool.counters().release_bytes);
}

}  // namespace
}  // namespace spillway::memory
