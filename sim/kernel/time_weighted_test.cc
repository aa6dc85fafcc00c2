// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/time_weighted.h"

#include "gtest/gtest.h"

namespace spillway::sim {
namespace {

TEST(TimeWeightedTest, LevelsCountForAsLongAsTheyStand) {
  TimeWeighted level;
  level.Set(10, 4);
  level.Add(20, 6);
  level.Add(30, -10);
  EXPECT_EQ(level.level(), 0);
  EXPECT_EQ(level.peak(), 10);
  EXPECT_TRUE(level.Area(30) == 140);
  EXPECT_EQ(level.Average(30), 4);
  EXPECT_EQ(level.Average(100), 1);
}

TEST(TimeWeightedTest, APeakWithoutDurationIsAPeak) {
  TimeWeighted level;
  level.Set(5, 100);
  level.Set(5, 0);
  EXPECT_EQ(level.peak(), 100);
  EXPECT_EQ(level.Average(10), 0);
  EXPECT_EQ(TimeWeighted().Average(0), 0);
}

TEST(TimeWeightedTest, LargeLevelsOverLongTimesDoNotOverflow) {
  TimeWeighted level;
  level.Set(0, int64_t{1} << 50);
  EXPECT_EQ(level.Average(kEndOfTime), int64_t{1} << 50);
}

}  // namespace
}  // namespace spillway::sim
