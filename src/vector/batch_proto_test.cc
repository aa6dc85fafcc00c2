// SPDX-License-Identifier: Apache-2.0
#include "src/vector/batch_proto.h"

#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/strings.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"
#include "src/vector/int128.h"

namespace spillway::vector {
namespace {

const TypePtr& kInteger = Type::Scalar(Kind::kInteger);
const TypePtr& kVarchar = Type::Scalar(Kind::kVarchar);

ColumnPtr Ints(const std::vector<std::optional<int32_t>>& values) {
  return Flat<int32_t>(kInteger, values);
}

Buffer Int32s(const std::vector<int32_t>& values) {
  return Flat<int32_t>(kInteger, values)->As<FlatColumn>().values();
}

Batch Read(std::string_view text) {
  auto batch = FromTextproto(text, "test");
  EXPECT_TRUE(batch.ok()) << batch.status();
  return batch.ok() ? *std::move(batch) : BatchOf({});
}

std::string Refusal(std::string_view text, const FromProtoOptions& options = {}) {
  const auto batch = FromTextproto(text, "f", options);
  return batch.ok() ? "accepted" : std::string(batch.status().message());
}

// The capacity of each buffer, and which of them lie in one allocation.
std::string Charges(const Batch& batch) {
  std::map<const uint8_t*, size_t> numbers;
  std::string out;
  for (const ColumnPtr& column : batch.columns()) {
    column->VisitBuffers([&](const Buffer& buffer) {
      const Allocation& allocation = buffer.allocation();
      if (allocation.capacity == 0) return;
      const size_t number = numbers.try_emplace(allocation.address, numbers.size()).first->second;
      out += base::Cat("#", number, ":", allocation.capacity, " ");
    });
  }
  return out;
}

// Every form gives back the same batch: its values, its canonical form and its charges.
void ExpectRoundTrips(const Batch& batch) {
  const std::string text = ToTextproto(batch);
  for (const auto& again : {FromProto(ToProto(batch)), FromTextproto(text, "test"),
                            FromBinaryProto(ToBinaryProto(batch))}) {
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
    EXPECT_EQ(FirstDifference(batch, *again), std::nullopt);
    EXPECT_EQ(ToTextproto(*again), text);
    EXPECT_EQ(Charges(*again), Charges(batch));
  }
}

TEST(BatchProtoTest, ADocumentedExampleReads) {
  const Batch batch = Read(R"pb(
    schema: "ROW<id:BIGINT,name:VARCHAR>"
    rows: 4
    columns {
      nulls: "0100"
      buffers { values { capacity: 65536 } }
      flat { integers: [ 7, -1, 9 ] }
    }
    columns {
      dictionary {
        ids: [ 1, 0, 1, 1 ]
        alphabet { flat { strings: "eel" strings: "\303\244\xff" } }
      }
    })pb");
  EXPECT_EQ(FirstDifference(
                batch, Batch(*Type::Parse("ROW<id:BIGINT,name:VARCHAR>"), 4,
                             {Flat<int64_t>(Type::Scalar(Kind::kBigint), {7, std::nullopt, -1, 9}),
                              Strings(kVarchar, {"ä\xff", "eel", "ä\xff", "ä\xff"})})),
            std::nullopt);
  EXPECT_EQ(batch.column(1).encoding(), Encoding::kDictionary);
  EXPECT_EQ(Charges(batch), "#0:65536 #1:1 #2:16 #3:8 #4:6 ");
  ExpectRoundTrips(batch);
}

TEST(BatchProtoTest, WithoutASchemaColumnsStateTheirTypes) {
  const Batch batch = Read(R"(rows: 1 columns { type: "TINYINT" flat { integers: -128 } }
                              columns { type: "UNKNOWN" all_null: true flat {} })");
  EXPECT_EQ(batch.schema()->ToString(), "ROW<c0:TINYINT,c1:UNKNOWN>");
  ExpectRoundTrips(batch);
}

TEST(BatchProtoTest, EveryScalarTypeRoundTrips) {
  const auto nan = std::bit_cast<float>(0xffc00001u);
  const auto signaling_nan = std::bit_cast<double>(uint64_t{0x7ff0000000000001});
  const Int128 huge = static_cast<Int128>(1) << 127;
  const Int128 largest = LargestUnscaled(38);
  ExpectRoundTrips(BatchOf({
      Flat<uint8_t>(Type::Scalar(Kind::kBoolean), {1, std::nullopt, 0}),
      Flat<int8_t>(Type::Scalar(Kind::kTinyint), {-128, std::nullopt, 127}),
      Flat<int16_t>(Type::Scalar(Kind::kSmallint), {-32768, std::nullopt, 32767}),
      Flat<int32_t>(kInteger, {INT32_MIN, std::nullopt, INT32_MAX}),
      Flat<int64_t>(Type::Scalar(Kind::kBigint), {INT64_MIN, std::nullopt, INT64_MAX}),
      Flat<Int128>(Type::Scalar(Kind::kHugeint), {huge, std::nullopt, ~huge}),
      Flat<float>(Type::Scalar(Kind::kReal), {-0.0f, nan, 1e-45f}),
      Flat<double>(Type::Scalar(Kind::kDouble), {-0.0, signaling_nan, 5e-324}),
      Flat<int64_t>(*Type::Decimal(18, 2), {-999999999999999999, std::nullopt, 1}),
      Flat<Int128>(*Type::Decimal(38, 2), {-largest, std::nullopt, largest}),
      Flat<int32_t>(Type::Scalar(Kind::kDate), {-719162, std::nullopt, 20000}),
      Flat<int32_t>(Type::Scalar(Kind::kIntervalYearMonth), {-1, std::nullopt, 1}),
      Flat<int64_t>(Type::Scalar(Kind::kIntervalDayTime), {-1, std::nullopt, 1}),
      Flat<Timestamp>(Type::Scalar(Kind::kTimestamp),
                      {Timestamp{-1, 999999999}, std::nullopt, Timestamp{INT64_MAX, 0}}),
      Strings(kVarchar, {"", std::nullopt, std::string("\0\xff\"\n", 4)}),
      Strings(Type::Scalar(Kind::kVarbinary), {"a", std::nullopt, ""}),
      Strings(Type::Collated("UTF8_LCASE"), {"A", std::nullopt, "a"}),
      FlatColumn::Unknown(3),
  }));
}

TEST(BatchProtoTest, EveryEncodingRoundTrips) {
  const ColumnPtr array = std::make_shared<ListColumn>(
      *Type::Parse("ARRAY<INTEGER>"), 3, BuildValidity(3, [](int64_t row) { return row == 1; }),
      Int32s({1, 2, 4, 4}), std::vector<ColumnPtr>{Ints({0, 1, std::nullopt, 3, 4})});
  const ColumnPtr map = std::make_shared<ListColumn>(
      *Type::Parse("MAP<INTEGER,VARCHAR>"), 3, Validity::AllNull(3), Int32s({0, 0, 1, 2}),
      std::vector<ColumnPtr>{Ints({1, 2}),
                             std::make_shared<ConstantColumn>(Strings(kVarchar, {"v"}), 2)});
  const ColumnPtr row = std::make_shared<RowColumn>(
      *Type::Parse("ROW<a:ARRAY<INTEGER>,m:MAP<INTEGER,VARCHAR>>"), 3, Validity(),
      std::vector<ColumnPtr>{array, map});
  const ColumnPtr dictionary = std::make_shared<DictionaryColumn>(
      3, BuildValidity(3, [](int64_t r) { return r == 2; }), Int32s({2, 0, -77}), row);
  const ColumnPtr fieldless =
      std::make_shared<RowColumn>(Type::Row({}, {}), 3, Validity(), std::vector<ColumnPtr>());
  ExpectRoundTrips(BatchOf({array, map, row, dictionary, fieldless,
                            std::make_shared<ConstantColumn>(row->Slice(1, 1), 3)}));
  ExpectRoundTrips(Batch(Type::Row({}, {}), 5, {}));
}

TEST(BatchProtoTest, WhatIsChargedRoundTrips) {
  const ColumnPtr long_column = Ints({1, std::nullopt, 3, 4, 5, 6, 7, 8, 9, 10});
  const ColumnPtr strings = Strings(kVarchar, {"a", "bc", std::nullopt, "d"});
  const Batch batch = BatchOf({long_column->Slice(1, 2), long_column->Slice(7, 2),
                               std::make_shared<FlatColumn>(
                                   kInteger, 2,
                                   Validity::FromBits(MutableBuffer(1, 512).Freeze(), 0, 0),
                                   Int32s({1, 2})),
                               strings->Slice(1, 2)});
  EXPECT_EQ(Charges(batch), "#0:40 #1:2 #0:40 #1:2 #2:8 #3:512 #4:16 #5:4 #6:1 ");
  ExpectRoundTrips(batch);
}

TEST(BatchProtoTest, ThreeKindsOfNoValuesAreKeptApart) {
  const auto column = [](Validity validity) {
    return std::make_shared<FlatColumn>(kInteger, 2, std::move(validity), Int32s({0, 0}));
  };
  const Batch batch = Read(R"(rows: 2 columns { type: "INTEGER" all_null: true flat {} }
                              columns { type: "INTEGER" nulls: "11" flat {} }
                              columns { type: "INTEGER" nulls: "00" flat { integers: [0, 0] } })");
  EXPECT_TRUE(batch.column(0).As<FlatColumn>().validity().all_null());
  EXPECT_FALSE(batch.column(1).As<FlatColumn>().validity().all_null());
  EXPECT_EQ(batch.column(1).null_count(), 2);
  EXPECT_EQ(batch.column(2).null_count(), 0);
  EXPECT_EQ(batch.column(2).As<FlatColumn>().validity().bits().size(), 1);
  ExpectRoundTrips(batch);
  ExpectRoundTrips(BatchOf({column(Validity::AllNull(2))}));
}

TEST(BatchProtoTest, NanBitsAreShownInHex) {
  const auto nan = std::bit_cast<float>(0x7fc00001u);
  const Batch batch =
      BatchOf({Flat<float>(Type::Scalar(Kind::kReal), std::vector<float>{1, nan})});
  EXPECT_NE(ToTextproto(batch).find("bits: 0x7fc00001"), std::string::npos);
}

TEST(BatchProtoTest, ANanWithoutBitsIsThePlainOne) {
  const Batch batch = Read(R"(rows: 1 columns { type: "REAL" flat { reals: -nan } })");
  EXPECT_EQ(ValueToString(batch.column(0), 0), "nan(0x7fc00000)");
}

TEST(BatchProtoTest, ManyRowsInFewBytesCostNothingOrAreBounded) {
  EXPECT_EQ(Refusal(R"(rows: 2147483647
                       columns { type: "INTEGER" constant { flat { integers: 1 } } }
                       columns { type: "UNKNOWN" all_null: true flat {} }
                       columns { type: "ROW<>" all_null: true row {} })"),
            "accepted");
  EXPECT_EQ(Refusal(R"(rows: 2147483647 columns { type: "BIGINT" all_null: true flat {} })"),
            "f:1:18: column 0 `c0`: buffers.values: 17179869176 bytes more make the batch larger "
            "than the limit of 268435456");
  const std::string ints = R"(rows: 2 columns { type: "INTEGER" flat { integers: [1, 2] } })";
  EXPECT_EQ(Refusal(ints, {.max_bytes = 8}), "accepted");
  EXPECT_EQ(FromTextproto(ints, "f", {.max_bytes = 7}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

std::string Nested(int depth, std::string_view inner) {
  std::string text = R"(rows: 1 columns { type: "INTEGER" )";
  for (int i = 0; i < depth; ++i) text += "constant { ";
  text += inner;
  for (int i = 0; i <= depth; ++i) text += " }";
  return text;
}

TEST(BatchProtoTest, NestingIsBounded) {
  const std::string value = "flat { integers: 1 }";
  EXPECT_EQ(Refusal(Nested(64, value)), "accepted");
  EXPECT_NE(Refusal(Nested(65, value)).find("nested more than 64 levels deep"), std::string::npos);
  EXPECT_NE(Refusal(Nested(65, value), {.max_depth = 1000}).find("more than 64 levels"),
            std::string::npos);
  EXPECT_NE(Refusal(Nested(3, value), {.max_depth = 2}).find("more than 2 levels"),
            std::string::npos);
  EXPECT_NE(Refusal(Nested(100000, value)).find("too deep"), std::string::npos);

  ColumnPtr column = Ints({1});
  for (int i = 0; i < 64; ++i) {
    column = std::make_shared<DictionaryColumn>(1, Validity(), Int32s({0}), column);
  }
  ExpectRoundTrips(BatchOf({column}));
}

TEST(BatchProtoTest, ALaterBufferOfAnAllocationNeedNotRepeatItsCapacity) {
  const Batch batch = Read(R"(rows: 1 columns {
                                type: "VARCHAR"
                                buffers {
                                  ends { capacity: 9 allocation: -3 }
                                  bytes { allocation: -3 }
                                }
                                flat { strings: "a" }
                              })");
  EXPECT_EQ(Charges(batch), "#0:9 #0:9 ");
  ExpectRoundTrips(batch);
}

TEST(BatchProtoTest, BinaryInputIsChecked) {
  const std::string bytes = ToBinaryProto(BatchOf({Ints({1, 2, 3})}));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(FromBinaryProto(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_EQ(FromBinaryProto(bytes + "\x78\x01").status().message(),
            "batch message: 2 bytes of fields that batch.proto does not have");
  EXPECT_EQ(FromBinaryProto("\xff").status().message(),
            "batch message: not protobuf's binary form of a batch, or too deep");
}

TEST(BatchProtoTest, WithoutTextTheMessageStandsAlone) {
  proto::Batch in;
  EXPECT_EQ(FromProto(in).status().message(), "rows is missing");
}

}  // namespace
}  // namespace spillway::vector
