// SPDX-License-Identifier: Apache-2.0
#include "src/inspect/inspect.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/frame/v3.h"
#include "src/inspect/fault.h"
#include "src/inspect/preview.h"
#include "src/inspect/tiling.h"
#include "src/inspect/to_json.h"
#include "src/inspect/to_text.h"
#include "src/page/page.h"
#include "src/vector/build.h"
#include "src/vector/int128.h"

namespace spillway::inspect {
namespace {

using ::testing::HasSubstr;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::Int128;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

const TypePtr& Scalar(Kind kind) { return Type::Scalar(kind); }

Buffer PageOf(std::vector<ColumnPtr> columns) {
  return *page::WritePage(vector::BatchOf(std::move(columns)), {.checksum = false});
}

Buffer Integers(int64_t rows) {
  return PageOf({vector::Flat<int32_t>(Scalar(Kind::kInteger), std::vector<int32_t>(rows, 7))});
}

std::string Guessed(const Buffer& bytes) { return Inspect(bytes).schema->ToString(); }
std::string Text(const Buffer& bytes, const InspectOptions& options = {}) {
  return ToText(Inspect(bytes, options), "x", bytes);
}
std::string Error(std::string_view bytes, const InspectOptions& options = {}) {
  return std::string(Inspect(Buffer::Copy(bytes), options).status.message());
}

ColumnPtr ArrayOf(const ColumnPtr& elements) {
  vector::MutableBuffer offsets(2 * sizeof(int32_t));
  base::Store<int32_t>(offsets.data(), 0);
  base::Store<int32_t>(offsets.data() + 4, static_cast<int32_t>(elements->rows()));
  return std::make_shared<vector::ListColumn>(Type::Array(elements->type_ptr()), 1,
                                              vector::Validity(), std::move(offsets).Freeze(),
                                              std::vector<ColumnPtr>{elements});
}

const std::vector<vector::Timestamp> kTimes = {{1, 2}, {-3, 4}, {5, 999999999}};

TEST(GuessTest, EncodingNamesSuggestTypes) {
  EXPECT_EQ(Guessed(PageOf({vector::Flat<uint8_t>(Scalar(Kind::kBoolean), {1}),
                            vector::Flat<int16_t>(Scalar(Kind::kSmallint), {1}),
                            vector::Flat<float>(Scalar(Kind::kReal), {1}),
                            vector::Flat<double>(Scalar(Kind::kDouble), {1}),
                            vector::Strings(Scalar(Kind::kVarbinary), {"a"})})),
            "ROW<c0:TINYINT,c1:SMALLINT,c2:INTEGER,c3:BIGINT,c4:VARCHAR>");
}

TEST(GuessTest, SixteenBytesAValueAreTimestampsWhereNothingElseFits) {
  const ColumnPtr times = vector::Flat<vector::Timestamp>(Scalar(Kind::kTimestamp), kTimes);
  const ColumnPtr longs = vector::Flat<int64_t>(Scalar(Kind::kBigint), {1, 2, 3});
  EXPECT_EQ(Guessed(PageOf({longs, times, longs, times})),
            "ROW<c0:BIGINT,c1:TIMESTAMP,c2:BIGINT,c3:TIMESTAMP>");
  EXPECT_EQ(Guessed(PageOf({ArrayOf(times), ArrayOf(ArrayOf(times)), ArrayOf(longs)})),
            "ROW<c0:ARRAY<TIMESTAMP>,c1:ARRAY<ARRAY<TIMESTAMP>>,c2:ARRAY<BIGINT>>");
}

TEST(GuessTest, ValuesThatNoDecimalHasAreHugeint) {
  const std::vector<Int128> values = {1, -1};
  EXPECT_EQ(Guessed(PageOf({vector::Flat<Int128>(*Type::Decimal(30, 2), values),
                            vector::Flat<Int128>(Scalar(Kind::kHugeint), values)})),
            "ROW<c0:DECIMAL(38, 0),c1:HUGEINT>");
}

TEST(GuessTest, MoreTypesThanAskedForAreNotGuessed) {
  InspectOptions options;
  options.walk.max_guesses = 2;
  const ColumnPtr one = vector::Flat<int32_t>(Scalar(Kind::kInteger), {7});
  EXPECT_EQ(Error(PageOf({one, one}).view(), options), "");
  EXPECT_EQ(Error(PageOf({one, one, one}).view(), options),
            "3 columns in 66 bytes, byte 21 of 91");
  EXPECT_THAT(Error(PageOf({ArrayOf(ArrayOf(one))}).view(), options),
              HasSubstr("more than 2 types to guess; a schema is needed"));
}

TEST(GuessTest, NothingThatDependsOnTypesIsJudged) {
  const std::vector<vector::Timestamp> wrong = {{0, 1'000'000'000'000}};
  const Buffer bytes = PageOf({vector::Flat<int64_t>(Scalar(Kind::kBigint), {1000})});
  EXPECT_TRUE(Inspect(bytes).status.ok());
  InspectOptions decimal;
  decimal.schema = Type::Row({"d"}, {*Type::Decimal(3, 0)});
  EXPECT_THAT(Error(bytes.view(), decimal), HasSubstr("magnitude over 999: 1000"));
}

TEST(GuessTest, AnUnknownEncodingIsNamed) {
  std::string bytes(Integers(1).view());
  bytes[29] = 'J';
  EXPECT_EQ(Error(bytes), "encoding `JNT_ARRAY` is not known, byte 29 of 47");
}

// A page that claims 2^31 - 1 columns must not cost memory for them.
TEST(GuessTest, AbsurdCountsAreRefusedWhereTheyStand) {
  std::string bytes(Integers(1).view());
  base::Store<int32_t>(bytes.data() + 21, INT32_MAX);
  EXPECT_EQ(Error(bytes), "2147483647 columns in 22 bytes, byte 21 of 47");
  std::string frame(frame::WriteV3(vector::BatchOf({}), {.statistics = false})->view());
  base::Store<uint32_t>(frame.data() + 12, UINT32_MAX);
  EXPECT_EQ(Error(frame), "4294967295 columns in 0 bytes, byte 12 of 16");
}

TEST(InspectTest, NoBytesAreALegacyPageWithoutAHeader) {
  EXPECT_EQ(Error(""), "page header needs 21 bytes, 0 remain, byte 0 of 0");
  EXPECT_THAT(Text(Buffer()), HasSubstr("x: legacy page, 0 bytes"));
}

TEST(InspectTest, AColumnBlockIsRecognisedAndHoldsOneColumn) {
  const Buffer page = Integers(3);
  const Buffer block = Buffer::Copy(page.view().substr(25));
  EXPECT_EQ(Inspect(block).form, Form::kBlock);
  EXPECT_TRUE(Inspect(block).status.ok()) << Inspect(block).status;
  InspectOptions two;
  two.schema = Type::Row({"a", "b"}, {Scalar(Kind::kInteger), Scalar(Kind::kInteger)});
  EXPECT_EQ(Error(block.view(), two), "a column block holds one column, the schema has 2");
  // An error without a place stands at the end.
  EXPECT_THAT(Text(block, two), ::testing::EndsWith("the schema has 2\n"));
}

TEST(InspectTest, ADamagedColumnOfAV3FrameHidesNoOther) {
  const ColumnPtr one = vector::Flat<int32_t>(Scalar(Kind::kInteger), {41});
  std::string bytes(frame::WriteV3(vector::BatchOf({one, one}), {.statistics = false})->view());
  bytes[20] = 99;  // the first column's encoding name length
  const std::string text = Text(Buffer::Copy(bytes));
  EXPECT_THAT(text, HasSubstr("not readable"));
  EXPECT_THAT(text, HasSubstr("column 1"));
  EXPECT_THAT(text, HasSubstr("values: 41"));
}

TEST(InspectTest, ListsAreCutAtThePreview) {
  InspectOptions options;
  options.walk.preview = 2;
  EXPECT_THAT(Text(Integers(9), options), HasSubstr("values: 7, 7, ... (9)"));
  options.walk.preview = 0;
  EXPECT_THAT(Text(Integers(9), options), HasSubstr("values: ... (9)"));
  options.walk.preview = 9;
  EXPECT_THAT(Text(Integers(9), options), HasSubstr("values: 7, 7, 7, 7, 7, 7, 7, 7, 7\n"));
}

TEST(InspectTest, ARunOfTwoBillionRowsIsShownOnce) {
  const ColumnPtr seven = vector::Flat<int32_t>(Scalar(Kind::kInteger), {7});
  const Batch batch = vector::BatchOf({std::make_shared<vector::ConstantColumn>(seven, INT32_MAX)});
  const Buffer bytes = *page::WritePage(batch, {.encoding = page::EncodingChoice::kPreserve});
  EXPECT_THAT(Text(bytes), HasSubstr("RLE, 2147483647 rows: every row 7\n"));
}

TEST(InspectTest, PartsOverTheLimitAreOnePart) {
  std::vector<ColumnPtr> columns(40, vector::Flat<int32_t>(Scalar(Kind::kInteger), {7}));
  const Buffer bytes = PageOf(std::move(columns));
  for (int64_t limit = 0; limit < 60; ++limit) {
    InspectOptions options;
    options.walk.max_parts = limit;
    const Inspection inspection = Inspect(bytes, options);
    EXPECT_TRUE(inspection.status.ok()) << inspection.status;
    EXPECT_EQ(inspection.schema->children().size(), 40u);
    EXPECT_EQ(FirstGap(inspection.whole, bytes.size()), "") << limit;
    const std::string text = ToText(inspection, "x", bytes);
    if (limit > 5) {  // below, not even the header with its fields is a part
      EXPECT_THAT(text, HasSubstr("more: not listed")) << limit;
    }
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), limit + 8);
  }
}

