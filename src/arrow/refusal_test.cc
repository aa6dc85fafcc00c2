// SPDX-License-Identifier: Apache-2.0
// What the stream reader refuses, and what it says.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/arrow/hand_made_stream.h"
#include "src/arrow/metadata_generated.h"
#include "src/arrow/pieces.h"
#include "src/arrow/stream_reader.h"
#include "src/arrow/stream_writer.h"
#include "src/base/little_endian.h"
#include "src/vector/type.h"

namespace spillway::arrow {
namespace {

using Nodes = std::vector<metadata::FieldNode>;
using Buffers = std::vector<metadata::Buffer>;
using vector::Buffer;
using vector::Type;

std::string SchemaMessage(std::string_view type) {
  const auto writer = *StreamWriter::Create(Type::Row({"c0"}, {*Type::Parse(type)}));
  Pieces pieces;
  writer.AppendSchema(pieces);
  return pieces.ToString();
}

absl::Status ReadStatus(const std::string& stream) {
  absl::StatusOr<StreamReader> reader = StreamReader::Open(Buffer::Copy(stream));
  return reader.ok() ? reader->Next().status() : reader.status();
}

// The fault of one column of `type` in a batch of `rows` rows: what is said behind the message's
// number and before the byte. Empty: it was read.
std::string Fault(std::string_view type, int64_t rows, const Nodes& nodes, const Buffers& buffers,
                  std::string body) {
  const absl::Status status =
      ReadStatus(SchemaMessage(type) + HandMadeBatch(rows, nodes, buffers, std::move(body)) +
                 std::string(kEndMark));
  if (status.ok()) return "";
  constexpr std::string_view kFront = "Arrow stream: message 1: ";
  const std::string message(status.message());
  if (message.substr(0, kFront.size()) != kFront) return message;
  return message.substr(kFront.size(), message.rfind(", byte ") - kFront.size());
}

std::string Ints(const std::vector<int32_t>& values) {
  std::string out(values.size() * 4, '\0');
  for (size_t i = 0; i < values.size(); ++i) base::Store(out.data() + i * 4, values[i]);
  return out;
}

TEST(ArrowRefusalTest, NodesThatDoNotFit) {
  const Buffers buffers = {{0, 0}, {0, 8}};
  const std::string body(8, '\0');
  EXPECT_EQ(Fault("INTEGER", 2, {{2, 0}}, buffers, body), "");
  EXPECT_EQ(Fault("INTEGER", 2, {}, buffers, body), "field `c0`: no field node");
  EXPECT_EQ(Fault("INTEGER", 2, {{1, 0}}, buffers, body),
            "field `c0`: 1 rows where 2 are expected");
  EXPECT_EQ(Fault("INTEGER", 2, {{2, 0}, {2, 0}}, buffers, body),
            "2 field nodes for a schema of 1");
  EXPECT_EQ(Fault("INTEGER", -1, {{-1, 0}}, buffers, body), "a batch of -1 rows");
  EXPECT_EQ(Fault("INTEGER", int64_t{1} << 31, {{int64_t{1} << 31, 0}}, buffers, body),
            "a batch of 2147483648 rows");
  EXPECT_EQ(Fault("INTEGER", 2, {{2, 3}}, buffers, body),
            "field `c0`: a field node of 2 rows, 3 of them null");
  EXPECT_EQ(Fault("INTEGER", 2, {{2, -1}}, buffers, body),
            "field `c0`: a field node of 2 rows, -1 of them null");
}

TEST(ArrowRefusalTest, BuffersThatDoNotFit) {
  const Nodes nodes = {{2, 0}};
  const std::string body(8, '\0');
  EXPECT_EQ(Fault("INTEGER", 2, nodes, {{0, 0}}, body), "field `c0`: no buffer of values");
  EXPECT_EQ(Fault("INTEGER", 2, nodes, {{0, 0}, {0, 7}}, body),
            "field `c0`: the buffer of values has 7 bytes, 8 are needed");
  EXPECT_EQ(Fault("INTEGER", 2, nodes, {{0, 0}, {1, 8}}, body),
            "field `c0`: the buffer of values is bytes 1 to 1 + 8 of a body of 8");
  EXPECT_EQ(
      Fault("INTEGER", 2, nodes, {{0, 0}, {INT64_MAX, INT64_MAX}}, body),
      "field `c0`: the buffer of values is bytes 9223372036854775807 to 9223372036854775807 + "
      "9223372036854775807 of a body of 8");
  EXPECT_EQ(Fault("INTEGER", 2, nodes, {{0, 0}, {0, -8}}, body),
            "field `c0`: the buffer of values is bytes 0 to 0 + -8 of a body of 8");
  EXPECT_EQ(Fault("INTEGER", 2, nodes, {{0, 0}, {0, 8}, {0, 0}}, body),
            "3 buffers for a schema of 2");
}

TEST(ArrowRefusalTest, NullCountsThatTheBitmapDoesNotShow) {
  const std::string body = std::string("\1\0\0\0\0\0\0\0", 8) + std::string(8, '\0');
  const Buffers buffers = {{0, 1}, {8, 8}};
  EXPECT_EQ(Fault("INTEGER", 2, {{2, 1}}, buffers, body), "");
  EXPECT_EQ(Fault("INTEGER", 2, {{2, 0}}, buffers, body),
            "field `c0`: the validity bitmap has 1 nulls, the field node 0");
  EXPECT_EQ(Fault("INTEGER", 2, {{2, 2}}, buffers, body),
            "field `c0`: the validity bitmap has 1 nulls, the field node 2");
  EXPECT_EQ(Fault("INTEGER", 2, {{2, 1}}, {{0, 0}, {8, 8}}, body),
            "field `c0`: the validity bitmap has 0 bytes for 2 rows");
  EXPECT_EQ(Fault("INTEGER", 9, {{9, 8}}, {{0, 1}, {8, 8}}, body),
            "field `c0`: the validity bitmap has 1 bytes for 9 rows");
}

TEST(ArrowRefusalTest, OffsetsThatDoNotFit) {
  const auto strings = [](const std::vector<int32_t>& offsets) {
    return Fault("VARCHAR", 2, {{2, 0}}, {{0, 0}, {0, 12}, {16, 3}},
                 Ints(offsets) + std::string(4, '\0') + "abc");
  };
  EXPECT_EQ(strings({0, 1, 3}), "");
  EXPECT_EQ(strings({1, 1, 3}), "");
  EXPECT_EQ(strings({0, 1, 4}), "field `c0`: the buffer of strings has 3 bytes, 4 are needed");
  EXPECT_EQ(strings({0, 2, 1}), "field `c0`: offsets descend at row 1 (2 then 1)");
  EXPECT_EQ(strings({-1, 2, 3}), "field `c0`: the first offset is -1");
  const auto lists = [](const std::vector<int32_t>& offsets) {
    return Fault("ARRAY<INTEGER>", 2, {{2, 0}, {1, 0}}, {{0, 0}, {0, 12}, {0, 0}, {16, 4}},
                 Ints(offsets) + std::string(8, '\0'));
  };
  EXPECT_EQ(lists({0, 0, 1}), "");
  EXPECT_EQ(lists({0, 1, 2}), "field `c0`: offsets go to 2, there are 1 elements");
}

TEST(ArrowRefusalTest, PartsOfNestedColumnsThatDisagree) {
  const std::string body = Ints({0, 1, 0, 0});
  const Buffers row = {{0, 0}, {0, 0}, {0, 4}};
  EXPECT_EQ(Fault("ROW<x:INTEGER>", 1, {{1, 0}, {1, 0}}, row, body), "");
  EXPECT_EQ(Fault("ROW<x:INTEGER>", 1, {{1, 0}, {2, 0}}, row, body),
            "field `c0`: field `x`: 2 rows where 1 are expected");
  const auto map = [&](const Nodes& nodes) {
    return Fault(
        "MAP<INTEGER,TINYINT>", 1, nodes,
        {{0, 0}, {0, 8}, {0, nodes[1].null_count() > 0 ? 1 : 0}, {0, 0}, {8, 4}, {0, 0}, {8, 1}},
        body);
  };
  EXPECT_EQ(map({{1, 0}, {1, 0}, {1, 0}, {1, 0}}), "");
  EXPECT_EQ(map({{1, 0}, {1, 0}, {1, 0}, {2, 0}}),
            "field `c0`: field `value`: 2 rows where 1 are expected");
  EXPECT_EQ(map({{1, 0}, {1, 1}, {1, 0}, {1, 0}}), "field `c0`: an entry of a map is null");
}

TEST(ArrowRefusalTest, DecimalsOverTheirWidth) {
  std::string body(16, '\0');
  const auto decimal = [&] {
    return Fault("DECIMAL(18, 2)", 1, {{1, 0}}, {{0, 0}, {0, 16}}, body);
  };
  EXPECT_EQ(decimal(), "");
  body[8] = 1;
  EXPECT_EQ(decimal(), "field `c0`: row 0: a decimal over 64 bits, for a precision of 18 or less");
}

// A schema of one field, of any table as its type.
std::string SchemaFault(metadata::Type tag,
                        flatbuffers::Offset<void> (*make)(flatbuffers::FlatBufferBuilder&)) {
  HandMadeMessage message;
  flatbuffers::FlatBufferBuilder& b = message.builder;
  const auto name = b.CreateString("c0");
  const auto type = make(b);
  const auto field = metadata::CreateField(b, name, true, tag, type);
  const auto fields = b.CreateVector(std::vector{field});
  message.Finish(metadata::Header::Schema,
                 metadata::CreateSchema(b, metadata::Endianness::Little, fields).Union());
  return std::string(ReadStatus(message.Framed() + std::string(kEndMark)).message());
}

TEST(ArrowRefusalTest, TypesThatMakeNoSenseOrThatWeDoNotHave) {
  using flatbuffers::FlatBufferBuilder;
  using metadata::Type;
  const auto end = [](std::string_view fault) {
    return "Arrow stream: message 0: field `c0`: " + std::string(fault);
  };
  EXPECT_EQ(
      SchemaFault(Type::List, [](FlatBufferBuilder& b) { return metadata::CreateList(b).Union(); })
          .find(end("a list of 0 children")),
      0u);
  EXPECT_EQ(
      SchemaFault(Type::Map, [](FlatBufferBuilder& b) { return metadata::CreateMap(b).Union(); })
          .find(end("a map whose child is not one struct of a key and a value")),
      0u);
  EXPECT_EQ(
      SchemaFault(Type::Decimal,
                  [](FlatBufferBuilder& b) { return metadata::CreateDecimal(b, 39, 0).Union(); })
          .find(end("")),
      0u);
  EXPECT_EQ(SchemaFault(
                Type::Decimal,
                [](FlatBufferBuilder& b) { return metadata::CreateDecimal(b, 9, 0, 256).Union(); })
                .find(end("a decimal of 256 bits")),
            0u);
  EXPECT_EQ(SchemaFault(Type::Union,
                        [](FlatBufferBuilder& b) { return metadata::CreateOpaque(b).Union(); })
                .find(end("type Union (14)")),
            0u);
  EXPECT_EQ(SchemaFault(Type::Duration,
                        [](FlatBufferBuilder& b) {
                          return metadata::CreateDuration(b, metadata::TimeUnit::Second).Union();
                        })
                .find(end("a duration that is not in milliseconds")),
            0u);
}

// 100,000 fields of one name of 1 MiB, in 1.4 MB.
TEST(ArrowRefusalTest, ANameThatManyFieldsShareIsNotCopiedForEach) {
  HandMadeMessage message;
  flatbuffers::FlatBufferBuilder& b = message.builder;
  const auto name = b.CreateString(std::string(1 << 20, 'n'));
  const auto type = metadata::CreateBool(b).Union();
  const auto field = metadata::CreateField(b, name, true, metadata::Type::Bool, type);
  const auto fields = b.CreateVector(std::vector(100'000, field));
  message.Finish(metadata::Header::Schema,
                 metadata::CreateSchema(b, metadata::Endianness::Little, fields).Union());
  EXPECT_EQ(ReadStatus(message.Framed() + std::string(kEndMark)).code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(ArrowRefusalTest, ADictionaryThatNoFieldHas) {
  HandMadeMessage values;
  const auto data = metadata::CreateRecordBatch(values.builder, 0);
  values.Finish(metadata::Header::DictionaryBatch,
                metadata::CreateDictionaryBatch(values.builder, 7, data).Union());
  const std::string message(
      ReadStatus(SchemaMessage("INTEGER") + values.Framed() + std::string(kEndMark)).message());
  EXPECT_EQ(message.find("Arrow stream: message 1: dictionary 7: no field has it"), 0u) << message;
}

}  // namespace
}  // namespace spillway::arrow
