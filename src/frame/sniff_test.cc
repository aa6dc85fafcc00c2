// SPDX-License-Identifier: Apache-2.0
#include "src/frame/sniff.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/little_endian.h"
#include "src/frame/magic.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/encoding_name.h"
#include "src/page/page.h"
#include "src/vector/build.h"

namespace spillway::frame {
namespace {

using vector::Batch;
using vector::ColumnPtr;
using vector::Kind;
using vector::Type;

Batch Numbers(int columns = 2) {
  std::vector<ColumnPtr> all;
  for (int i = 0; i < columns; ++i) {
    all.push_back(vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), {7, 8, 9}));
  }
  return vector::BatchOf(std::move(all));
}

// A page of `rows` rows in a few bytes, without a checksum so that its bytes may be changed.
std::string ConstantPage(int64_t rows) {
  const ColumnPtr seven = vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), {7});
  const Batch batch = vector::BatchOf({std::make_shared<vector::ConstantColumn>(seven, rows)});
  return std::string(
      page::WritePage(batch, {.checksum = false, .encoding = page::EncodingChoice::kPreserve})
          ->view());
}

std::string V2() { return std::string(WriteV2(Numbers())->view()); }
std::string V3() { return std::string(WriteV3(Numbers())->view()); }

TEST(SniffTest, EveryFormatIsRecognised) {
  EXPECT_EQ(Sniff(page::WritePage(Numbers())->view()), Format::kLegacy);
  EXPECT_EQ(Sniff(V2()), Format::kV2);
  EXPECT_EQ(Sniff(V3()), Format::kV3);
  EXPECT_EQ(Sniff(WriteV3(Numbers(), {.statistics = false})->view()), Format::kV3);
  EXPECT_EQ(Sniff(WriteV3(Numbers(0))->view()), Format::kV3);
}

TEST(SniffTest, BytesOfNoFormatAreLegacy) {
  EXPECT_EQ(Sniff(""), Format::kLegacy);
  EXPECT_EQ(Sniff("\xFE\xCA\x53"), Format::kLegacy);
  EXPECT_EQ(Sniff("no page and no frame"), Format::kLegacy);
}

// FORMAT section 7: two row counts read like a magic.
TEST(SniffTest, APageWhoseRowCountReadsLikeAMagicIsLegacy) {
  for (const uint32_t magic : {kMagicV2, kMagicV3}) {
    const std::string bytes = ConstantPage(magic);
    ASSERT_EQ(base::Load<uint32_t>(bytes.data()), magic);
    EXPECT_EQ(Sniff(bytes), Format::kLegacy) << magic;
  }
}

TEST(SniffTest, NeighboursOfThoseRowCountsAreLegacy) {
  for (const int64_t rows : {39045885, 39045887, 55823101, 55823103}) {
    EXPECT_EQ(Sniff(ConstantPage(rows)), Format::kLegacy) << rows;
  }
}

