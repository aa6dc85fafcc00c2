// SPDX-License-Identifier: Apache-2.0
#include "src/memory/fault_pool.h"

#include "gtest/gtest.h"
#include "src/memory/counting_pool.h"
#include "src/memory/reservation.h"

namespace spillway::memory {
namespace {

using Kind = PoolFault::Kind;

TEST(FaultPoolTest, ADenialBefallsItsCallsAndNoOthers) {
  CountingPool behind;
  FaultPool pool(behind, {{.kind = Kind::kDenial, .call = 2, .times = 2}});
  EXPECT_TRUE(pool.TryGrow(0)->granted) << "which is no call";
  EXPECT_TRUE(pool.TryGrow(5)->granted);
  EXPECT_FALSE(pool.TryGrow(5)->granted);
  EXPECT_FALSE(pool.TryGrow(5)->granted);
  EXPECT_TRUE(pool.TryGrow(5)->granted);
  EXPECT_EQ(pool.reserved(), 10);
  EXPECT_EQ(behind.counters().acquire_calls, 2u) << "the denials never got there";
  EXPECT_EQ(pool.faults_met(), 2);
  EXPECT_EQ(pool.grow_calls(), 4);
}

TEST(FaultPoolTest, AShortGrantIsTakenAndGivenBack) {
  CountingPool behind(100);
  FaultPool pool(behind, {{.kind = Kind::kShortGrant, .call = 1, .times = 3, .bytes = 30}});
  EXPECT_EQ(pool.TryGrow(50)->available, 30);
  EXPECT_EQ(pool.TryGrow(30)->available, 29) << "or it would not be short";
  ASSERT_TRUE(behind.TryGrow(90)->granted);
  EXPECT_EQ(pool.TryGrow(50)->available, 10) << "the pool has no more";
  EXPECT_EQ(pool.reserved(), 90);
  EXPECT_EQ(behind.peak(), 90);
  EXPECT_EQ(behind.counters().release_calls, 2u);
}

TEST(FaultPoolTest, BeforeALateGrantOthersTakeTheirTurn) {
  CountingPool behind(100);
  Reservation other(behind);
  ASSERT_TRUE(other.TryGrow(100)->granted);
  FaultPool pool(behind, {{.kind = Kind::kLateGrant, .call = 2}},
                 [&] { ASSERT_TRUE(other.Free().ok()); });
  EXPECT_FALSE(pool.TryGrow(60)->granted);
  EXPECT_TRUE(pool.TryGrow(60)->granted);
}

TEST(FaultPoolTest, AfterAnErrorNothingHasMoved) {
  CountingPool behind;
  FaultPool pool(behind, {{.kind = Kind::kError, .call = 2}});
  Reservation reservation(pool);
  ASSERT_TRUE(reservation.TryGrow(7)->granted);
  EXPECT_EQ(reservation.TryGrow(1).status(),
            absl::UnavailableError("injected: the pool fails at growth call 2"));
  EXPECT_EQ(reservation.size(), 7);
  EXPECT_EQ(behind.reserved(), 7);
}

TEST(FaultPoolTest, AReleaseThatFailsHasHappened) {
  CountingPool behind;
  FaultPool pool(behind, {{.kind = Kind::kReleaseError, .call = 1}});
  Reservation reservation(pool);
  ASSERT_TRUE(reservation.TryGrow(7)->granted);
  EXPECT_EQ(reservation.Shrink(3),
            absl::UnavailableError("injected: the pool fails at release call 1"));
  EXPECT_EQ(reservation.size(), 4);
  EXPECT_TRUE(reservation.Free().ok());
  EXPECT_EQ(behind.reserved(), 0);
  EXPECT_EQ(pool.shrink_calls(), 2);
}

TEST(FaultPoolTest, RandomFaultsAreAFunctionOfTheirSeed) {
  base::Random random(1);
  base::Random again(1);
  const std::vector<PoolFault> faults = RandomPoolFaults(random, 200, 50);
  EXPECT_EQ(faults, RandomPoolFaults(again, 200, 50));
  EXPECT_NE(faults, RandomPoolFaults(random, 200, 50));
  int kinds = 0;
  for (const PoolFault& fault : faults) {
    kinds |= 1 << static_cast<int>(fault.kind);
    EXPECT_GE(fault.call, 1);
    EXPECT_LE(fault.call, 50);
  }
  EXPECT_EQ(kinds, 31) << "all five are among them";
}

}  // namespace
}  // namespace spillway::memory
