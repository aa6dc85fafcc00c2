// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/index_growth.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace spillway::shuffle {
namespace {

TEST(IndexGrowthTest, FourElementsAreTheLeast) {
  EXPECT_EQ(GrownCapacity(0, 0, 1), 4);
  EXPECT_EQ(GrownCapacity(0, 0, 4), 4);
  EXPECT_EQ(GrownCapacity(0, 0, 5), 5);
}

TEST(IndexGrowthTest, NothingAddedAllocatesNothing) { EXPECT_EQ(GrownCapacity(0, 0, 0), 0); }

TEST(IndexGrowthTest, WhatFitsDoesNotGrow) {
  EXPECT_EQ(GrownCapacity(3, 4, 1), 4);
  EXPECT_EQ(GrownCapacity(4, 4, 1), 8);
}

TEST(IndexGrowthTest, GrowsToTheLargerOfDoubleAndNeeded) {
  EXPECT_EQ(GrownCapacity(10, 10, 9), 20);
  EXPECT_EQ(GrownCapacity(10, 10, 11), 21);
  EXPECT_EQ(GrownCapacity(5, 10, 6), 20);
}

// MEMORY section 2: 8192 rows a chunk in one partition grow at these chunks only.
TEST(IndexGrowthTest, EqualChunksGrowAtPowersOfTwo) {
  std::vector<int> grown;
  int64_t capacity = 0;
  for (int chunk = 1; chunk <= 256; ++chunk) {
    const int64_t next = GrownCapacity((chunk - 1) * 8192, capacity, 8192);
    if (next != capacity) grown.push_back(chunk);
    capacity = next;
  }
  EXPECT_EQ(grown, (std::vector<int>{1, 2, 3, 5, 9, 17, 33, 65, 129}));
  EXPECT_EQ(capacity * 8, 16 << 20);
}

TEST(IndexGrowthTest, SumsStopAtTheLargestInteger) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(GrownCapacity(kMax, kMax, 1), kMax);
  EXPECT_EQ(GrownCapacity(kMax / 2 + 1, kMax / 2 + 1, 1), kMax);
}

}  // namespace
}  // namespace spillway::shuffle
