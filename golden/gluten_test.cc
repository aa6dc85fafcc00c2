// SPDX-License-Identifier: Apache-2.0
// Frames of Gluten's own tests: read, and written again from plain values, byte for byte.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/hex_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/frame/envelope.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"
#include "src/stats/blob.h"
#include "src/vector/build.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;
using vector::Batch;
using vector::Buffer;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

std::string Golden(std::string_view name) {
  const auto bytes = golden::ReadHexFile(base::Cat("golden/gluten/", name, ".hex"));
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

TypePtr Schema(std::string_view text) { return *Type::Parse(text); }

constexpr char kV2Schema[] = "ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>";

// The batch that the fixture's comment describes: 0..99, -50..49, four fruits in turn, zeros.
Batch PlainValues() {
  std::vector<int32_t> a;
  std::vector<int64_t> b;
  std::vector<std::optional<std::string>> c;
  const std::vector<int64_t> d(100, 0);
  const char* fruits[] = {"apple", "banana", "cherry", "date"};
  for (int i = 0; i < 100; ++i) {
    a.push_back(i);
    b.push_back(i - 50);
    c.emplace_back(fruits[i % 4]);
  }
  const TypePtr bigint = Type::Scalar(Kind::kBigint);
  return Batch(Schema(kV2Schema), 100,
               {vector::Flat(Type::Scalar(Kind::kInteger), a), vector::Flat(bigint, b),
                vector::Strings(Type::Scalar(Kind::kVarchar), c), vector::Flat(bigint, d)});
}

TEST(GlutenV2Test, TheGoldenFrameIsWrittenFromPlainValues) {
  const std::string golden = Golden("v2_golden_3198");
  ASSERT_EQ(golden.size(), 3198u);
  EXPECT_TRUE(frame::WriteV2(PlainValues())->view() == golden);
  EXPECT_TRUE(page::WritePage(PlainValues())->view() == Golden("v2_golden_page_3033"));
}

TEST(GlutenV2Test, TheGoldenStatisticsAreComputedFromPlainValues) {
  const stats::BatchStats stats = stats::ComputeStats(PlainValues());
  std::string blob(stats::BlobSize(stats), '\0');
  stats::WriteBlob(stats, reinterpret_cast<uint8_t*>(blob.data()));
  EXPECT_EQ(blob, Golden("v2_golden_stats_153"));
}

TEST(GlutenV2Test, TheGoldenFrameReadsBackAndIsWrittenAgain) {
  const std::string golden = Golden("v2_golden_3198");
  const auto content = frame::ReadV2(Schema(kV2Schema), Buffer::Copy(golden));
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(content->batch.rows(), 100);
  EXPECT_EQ(content->stats, stats::ComputeStats(PlainValues()));
  EXPECT_EQ(content->batch.column(2).As<vector::StringColumn>().Value(99), "date");
  EXPECT_TRUE(frame::WriteV2(content->batch)->view() == golden);
}

TEST(GlutenV3Test, EmptyFramesAreWrittenFromAnEmptyBatch) {
  const Batch empty(Schema("ROW<>"), 0, {});
  EXPECT_EQ(frame::WriteV3(empty, {.statistics = false})->view(), Golden("v3_empty_no_stats"));
  EXPECT_EQ(frame::WriteV3(empty, {.statistics = true})->view(), Golden("v3_empty_with_stats"));
  const auto without = frame::V3Frame::Open(Schema("ROW<>"),
                                            Buffer::Own(Golden("v3_empty_no_stats")));
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_FALSE(without->stats().has_value());
  const auto with = frame::V3Frame::Open(Schema("ROW<>"),
                                         Buffer::Own(Golden("v3_empty_with_stats")));
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_EQ(with->stats(), stats::BatchStats{});
}

// The three blocks of these fixtures are no Presto blocks on purpose: only a reader that decodes
// what is asked for can take them.
constexpr char kV3Schema[] = "ROW<a:VARBINARY,b:VARBINARY,c:VARBINARY>";

TEST(GlutenV3Test, FramesOfOpaqueBlocksReadWithAnEmptyProjection) {
  const stats::BatchStats unsupported(3, stats::ColumnStats{.null_count = 0, .count = 5});
  const std::vector<std::string_view> blocks = {"\xAA", "\xBB\xCC", "\xDD\xEE\xFF"};
  for (const bool statistics : {false, true}) {
    const std::string golden =
        Golden(statistics ? "v3_fixture_with_stats" : "v3_fixture_no_stats");
    const auto frame = frame::V3Frame::Open(Schema(kV3Schema), Buffer::Copy(golden));
    ASSERT_TRUE(frame.ok()) << frame.status();
    EXPECT_EQ(frame->Read(std::vector<int64_t>{})->rows(), 5);
    EXPECT_FALSE(frame->Load(0).ok());
    const auto stats = statistics ? std::optional(unsupported) : std::nullopt;
    EXPECT_EQ(frame->stats(), stats);
    EXPECT_EQ(frame::AssembleV3(5, stats, blocks)->view(), golden);
  }
}

std::string OpenError(std::string_view name) {
  return std::string(
      frame::V3Frame::Open(Schema(kV3Schema), Buffer::Own(Golden(name))).status().message());
}

TEST(GlutenV3Test, MalformedFramesAreRefusedWithTheReason) {
  EXPECT_EQ(OpenError("v3_bad_numcols"), "V3 frame: numCols 4, the schema has 3, byte 12 of 34");
  EXPECT_EQ(OpenError("v3_bad_trailing"),
            "V3 frame: 1 bytes left over after the last column, byte 34 of 35");
  EXPECT_EQ(OpenError("v3_bad_truncated"),
            "V3 frame: column 2 `c` VARBINARY: column block needs 3 bytes, 2 remain, "
            "byte 31 of 33");
}

// BUGS 15.129: written before streams had flags for statistics and schema.
TEST(GlutenEnvelopeTest, AStreamWithoutFlagsReadsWithoutStatisticsAndSchema) {
  const std::string golden = Golden("kryo_v1_no_trailers");
  frame::MemorySource source(golden);
  frame::StreamReader in(source);
  const auto envelope = frame::ReadEnvelope(in);
  ASSERT_TRUE(envelope.ok()) << envelope.status();
  ASSERT_TRUE(envelope->has_value());
  EXPECT_EQ((*envelope)->rows, 5);
  EXPECT_EQ((*envelope)->size_in_bytes, 99);
  EXPECT_EQ((*envelope)->payload.view(), "\1\2\3");
  EXPECT_FALSE((*envelope)->stats.has_value());
  EXPECT_FALSE((*envelope)->schema.has_value());
  EXPECT_EQ(frame::WriteEnvelope(**envelope)->view(), golden + std::string(2, '\0'));
}

TEST(GlutenStatsTest, EveryCellOfTheUpstreamSuiteParses) {
  const auto table = golden::ReadTable("golden/gluten/stats_cells.hex");
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ(table->size(), 9u);
  for (const std::vector<std::string>& line : *table) {
    const std::string bytes = *golden::FromHex(line[0]);
    const std::string type = line[1] == "('DECIMAL',20,0)" ? "DECIMAL(20, 0)" : line[1];
    const auto stats = stats::ReadBlob(*Schema(base::Cat("ROW<c:", type, ">")),
                                       base::ByteReader(bytes));
    ASSERT_TRUE(stats.ok()) << type << ": " << stats.status();
    ASSERT_TRUE((*stats)[0].bounds.has_value());
    std::string again(stats::BlobSize(*stats), '\0');
    stats::WriteBlob(*stats, reinterpret_cast<uint8_t*>(again.data()));
    EXPECT_EQ(again, bytes) << type;
  }
}

}  // namespace
}  // namespace spillway
