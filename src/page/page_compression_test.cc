// SPDX-License-Identifier: Apache-2.0
// Compressed pages. "BUGS n" is an upstream report of the same fault.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/little_endian.h"
#include "src/base/random.h"
#include "src/base/status.h"
#include "src/page/checksum.h"
#include "src/page/compression.h"
#include "src/page/page.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::page {
namespace {

using ::testing::HasSubstr;
using vector::Batch;
using vector::Buffer;
using vector::Kind;
using vector::Type;

Batch Words(int rows) {
  std::vector<std::optional<std::string>> words;
  std::vector<int64_t> numbers;
  for (int i = 0; i < rows; ++i) {
    words.push_back(i % 7 == 3 ? std::nullopt : std::optional(base::Cat("word ", i % 10)));
    numbers.push_back(i);
  }
  return vector::BatchOf({vector::Strings(Type::Scalar(Kind::kVarchar), words),
                          vector::Flat(Type::Scalar(Kind::kBigint), numbers)});
}

// Bytes that no codec makes smaller; the payload has 22 bytes more than `bytes`.
Batch Noise(int bytes) {
  base::Random random(1);
  std::vector<int8_t> values;
  for (int i = 0; i < bytes; ++i) values.push_back(static_cast<int8_t>(random.Below(256)));
  return vector::BatchOf({vector::Flat(Type::Scalar(Kind::kTinyint), values)});
}

struct Page {
  explicit Page(const Batch& batch, const PageWriteOptions& options)
      : bytes(WritePage(batch, options)->view()) {}

  uint8_t marker() const { return static_cast<uint8_t>(bytes[4]); }
  int32_t uncompressed_size() const { return base::Load<int32_t>(bytes.data() + 5); }
  int32_t size() const { return base::Load<int32_t>(bytes.data() + 9); }
  uint32_t checksum() const { return base::Load<uint32_t>(bytes.data() + 13); }
  std::string_view stored() const { return std::string_view(bytes).substr(kPageHeaderSize); }

