// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/histogram.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "sim/kernel/time_weighted.h"

namespace spillway::sim {
namespace {

RC_GTEST_PROP(HistogramTest, QuantilesAreWithinAFiveHundredthOfTheValueOfThatRank, ()) {
  auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<int64_t>>(
      rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 2000), rc::gen::inRange<int64_t>(0, INT64_MAX))));
  const int permille = *rc::gen::inRange(0, 1001);
  Histogram histogram;
  for (const int64_t value : values) histogram.Record(value);
  std::sort(values.begin(), values.end());
  const size_t rank = std::max<size_t>(1, (values.size() * permille + 999) / 1000);
  const int64_t exact = values[rank - 1];
  const int64_t found = histogram.Quantile(permille);
  RC_ASSERT(std::max(found, exact) - std::min(found, exact) <= exact / 512);
}

RC_GTEST_PROP(HistogramTest, CountSumLeastAndGreatestAreExact,
              (const std::vector<uint32_t>& values)) {
  Histogram histogram;
  uint64_t sum = 0;
  for (const uint32_t value : values) {
    histogram.Record(value);
    sum += value;
  }
  RC_ASSERT(histogram.count() == values.size());
  RC_ASSERT(static_cast<uint64_t>(histogram.sum()) == sum);
  if (values.empty()) return;
  RC_ASSERT(histogram.min() == *std::min_element(values.begin(), values.end()));
  RC_ASSERT(histogram.max() == *std::max_element(values.begin(), values.end()));
  RC_ASSERT(histogram.Quantile(0) == histogram.min());
  RC_ASSERT(histogram.Quantile(1000) == histogram.max());
}

TEST(HistogramTest, BucketEdgesKeepTheirOrder) {
  for (int bit = 0; bit < 63; ++bit) {
    for (const int64_t around : {-1, 0, 1}) {
      Histogram histogram;
      const int64_t value = std::max<int64_t>(0, (int64_t{1} << bit) + around);
      histogram.Record(value);
      EXPECT_EQ(histogram.Quantile(500), value);
    }
  }
  Histogram histogram;
  histogram.Record(INT64_MAX);
  EXPECT_EQ(histogram.Quantile(500), INT64_MAX);
}

TEST(HistogramTest, QuantilesInPartsPerMillionReachIntoTheTail) {
  Histogram histogram;
  for (int i = 0; i < 999'990; ++i) histogram.Record(1);
  for (int i = 0; i < 10; ++i) histogram.Record(400);
  EXPECT_EQ(histogram.QuantilePpm(999'990), 1);
  EXPECT_EQ(histogram.QuantilePpm(999'991), 400);
  EXPECT_EQ(histogram.Quantile(999), 1);
  EXPECT_EQ(histogram.QuantilePpm(1'000'000), 400);
  EXPECT_EQ(histogram.QuantilePpm(0), 1);
}

TEST(HistogramTest, EmptyIsAllZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.mean(), 0);
  EXPECT_EQ(histogram.min(), 0);
  EXPECT_EQ(histogram.max(), 0);
  EXPECT_EQ(histogram.Quantile(500), 0);
  EXPECT_EQ(histogram.QuantilePpm(999'999), 0);
}

TEST(HistogramTest, MeanIsRoundedToNearestAndNegativesCountAsZero) {
  Histogram histogram;
  for (const int64_t value : {1, 2, 2}) histogram.Record(value);
  EXPECT_EQ(histogram.mean(), 2);
  histogram.Record(-5);
  EXPECT_EQ(histogram.min(), 0);
  EXPECT_EQ(histogram.mean(), 1);
}

TEST(HistogramTest, MergeIsTheSameAsRecordingTogether) {
  Histogram a, b, both;
  for (int i = 0; i < 100; ++i) {
    (i % 3 == 0 ? a : b).Record(i * 1000);
    both.Record(i * 1000);
  }
  a.Merge(b);
  EXPECT_EQ(a.count(), both.count());
  EXPECT_EQ(a.mean(), both.mean());
  EXPECT_EQ(a.min(), both.min());
  EXPECT_EQ(a.max(), both.max());
  for (const int permille : {100, 500, 990}) {
    EXPECT_EQ(a.Quantile(permille), both.Quantile(permille));
  }
}

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
