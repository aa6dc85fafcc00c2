// SPDX-License-Identifier: Apache-2.0
#include "src/base/suggest.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace spillway::base {
namespace {

TEST(EditDistanceTest, EveryKindOfSlipCostsOne) {
  EXPECT_EQ(EditDistance("simulate", "simulate"), 0);
  EXPECT_EQ(EditDistance("simulat", "simulate"), 1);
  EXPECT_EQ(EditDistance("simulatee", "simulate"), 1);
  EXPECT_EQ(EditDistance("simulade", "simulate"), 1);
  EXPECT_EQ(EditDistance("smiulate", "simulate"), 1);
}

TEST(EditDistanceTest, AgainstNothingItIsTheLength) {
  EXPECT_EQ(EditDistance("", "seed"), 4);
  EXPECT_EQ(EditDistance("seed", ""), 4);
  EXPECT_EQ(EditDistance("", ""), 0);
}

TEST(EditDistanceTest, IsSymmetric) {
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("sitting", "kitten"), 3);
}

// Unrestricted Damerau-Levenshtein gives 2: swap, then insert between the swapped.
TEST(EditDistanceTest, ASwappedPairIsNotEditedAgain) { EXPECT_EQ(EditDistance("ca", "abc"), 3); }

TEST(NearestTest, TheNearestWinsAndTheFirstOfEquals) {
  const std::vector<std::string> known = {"inspect", "simulate", "test", "text"};
  EXPECT_EQ(Nearest("simluate", known), "simulate");
  EXPECT_EQ(Nearest("tet", known), "test");
}

TEST(NearestTest, AThirdOfTheWordMayBeWrongAndNoMore) {
  EXPECT_EQ(Nearest("abxyef", {"abcdef"}), "abcdef");
  EXPECT_EQ(Nearest("axyzef", {"abcdef"}), "");
}

TEST(NearestTest, NothingIsNearNothingOrALongWord) {
  EXPECT_EQ(Nearest("", {"a"}), "");
  EXPECT_EQ(Nearest("simulate", {}), "");
  EXPECT_EQ(Nearest(std::string(65, 'a'), {std::string(65, 'a')}), "");
}

}  // namespace
}  // namespace spillway::base
