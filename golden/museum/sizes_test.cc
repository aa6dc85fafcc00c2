// SPDX-License-Identifier: Apache-2.0
// Bugs of sizes past 2^31 and of counts that were trusted, in other systems. The numbers are those
// of docs/bugs.md. Nothing of such a size is allocated here: it is refused before.
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "golden/museum/exhibit.h"
#include "gtest/gtest.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"
#include "src/stats/blob.h"

namespace spillway::museum {
namespace {

using ::testing::HasSubstr;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;

// `columns` BIGINT columns of 2^27 rows, 1 GiB each, whose values nobody may touch.
Batch Gigabytes(int columns) {
  constexpr int64_t kRows = int64_t{1} << 27;
  static const char byte = 0;
  const Buffer values = Buffer::Borrow(std::string_view(&byte, kRows * 8));
  const ColumnPtr column =
      std::make_shared<vector::FlatColumn>(T("BIGINT"), kRows, vector::Validity(), values);
  return vector::BatchOf(std::vector<ColumnPtr>(columns, column));
}

// BUGS 6.53 (velox#13083).
TEST(SizesTest, APageOverTwoGigabytesIsRefused) {
  const auto plan = page::PagePlan::Make(Gigabytes(2));
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("does not fit a page"));
}

// BUGS 6.51 (apache/gluten 94d7207af): bytesLen was cut to 32 bits. 6.52 (apache/gluten#12224): a
// frame over 2^31 - 1 bytes has a negative size in Java.
TEST(SizesTest, AFrameOverTwoGigabytesIsRefused) {
  EXPECT_EQ(frame::WriteV2(Gigabytes(5)).status().code(), absl::StatusCode::kResourceExhausted);
  static const char byte = 0;
  const std::string_view gigabyte(&byte, size_t{1} << 30);
  EXPECT_EQ(frame::AssembleV3(1, std::nullopt, {gigabyte, gigabyte}).status().message(),
            "V3 frame: 2147483672 bytes, the limit is 2147483647");
  EXPECT_EQ(frame::AssembleV3(int64_t{1} << 31, std::nullopt, {}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

// BUGS 6.55 (velox#11477, #15006): n x 4 and (n + 1) x 4 in 32 bits.
TEST(SizesTest, ProductsOfCountsAreOf64Bits) {
  std::string block = Write(ListOf("MAP<INTEGER,BIGINT>", {0, 1}, {Ints({1}), Longs({2})}));
  const size_t table = block.find(std::string("\xFF\xFF\xFF\xFF", 4));
  block.replace(table, 4, std::string("\0\0\0\x40", 4));  // 2^30 entries: 2^32 bytes
  EXPECT_THAT(std::string(Read("MAP<INTEGER,BIGINT>", block).status().message()),
              HasSubstr("hash table needs 4294967296 bytes"));
  std::string array = Write(ListOf("ARRAY<INTEGER>", {0, 1}, {Ints({1})}));
  array.replace(array.size() - 13, 4, std::string("\xFF\xFF\xFF\x7F", 4));
  EXPECT_THAT(std::string(Read("ARRAY<INTEGER>", array).status().message()),
              HasSubstr("offsets needs 8589934592 bytes"));
}

// BUGS 6.56 (apache/gluten#3034, #3035, #5441, #6823) and 6.57 (apache/gluten#12447, #13009): sizes
// of strings that overflow.
TEST(SizesTest, TwoGigabytesOfStringsInAColumnAreRefused) {
  const ColumnPtr column = Constant(Texts({std::string(1'100'000, 'x')}), 2048);
  const auto plan = page::BlockPlan::Make(column);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("string bytes"));
}

// BUGS 7.60 (apache/arrow#48147) and 7.62 (pgcolumnar#22): offsets past the end, codes past the
// alphabet.
TEST(SizesTest, OffsetsAndIdsAreBoundedBeforeUse) {
  std::string texts = Write(Texts({"ab", "c"}));
  texts[26] = 100;  // row 1's end
  EXPECT_THAT(std::string(Read("VARCHAR", texts).status().message()),
              HasSubstr("byte count 3 is not the last offset 100"));
  std::string ids =
      Write(Dictionary({0, 1, 0}, Texts({"a", "b"})), page::EncodingChoice::kPreserve);
  ids[ids.size() - 24 - 4] = 2;
  EXPECT_THAT(std::string(Read("VARCHAR", ids).status().message()),
              HasSubstr("dictionary id 2 at row 2 is outside an alphabet of 2"));
  ids[ids.size() - 24 - 1] = '\x80';
  EXPECT_THAT(std::string(Read("VARCHAR", ids).status().message()), HasSubstr("dictionary id -"));
}

// BUGS 8.71 (velox#17894): bounds of a decimal with the width of something else.
TEST(SizesTest, BoundsOfDecimalsHaveTheWidthOfTheirType) {
  const Batch batch = vector::BatchOf({vector::Flat<int64_t>(T("DECIMAL(5, 2)"), {7}),
                                       vector::Flat<__int128>(T("DECIMAL(19, 2)"), {7})});
  const stats::BatchStats stats = stats::ComputeStats(batch);
  EXPECT_EQ(stats[0].bounds->lower.size(), 8u);
  EXPECT_EQ(stats[1].bounds->upper.size(), 16u);
  constexpr int64_t kFixed = 1 + 4 + 4 + 8 + 4 + 4;  // of a column that has bounds
  EXPECT_EQ(stats::BlobSize(stats), 4 + 2 * kFixed + 2 * 8 + 2 * 16);
}

// BUGS 14.126 (velox#6973): asking how large the output will be moved offsets in it.
TEST(SizesTest, AskingForTheSizeChangesNothing) {
  const ColumnPtr column = ListOf("MAP<INTEGER,VARCHAR>", {0, 2, 3},
                                  {Ints({1, 2, 3}), Texts({"a", std::nullopt, "ccc"})});
  const auto plan = page::BlockPlan::Make(column);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const int64_t size = plan->size();
  vector::MutableBuffer out(size);
  plan->Write(out.data());
  EXPECT_EQ(plan->size(), size);
  vector::MutableBuffer again(plan->size());
  plan->Write(again.data());
  EXPECT_EQ(std::move(out).Freeze().view(), std::move(again).Freeze().view());
}

// BUGS 14.127 (velox#12291, #12292, #12754): what a serializer kept between calls was shared by its
// threads. Sanitizers look at this too.
TEST(SizesTest, ThreadsThatWriteOneBatchWriteTheSameBytes) {
  const Batch batch =
      vector::BatchOf({Dictionary({0, 1, 0}, Texts({"no", "yes"})), Longs({1, 2, 3})});
  const std::string expected(page::WritePage(batch)->view());
  std::vector<std::thread> threads;
  std::atomic<int> same = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) same += page::WritePage(batch)->view() == expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, 200);
}

}  // namespace
}  // namespace spillway::museum
