// SPDX-License-Identifier: Apache-2.0
// The page around the blocks: header, checksum, column count.
#include "src/page/page.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/little_endian.h"
#include "src/page/checksum.h"
#include "src/vector/build.h"

namespace spillway::page {
namespace {

using ::testing::HasSubstr;
using vector::Batch;
using vector::Buffer;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

// A page that tests write, damage and read. Damage is followed by FixChecksum() where the thing
// under test lies behind the checksum.
class PageTest : public ::testing::Test {
 protected:
  void WriteInts(std::vector<int32_t> values) {
    const Batch batch = vector::BatchOf({vector::Flat(Type::Scalar(Kind::kInteger), values)});
    schema_ = batch.schema();
    bytes_ = std::string(WritePage(batch)->view());
  }

  template <typename V>
  void Set(int64_t at, V value) {
    base::Store(bytes_.data() + at, value);
  }
  void Append(std::string_view more) { bytes_ += more; }
  void Cut(size_t bytes) { bytes_.resize(bytes_.size() - bytes); }
  void FixSizes() {
    const auto size = static_cast<int32_t>(bytes_.size() - kPageHeaderSize);
    Set(5, size);
    Set(9, size);
  }
  void FixChecksum() {
    const std::string_view payload = std::string_view(bytes_).substr(kPageHeaderSize);
    Set<int64_t>(13, PageChecksum(payload, static_cast<uint8_t>(bytes_[4]),
                                  base::Load<int32_t>(bytes_.data()),
                                  base::Load<int32_t>(bytes_.data() + 5)));
  }

  absl::StatusOr<Batch> Read(const ReadLimits& limits = {}) {
    return ReadPage(schema_, Buffer::Copy(bytes_), {.limits = limits});
  }
  std::string Error(const ReadLimits& limits = {}) {
    return std::string(Read(limits).status().message());
  }

