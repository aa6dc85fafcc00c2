// SPDX-License-Identifier: Apache-2.0
#include "src/frame/content.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/little_endian.h"
#include "src/frame/magic.h"
#include "src/frame/v2.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::frame {
namespace {

using ::testing::HasSubstr;
using vector::Batch;
using vector::Buffer;
using vector::Encoding;
using vector::Kind;
using vector::Type;

Batch TwoColumns() {
  return vector::BatchOf({vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), {1, 2}),
                          vector::Strings(Type::Scalar(Kind::kVarchar), {"a", std::nullopt})});
}

struct Form {
  Format format;
  Buffer bytes;
};

std::vector<Form> Forms(const Batch& batch) {
  return {{Format::kLegacy, *page::WritePage(batch)},
          {Format::kV2, *WriteV2(batch)},
          {Format::kV3, *WriteV3(batch)}};
}

std::string Error(const absl::Status& status) { return std::string(status.message()); }

TEST(ContentTest, EveryFormReadsAsTheSameBatch) {
  const Batch batch = TwoColumns();
  for (const Form& form : Forms(batch)) {
    for (const bool lazy : {true, false}) {
      const auto content = ReadContent(batch.schema(), form.bytes, {.lazy = lazy});
      ASSERT_TRUE(content.ok()) << content.status();
      EXPECT_EQ(content->format, form.format);
      EXPECT_EQ(vector::FirstDifference(content->batch, batch), std::nullopt);
      const bool is_lazy = content->batch.column(0).encoding() == Encoding::kLazy;
      EXPECT_EQ(is_lazy, lazy && form.format == Format::kV3);
    }
  }
}

TEST(ContentTest, EveryFormTakesAProjection) {
  const Batch batch = TwoColumns();
  for (const Form& form : Forms(batch)) {
    const auto read = [&](std::vector<int64_t> columns) {
      return ReadContent(batch.schema(), form.bytes, {.projection = std::move(columns)});
    };
    EXPECT_EQ(read({1, 0, 1})->batch.schema()->ToString(),
              "ROW<c1:VARCHAR,c0:INTEGER,c1:VARCHAR>");
    EXPECT_EQ(read({})->batch.rows(), 2);
    EXPECT_EQ(read({2}).status().code(), absl::StatusCode::kOutOfRange);
    EXPECT_EQ(read({-1}).status().code(), absl::StatusCode::kOutOfRange);
  }
}

// BUGS 15.137 (apache/gluten#12124): what was written decides, and a reader invents no statistics.
TEST(ContentTest, StatisticsAreThoseThatWereWritten) {
  const Batch batch = TwoColumns();
  const auto stats = [&](const Buffer& bytes) {
    return ReadContent(batch.schema(), bytes)->stats;
  };
  EXPECT_EQ(stats(*page::WritePage(batch)), std::nullopt);
  EXPECT_EQ(stats(*WriteV3(batch, {.statistics = false})), std::nullopt);
  EXPECT_EQ(stats(*WriteV2(batch)), stats::ComputeStats(batch));
  EXPECT_EQ(stats(*WriteV3(batch)), stats::ComputeStats(batch));
}

// FORMAT section 7: a page of 55,823,102 rows begins like a V3 frame.
TEST(ContentTest, APageThatBeginsLikeAFrameIsReadAsAPage) {
  const auto seven = vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), {7});
  for (const uint32_t magic : {kMagicV2, kMagicV3}) {
    const Batch batch =
        vector::BatchOf({std::make_shared<vector::ConstantColumn>(seven, int64_t{magic})});
    const Buffer page = *page::WritePage(batch, {.encoding = page::EncodingChoice::kPreserve});
    ASSERT_EQ(base::Load<uint32_t>(page.data()), magic);
    const auto content = ReadContent(batch.schema(), page);
    ASSERT_TRUE(content.ok()) << content.status();
    EXPECT_EQ(content->format, Format::kLegacy);
    EXPECT_EQ(content->batch.rows(), int64_t{magic});
  }
}

// And the reverse: the magic of a damaged frame never reaches the page decoder as a row count.
TEST(ContentTest, ADamagedFrameIsNoPage) {
  const Batch batch = TwoColumns();
  const Buffer v3 = *WriteV3(batch);
  EXPECT_THAT(Error(ReadContent(batch.schema(), v3.Slice(0, v3.size() - 1)).status()),
              HasSubstr("V3 frame: "));
  const Buffer v2 = *WriteV2(batch);
  EXPECT_THAT(Error(ReadContent(batch.schema(), v2.Slice(0, v2.size() - 1)).status()),
              HasSubstr("V2 frame: "));
}

// BUGS 15.139 (velox#7567, druid#632).
TEST(ContentTest, AVersionOfTheFutureIsNamed) {
  std::string bytes(WriteV3(TwoColumns())->view());
  bytes[3] = 4;
  EXPECT_THAT(Error(ReadContent(TwoColumns().schema(), Buffer::Own(bytes)).status()),
              HasSubstr("frame of version 4, known are 2 and 3, byte 3"));
}

TEST(ContentTest, OtherBytesAreAPageThatIsRefused) {
  EXPECT_THAT(Error(ReadContent(TwoColumns().schema(), Buffer::Copy("no page")).status()),
              HasSubstr("page: "));
  EXPECT_FALSE(ReadContent(TwoColumns().schema(), Buffer()).ok());
}

}  // namespace
}  // namespace spillway::frame