// The page decoder must not see the V3 magic as a row count: what is damaged stays a frame.
TEST(SniffTest, ADamagedFrameStaysAFrame) {
  const std::string v2 = V2();
  const std::string v3 = V3();
  for (size_t size = 4; size < v2.size(); ++size) {
    EXPECT_EQ(Sniff(v2.substr(0, size)), Format::kV2) << size;
  }
  for (size_t size = 4; size < v3.size(); ++size) {
    EXPECT_EQ(Sniff(v3.substr(0, size)), Format::kV3) << size;
  }
  for (size_t bit = 32; bit < 8 * v3.size(); ++bit) {
    std::string flipped = v3;
    flipped[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    EXPECT_EQ(Sniff(flipped), Format::kV3) << bit;
  }
  EXPECT_EQ(Sniff(v2 + "x"), Format::kV2);
  EXPECT_EQ(Sniff(v3 + "x"), Format::kV3);
}

// Bytes whose page header holds, with a frame's magic for a row count, and whose frame structure
// holds too. The page's size 2^24 + 1 then reads as statsLen 260 and the blob's count of 257.
std::string Ambiguous(uint32_t magic) {
  constexpr int32_t kSize = (1 << 24) + 1;
  std::string bytes(page::kPageHeaderSize + kSize, '\0');
  char* at = bytes.data();
  base::Store(at, magic);
  at[4] = page::kChecksummedBit;
  base::Store(at + 5, kSize);
  base::Store(at + 9, kSize);
  constexpr int64_t kBehindStats = 8 + 260;
  if (magic == kMagicV3) {
    base::Store<uint32_t>(at + kBehindStats + 4, 257);
    constexpr int64_t kLastSize = kBehindStats + 8 + 256 * 4;
    base::Store(at + kLastSize, static_cast<uint32_t>(bytes.size() - kLastSize - 4));
  } else {
    constexpr int64_t kInner = kBehindStats + 4;
    base::Store(at + kBehindStats, static_cast<uint32_t>(bytes.size() - kInner));
    const auto inner_size = static_cast<int32_t>(bytes.size() - kInner - page::kPageHeaderSize);
    base::Store(at + kInner + 5, inner_size);
    base::Store(at + kInner + 9, inner_size);
  }
  return bytes;
}

TEST(SniffTest, WhereBothStructuresHoldItIsAFrame) {
  std::string v2 = Ambiguous(kMagicV2);
  EXPECT_EQ(Sniff(v2), Format::kV2);
  v2[268 + 4 + 4] = 8;  // an unknown bit in the embedded page's marker
  EXPECT_EQ(Sniff(v2), Format::kLegacy);
  std::string v3 = Ambiguous(kMagicV3);
  EXPECT_EQ(Sniff(v3), Format::kV3);
  v3[268] = 1;  // numRows, and every colLen but the last is 0
  EXPECT_EQ(Sniff(v3), Format::kLegacy);
}

TEST(SniffTest, ABlobOfAnotherColumnCountIsNoV3Structure) {
  std::string v3 = Ambiguous(kMagicV3);
  base::Store<uint32_t>(v3.data() + 268 + 4, 256);
  EXPECT_EQ(Sniff(v3), Format::kLegacy);
}

// BUGS 15.139 (velox#7567, druid#632): an old reader says which version it does not know.
TEST(SniffTest, AnUnknownVersionIsNamed) {
  EXPECT_EQ(CheckVersion(std::string_view("\xFE\xCA\x53\x04\0\0\0\0", 8)).message(),
            "frame of version 4, known are 2 and 3, byte 3 of 8");
  EXPECT_FALSE(CheckVersion("\xFE\xCA\x53\xFF").ok());
  EXPECT_TRUE(CheckVersion(V2()).ok());
  EXPECT_TRUE(CheckVersion(V3()).ok());
  EXPECT_TRUE(CheckVersion("").ok());
  EXPECT_TRUE(CheckVersion(ConstantPage(0x0453CAFE)).ok()) << "a page of that many rows";
}

TEST(SniffTest, ABlockBeginsWithAKnownNameOfItsLength) {
  for (const std::string_view name : page::kEncodingNames) {
    std::string bytes(4, '\0');
    base::Store(bytes.data(), static_cast<int32_t>(name.size()));
    bytes += name;
    EXPECT_TRUE(IsColumnBlock(bytes)) << name;
    EXPECT_TRUE(IsColumnBlock(bytes + "rest")) << name;
    EXPECT_FALSE(IsColumnBlock(bytes.substr(0, bytes.size() - 1))) << name;
    ++bytes[0];
    EXPECT_FALSE(IsColumnBlock(bytes + "rest")) << name;
  }
  EXPECT_FALSE(IsColumnBlock(""));
  EXPECT_FALSE(IsColumnBlock(std::string_view("\xFF\xFF\xFF\xFFROW", 7)));
  EXPECT_FALSE(IsColumnBlock(std::string_view("\3\0\0\0FOO", 7)));
}

TEST(SniffTest, NoPageAndNoFrameBeginsAsABlock) {
  EXPECT_FALSE(IsColumnBlock(V2()));
  EXPECT_FALSE(IsColumnBlock(V3()));
  for (const std::string_view name : page::kEncodingNames) {
    // As many rows as the name is long; the header's next byte is the marker.
    EXPECT_FALSE(IsColumnBlock(ConstantPage(static_cast<int64_t>(name.size())))) << name;
  }
}

}  // namespace
}  // namespace spillway::frame
