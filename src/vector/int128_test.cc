// SPDX-License-Identifier: Apache-2.0
#include "src/vector/int128.h"

#include <string>

#include "gtest/gtest.h"

namespace spillway::vector {
namespace {

constexpr char kMax[] = "170141183460469231731687303715884105727";
constexpr char kMin[] = "-170141183460469231731687303715884105728";

TEST(Int128Test, TextOfTheExtremesIsReadBack) {
  for (const std::string text : {kMax, kMin, "0", "-1", "9", "10", "18446744073709551616"}) {
    ASSERT_TRUE(ParseInt128(text).has_value()) << text;
    EXPECT_EQ(Int128ToString(*ParseInt128(text)), text);
  }
}

TEST(Int128Test, AnythingButDigitsInRangeIsRefused) {
  for (const std::string text :
       {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "--1", "170141183460469231731687303715884105728",
        "-170141183460469231731687303715884105729", "99999999999999999999999999999999999999999"}) {
    EXPECT_FALSE(ParseInt128(text).has_value()) << text;
  }
}

TEST(Int128Test, ADecimalOfPrecision38FitsBarely) {
  EXPECT_EQ(Int128ToString(LargestUnscaled(0)), "0");
  EXPECT_EQ(Int128ToString(LargestUnscaled(18)), std::string(18, '9'));
  EXPECT_EQ(Int128ToString(LargestUnscaled(38)), std::string(38, '9'));
}

TEST(Int128Test, DecimalsShowEveryDigitOfTheirScale) {
  EXPECT_EQ(DecimalToString(-5, 2), "-0.05");
  EXPECT_EQ(DecimalToString(12345, 2), "123.45");
  EXPECT_EQ(DecimalToString(100, 2), "1.00");
  EXPECT_EQ(DecimalToString(7, 0), "7");
  EXPECT_EQ(DecimalToString(0, 3), "0.000");
}

}  // namespace
}  // namespace spillway::vector
