// SPDX-License-Identifier: Apache-2.0
#include "src/cli/number.h"

#include "gtest/gtest.h"

namespace spillway::cli {
namespace {

TEST(NumberTest, TheWholeRangeIsTaken) {
  for (const char* text : {"0", "7", "007", "18446744073709551615"}) {
    EXPECT_EQ(CheckUint64(text), "") << text;
  }
}

TEST(NumberTest, WhatDoesNotFitIsRefusedAndNotCut) {
  EXPECT_EQ(CheckUint64("18446744073709551616"),
            "18446744073709551616 is over 18446744073709551615");
  EXPECT_EQ(CheckUint64("99999999999999999999"),
            "99999999999999999999 is over 18446744073709551615");
}

TEST(NumberTest, WhatIsNoNumberIsRefused) {
  for (const char* text : {"", "-1", "+1", " 1", "1x", "0x10", "1e3", "1.0"}) {
    EXPECT_NE(CheckUint64(text), "") << text;
  }
}

TEST(NumberTest, AnIntegerHasBothItsBounds) {
  EXPECT_EQ(CheckInteger("3", 3, 5), "");
  EXPECT_EQ(CheckInteger("5", 3, 5), "");
  EXPECT_EQ(CheckInteger("2", 3, 5), "2 is under 3");
  EXPECT_EQ(CheckInteger("6", 3, 5), "6 is over 5");
  EXPECT_EQ(CheckInteger("9223372036854775808", 0, INT64_MAX),
            "9223372036854775808 is over 9223372036854775807");
  EXPECT_EQ(CheckInteger("-1", 0, 5), "`-1` is not a whole number");
}

}  // namespace
}  // namespace spillway::cli
