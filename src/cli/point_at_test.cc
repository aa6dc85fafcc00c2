// SPDX-License-Identifier: Apache-2.0
#include "src/cli/point_at.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "src/base/strings.h"
#include "src/vector/type.h"

namespace spillway::cli {
namespace {

std::string Pointed(std::string_view text) {
  return PointAt(text, base::ToStd(vector::Type::Parse(text).status().message()));
}

TEST(PointAtTest, TheMarkStandsUnderThePosition) {
  EXPECT_EQ(Pointed("ROW<a:INTEGER;b:DATE>"),
            "expected '>' at position 13\n"
            "  ROW<a:INTEGER;b:DATE>\n"
            "               ^");
  EXPECT_EQ(Pointed("ARRAY<INTEGER").substr(0, 27), "expected '>' at position 13");
}

TEST(PointAtTest, OfALongTextTheSurroundingsAreShown) {
  std::string text = "ROW<";
  for (int i = 0; i < 30; ++i) text += base::Cat("column", i, ":INTEGER,");
  const std::string pointed = Pointed(text + "x;INTEGER>");
  const size_t mark = pointed.rfind('^') - pointed.rfind('\n') - 1;
  const size_t line = pointed.find("\n") + 1;
  EXPECT_EQ(pointed[line + mark], ';') << pointed;
}

TEST(PointAtTest, AComplaintWithoutAPositionStays) {
  EXPECT_EQ(PointAt("x", "too deep"), "too deep");
  EXPECT_EQ(PointAt("x", "wrong at position 7"), "wrong at position 7");
}

}  // namespace
}  // namespace spillway::cli
