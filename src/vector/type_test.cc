// SPDX-License-Identifier: Apache-2.0
#include "src/vector/type.h"

#include <string>

#include "gtest/gtest.h"

namespace spillway::vector {
namespace {

TEST(TypeTest, TextFormRoundTrips) {
  for (const char* text :
       {"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "REAL", "DOUBLE",
        "DECIMAL(12, 4)", "DECIMAL(38, 0)", "DATE", "INTERVAL YEAR TO MONTH",
        "INTERVAL DAY TO SECOND", "TIMESTAMP", "VARCHAR", "VARCHAR COLLATE UTF8_LCASE",
        "VARBINARY", "UNKNOWN", "ARRAY<INTEGER>", "MAP<VARCHAR,ROW<q:BIGINT,r:BOOLEAN>>", "ROW<>",
        "ROW<\"a b\":INTEGER,\"say \"\"hi\"\"\":DATE>"}) {
    const absl::StatusOr<TypePtr> type = Type::Parse(text);
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_EQ((*type)->ToString(), text);
    EXPECT_EQ(**type, **Type::Parse((*type)->ToString()));
  }
}

TEST(TypeTest, ErrorsPointIntoTheText) {
  const auto error = [](const char* text) {
    return std::string(Type::Parse(text).status().message());
  };
  EXPECT_EQ(error("INT"), "type `INT`: unknown type `INT` at position 0");
  EXPECT_EQ(error("ARRAY<INTEGER"), "type `ARRAY<INTEGER`: expected '>' at position 13");
  EXPECT_EQ(error("BIGINT x"), "type `BIGINT x`: unexpected text after the type at position 7");
  EXPECT_EQ(error("DECIMAL(39, 0)"),
            "type `DECIMAL(39, 0)`: DECIMAL precision 39 is not in 1..38 at position 13");
  EXPECT_EQ(error("DECIMAL(5, 6)"),
            "type `DECIMAL(5, 6)`: DECIMAL scale 6 is not in 0..5 at position 12");
  EXPECT_EQ(error("ROW<INTEGER>"), "type `ROW<INTEGER>`: expected ':' at position 11");
  EXPECT_EQ(error(""), "type ``: expected a type at position 0");
}

// protobuf's binary form takes nothing else for a string.
TEST(TypeTest, NamesAreUtf8) {
  EXPECT_EQ((*Type::Parse("ROW<\"\xC3\xA4\":DATE>"))->names()[0], "\xC3\xA4");
  EXPECT_EQ(Type::Parse("ROW<\"\xA1\":DATE>").status().message(),
            "type `ROW<\"\xA1\":DATE>`: the field name is not UTF-8 at position 4");
}

TEST(TypeTest, AHostileTextDoesNotExhaustTheStack) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "ARRAY<";
  EXPECT_FALSE(Type::Parse(text).ok());
}

TEST(TypeTest, DecimalsAreShortUpToPrecision18) {
  EXPECT_EQ((*Type::Decimal(18, 2))->width(), 8);
  EXPECT_EQ((*Type::Decimal(19, 2))->width(), 16);
}

// BUGS 8.70 (velox#11197, #12134, #12145, #12280): UUIDs and IP addresses in another byte order.
TEST(TypeTest, TypesThatAreNotHereAreRefusedByName) {
  for (const std::string name : {"UUID", "IPADDRESS", "IPPREFIX"}) {
    for (const std::string& text : {name, "ROW<a:" + name + ">"}) {
      const auto type = Type::Parse(text);
      ASSERT_FALSE(type.ok()) << text;
      EXPECT_NE(type.status().message().find("unknown type `" + name + "`"), std::string::npos)
          << type.status();
    }
  }
}

}  // namespace
}  // namespace spillway::vector
