// SPDX-License-Identifier: Apache-2.0
// Bugs of pages and frames that other systems had. The numbers are those of docs/bugs.md.
#include <cstdint>
#include <string>
#include <vector>

#include "golden/museum/exhibit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/little_endian.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"

namespace spillway::museum {
namespace {

using ::testing::HasSubstr;
using vector::Batch;
using vector::Buffer;
using vector::Timestamp;

Batch TwoColumns() { return vector::BatchOf({Ints({1, 2, 3}), Texts({"a", "b", "c"})}); }

std::string Error(const absl::Status& status) { return std::string(status.message()); }

// BUGS 4.40 (trino#3438): Trino's pages carry xxHash64, which fills all eight bytes.
TEST(FramesTest, AChecksumOf64BitsIsNoneOfOurs) {
  std::string page(page::WritePage(TwoColumns())->view());
  base::Store<uint64_t>(page.data() + 13, 0x8f3a9c0011223344u);
  const auto read = page::ReadPage(TwoColumns().schema(), Buffer::Own(page));
  EXPECT_THAT(Error(read.status()), HasSubstr("does not fit 32 bits"));
}

// BUGS 4.39 (prestodb#15686): a second layout under the same flag. A marker bit that is not known
// is refused and never given a meaning.
TEST(FramesTest, NoMarkerBitIsGivenAMeaning) {
  for (int bit = 3; bit < 8; ++bit) {
    std::string page(page::WritePage(TwoColumns())->view());
    page[4] = static_cast<char>(page[4] | (1 << bit));
    EXPECT_THAT(Error(page::ReadPage(TwoColumns().schema(), Buffer::Own(page)).status()),
                HasSubstr("unknown bits in marker"));
  }
}

// BUGS 7.63 (ClickHouse#104424): a column's body must not run into the next one's.
TEST(FramesTest, AColumnIsConfinedToItsOwnBytes) {
  const Batch batch = TwoColumns();
  std::string frame(frame::WriteV3(batch, {.statistics = false})->view());
  const size_t rows_at = 16 + 4 + 4 + 9;
  ASSERT_EQ(base::Load<int32_t>(frame.data() + rows_at), 3);
  base::Store<int32_t>(frame.data() + rows_at, 4);
  const auto opened = frame::V3Frame::Open(batch.schema(), Buffer::Own(frame));
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_THAT(Error(opened->Load(0).status()), HasSubstr("values needs 16 bytes, 12 remain"));
  EXPECT_TRUE(opened->Load(1).ok()) << "the other column is not touched by it";
}

// BUGS 7.65 (apache/gluten#12211): a column outside the frame, and rows that differ from the
// header's, which only loading can show.
TEST(FramesTest, ProjectionAndRowCountAreChecked) {
  const Batch batch = TwoColumns();
  std::string bytes(frame::WriteV3(batch, {.statistics = false})->view());
  auto frame = frame::V3Frame::Open(batch.schema(), Buffer::Copy(bytes));
  EXPECT_EQ(Error(frame->Load(2).status()), "V3 frame: column 2 of a frame with 2 columns");
  EXPECT_FALSE(frame->Read(std::vector<int64_t>{0, 2}).ok());
  base::Store<int32_t>(bytes.data() + 8, 4);
  frame = frame::V3Frame::Open(batch.schema(), Buffer::Copy(bytes));
  ASSERT_TRUE(frame.ok()) << frame.status();
  EXPECT_THAT(Error(frame->Load(0).status()), HasSubstr("the block has 3 rows, not 4"));
}

// BUGS 7.66 (apache/gluten 4018647c1): bytesLen that is less than what remains.
TEST(FramesTest, V2TakesNoTrailingBytes) {
  const Batch batch = TwoColumns();
  const std::string frame(frame::WriteV2(batch)->view());
  EXPECT_THAT(Error(frame::ReadV2(batch.schema(), Buffer::Own(frame + "x")).status()),
              HasSubstr("bytes follow"));
}

// BUGS 13.113 to 13.115 (apache/gluten#3290, #3309, #12211): absent means all, empty means none,
// and the row count survives.
TEST(FramesTest, AnEmptyProjectionKeepsTheRows) {
  const Batch batch = TwoColumns();
  const auto frame = frame::V3Frame::Open(batch.schema(), *frame::WriteV3(batch));
  EXPECT_EQ(frame->Read()->columns().size(), 2u);
  const auto none = frame->Read(std::vector<int64_t>{});
  EXPECT_EQ(none->columns().size(), 0u);
  EXPECT_EQ(none->rows(), 3);
  const auto twice = frame->Read(std::vector<int64_t>{1, 0, 1});
  EXPECT_EQ(twice->schema()->ToString(), "ROW<c1:VARCHAR,c0:INTEGER,c1:VARCHAR>");
}

// BUGS 9.73 (velox#2279) and 9.74 (velox#6837): nanoseconds that were cut off or overflowed.
TEST(FramesTest, TimestampsKeepTheirNanoseconds) {
  constexpr int64_t kYear3000 = 32503680000;
  ExpectSurvives(vector::Flat<Timestamp>(
      T("TIMESTAMP"), {Timestamp{0, 17'123'456}, Timestamp{kYear3000, 999'999'999},
                       Timestamp{-1, 1}, Timestamp{INT64_MIN, 0}, Timestamp{INT64_MAX, 1}}));
}

// BUGS 15.141: V3 carries no checksum, so a flipped value bit goes unseen there and is seen in V2.
TEST(FramesTest, AFlippedValueBitIsSeenInV2Only) {
  const Batch batch = vector::BatchOf({Ints({1, 2, 3})});
  std::string v3(frame::WriteV3(batch, {.statistics = false})->view());
  v3.back() ^= 1;
  EXPECT_TRUE(frame::V3Frame::Open(batch.schema(), Buffer::Own(v3))->Read().ok());
  std::string v2(frame::WriteV2(batch)->view());
  v2.back() ^= 1;
  EXPECT_THAT(Error(frame::ReadV2(batch.schema(), Buffer::Own(v2)).status()),
              HasSubstr("the page's bytes have"));
}

}  // namespace
}  // namespace spillway::museum
