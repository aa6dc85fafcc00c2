// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/arrow/hand_made_stream.h"
#include "src/arrow/metadata_generated.h"
#include "src/arrow/stream_reader.h"
#include "src/arrow/stream_writer.h"
#include "src/base/little_endian.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"
#include "src/vector/int128.h"

namespace spillway::arrow {
namespace {

using flatbuffers::FlatBufferBuilder;
using vector::Batch;
using vector::BatchOf;
using vector::Buffer;
using vector::ColumnPtr;
using vector::Kind;
using vector::Timestamp;
using vector::Type;
using vector::TypePtr;

TypePtr Scalar(Kind kind) { return Type::Scalar(kind); }

std::string Write(const Batch& batch, const StreamWriterOptions& options = {}) {
  Pieces pieces;
  const auto writer = *StreamWriter::Create(batch.schema(), options);
  EXPECT_EQ(writer.AppendStream(batch, pieces), absl::OkStatus());
  EXPECT_EQ(pieces.size(), static_cast<int64_t>(pieces.ToString().size()));
  return pieces.ToString();
}

absl::Status WriteError(const Batch& batch, const StreamWriterOptions& options = {}) {
  Pieces pieces;
  const auto writer = StreamWriter::Create(batch.schema(), options);
  return writer.ok() ? writer->AppendStream(batch, pieces) : writer.status();
}

// The one batch of a stream.
absl::StatusOr<Batch> Read(std::string_view stream) {
  absl::StatusOr<StreamReader> reader = StreamReader::Open(Buffer::Copy(stream));
  if (!reader.ok()) return reader.status();
  absl::StatusOr<std::optional<Batch>> batch = reader->Next();
  if (!batch.ok()) return batch.status();
  if (!batch->has_value()) return absl::NotFoundError("no batch");
  const absl::StatusOr<std::optional<Batch>> end = reader->Next();
  if (!end.ok()) return end.status();
  EXPECT_FALSE(end->has_value());
  return **batch;
}

std::string Difference(const Batch& a, const Batch& b) {
  return vector::FirstDifference(a, b).value_or("");
}

std::string ReadBackDifference(const Batch& batch) {
  const absl::StatusOr<Batch> read = Read(Write(batch));
  return read.ok() ? Difference(*read, batch) : read.status().ToString();
}

// A stream of one batch of `c0`, a dictionary of strings with indices of `bit_width` bits.
std::string DictionaryStream(int bit_width, std::string_view indices, bool is_signed = true,
                             bool is_delta = false) {
  HandMadeMessage schema;
  {
    FlatBufferBuilder& b = schema.builder;
    const auto name = b.CreateString("c0");
    const auto type = metadata::CreateUtf8(b).Union();
    const auto index = metadata::CreateInt(b, bit_width, is_signed);
    const auto dictionary = metadata::CreateDictionaryEncoding(b, 7, index);
    const auto field = metadata::CreateField(b, name, true, metadata::Type::Utf8, type, dictionary);
    const auto fields = b.CreateVector(std::vector{field});
    schema.Finish(metadata::Header::Schema,
                  metadata::CreateSchema(b, metadata::Endianness::Little, fields).Union());
  }
  HandMadeMessage values;
  values.body = std::string("\0\0\0\0\1\0\0\0\3\0\0\0\0\0\0\0abc\0\0\0\0\0", 24);
  {
    FlatBufferBuilder& b = values.builder;
    const auto nodes = b.CreateVectorOfStructs(std::vector<metadata::FieldNode>{{2, 0}});
    const auto buffers =
        b.CreateVectorOfStructs(std::vector<metadata::Buffer>{{0, 0}, {0, 12}, {16, 3}});
    const auto data = metadata::CreateRecordBatch(b, 2, nodes, buffers);
    values.Finish(metadata::Header::DictionaryBatch,
                  metadata::CreateDictionaryBatch(b, 7, data, is_delta).Union());
  }
  const auto bytes = static_cast<int64_t>(indices.size());
  const int64_t rows = bytes / (bit_width / 8);
  return schema.Framed() + values.Framed() +
         HandMadeBatch(rows, {{rows, 0}}, {{0, 0}, {0, bytes}}, std::string(indices)) +
         std::string(kEndMark);
}

TEST(ArrowStreamTest, EveryScalarTypeIsReadBack) {
  const auto decimal = [](int precision, int scale) { return *Type::Decimal(precision, scale); };
  using Ints = std::vector<std::optional<int32_t>>;
  const Batch batch = BatchOf({
      vector::Flat<uint8_t>(Scalar(Kind::kBoolean), {1, 0, {}, 1, 0, 0, 1, 1, 1}),
      vector::Flat<int8_t>(Scalar(Kind::kTinyint), {-128, 127, {}, 0, 1, 2, 3, 4, 5}),
      vector::Flat<int16_t>(Scalar(Kind::kSmallint), {-32768, 32767, {}, 0, 1, 2, 3, 4, 5}),
      vector::Flat<int32_t>(Scalar(Kind::kInteger), Ints{1, {}, {}, {}, {}, {}, {}, {}, -1}),
      vector::Flat<int64_t>(Scalar(Kind::kBigint),
                            std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8, INT64_MIN}),
      vector::Flat<float>(Scalar(Kind::kReal), {-0.0f, 1.5f, {}, 0, 1, 2, 3, 4, 5}),
      vector::Flat<double>(Scalar(Kind::kDouble), {-0.0, 1e300, {}, 0, 1, 2, 3, 4, 5}),
      vector::Flat<int64_t>(decimal(18, 4), {999'999'999'999'999'999, -5, {}, 0, 1, 2, 3, 4, -6}),
      vector::Flat<__int128>(
          decimal(38, 10),
          {vector::LargestUnscaled(38), -5, {}, 0, 1, 2, 3, 4, -vector::LargestUnscaled(38)}),
      vector::Flat<int32_t>(Scalar(Kind::kDate), Ints{0, -1, {}, 19000, 1, 2, 3, 4, 5}),
      vector::Flat<int32_t>(Scalar(Kind::kIntervalYearMonth), Ints{0, -1, {}, 7, 1, 2, 3, 4, 5}),
      vector::Flat<int64_t>(Scalar(Kind::kIntervalDayTime), {0, -1, {}, 19000, 1, 2, 3, 4, 5}),
      vector::Flat<Timestamp>(Scalar(Kind::kTimestamp), {Timestamp{0, 0},
                                                         Timestamp{-1, 999'999'000},
                                                         {},
                                                         Timestamp{1, 1000},
                                                         Timestamp{-62'135'596'800, 0},
                                                         Timestamp{253'402'300'799, 0},
                                                         Timestamp{5, 0},
                                                         Timestamp{6, 0},
                                                         Timestamp{7, 0}}),
      vector::Strings(Scalar(Kind::kVarchar), {"", "a", {}, "\xc3\xa4", "x", "", {}, "", "end"}),
      vector::Strings(Scalar(Kind::kVarbinary),
                      {"", std::string("\0\xff", 2), {}, "", "", "", "", "", ""}),
      vector::FlatColumn::Unknown(9),
  });
  EXPECT_EQ(ReadBackDifference(batch), "");
  EXPECT_EQ(ReadBackDifference(batch.Slice(1, 7)), "") << "bitmaps that start within a byte";
  EXPECT_EQ(ReadBackDifference(batch.Slice(4, 0)), "") << "no rows";
}

TEST(ArrowStreamTest, NestedTypesAreReadBack) {
  const auto ints = vector::Flat<int32_t>(Scalar(Kind::kInteger),
                                          std::vector<std::optional<int32_t>>{1, {}, 3, 4, 5});
  const auto keys = vector::Strings(Scalar(Kind::kVarchar), {"a", "b", "c", "d", "e"});
  const auto offsets = [] {
    vector::MutableBuffer out(4 * sizeof(int32_t));
    const int32_t values[] = {1, 1, 3, 4};  // begins behind element 0, ends before element 4
    for (size_t i = 0; i < 4; ++i) base::Store(out.data() + i * 4, values[i]);
    return std::move(out).Freeze();
  }();
  const auto validity = vector::BuildValidity(3, [](int64_t row) { return row == 0; });
  const TypePtr row_type = Type::Row({"x", "y"}, {ints->type_ptr(), keys->type_ptr()});
  const ColumnPtr array = std::make_shared<vector::ListColumn>(
      Type::Array(ints->type_ptr()), 3, validity, offsets, std::vector{ints});
  const ColumnPtr map =
      std::make_shared<vector::ListColumn>(Type::Map(keys->type_ptr(), ints->type_ptr()), 3,
                                           vector::Validity(), offsets, std::vector{keys, ints});
  const ColumnPtr row = std::make_shared<vector::RowColumn>(
      row_type, 3, validity, std::vector{ints->Slice(0, 3), keys->Slice(2, 3)});
  const Batch batch = BatchOf({array, map, row});
  EXPECT_EQ(ReadBackDifference(batch), "");
  EXPECT_EQ(ReadBackDifference(batch.Slice(1, 2)), "");
  EXPECT_EQ(ReadBackDifference(Batch(Type::Row({}, {}), 1234, {})), "") << "rows without columns";
}

TEST(ArrowStreamTest, WrappersAreWrittenAsTheValuesThatTheyShow) {
  const auto strings = vector::Strings(Scalar(Kind::kVarchar), {"a", {}, "c"});
  vector::MutableBuffer ids(4 * sizeof(int32_t));
  const int32_t picks[] = {2, 1, 0, 2};
  for (size_t i = 0; i < 4; ++i) base::Store(ids.data() + i * 4, picks[i]);
  const Batch wrapped =
      BatchOf({std::make_shared<vector::DictionaryColumn>(4, vector::Validity(),
                                                          std::move(ids).Freeze(), strings),
               std::make_shared<vector::ConstantColumn>(strings->Slice(0, 1), 4)});
  const Batch flat = BatchOf({vector::Strings(Scalar(Kind::kVarchar), {"c", {}, "a", "c"}),
                              vector::Strings(Scalar(Kind::kVarchar), {"a", "a", "a", "a"})});
  EXPECT_EQ(Write(wrapped), Write(flat));
  EXPECT_EQ(ReadBackDifference(wrapped), "");
}

TEST(ArrowStreamTest, WhatStandsUnderNullsIsNotWritten) {
  const auto with = [](int32_t hidden, std::string_view text) {
    const auto validity = vector::BuildValidity(3, [](int64_t row) { return row == 1; });
    const auto ints =
        vector::Flat<int32_t>(Scalar(Kind::kInteger), std::vector<int32_t>{1, hidden, 3});
    const auto strings = vector::Strings(Scalar(Kind::kVarchar), {"a", std::string(text), "c"});
    const auto& flat = ints->As<vector::FlatColumn>();
    const auto& plain = strings->As<vector::StringColumn>();
    return BatchOf(
        {std::make_shared<vector::FlatColumn>(ints->type_ptr(), 3, validity, flat.values()),
         std::make_shared<vector::StringColumn>(strings->type_ptr(), 3, validity, 0, plain.ends(),
                                                plain.bytes()),
         std::make_shared<vector::RowColumn>(
             Type::Row({"x", "y"}, {ints->type_ptr(), strings->type_ptr()}), 3, validity,
             std::vector{ints, strings})});
  };
  EXPECT_EQ(Write(with(2, "secret")), Write(with(0, "")));
  EXPECT_EQ(Write(with(2, "secret")).find("secret"), std::string::npos);
  EXPECT_EQ(ReadBackDifference(with(2, "secret")), "");
}

TEST(ArrowStreamTest, BitsBehindTheLastRowAreNotWritten) {
  const Batch rows = BatchOf({vector::Flat<int8_t>(Scalar(Kind::kTinyint), {1, {}, 3, 4, {}}),
                              vector::Flat<uint8_t>(Scalar(Kind::kBoolean), {1, {}, 0, 1, {}})});
  const Batch first = BatchOf({vector::Flat<int8_t>(Scalar(Kind::kTinyint), {1, {}, 3}),
                               vector::Flat<uint8_t>(Scalar(Kind::kBoolean), {1, {}, 0})});
  EXPECT_EQ(Write(rows.Slice(0, 3)), Write(first));
}

TEST(ArrowStreamTest, TimestampsAreMicrosecondsRoundedDown) {
  const auto column = [](Timestamp value) {
    return BatchOf({vector::Flat<Timestamp>(Scalar(Kind::kTimestamp), {Timestamp{1, 0}, value})});
  };
  EXPECT_EQ(Difference(*Read(Write(column({-1, 1'999}))), column({-1, 1'000})), "");
  EXPECT_EQ(ReadBackDifference(column({9'223'372'036'854, 775'807'000})), "");
  EXPECT_EQ(ReadBackDifference(column({-9'223'372'036'854, 0})), "");
  EXPECT_EQ(WriteError(column({9'223'372'036'854, 775'808'000})),
            absl::InvalidArgumentError(
                "Arrow stream: column 0 `c0`: row 1: the microseconds of (9223372036854 s, "
                "775808000 ns) do not fit 64 bits"));
  EXPECT_EQ(WriteError(column({std::numeric_limits<int64_t>::min(), 0})).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ArrowStreamTest, ColumnsOfNumbersAndStringsAreNotCopied) {
  const ColumnPtr ints =
      vector::Flat<int64_t>(Scalar(Kind::kBigint), std::vector<int64_t>{1, 2, 3});
  const ColumnPtr strings = vector::Strings(Scalar(Kind::kVarchar), {"abc", "de", "f"});
  const Batch batch = BatchOf({ints, strings});
  const auto writer = *StreamWriter::Create(batch.schema());
  Pieces pieces;
  ASSERT_EQ(writer.AppendStream(batch, pieces), absl::OkStatus());
  const auto has = [&](const Buffer& buffer) {
    for (const std::string_view piece : pieces.list()) {
      if (piece.data() == buffer.view().data()) return true;
    }
    return false;
  };
  EXPECT_TRUE(has(ints->As<vector::FlatColumn>().values()));
  EXPECT_TRUE(has(strings->As<vector::StringColumn>().ends()));
  EXPECT_TRUE(has(strings->As<vector::StringColumn>().bytes()));
  const Buffer stream = Buffer::Copy(pieces.ToString());
  auto reader = *StreamReader::Open(stream);
  const Batch read = **reader.Next();
  for (const ColumnPtr& column : read.columns()) {
    column->VisitBuffers([&](const Buffer& buffer) {
      EXPECT_TRUE(buffer.empty() || buffer.allocation().address == stream.data());
    });
  }
}

TEST(ArrowStreamTest, SeveralBatchesShareASchema) {
  const Batch one = BatchOf({vector::Flat<int8_t>(Scalar(Kind::kTinyint), {1, 2})});
  const Batch two = BatchOf({vector::Flat<int8_t>(Scalar(Kind::kTinyint), {3, {}, 5})});
  const auto writer = *StreamWriter::Create(one.schema());
  Pieces pieces;
  writer.AppendSchema(pieces);
  ASSERT_EQ(writer.AppendBatch(one, pieces), absl::OkStatus());
  ASSERT_EQ(writer.AppendBatch(two, pieces), absl::OkStatus());
  StreamWriter::AppendEnd(pieces);
  auto reader = *StreamReader::Open(Buffer::Copy(pieces.ToString()));
  EXPECT_EQ(Difference(**reader.Next(), one), "");
  EXPECT_EQ(Difference(**reader.Next(), two), "");
  EXPECT_FALSE(reader.Next()->has_value());
  EXPECT_EQ(reader.Next().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(ArrowStreamTest, WhatCannotBeWrittenIsRefused) {
  const Batch huge = BatchOf({vector::Flat<__int128>(Scalar(Kind::kHugeint), {1})});
  EXPECT_EQ(WriteError(huge),
            absl::UnimplementedError("Arrow stream: column 0 `c0`: HUGEINT is no type of Arrow's"));
  const Batch nulls = BatchOf({vector::Flat<int8_t>(Scalar(Kind::kTinyint), {1, {}})});
  EXPECT_EQ(WriteError(nulls, {.fields = {.required = {0}}}),
            absl::InvalidArgumentError("Arrow stream: column 0 `c0` is required and has 1 nulls"));
  EXPECT_EQ(WriteError(nulls, {.fields = {.required = {1}}}).code(),
            absl::StatusCode::kInvalidArgument);
  vector::MutableBuffer offsets(2 * sizeof(int32_t));
  base::Store(offsets.data(), int32_t{0});
  base::Store(offsets.data() + 4, int32_t{2});
  const ColumnPtr key = nulls.columns()[0];
  const Batch map = BatchOf({std::make_shared<vector::ListColumn>(
      Type::Map(key->type_ptr(), key->type_ptr()), 1, vector::Validity(),
      std::move(offsets).Freeze(), std::vector{key, key})});
  EXPECT_EQ(WriteError(map),
            absl::InvalidArgumentError("Arrow stream: column 0 `c0`: a key of a map is null"));
  const auto run = std::make_shared<vector::ConstantColumn>(
      vector::Flat<int64_t>(Scalar(Kind::kBigint), std::vector<int64_t>{1}), 1 << 20);
  EXPECT_EQ(WriteError(BatchOf({run}), {.max_bytes = 1 << 20}).code(),
            absl::StatusCode::kResourceExhausted);
  const auto writer = *StreamWriter::Create(nulls.schema());
  Pieces pieces;
  EXPECT_EQ(writer.AppendBatch(huge, pieces).code(), absl::StatusCode::kInvalidArgument);
}

TEST(ArrowStreamTest, DictionariesAreReadWithIndicesOfEveryWidth) {
  const Batch expected = BatchOf({vector::Strings(Scalar(Kind::kVarchar), {"bc", "a", "bc", "a"})});
  const auto read = [&](int bits, std::string_view indices, bool is_signed) {
    const absl::StatusOr<Batch> batch = Read(DictionaryStream(bits, indices, is_signed));
    return batch.ok() ? Difference(*batch, expected) : batch.status().ToString();
  };
  for (const bool is_signed : {false, true}) {
    EXPECT_EQ(read(8, {"\1\0\1\0", 4}, is_signed), "");
    EXPECT_EQ(read(16, {"\1\0\0\0\1\0\0\0", 8}, is_signed), "");
    EXPECT_EQ(read(32, {"\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16}, is_signed), "");
    std::string wide(32, '\0');
    wide[0] = wide[16] = 1;
    EXPECT_EQ(read(64, wide, is_signed), "");
  }
  EXPECT_EQ(Read(DictionaryStream(8, "\xff")).status().message().substr(0, 80),
            "Arrow stream: message 2: field `c0`: row 0: index -1 of a dictionary of 2, byte ");
  EXPECT_FALSE(Read(DictionaryStream(8, "\xff", false)).ok());
  EXPECT_FALSE(Read(DictionaryStream(64, std::string(8, '\xff'), false)).ok());
  EXPECT_FALSE(Read(DictionaryStream(8, "\2")).ok());
  EXPECT_EQ(Read(DictionaryStream(8, "\1", true, true)).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(ArrowStreamTest, TimestampsOfEveryUnitAreRead) {
  for (const auto unit : {metadata::TimeUnit::Second, metadata::TimeUnit::Millisecond,
                          metadata::TimeUnit::Microsecond, metadata::TimeUnit::Nanosecond}) {
    HandMadeMessage schema;
    FlatBufferBuilder& b = schema.builder;
    const auto name = b.CreateString("c0");
    const auto type = metadata::CreateTimestamp(b, unit).Union();
    const auto field = metadata::CreateField(b, name, true, metadata::Type::Timestamp, type);
    const auto fields = b.CreateVector(std::vector{field});
    schema.Finish(metadata::Header::Schema,
                  metadata::CreateSchema(b, metadata::Endianness::Little, fields).Union());
    const std::string rows =
        HandMadeBatch(1, {{1, 0}}, {{0, 0}, {0, 8}}, std::string(8, '\xff'));  // -1
    uint64_t nanos = 0;  // of the second before 1970, less one unit
    if (unit == metadata::TimeUnit::Millisecond) nanos = 999'000'000;
    if (unit == metadata::TimeUnit::Microsecond) nanos = 999'999'000;
    if (unit == metadata::TimeUnit::Nanosecond) nanos = 999'999'999;
    const Batch expected = BatchOf(
        {vector::Flat<Timestamp>(Scalar(Kind::kTimestamp), std::vector<Timestamp>{{-1, nanos}})});
    EXPECT_EQ(Difference(*Read(schema.Framed() + rows + std::string(kEndMark)), expected), "");
  }
}

TEST(ArrowStreamTest, EveryTruncationAndEveryByteBehindTheEndIsRefused) {
  const Batch batch = BatchOf({vector::Strings(Scalar(Kind::kVarchar), {"a", {}, "c"}),
                               vector::Flat<int8_t>(Scalar(Kind::kTinyint), {1, 2, 3})});
  const std::string stream = Write(batch);
  for (size_t size = 0; size < stream.size(); ++size) {
    EXPECT_FALSE(Read(stream.substr(0, size)).ok()) << size;
  }
  EXPECT_EQ(Read(stream + '\0').status().message(),
            "Arrow stream: message 2: 1 bytes left over behind the end mark, byte " +
                std::to_string(stream.size() - 8) + " of " + std::to_string(stream.size() + 1));
  EXPECT_EQ(Read(stream.substr(0, stream.size() - 8)).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// Flipping bits may give another stream that is well formed; it must never do harm.
TEST(ArrowStreamTest, NoFlippedBitDoesHarm) {
  const auto ints =
      vector::Flat<int32_t>(Scalar(Kind::kInteger), std::vector<std::optional<int32_t>>{1, {}, 3});
  const Batch batch =
      BatchOf({vector::Strings(Scalar(Kind::kVarchar), {"a", {}, "c"}), ints,
               std::make_shared<vector::RowColumn>(Type::Row({"x"}, {ints->type_ptr()}), 3,
                                                   vector::Validity(), std::vector{ints})});
  int refused = 0;
  for (std::string stream : {Write(batch), DictionaryStream(8, "\1")}) {
    for (size_t bit = 0; bit < stream.size() * 8; ++bit) {
      stream[bit / 8] = static_cast<char>(stream[bit / 8] ^ (1 << (bit % 8)));
      const absl::StatusOr<Batch> read = Read(stream);
      // Every value that was read can be looked at.
      EXPECT_EQ(read.ok() ? Difference(*read, *read) : "", "");
      refused += read.ok() ? 0 : 1;
      stream[bit / 8] = static_cast<char>(stream[bit / 8] ^ (1 << (bit % 8)));
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace spillway::arrow