TEST(InspectTest, DeepNestingStopsTheWalk) {
  ColumnPtr column = vector::Flat<int32_t>(Scalar(Kind::kInteger), {7});
  for (int i = 0; i < 10; ++i) column = ArrayOf(column);
  const Buffer bytes = PageOf({column});
  InspectOptions options;
  EXPECT_TRUE(Inspect(bytes, options).status.ok());
  options.walk.read.limits.max_depth = 9;
  EXPECT_THAT(Error(bytes.view(), options), HasSubstr("nested deeper than 9"));
  options.schema = Type::Row({"c"}, {column->type_ptr()});
  EXPECT_THAT(Error(bytes.view(), options), HasSubstr("nested deeper than 9"));
}

TEST(InspectTest, TheErrorStandsUnderThePartThatHasIt) {
  std::string bytes(Integers(2).view());
  bytes[42] = 2;
  const Inspection inspection = Inspect(Buffer::Copy(bytes));
  ASSERT_EQ(base::ByteOffset(inspection.status), 42);
  EXPECT_EQ(FaultyPart(inspection)->name, "hasNulls");
  EXPECT_EQ(FaultyPart(Inspect(Integers(2))), nullptr);
}

TEST(InspectTest, AnErrorInADecompressedPayloadStandsThere) {
  Buffer page = *page::WritePage(vector::BatchOf({vector::Flat<int32_t>(
                                     Scalar(Kind::kInteger), std::vector<int32_t>(99, 7))}),
                                 {.checksum = false, .codec = page::Codec::kZstd});
  InspectOptions options;
  options.walk.read.codec = page::Codec::kZstd;
  ASSERT_TRUE(Inspect(page, options).status.ok());
  options.schema = Type::Row({"c"}, {Scalar(Kind::kBigint)});
  const Inspection inspection = Inspect(page, options);
  EXPECT_THAT(std::string(inspection.status.message()), HasSubstr("in the decompressed payload"));
  EXPECT_EQ(FaultyPart(inspection)->name, "encoding name");
  EXPECT_EQ(FirstGap(inspection.whole, page.size()), "");
}

