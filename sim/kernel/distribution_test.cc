// SPDX-License-Identifier: Apache-2.0
// Empirical and exponential draws.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/kernel/empirical.h"
#include "sim/kernel/exponential.h"
#include "sim/kernel/histogram.h"
#include "src/base/random.h"

namespace spillway::sim {
namespace {

using ::testing::HasSubstr;

Empirical Crossing() {
  return *Empirical::Create({{0, 991'000}, {500, 1'104'000}, {900, 1'248'000}, {1000, 1'670'000}});
}

TEST(EmpiricalTest, MeanIsThatOfTheTrapezoids) {
  EXPECT_EQ(Crossing().mean(), 1'140'050);
  EXPECT_EQ(Empirical::Constant(7).mean(), 7);
}

TEST(EmpiricalTest, DrawsHaveTheQuantilesTheyWereGiven) {
  base::Random random(42);
  Histogram histogram;
  for (int i = 0; i < 200'000; ++i) histogram.Record(Crossing().Sample(random));
  EXPECT_NEAR(histogram.mean(), 1'140'050, 1'000);
  EXPECT_NEAR(histogram.Quantile(500), 1'104'000, 4'000);
  EXPECT_NEAR(histogram.Quantile(900), 1'248'000, 4'000);
  EXPECT_GE(histogram.min(), 991'000);
  EXPECT_LT(histogram.min(), 992'000);
  EXPECT_LE(histogram.max(), 1'670'000);
  EXPECT_GT(histogram.max(), 1'669'000);
}

TEST(EmpiricalTest, EveryDrawTakesOneNumberSoThatShapesKeepStreamsInStep) {
  base::Random a(3), b(3);
  for (int i = 0; i < 10; ++i) {
    Empirical::Constant(5).Sample(a);
    Crossing().Sample(b);
  }
  EXPECT_EQ(a.Next(), b.Next());
}

TEST(EmpiricalTest, GreatestValuesDoNotOverflow) {
  const Empirical wide = *Empirical::Create({{0, 0}, {1000, Empirical::kMaxValue}});
  EXPECT_EQ(wide.mean(), Empirical::kMaxValue / 2);
  base::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Duration value = wide.Sample(random);
    EXPECT_GE(value, 0);
    EXPECT_LE(value, Empirical::kMaxValue);
  }
}

TEST(EmpiricalTest, BrokenPointsAreRefusedWithTheReason) {
  const auto message = [](std::vector<Empirical::Point> points) {
    return std::string(Empirical::Create(std::move(points)).status().message());
  };
  EXPECT_THAT(message({}), HasSubstr("has 0"));
  EXPECT_THAT(message({{0, 1}, {900, 2}}), HasSubstr("from 0 to 900"));
  EXPECT_THAT(message({{0, 1}, {500, 2}, {500, 3}, {1000, 4}}), HasSubstr("(500 then 500)"));
  EXPECT_THAT(message({{0, 5}, {1000, 4}}), HasSubstr("(5 then 4 ps)"));
  EXPECT_THAT(message({{0, -1}, {1000, 4}}), HasSubstr("-1 ps is outside"));
  EXPECT_THAT(message({{0, 0}, {1000, Empirical::kMaxValue + 1}}), HasSubstr("outside"));
}

TEST(ExponentialTest, DrawsAreMinusTheLogarithmOfTheUniform) {
  base::Random random(9), uniform(9);
  for (int i = 0; i < 10'000; ++i) {
    const double u = std::ldexp(static_cast<double>(uniform.Next()) + 1, -64);
    EXPECT_NEAR(static_cast<double>(SampleExponential(random, kSecond)) / kSecond, -std::log(u),
                3e-7);
  }
}

TEST(ExponentialTest, MeanAndVarianceAreThoseOfTheExponential) {
  base::Random random(5);
  constexpr int kDraws = 500'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value =
        static_cast<double>(SampleExponential(random, kMicrosecond)) / kMicrosecond;
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kDraws, 1, 0.005);
  EXPECT_NEAR(squares / kDraws, 2, 0.03);
}

// A change here is a new version of the draws, to be stated in the header.
TEST(ExponentialTest, DrawsOfVersion2) {
  base::Random random(42);
  EXPECT_EQ(SampleExponential(random, 100'000 * kSecond), 247857111191916601);
  EXPECT_EQ(SampleExponential(random, kSecond), 970271228152);
  EXPECT_EQ(SampleExponential(random, kMicrosecond), 385598);
}

TEST(ExponentialTest, MeanZeroGivesZero) {
  base::Random random(5);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(SampleExponential(random, 0), 0);
}

}  // namespace
}  // namespace spillway::sim
