// SPDX-License-Identifier: Apache-2.0
#include "src/base/utf8.h"

#include "gtest/gtest.h"

namespace spillway::base {
namespace {

using namespace std::string_view_literals;

TEST(Utf8Test, TheFirstAndLastOfEachLengthAreWellFormed) {
  for (const std::string_view text :
       {""sv, "\0"sv, "\x7F"sv, "\xC2\x80"sv, "\xDF\xBF"sv, "\xE0\xA0\x80"sv, "\xED\x9F\xBF"sv,
        "\xEE\x80\x80"sv, "\xEF\xBF\xBF"sv, "\xF0\x90\x80\x80"sv, "\xF4\x8F\xBF\xBF"sv,
        "a\xC3\xA4\xE2\x82\xAC z"sv}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
  }
}

TEST(Utf8Test, StrayMissingAndOverlongBytesAreNot) {
  for (const std::string_view bytes :
       {"\x80"sv, "\xFF"sv, "a\xBF"sv, "\xC2"sv, "\xE2\x82"sv, "\xF0\x90\x80"sv, "\xC2z"sv,
        "\xE2\x82z"sv, "\xC0\x80"sv, "\xC1\xBF"sv, "\xE0\x9F\xBF"sv, "\xF0\x8F\xBF\xBF"sv}) {
    EXPECT_FALSE(IsUtf8(bytes)) << bytes;
  }
}

TEST(Utf8Test, SurrogatesAndTooLargeValuesAreNot) {
  for (const std::string_view bytes :
       {"\xED\xA0\x80"sv, "\xED\xBF\xBF"sv, "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv}) {
    EXPECT_FALSE(IsUtf8(bytes)) << bytes;
  }
}

TEST(Utf8Test, CharactersAreReadOneAtATime) {
  EXPECT_EQ(NextCharacter("\xE2\x80\xA2x").code, 0x2022u);
  EXPECT_EQ(NextCharacter("\xF4\x8F\xBF\xBF").code, 0x10FFFFu);
  for (const uint32_t code : {0x41u, 0xE9u, 0x2022u, 0x1F40Du}) {
    std::string text;
    AppendUtf8(code, text);
    EXPECT_EQ(NextCharacter(text).code, code);
    EXPECT_EQ(NextCharacter(text).size, text.size());
  }
}

// Each such beginning is one unit to whoever goes on behind it.
TEST(Utf8Test, WhatIsNoCharacterHasTheBytesThatCouldHaveBegunOne) {
  for (const std::string_view bytes :
       {"\x80"sv, "\xC0\x80"sv, "\xED\xA0\x80"sv, "\xF4\x90\x80\x80"sv, "\xC3("sv, "\xFF"sv,
        "\xF0\x80\x80\x80"sv}) {
    EXPECT_FALSE(NextCharacter(bytes).valid);
    EXPECT_EQ(NextCharacter(bytes).size, 1u);
  }
  EXPECT_FALSE(NextCharacter("\xE2\x80").valid);
  EXPECT_EQ(NextCharacter("\xE2\x80").size, 2u);
  EXPECT_EQ(NextCharacter("\xF0\x9F\x90z").size, 3u);
}

}  // namespace
}  // namespace spillway::base
