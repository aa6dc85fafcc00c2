// SPDX-License-Identifier: Apache-2.0
#include "src/base/hex_text.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace spillway::base {
namespace {

std::string Error(std::string_view text) {
  return std::string(FromHexText(text).status().message());
}

TEST(HexTextTest, SpaceAndCommentsMayStandAnywhere) {
  EXPECT_EQ(*FromHexText("# \xC3\xA4 comment 00\n fe\tCA\r\n5\n3 02 # 03\n04"),
            "\xFE\xCA\x53\x02\x04");
  EXPECT_EQ(*FromHexText(""), "");
}

TEST(HexTextTest, ErrorsPointAtTheCharacter) {
  EXPECT_EQ(Error("00 # zz\n0z"), "line 2, column 2: `z` is no hexadecimal digit");
  EXPECT_EQ(Error("00\n1"), "line 2, column 1: a digit without a second one");
  EXPECT_EQ(Error(std::string_view("0\0", 2)), "line 1, column 2: `\\000` is no hexadecimal digit");
}

TEST(HexTextTest, WritingAndReadingAreInverse) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(*FromHexText(ToHexText(bytes)), bytes);
    bytes += static_cast<char>(i);
  }
  EXPECT_EQ(ToHexText("\x01\xAB"), "01 ab\n");
  EXPECT_EQ(ToHexText(std::string(33, 'A')).find('\n'), 32u * 3 - 1);
}

TEST(HexTextTest, ControlCharactersAndHighBytesOutsideCommentsAreNoText) {
  EXPECT_TRUE(IsText("# \xC3\xA4\nfe ca\r\n\t53"));
  EXPECT_TRUE(IsText("not hexadecimal, but text"));
  EXPECT_FALSE(IsText(""));
  EXPECT_FALSE(IsText("\xFE\xCA"));
  EXPECT_FALSE(IsText(std::string_view("# comment \4", 11)));
  EXPECT_FALSE(IsText("00\x7F"));
  EXPECT_FALSE(IsText(std::string_view("\n\0\0\0BYTE_ARRAY", 14)));
}

}  // namespace
}  // namespace spillway::base
