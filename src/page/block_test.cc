// SPDX-License-Identifier: Apache-2.0
// Column blocks of scalar types: the bytes, and every rule of the strict reader that touches them.
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/strings.h"
#include "src/page/block_reader.h"
#include "src/page/block_writer.h"
#include "src/vector/build.h"

namespace spillway::page {
namespace {

using namespace std::string_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using vector::Buffer;
using vector::ColumnPtr;
using vector::FlatColumn;
using vector::Kind;
using vector::StringColumn;
using vector::Timestamp;
using vector::Type;
using vector::TypePtr;

TypePtr T(std::string_view text) { return *Type::Parse(text); }

std::string Write(const ColumnPtr& column) {
  const BlockPlan plan = *BlockPlan::Make(column);
  vector::MutableBuffer out(plan.size());
  EXPECT_EQ(plan.Write(out.data()) - out.data(), plan.size());
  return std::string(std::move(out).Freeze().view());
}

absl::StatusOr<ColumnPtr> Read(std::string_view type, const std::string& bytes,
                               const ReadLimits& limits = {}) {
  const Buffer input = Buffer::Copy(bytes);
  base::ByteReader in(input.view());
  absl::StatusOr<ColumnPtr> column = BlockReader(input, in, limits).Read(T(type));
  if (column.ok() && !in.at_end()) return in.ExpectEnd("block");
  return column;
}

std::string ReadError(std::string_view type, const std::string& bytes,
                      const ReadLimits& limits = {}) {
  return std::string(Read(type, bytes, limits).status().message());
}

std::string I32(int32_t value) { return std::string(reinterpret_cast<char*>(&value), 4); }
std::string I64(int64_t value) { return std::string(reinterpret_cast<char*>(&value), 8); }

// A block's name and row count.
std::string Head(std::string_view name, int32_t rows) {
  return I32(static_cast<int32_t>(name.size())) + std::string(name) + I32(rows);
}

const std::string kNoNulls("\0", 1);
const std::string kNulls("\1", 1);

// --- What is written ----------------------------------------------------------------------------

TEST(BlockWriterTest, NullBitsAreMostSignificantFirstAndNullRowsTakeNoValue) {
  const ColumnPtr column = vector::Flat<int16_t>(T("SMALLINT"), {1, std::nullopt, 3});
  EXPECT_EQ(Write(column), Head("SHORT_ARRAY", 3) + kNulls + "\x40" + "\1\0\3\0"s);
}

TEST(BlockWriterTest, StringsHaveEndOffsetsAndANullRepeatsTheOneBefore) {
  const ColumnPtr column = vector::Strings(T("VARCHAR"), {"ab", std::nullopt, "", "c"});
  EXPECT_EQ(Write(column), Head("VARIABLE_WIDTH", 4) + I32(2) + I32(2) + I32(2) + I32(3) + kNulls +
                               "\x40" + I32(3) + "abc");
}

TEST(BlockWriterTest, EachScalarHasItsEncodingAndWidth) {
  const auto bytes = [](const char* type, auto value) {
    return Write(vector::Flat<decltype(value)>(T(type), {value}));
  };
  EXPECT_EQ(bytes("BOOLEAN", uint8_t{7}), Head("BYTE_ARRAY", 1) + kNoNulls + "\1");
  EXPECT_EQ(bytes("TINYINT", int8_t{-1}), Head("BYTE_ARRAY", 1) + kNoNulls + "\xFF");
  EXPECT_EQ(bytes("SMALLINT", int16_t{258}), Head("SHORT_ARRAY", 1) + kNoNulls + "\2\1");
  EXPECT_EQ(bytes("INTEGER", int32_t{9}), Head("INT_ARRAY", 1) + kNoNulls + I32(9));
  EXPECT_EQ(bytes("DATE", int32_t{-9}), Head("INT_ARRAY", 1) + kNoNulls + I32(-9));
  EXPECT_EQ(bytes("INTERVAL YEAR TO MONTH", int32_t{9}),
            Head("INT_ARRAY", 1) + kNoNulls + I32(9));
  EXPECT_EQ(bytes("REAL", 1.0f), Head("INT_ARRAY", 1) + kNoNulls + I32(0x3f800000));
  EXPECT_EQ(bytes("BIGINT", int64_t{-2}), Head("LONG_ARRAY", 1) + kNoNulls + I64(-2));
  EXPECT_EQ(bytes("DECIMAL(18, 2)", int64_t{-2}), Head("LONG_ARRAY", 1) + kNoNulls + I64(-2));
  EXPECT_EQ(bytes("INTERVAL DAY TO SECOND", int64_t{5}),
            Head("LONG_ARRAY", 1) + kNoNulls + I64(5));
  EXPECT_EQ(bytes("DOUBLE", 1.0), Head("LONG_ARRAY", 1) + kNoNulls + I64(0x3ff0000000000000));
  EXPECT_EQ(bytes("TIMESTAMP", Timestamp{-1, 999'999'999}),
            Head("LONG_ARRAY", 1) + kNoNulls + I64(-1) + I64(999'999'999));
}

TEST(BlockWriterTest, LongDecimalsAreSignMagnitude) {
  const ColumnPtr column = vector::Flat<__int128>(T("DECIMAL(38, 0)"), {5, -5, 0});
  const std::string zero(7, '\0');
  EXPECT_EQ(Write(column), Head("INT128_ARRAY", 3) + kNoNulls + I64(5) + I64(0) + I64(5) + zero +
                               "\x80" + I64(0) + I64(0));
}

// As Velox writes it (golden/velox): the encoding is that of a long DECIMAL, the values are not.
TEST(BlockWriterTest, HugeintsAreTwosComplement) {
  const auto least = static_cast<__int128>(static_cast<unsigned __int128>(1) << 127);
  const std::string bytes = Write(vector::Flat<__int128>(T("HUGEINT"), {-5, least}));
  EXPECT_EQ(bytes, Head("INT128_ARRAY", 2) + kNoNulls + I64(-5) + I64(-1) + I64(0) +
                       std::string(7, '\0') + "\x80");
  const auto column = Read("HUGEINT", bytes);
  EXPECT_TRUE((*column)->As<FlatColumn>().Value<__int128>(0) == -5);
  EXPECT_TRUE((*column)->As<FlatColumn>().Value<__int128>(1) == least);
}

// BUGS 1.1 (apache/gluten#12196): an all-null column's bytes differed from run to run.
TEST(BlockWriterTest, ValuesUnderNullsAndPadBitsDoNotShow) {
  const auto all_null = [](int64_t garbage) {
    const ColumnPtr values = vector::Flat<int64_t>(T("BIGINT"), std::vector<int64_t>(5, garbage));
    return std::make_shared<FlatColumn>(T("BIGINT"), 5,
                                        vector::BuildValidity(5, [](int64_t) { return true; }),
                                        values->As<FlatColumn>().values());
  };
  EXPECT_EQ(Write(all_null(0)), Head("LONG_ARRAY", 5) + kNulls + "\xF8");
  EXPECT_EQ(Write(all_null(0)), Write(all_null(-1)));
}

TEST(BlockWriterTest, BytesUnderNullStringsAreLeftOut) {
  const ColumnPtr strings = vector::Strings(T("VARCHAR"), {"a", "SECRET", "b"});
  const auto& plain = strings->As<StringColumn>();
  const ColumnPtr masked = std::make_shared<StringColumn>(
      T("VARCHAR"), 3, vector::BuildValidity(3, [](int64_t row) { return row == 1; }), 0,
      plain.ends(), plain.bytes());
  EXPECT_EQ(Write(masked), Write(vector::Strings(T("VARCHAR"), {"a", std::nullopt, "b"})));
}

TEST(BlockWriterTest, ABitmapWithoutNullsIsNotWritten) {
  vector::MutableBuffer ones(1);
  ones.data()[0] = 0xFF;
  const ColumnPtr plain = vector::Flat<int8_t>(T("TINYINT"), {1, 2});
  const ColumnPtr column = std::make_shared<FlatColumn>(
      T("TINYINT"), 2, vector::Validity::FromBits(std::move(ones).Freeze(), 0, 0),
      plain->As<FlatColumn>().values());
  EXPECT_EQ(Write(column), Write(plain));
}

// BUGS 1.11: sizes at and around the bitmap's words; nulls in the first, the last and odd places.
TEST(BlockWriterTest, BitmapEdgesRoundTripThroughSlices) {
  for (const int64_t rows : {0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 200}) {
    for (const int64_t offset : {0, 1, 3, 8, 13, 63, 64}) {
      std::vector<std::optional<int32_t>> values(rows + offset);
      for (int64_t i = 0; i < rows + offset; ++i) {
        const int64_t row = i - offset;
        const bool null = row == 0 || row == 7 || row == 8 || row == rows - 1 || row % 11 == 5;
        if (!null) values[i] = static_cast<int32_t>(i * 1000003);
      }
      const ColumnPtr column = vector::Flat<int32_t>(T("INTEGER"), values)->Slice(offset, rows);
      const absl::StatusOr<ColumnPtr> read = Read("INTEGER", Write(column));
      ASSERT_TRUE(read.ok()) << read.status();
      ASSERT_EQ((*read)->rows(), rows);
      EXPECT_EQ((*read)->null_count(), column->null_count());
      for (int64_t row = 0; row < rows; ++row) {
        ASSERT_EQ((*read)->IsNull(row), !values[offset + row].has_value()) << row;
        if (!(*read)->IsNull(row)) {
          ASSERT_EQ((*read)->As<FlatColumn>().Value<int32_t>(row), *values[offset + row]);
        }
      }
    }
  }
}

TEST(BlockWriterTest, ValuesThatTheFormatCannotHoldAreRefusedWithTheirRow) {
  const auto error = [](const ColumnPtr& column) {
    return std::string(BlockPlan::Make(column).status().message());
  };
  EXPECT_EQ(error(vector::Flat<int64_t>(T("DECIMAL(3, 0)"), {1, std::nullopt, -1000})),
            "row 2: magnitude over 999: -1000");
  EXPECT_EQ(error(vector::Flat<Timestamp>(T("TIMESTAMP"), {Timestamp{0, 1'000'000'000}})),
            "row 0: nanos over 999999999: 1000000000");
}

TEST(BlockWriterTest, WhatStandsUnderANullMayBeNoValue) {
  const ColumnPtr garbage = vector::Flat<int64_t>(T("DECIMAL(3, 0)"), {1, 123456});
  const ColumnPtr column = std::make_shared<FlatColumn>(
      T("DECIMAL(3, 0)"), 2, vector::BuildValidity(2, [](int64_t row) { return row == 1; }),
      garbage->As<FlatColumn>().values());
  EXPECT_EQ(Write(column), Head("LONG_ARRAY", 2) + kNulls + "\x40" + I64(1));
}

// --- What is read -------------------------------------------------------------------------------

TEST(BlockReaderTest, AnOwnedInputIsViewedAndABorrowedOneCopied) {
  const std::string bytes = Write(vector::Flat<int64_t>(T("BIGINT"), {1, 2, 3}));
  const auto values_are_inside = [&](const Buffer& input) {
    base::ByteReader in(input.view());
    const ColumnPtr column = *BlockReader(input, in).Read(T("BIGINT"));
    const uint8_t* data = column->As<FlatColumn>().values().data();
    return data >= input.data() && data < input.data() + input.size();
  };
  EXPECT_TRUE(values_are_inside(Buffer::Copy(bytes)));
  EXPECT_FALSE(values_are_inside(Buffer::Borrow(bytes)));
}

// BUGS 8.72 (velox#11574, #18334): values of a block stand at any address.
TEST(BlockReaderTest, EveryAlignmentReads) {
  const ColumnPtr column = vector::Flat<__int128>(T("DECIMAL(38, 0)"), {1, -2, std::nullopt, 4});
  for (int pad = 0; pad < 16; ++pad) {
    const Buffer input = Buffer::Copy(std::string(pad, 'x') + Write(column));
    base::ByteReader in(input.view());
    in.Skip(pad);
    const absl::StatusOr<ColumnPtr> read = BlockReader(input, in).Read(column->type_ptr());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(Write(*read) == Write(column));
  }
}

TEST(BlockReaderTest, NegativeZeroOfALongDecimalReadsAsZero) {
  const std::string zero(7, '\0');
  const auto column =
      Read("DECIMAL(38, 0)", Head("INT128_ARRAY", 1) + kNoNulls + I64(0) + zero + "\x80");
  ASSERT_TRUE(column.ok()) << column.status();
  EXPECT_TRUE((*column)->As<FlatColumn>().Value<__int128>(0) == 0);
}

TEST(BlockReaderTest, HasNullsOtherThanZeroOrOneIsRefused) {
  EXPECT_EQ(ReadError("TINYINT", Head("BYTE_ARRAY", 1) + "\2\1"),
            "hasNulls byte 2 is not 0 or 1, byte 18 of 20");
}

// BUGS 1.4 (velox#12798).
TEST(BlockReaderTest, HasNullsWithoutRowsHasNoBitmap) {
  const auto column = Read("INTEGER", Head("INT_ARRAY", 0) + kNulls);
  ASSERT_TRUE(column.ok()) << column.status();
  EXPECT_EQ((*column)->rows(), 0);
}

TEST(BlockReaderTest, HasNullsWithoutANullIsAccepted) {
  const auto column = Read("SMALLINT", Head("SHORT_ARRAY", 1) + kNulls + "\0"s + "\3\0"s);
  ASSERT_TRUE(column.ok()) << column.status();
  EXPECT_EQ((*column)->null_count(), 0);
}

TEST(BlockReaderTest, PadBitsAreIgnored) {
  const auto column = Read("TINYINT", Head("BYTE_ARRAY", 3) + kNulls + "\x5F" + "ac");
  ASSERT_TRUE(column.ok()) << column.status();
  EXPECT_EQ((*column)->null_count(), 1);
}

TEST(BlockReaderTest, AnyNonZeroBooleanIsTrue) {
  const auto column = Read("BOOLEAN", Head("BYTE_ARRAY", 2) + kNoNulls + "\x02\x00"s);
  ASSERT_TRUE(column.ok()) << column.status();
  EXPECT_EQ(Write(*column), Head("BYTE_ARRAY", 2) + kNoNulls + "\1\0"s);
}

TEST(BlockReaderTest, FewerOrMoreValuesThanNonNullRowsAreRefused) {
  EXPECT_EQ(ReadError("INTEGER", Head("INT_ARRAY", 2) + kNoNulls + I32(1)),
            "values needs 8 bytes, 4 remain, byte 18 of 22");
  EXPECT_EQ(ReadError("INTEGER", Head("INT_ARRAY", 1) + kNoNulls + I32(1) + I32(2)),
            "4 bytes left over after the block, byte 22 of 26");
}

TEST(BlockReaderTest, AnUnknownBlockWithANonNullRowIsRefused) {
  EXPECT_TRUE(Read("UNKNOWN", Head("BYTE_ARRAY", 2) + kNulls + "\xC0").ok());
  EXPECT_EQ(ReadError("UNKNOWN", Head("BYTE_ARRAY", 2) + kNulls + "\x80" + "\0"s),
            "1 rows of an UNKNOWN block are not null, byte 20 of 21");
}

// BUGS 1.6 (velox#8355).
TEST(BlockReaderTest, AnAllNullByteArrayStandsForAnyType) {
  for (const char* type : {"BIGINT", "VARCHAR", "DECIMAL(38, 0)", "TIMESTAMP", "REAL"}) {
    const auto column = Read(type, Head("BYTE_ARRAY", 1) + kNulls + "\x80");
    ASSERT_TRUE(column.ok()) << column.status();
    EXPECT_EQ((*column)->type(), *T(type));
    EXPECT_EQ((*column)->null_count(), 1);
  }
  EXPECT_TRUE(Read("BIGINT", Head("BYTE_ARRAY", 0) + kNoNulls).ok());
  EXPECT_EQ(ReadError("BIGINT", Head("BYTE_ARRAY", 2) + kNulls + "\x80" + "\1"),
            "encoding `BYTE_ARRAY` with a non-null row where BIGINT needs `LONG_ARRAY`, "
            "byte 4 of 21");
}

TEST(BlockReaderTest, AnotherEncodingThanTheTypesIsRefused) {
  EXPECT_EQ(ReadError("BIGINT", Head("INT_ARRAY", 1) + kNoNulls + I32(1)),
            "encoding `INT_ARRAY` where BIGINT needs `LONG_ARRAY`, byte 4 of 22");
  EXPECT_EQ(ReadError("BIGINT", Head("\x01garbage", 1)),
            "encoding `\\001garbage` where BIGINT needs `LONG_ARRAY`, byte 4 of 16");
}

// BUGS 4.38 (velox#8770, #16763): negative and huge lengths.
TEST(BlockReaderTest, NegativeAndOverlongLengthsAreRefused) {
  EXPECT_EQ(ReadError("BIGINT", I32(-1)), "encoding name: negative length -1, byte 4 of 4");
  EXPECT_EQ(ReadError("BIGINT", I32(INT32_MAX)),
            "encoding name needs 2147483647 bytes, 0 remain, byte 4 of 4");
  EXPECT_EQ(ReadError("BIGINT", Head("LONG_ARRAY", -5) + kNoNulls),
            "negative row count -5, byte 14 of 19");
  EXPECT_EQ(ReadError("BIGINT", Head("LONG_ARRAY", INT32_MAX) + kNoNulls),
            "values needs 17179869176 bytes, 0 remain, byte 19 of 19");
  EXPECT_EQ(ReadError("VARCHAR", Head("VARIABLE_WIDTH", INT32_MAX) + kNoNulls),
            "end offsets needs 8589934588 bytes, 1 remain, byte 22 of 23");
  EXPECT_EQ(ReadError("BIGINT", Head("LONG_ARRAY", INT32_MAX) + kNulls),
            "null bitmap needs 268435456 bytes, 0 remain, byte 19 of 19");
}

TEST(BlockReaderTest, OffsetsThatDescendAreRefused) {
  EXPECT_EQ(ReadError("VARCHAR", Head("VARIABLE_WIDTH", 3) + I32(2) + I32(1) + I32(3) + kNoNulls +
                                     I32(3) + "abc"),
            "offsets descend at row 1 (2 then 1), byte 26 of 42");
  EXPECT_EQ(ReadError("VARCHAR", Head("VARIABLE_WIDTH", 1) + I32(-1) + kNoNulls + I32(-1)),
            "offsets descend at row 0 (0 then -1), byte 22 of 31");
}

TEST(BlockReaderTest, ALastOffsetOtherThanTheByteCountIsRefused) {
  EXPECT_EQ(
      ReadError("VARCHAR", Head("VARIABLE_WIDTH", 1) + I32(2) + kNoNulls + I32(3) + "abc"),
      "byte count 3 is not the last offset 2, byte 27 of 34");
  EXPECT_EQ(ReadError("VARCHAR", Head("VARIABLE_WIDTH", 0) + kNoNulls + I32(1) + "a"),
            "byte count 1 is not the last offset 0, byte 23 of 28");
}

TEST(BlockReaderTest, ANullStringThatSpansBytesIsAcceptedAndItsContentIgnored) {
  const auto column = Read("VARCHAR", Head("VARIABLE_WIDTH", 2) + I32(1) + I32(3) + kNulls +
                                          "\x40" + I32(3) + "abc");
  ASSERT_TRUE(column.ok()) << column.status();
  EXPECT_EQ(Write(*column), Write(vector::Strings(T("VARCHAR"), {"a", std::nullopt})));
}

TEST(BlockReaderTest, StringsThatAreNoUtf8AreBytes) {
  EXPECT_TRUE(
      Read("VARCHAR", Head("VARIABLE_WIDTH", 1) + I32(2) + kNoNulls + I32(2) + "\xC3\x28").ok());
}

// BUGS 8.69 (velox#2467).
TEST(BlockReaderTest, DecimalsOverTheirPrecisionAreRefused) {
  EXPECT_TRUE(Read("DECIMAL(3, 1)", Head("LONG_ARRAY", 1) + kNoNulls + I64(-999)).ok());
  EXPECT_EQ(ReadError("DECIMAL(3, 1)",
                      Head("LONG_ARRAY", 3) + kNulls + "\x40" + I64(1) + I64(-1000)),
            "row 2: magnitude over 999: -1000, byte 28 of 36");
  const auto pow38 = static_cast<unsigned __int128>(10'000'000'000'000'000'000u) *
                     10'000'000'000'000'000'000u;
  const std::string wire(reinterpret_cast<const char*>(&pow38), 16);
  EXPECT_THAT(ReadError("DECIMAL(38, 0)", Head("INT128_ARRAY", 1) + kNoNulls + wire),
              HasSubstr("row 0: magnitude over 99999999999999999999999999999999999999: "
                        "100000000000000000000000000000000000000, byte 21 of 37"));
  EXPECT_EQ(ReadError("DECIMAL(18, 0)", Head("LONG_ARRAY", 1) + kNoNulls +
                                            I64(std::numeric_limits<int64_t>::min())),
            "row 0: magnitude over 999999999999999999: -9223372036854775808, byte 19 of 27");
}

// Null rows may hold the next row's bytes while they are read: only the row itself is at fault.
TEST(BlockReaderTest, AForbiddenValueBehindManyNullsIsNamedByItsOwnRow) {
  for (const int64_t row : {0, 1, 255, 256, 600, 1000}) {
    std::vector<std::optional<int64_t>> values(1001);
    values[static_cast<size_t>(row)] = 1000;
    for (size_t i = static_cast<size_t>(row) + 1; i < values.size(); ++i) values[i] = 7;
    const std::string block = Write(vector::Flat<int64_t>(T("BIGINT"), values));
    EXPECT_THAT(ReadError("DECIMAL(3, 0)", block),
                StartsWith(base::Cat("row ", row, ": magnitude over 999: 1000, byte ")));
  }
}

TEST(BlockReaderTest, NanosOfASecondOrMoreAreRefused) {
  EXPECT_EQ(ReadError("TIMESTAMP", Head("LONG_ARRAY", 1) + kNoNulls + I64(5) + I64(1'000'000'000)),
            "row 0: nanos over 999999999: 1000000000, byte 19 of 35");
}

// BUGS 9.75 (velox#15904): eight and sixteen bytes a row have the same name. The reader's form is
// the lossless one, and the other fails on its length.
TEST(BlockReaderTest, ATimestampOfEightBytesFailsOnItsLength) {
  EXPECT_EQ(ReadError("TIMESTAMP", Head("LONG_ARRAY", 2) + kNoNulls + I64(5) + I64(6)),
            "values needs 32 bytes, 16 remain, byte 19 of 35");
}

TEST(BlockReaderTest, DoublesReadAsBigintsCannotBeSeen) {
  EXPECT_TRUE(Read("BIGINT", Write(vector::Flat<double>(T("DOUBLE"), {1.5}))).ok());
}

TEST(BlockReaderTest, LimitsAreTestedBeforeAnythingIsAllocated) {
  ReadLimits limits;
  limits.max_rows = 2;
  EXPECT_EQ(ReadError("TINYINT", Head("BYTE_ARRAY", 3) + kNoNulls + "abc", limits),
            "3 rows, the limit is 2, byte 14 of 22");
  limits = {};
  limits.max_decoded_bytes = 100;
  const std::string nulls(8, '\x7F');  // one value in eight rows
  EXPECT_EQ(ReadError("BIGINT", Head("LONG_ARRAY", 64) + kNulls + nulls + std::string(64, 'v'),
                      limits),
            "decoded columns need more than 100 bytes, byte 27 of 91");
}

}  // namespace
}  // namespace spillway::page