  std::string bytes;
};

absl::StatusOr<Batch> Read(const Batch& like, std::string_view bytes,
                           const PageReadOptions& options) {
  return ReadPage(like.schema(), Buffer::Copy(bytes), options);
}

class CompressedPageTest : public ::testing::TestWithParam<Codec> {};

INSTANTIATE_TEST_SUITE_P(AllCodecs, CompressedPageTest,
                         ::testing::Values(Codec::kLz4, Codec::kZstd, Codec::kSnappy, Codec::kZlib,
                                           Codec::kGzip),
                         [](const auto& info) { return std::string(CodecName(info.param)); });

TEST_P(CompressedPageTest, WhatIsWrittenIsReadBack) {
  const Batch batch = Words(2000);
  for (const bool checksum : {true, false}) {
    const Page page(batch, {.checksum = checksum, .codec = GetParam()});
    EXPECT_EQ(page.marker(), checksum ? 5 : 1);
    EXPECT_LT(page.size(), page.uncompressed_size());
    const auto read = Read(batch, page.bytes, {.codec = GetParam()});
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(vector::FirstDifference(*read, batch), std::nullopt);
  }
}

// BUGS 4.34 (velox#8851): the checksum was taken with the compressed size.
TEST_P(CompressedPageTest, TheChecksumIsOverStoredBytesWithTheUncompressedSize) {
  const Batch batch = Words(2000);
  const Page page(batch, {.codec = GetParam()});
  const Page raw(batch, {});
  EXPECT_EQ(page.uncompressed_size(), raw.size());
  EXPECT_EQ(page.size(), static_cast<int32_t>(page.stored().size()));
  EXPECT_EQ(page.checksum(), PageChecksum(page.stored(), 5, 2000, raw.size()));
}

// BUGS 5.50 and 4.34.
TEST_P(CompressedPageTest, BytesThatDoNotShrinkStayRawWithoutTheBit) {
  const Batch batch = Noise(3000);
  const Page page(batch, {.codec = GetParam()});
  EXPECT_EQ(page.marker(), 4);
  EXPECT_EQ(page.size(), page.uncompressed_size());
  EXPECT_EQ(page.bytes, Page(batch, {}).bytes);
  EXPECT_TRUE(Read(batch, page.bytes, {.codec = GetParam()}).ok());
  EXPECT_TRUE(Read(batch, page.bytes, {}).ok()) << "raw, so no codec is needed";
}

// BUGS 5.48 (prestodb#24304).
TEST_P(CompressedPageTest, WithoutACodecItIsUnimplemented) {
  const Batch batch = Words(2000);
  const Page page(batch, {.codec = GetParam()});
  const absl::Status status = Read(batch, page.bytes, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the page is compressed and no codec is configured, byte 4 of"));
}

TEST_P(CompressedPageTest, TheDecompressedSizeIsBounded) {
  const Batch batch = Words(2000);
  const Page page(batch, {.codec = GetParam()});
  const int64_t size = page.uncompressed_size();
  PageReadOptions options{.codec = GetParam(), .max_uncompressed_bytes = size};
  EXPECT_TRUE(Read(batch, page.bytes, options).ok());
  --options.max_uncompressed_bytes;
  const absl::Status status = Read(batch, page.bytes, options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(base::ByteOffset(status), kPageHeaderSize);
}

// BUGS 5.47 (gluten#5427): 2^31 - 1 bytes claimed by a page of 40.
TEST_P(CompressedPageTest, AClaimThatTheBytesCannotHoldIsRefusedBeforeAllocation) {
  std::string bytes(40, '\0');
  bytes[4] = 1;
  base::Store<int32_t>(bytes.data() + 5, INT32_MAX);
  base::Store<int32_t>(bytes.data() + 9, 19);
  const PageReadOptions options{.codec = GetParam(), .max_uncompressed_bytes = INT32_MAX};
  EXPECT_EQ(std::string(Read(Words(1), bytes, options).status().message()),
            base::Cat("the ", CodecName(GetParam()),
                      " payload cannot hold 2147483647 bytes in 19, byte 21 of 40"));
}

TEST_P(CompressedPageTest, ColumnsShareThePayloadAndOutliveTheInput) {
  const Batch batch = Words(2000);
  auto input = std::make_unique<std::string>(Page(batch, {.codec = GetParam()}).bytes);
  const auto read = ReadPage(batch.schema(), Buffer::Borrow(*input), {.codec = GetParam()});
  input.reset();
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(vector::FirstDifference(*read, batch), std::nullopt);
  const auto& words = read->column(0).As<vector::StringColumn>();
  const auto& numbers = read->column(1).As<vector::FlatColumn>();
  EXPECT_EQ(words.bytes().allocation().address, numbers.values().allocation().address);
}

TEST_P(CompressedPageTest, OffsetsOfErrorsAreThoseOfTheDecompressedPayload) {
  const Batch batch = Words(2000);
  Page raw(batch, {});
  base::Store<int32_t>(raw.bytes.data() + kPageHeaderSize + 4 + 4 + 14 + 4, -1);
  const auto packed = Compress(GetParam(), raw.stored());
  std::string bytes = raw.bytes.substr(0, kPageHeaderSize) + std::string(packed->view());
  bytes[4] = 1;
  base::Store<int32_t>(bytes.data() + 9, static_cast<int32_t>(packed->size()));
  base::Store<int64_t>(bytes.data() + 13, 0);
  EXPECT_EQ(std::string(Read(batch, bytes, {.codec = GetParam()}).status().message()),
            base::Cat("in the decompressed payload: column 0 `c0` VARCHAR: offsets descend at "
                      "row 0 (0 then -1), byte 26 of ",
                      raw.size()));
}

TEST(PageCompressionTest, TheRatioIsAtMostFourFifths) {
  // One more equal byte at a time until the page shrinks enough: the first compressed page is the
  // first that meets the ratio.
  bool raw_seen = false;
  for (int equal = 0; equal < 2000; ++equal) {
    std::vector<int8_t> values(1000 + equal, 7);
    base::Random random(3);
    for (int i = 0; i < 1000; ++i) values[i] = static_cast<int8_t>(random.Below(256));
    const Batch batch = vector::BatchOf({vector::Flat(Type::Scalar(Kind::kTinyint), values)});
    const Page page(batch, {.codec = Codec::kLz4});
    const int64_t compressed = Compress(Codec::kLz4, Page(batch, {}).stored())->size();
    if (page.marker() == 5) {
      EXPECT_LE(5 * compressed, 4 * int64_t{page.uncompressed_size()});
      EXPECT_TRUE(raw_seen);
      return;
    }
    raw_seen = true;
    EXPECT_GT(5 * compressed, 4 * int64_t{page.uncompressed_size()});
  }
  FAIL() << "never compressed";
}

// BUGS 5.49 (velox#17306).
TEST(PageCompressionTest, APayloadExactlyAtTheThresholdIsCompressed) {
  const Batch batch = Words(2000);
  const int64_t size = Page(batch, {}).size();
  EXPECT_EQ(Page(batch, {.codec = Codec::kZstd, .min_bytes_to_compress = size}).marker(), 5);
  EXPECT_EQ(Page(batch, {.codec = Codec::kZstd, .min_bytes_to_compress = size + 1}).marker(), 4);
}

TEST(PageCompressionTest, APageOfAnotherCodecIsRefusedByTheNameOfItsFormat) {
  const Batch batch = Words(2000);
  const Page page(batch, {.codec = Codec::kZstd});
  EXPECT_EQ(std::string(Read(batch, page.bytes, {.codec = Codec::kLz4}).status().message()),
            base::Cat("a Zstd frame where a raw LZ4 block is expected, byte 21 of ",
                      page.bytes.size()));
}

TEST(PageCompressionTest, DamageOfAChecksummedPageIsSeenBeforeDecompression) {
  const Batch batch = Words(2000);
  Page page(batch, {.codec = Codec::kLz4});
  page.bytes.back() ^= 1;
  EXPECT_THAT(std::string(Read(batch, page.bytes, {.codec = Codec::kLz4}).status().message()),
              HasSubstr("checksum"));
}

TEST(PageCompressionTest, APageWithoutColumnsKeepsItsRows) {
  const Batch batch(Type::Row({}, {}), 5, {});
  const Page page(batch, {.codec = Codec::kLz4});
  EXPECT_EQ(page.marker(), 4);
  EXPECT_EQ(Read(batch, page.bytes, {.codec = Codec::kLz4})->rows(), 5);
}

}  // namespace
}  // namespace spillway::page
