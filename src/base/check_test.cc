// SPDX-License-Identifier: Apache-2.0
#include "src/base/check.h"

#include "gtest/gtest.h"

namespace spillway::base {
namespace {

TEST(CheckDeathTest, AFalseConditionEndsTheProcessWithTheRule) {
  EXPECT_DEATH(SPILLWAY_CHECK(1 > 2, "one must exceed two"), "one must exceed two \\(1 > 2 is");
}

TEST(CheckTest, ATrueConditionIsAnExpressionWithoutEffect) {
  int evaluations = 0;
  SPILLWAY_CHECK(++evaluations == 1, "counted once");
  EXPECT_EQ(evaluations, 1);
}

}  // namespace
}  // namespace spillway::base
