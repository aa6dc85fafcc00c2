// SPDX-License-Identifier: Apache-2.0
// Bugs of sizes past 2^31 and of counts that were trusted, in other systems. The numbers are those
// of docs/bugs.md. Nothing of such a size is allocated here: it is refused before.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "golden/museum/exhibit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"

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
  const ColumnPtr column = std::make_shared<vector::FlatColumn>(T("BIGINT"), kRows,
                                                                vector::Validity(), values);
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

}  // namespace
}  // namespace spillway::museum
