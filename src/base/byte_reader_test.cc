// SPDX-License-Identifier: Apache-2.0
#include "src/base/byte_reader.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace spillway::base {
namespace {

using namespace std::string_literals;

TEST(ByteReaderTest, ReadsLittleEndianAtAnyAlignment) {
  const std::string bytes = "\x01\x02\x03\x04\x05\x06\x07\x08\x09"s;
  ByteReader in(bytes);
  EXPECT_EQ(*in.Read<uint8_t>("first"), 1);
  EXPECT_EQ(*in.Read<uint32_t>("second"), 0x05040302u);
  EXPECT_EQ(in.offset(), 5);
  EXPECT_EQ(in.remaining(), 4);
}

TEST(ByteReaderTest, AShortReadSaysWhatWhereAndHowMuch) {
  ByteReader in("abc");
  EXPECT_EQ(in.Read<int32_t>("row count").status().message(),
            "row count needs 4 bytes, 3 remain, byte 0 of 3");
  EXPECT_EQ(in.ReadBytes(-1, "name").status().message(),
            "name: negative length -1, byte 0 of 3");
  EXPECT_EQ(in.offset(), 0) << "a failed read moves nothing";
}

TEST(ByteReaderTest, ASubReaderIsBoundedAndReportsTheWholeInput) {
  ByteReader in("0123456789");
  in.Skip(2);
  ByteReader sub = *in.Sub(3, "column");
  EXPECT_EQ(*sub.ReadBytes(2, "x"), "23");
  EXPECT_EQ(sub.ReadBytes(2, "x").status().message(), "x needs 2 bytes, 1 remain, byte 4 of 10");
  EXPECT_EQ(sub.ExpectEnd("column").message(), "1 bytes left over after the column, byte 4 of 10");
  EXPECT_EQ(in.offset(), 5);
}

TEST(ByteReaderTest, ACopyOfAPartReportsTheOffsetsOfTheWhole) {
  ByteReader part("234", 2, 10);
  EXPECT_EQ(part.offset(), 2);
  EXPECT_EQ(part.total(), 10);
  EXPECT_EQ(part.ReadBytes(4, "x").status().message(), "x needs 4 bytes, 3 remain, byte 2 of 10");
}

}  // namespace
}  // namespace spillway::base
