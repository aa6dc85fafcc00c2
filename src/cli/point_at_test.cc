// SPDX-License-Identifier: Apache-2.0
#include "src/cli/point_at.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "src/base/status.h"
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

std::string PointedByte(std::string_view text, int64_t byte) {
  return PointAt(text, base::AtByte(base::Invalid("wrong"), byte, 9));
}

TEST(PointAtTest, AnErrorKnowsItsByte) {
  EXPECT_EQ(PointedByte("not (x = 1)", 5), "wrong, byte 5 of 9\n  not (x = 1)\n       ^");
  EXPECT_EQ(PointedByte("x =", 3), "wrong, byte 3 of 9\n  x =\n     ^");
  EXPECT_EQ(PointedByte("x =", 4), "wrong, byte 4 of 9");
  EXPECT_EQ(PointAt("x =", base::Invalid("wrong")), "wrong");
}

TEST(PointAtTest, ACharacterTakesOnePlace) {
  EXPECT_EQ(PointedByte("\xC3\xA4 = '\xE2\x82\xAC' or", 11),
            "wrong, byte 11 of 9\n  \xC3\xA4 = '\xE2\x82\xAC' or\n          ^");
  // A long text is cut between characters.
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\xE2\x82\xAC";
  const std::string pointed = PointedByte(text, 150);
  const size_t line = pointed.find("\n  ") + 3;
  EXPECT_EQ(pointed.substr(line, 3), "\xE2\x82\xAC");
  EXPECT_EQ(pointed.substr(pointed.find('\n', line) - 3, 3), "\xE2\x82\xAC");
}

TEST(PointAtTest, AComplaintWithoutAPositionStays) {
  EXPECT_EQ(PointAt("x", "too deep"), "too deep");
  EXPECT_EQ(PointAt("x", "wrong at position 7"), "wrong at position 7");
}

}  // namespace
}  // namespace spillway::cli