  TypePtr schema_;
  std::string bytes_;
};

TEST_F(PageTest, TheHeaderIsTwentyOneBytes) {
  WriteInts({1, 2, 3});
  ASSERT_EQ(bytes_.size(), 21u + 4 + 4 + 9 + 4 + 1 + 12);
  EXPECT_EQ(base::Load<int32_t>(bytes_.data()), 3);
  EXPECT_EQ(bytes_[4], 4);
  EXPECT_EQ(base::Load<int32_t>(bytes_.data() + 5), 34);
  EXPECT_EQ(base::Load<int32_t>(bytes_.data() + 9), 34);
  EXPECT_EQ(base::Load<int32_t>(bytes_.data() + 17), 0) << "upper half of the checksum";
  EXPECT_EQ(Read()->rows(), 3);
}

// BUGS 4.37 (velox#11552).
TEST_F(PageTest, AnInputShorterThanTheHeaderIsNamed) {
  WriteInts({1});
  const std::string whole = bytes_;
  for (const size_t size : {0, 1, 20}) {
    bytes_ = whole.substr(0, size);
    EXPECT_EQ(Error(),
              base::Cat("page header needs 21 bytes, ", size, " remain, byte 0 of ", size));
  }
}

TEST_F(PageTest, NegativeCountsInTheHeaderAreRefused) {
  WriteInts({1});
  Set<int32_t>(0, -1);
  EXPECT_EQ(Error(), "negative row count -1, byte 0 of 47");
  WriteInts({1});
  Set<int32_t>(5, -7);
  EXPECT_EQ(Error(), "negative uncompressed size -7, byte 5 of 47");
  WriteInts({1});
  Set<int32_t>(9, -7);
  EXPECT_EQ(Error(), "negative size -7, byte 9 of 47");
}

// BUGS 4.36 (velox#5289, #5321): a header that claims more than is there was read for ever.
TEST_F(PageTest, APayloadOfAnotherSizeThanTheHeadersIsRefused) {
  WriteInts({1});
  Cut(1);
  EXPECT_EQ(Error(), "payload of 26 bytes, 25 follow the header, byte 9 of 46");
  Append("xyz");
  EXPECT_EQ(Error(), "payload of 26 bytes, 28 follow the header, byte 9 of 49");
}

TEST_F(PageTest, SizesOfAnUncompressedPageMustAgree) {
  WriteInts({1});
  Set<int32_t>(5, 27);
  EXPECT_EQ(Error(), "size 26 of an uncompressed page is not its uncompressed size 27, "
                     "byte 9 of 47");
}

TEST_F(PageTest, UnknownMarkerBitsAreRefused) {
  WriteInts({1});
  Set<uint8_t>(4, 12);
  EXPECT_EQ(Error(), "unknown bits in marker 12, byte 4 of 47");
}

TEST_F(PageTest, EncryptedAndCompressedPagesAreRefusedByName) {
  WriteInts({1});
  Set<uint8_t>(4, 6);
  EXPECT_EQ(Error(), "the page is encrypted, byte 4 of 47");
  EXPECT_EQ(Read().status().code(), absl::StatusCode::kUnimplemented);
  Set<uint8_t>(4, 5);
  EXPECT_EQ(Error(), "the page is compressed and no codec is configured, byte 4 of 47");
}

// BUGS 4.42.
TEST_F(PageTest, AChecksumWithoutItsFlagOrOver32BitsIsRefused) {
  WriteInts({1});
  Set<uint8_t>(4, 0);
  Set<int64_t>(13, 1);
  EXPECT_EQ(Error(), "checksum 0000000000000001 without the checksum flag, byte 13 of 47");
  WriteInts({1});
  Set<int32_t>(17, 1);
  EXPECT_THAT(Error(), HasSubstr("does not fit 32 bits, byte 13 of 47"));
}

TEST_F(PageTest, APageWithoutMarkerAndChecksumIsAccepted) {
  WriteInts({1});
  Set<uint8_t>(4, 0);
  Set<int64_t>(13, 0);
  EXPECT_TRUE(Read().ok());
}

TEST_F(PageTest, AFlippedBitAnywhereInThePayloadFailsTheChecksum) {
  WriteInts({1, 2});
  for (size_t bit = 8 * kPageHeaderSize; bit < 8 * bytes_.size(); ++bit) {
    bytes_[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    EXPECT_THAT(Error(), HasSubstr("the page's bytes have")) << bit;
    bytes_[bit / 8] ^= static_cast<char>(1 << (bit % 8));
  }
}

// BUGS 4.32 (prestodb#16256): only the low byte of rows and size went into the checksum.
TEST_F(PageTest, TheChecksumCoversAllBytesOfRowsAndSize) {
  EXPECT_NE(PageChecksum("x", 4, 0, 1), PageChecksum("x", 4, 256, 1));
  EXPECT_NE(PageChecksum("x", 4, 1, 0), PageChecksum("x", 4, 1, 1 << 24));
  EXPECT_NE(PageChecksum("x", 4, 1, 1), PageChecksum("x", 0, 1, 1));
}

// BUGS 7.64 (velox#7538, #7524, #5822): one rule, whatever the codec.
TEST_F(PageTest, AnotherColumnCountThanTheSchemasIsRefused) {
  WriteInts({1});
  schema_ = *Type::Parse("ROW<a:INTEGER,b:INTEGER>");
  EXPECT_EQ(Error(), "1 columns, the schema has 2, byte 21 of 47");
  schema_ = *Type::Parse("ROW<>");
  EXPECT_EQ(Error(), "1 columns, the schema has 0, byte 21 of 47");
  WriteInts({1});
  Set<int32_t>(21, -1);
  FixChecksum();
  EXPECT_EQ(Error(), "-1 columns, the schema has 1, byte 21 of 47");
}

// BUGS 7.61: columns of different lengths.
TEST_F(PageTest, AColumnWithAnotherRowCountThanTheHeadersIsRefused) {
  WriteInts({1, 2});
  Set<int32_t>(0, 3);
  FixChecksum();
  EXPECT_EQ(Error(), "column 0 `c0` INTEGER: the block has 2 rows, not 3, byte 25 of 51");
}

TEST_F(PageTest, LeftOverBytesInThePayloadAreRefused) {
  WriteInts({1});
  Append("!");
  FixSizes();
  FixChecksum();
  EXPECT_EQ(Error(), "1 bytes left over after the last column, byte 47 of 48");
}

// BUGS 13.113 (apache/gluten#3290): the row count survives without columns.
TEST_F(PageTest, APageWithoutColumnsKeepsItsRows) {
  schema_ = *Type::Parse("ROW<>");
  bytes_ = std::string(WritePage(Batch(schema_, 5, {}))->view());
  ASSERT_EQ(bytes_.size(), 25u);
  EXPECT_EQ(Read()->rows(), 5);
  ReadLimits limits;
  limits.max_rows = 4;
  EXPECT_EQ(Error(limits), "5 rows, the limit is 4, byte 0 of 25");
}

TEST_F(PageTest, APageThatClaimsTwoBillionRowsAllocatesNothing) {
  WriteInts({1});
  Set<int32_t>(0, INT32_MAX);
  Set<int32_t>(38, INT32_MAX);
  FixChecksum();
  ReadLimits limits;
  limits.max_decoded_bytes = 0;  // anything allocated would be refused first
  EXPECT_EQ(Error(limits), "column 0 `c0` INTEGER: values needs 8589934588 bytes, 4 remain, "
                           "byte 43 of 47");
}

TEST_F(PageTest, AFaultNamesColumnOffsetAndValue) {
  const Batch batch = vector::BatchOf(
      {vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), {1}),
       vector::Strings(Type::Scalar(Kind::kVarchar), {"abc"})});
  schema_ = batch.schema();
  bytes_ = std::string(WritePage(batch)->view());
  Set<int32_t>(69, -4);
  FixChecksum();
  EXPECT_EQ(Error(), "column 1 `c1` VARCHAR: offsets descend at row 0 (0 then -4), byte 69 of 81");
}

}  // namespace
}  // namespace spillway::page
