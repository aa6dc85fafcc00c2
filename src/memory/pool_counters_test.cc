// SPDX-License-Identifier: Apache-2.0
#include "src/memory/pool_counters.h"

#include "gtest/gtest.h"

namespace spillway::memory {
namespace {

std::string TimeOf(uint64_t nanos) {
  const std::string line = PoolCounts{.acquire_calls = 1, .backend_nanos = nanos}.DebugLine(1, "p");
  return line.substr(line.find("backend_time="));
}

TEST(PoolCountersTest, TheDebugLineIsComets) {
  PoolCounters counters;
  for (int i = 0; i < 256; ++i) counters.CountAcquire(98'304, 98'304, 1'690);
  counters.CountRelease(25'165'824, 196);
  EXPECT_EQ(counters.Snapshot().DebugLine(4334, "CometFairMemoryPool"),
            "Task 4334 CometFairMemoryPool memory pool stats: "
            "acquire(calls=256, requested=25165824 bytes, granted=25165824 bytes, short=0), "
            "release(calls=1, bytes=25165824), backend_time=432.836µs");
}

TEST(PoolCountersTest, APoolWithoutCallsPrintsNothing) {
  EXPECT_EQ(PoolCounts().DebugLine(1, "CometFairMemoryPool"), "");
}

TEST(PoolCountersTest, AGrantBelowTheRequestIsShort) {
  PoolCounters counters;
  counters.CountAcquire(100, 100);
  counters.CountAcquire(100, 99);
  counters.CountAcquire(100, 0);
  EXPECT_EQ(counters.Snapshot().short_grants, 2u);
  EXPECT_EQ(counters.Snapshot().granted_bytes, 199u);
}

TEST(PoolCountersTest, TimesHaveTheFormOfRustsDuration) {
  EXPECT_EQ(TimeOf(0), "backend_time=0ns");
  EXPECT_EQ(TimeOf(999), "backend_time=999ns");
  EXPECT_EQ(TimeOf(1'000), "backend_time=1µs");
  EXPECT_EQ(TimeOf(1'050), "backend_time=1.05µs");
  EXPECT_EQ(TimeOf(36'000'001), "backend_time=36.000001ms");
  EXPECT_EQ(TimeOf(2'000'000'010), "backend_time=2.00000001s");
}

}  // namespace
}  // namespace spillway::memory