TEST(ToJsonTest, SaysWhatTheTextSays) {
  std::string bytes(Integers(2).view());
  bytes[42] = 2;
  const Buffer buffer = Buffer::Copy(bytes);
  const auto json = nlohmann::json::parse(ToJson(Inspect(buffer), "a\xFF", buffer));
  EXPECT_EQ(json["form"], "legacy page");
  EXPECT_EQ(json["size"], 51);
  EXPECT_EQ(json["schema"], "ROW<c0:INTEGER>");
  EXPECT_EQ(json["guessed"], true);
  EXPECT_EQ(json["error"]["byte"], 42);
  const auto& header = json["parts"]["parts"][0];
  EXPECT_EQ(header["name"], "header");
  EXPECT_EQ(header["parts"][0]["bytes"], "02000000");
  EXPECT_EQ(header["parts"][0]["text"], "2");
  EXPECT_TRUE(nlohmann::json::parse(ToJson(Inspect(Integers(2)), "a", Integers(2)))["error"]
                  .is_null());
}

TEST(TilingTest, AGapAnOverlapAndAnEmptyPartAreSeen) {
  Explanation whole{0, 4, "whole", "", {{0, 2, "a", ""}, {2, 2, "b", ""}}};
  EXPECT_EQ(FirstGap(whole, 4), "");
  EXPECT_EQ(FirstGap(whole, 5), "the whole is 0 to 4, not 0 to 5");
  whole.children[1].offset = 3;
  EXPECT_EQ(FirstGap(whole, 4), "`b` begins at 3, not 2");
  whole.children[1] = {2, 1, "b", ""};
  EXPECT_EQ(FirstGap(whole, 4), "the parts of `whole` end at 3, not 4");
  whole.children[0].size = 0;
  EXPECT_EQ(FirstGap(whole, 4), "`a` at 0 is empty");
}

TEST(InspectTest, LongValuesEndAListEarlyUnlessMoreAreAskedFor) {
  const auto column = vector::Strings(Scalar(Kind::kVarchar),
                                      std::vector<std::optional<std::string>>(
                                          30, std::string(60, 'a')));
  const auto shown = [&](int64_t limit) {
    const std::string text = PreviewRows(*column, limit);
    return std::count(text.begin(), text.end(), 'a') / 60;
  };
  EXPECT_EQ(shown(0), 0);
  EXPECT_EQ(shown(2), 2);
  EXPECT_EQ(shown(8), 3);   // over 160 bytes
  EXPECT_EQ(shown(30), 10);  // over 20 bytes an entry
  EXPECT_EQ(shown(1000), 30);
}

}  // namespace
}  // namespace spillway::inspect
