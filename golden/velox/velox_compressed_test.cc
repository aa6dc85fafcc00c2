// SPDX-License-Identifier: Apache-2.0
// Pages that Velox compressed (compressed.jsonl).
#include <optional>
#include <string>
#include <vector>

#include "golden/velox/velox_cases.h"
#include "gtest/gtest.h"
#include "src/page/compression.h"
#include "src/page/page.h"
#include "src/vector/compare.h"

namespace spillway {
namespace {

using golden::VeloxCompressed;
using vector::Batch;
using vector::Buffer;

std::vector<VeloxCompressed> Pages() {
  auto pages = golden::LoadVeloxCompressed();
  EXPECT_TRUE(pages.ok()) << pages.status();
  return pages.ok() ? *std::move(pages) : std::vector<VeloxCompressed>();
}

absl::StatusOr<Batch> Read(const VeloxCompressed& page) {
  return page::ReadPage(page.schema, Buffer::Copy(page.bytes),
                        {.codec = *page::ParseCodec(page.codec)});
}

absl::StatusOr<Batch> ReadUncompressed(const VeloxCompressed& page) {
  return page::ReadPage(page.schema, Buffer::Copy(page.uncompressed_page));
}

TEST(VeloxCompressedTest, EveryPageIsItsUncompressedPage) {
  const std::vector<VeloxCompressed> pages = Pages();
  ASSERT_EQ(pages.size(), 70u);
  int compressed = 0;
  for (const VeloxCompressed& page : pages) {
    SCOPED_TRACE(page.name);
    ASSERT_EQ(page.bytes[4] & page::kCompressedBit, page.compressed ? 1 : 0);
    compressed += page.compressed ? 1 : 0;
    const auto read = Read(page);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(vector::FirstDifference(*read, *ReadUncompressed(page)), std::nullopt);
  }
  EXPECT_EQ(compressed, 40);
}

// Where Velox leaves a payload raw, so do we, and the bytes are the same.
TEST(VeloxCompressedTest, OurPagesAreCompressedWhereVeloxs) {
  for (const VeloxCompressed& page : Pages()) {
    SCOPED_TRACE(page.name);
    const auto ours = page::WritePage(
        *ReadUncompressed(page),
        {.checksum = page.checksum, .codec = *page::ParseCodec(page.codec)});
    ASSERT_TRUE(ours.ok()) << ours.status();
    EXPECT_EQ((ours->view()[4] & page::kCompressedBit) != 0, page.compressed);
    EXPECT_TRUE(page.compressed || ours->view() == page.bytes);
    const auto read =
        page::ReadPage(page.schema, *ours, {.codec = *page::ParseCodec(page.codec)});
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(vector::FirstDifference(*read, *ReadUncompressed(page)), std::nullopt);
  }
}

}  // namespace
}  // namespace spillway
