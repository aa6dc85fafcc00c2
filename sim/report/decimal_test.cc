// SPDX-License-Identifier: Apache-2.0
#include "sim/report/decimal.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace spillway::sim {
namespace {

TEST(DecimalTest, DigitsAreRoundedHalfAwayFromZero) {
  EXPECT_EQ(FormatDecimal({1, 3}, 2, false), "0.33");
  EXPECT_EQ(FormatDecimal({2, 3}, 2, false), "0.67");
  EXPECT_EQ(FormatDecimal({5, 1000}, 2, false), "0.01");
  EXPECT_EQ(FormatDecimal({-5, 1000}, 2, false), "-0.01");
  EXPECT_EQ(FormatDecimal({-4, 1000}, 2, false), "0.00");
  EXPECT_EQ(FormatDecimal({999, 1000}, 0, false), "1");
  EXPECT_EQ(FormatDecimal({0, 7}, 0, false), "0");
}

TEST(DecimalTest, ThousandsAreGroupedBeforeThePointOnly) {
  EXPECT_EQ(FormatDecimal({25'165'824, 1}, 0, true), "25,165,824");
  EXPECT_EQ(FormatDecimal({100'000, 1}, 4, true), "100,000.0000");
  EXPECT_EQ(FormatDecimal({999, 1}, 0, true), "999");
  EXPECT_EQ(FormatDecimal({-1'234'567, 1000}, 1, true), "-1,234.6");
}

RC_GTEST_PROP(DecimalTest, IntegersPrintAsTheyAre, (int64_t value)) {
  RC_ASSERT(FormatDecimal({value, 1}, 0, false) == std::to_string(value));
}

}  // namespace
}  // namespace spillway::sim
