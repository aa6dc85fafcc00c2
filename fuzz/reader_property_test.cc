// SPDX-License-Identifier: Apache-2.0
// The canary: the corpus finds nothing in our codec, and finds each fault that is planted in it. If
// a fault goes unseen, the fuzzer's silence about our codec means nothing either.
#include "fuzz/reader_property.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/page/page.h"
#include "src/vector/batch.h"
#include "src/vector/column.h"

namespace spillway::fuzz {
namespace {

using page::PageReadOptions;
using page::PageWriteOptions;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::TypePtr;

std::vector<std::string> Corpus() {
  std::vector<std::string> inputs;
  for (const auto& entry : std::filesystem::directory_iterator("fuzz/corpus/codec")) {
    std::ifstream file(entry.path(), std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// The first rule that an input of the corpus shows to be broken.
std::string FirstBrokenRule(const PageCodec& codec) {
  for (const std::string& input : Corpus()) {
    if (const auto rule = BrokenRule(input, codec); rule.has_value()) return *rule;
  }
  return "none";
}

std::string RuleBrokenByReader(decltype(PageCodec::read) read) {
  PageCodec codec;
  codec.read = std::move(read);
  return FirstBrokenRule(codec);
}

std::string RuleBrokenByWriter(decltype(PageCodec::write) write) {
  PageCodec codec;
  codec.write = std::move(write);
  return FirstBrokenRule(codec);
}

Batch WithoutLastRow(const Batch& batch) {
  return batch.Slice(0, std::max<int64_t>(0, batch.rows() - 1));
}

bool IsCompressed(const Buffer& page) {
  return page.size() >= page::kPageHeaderSize && (page.data()[4] & page::kCompressedBit) != 0;
}

TEST(ReaderPropertyTest, OurCodecBreaksNoRule) {
  ASSERT_GE(Corpus().size(), 30u);
  EXPECT_EQ(FirstBrokenRule({}), "none");
}

TEST(ReaderPropertyTest, AWriterThatLosesARowIsSeen) {
  EXPECT_EQ(RuleBrokenByWriter([](const Batch& batch, const PageWriteOptions& options) {
              return page::WritePage(WithoutLastRow(batch), options);
            }).substr(0, 23),
            "written and read back: ");
}

TEST(ReaderPropertyTest, AWriterThatForgetsNullsIsSeen) {
  EXPECT_NE(RuleBrokenByWriter([](const Batch& batch, const PageWriteOptions& options) {
              std::vector<ColumnPtr> columns = batch.columns();
              for (ColumnPtr& column : columns) {
                if (column->type().width() == 0) continue;
                if (column->encoding() != vector::Encoding::kFlat) continue;
                column = std::make_shared<vector::FlatColumn>(
                    column->type_ptr(), column->rows(), vector::Validity(),
                    column->As<vector::FlatColumn>().values());
              }
              return page::WritePage(Batch(batch.schema(), batch.rows(), columns), options);
            }),
            "none");
}

TEST(ReaderPropertyTest, AWriterOfOneEncodingOnlyThatIsWrongIsSeen) {
  EXPECT_NE(RuleBrokenByWriter([](const Batch& batch, const PageWriteOptions& options) {
              const bool smallest = options.encoding == page::EncodingChoice::kSmallest;
              return page::WritePage(smallest ? WithoutLastRow(batch) : batch, options);
            }),
            "none");
}

TEST(ReaderPropertyTest, AReaderThatRefusesWithoutAByteIsSeen) {
  EXPECT_EQ(RuleBrokenByReader([](const TypePtr& schema, const Buffer& bytes,
                                  const PageReadOptions& options) -> absl::StatusOr<Batch> {
              auto batch = page::ReadPage(schema, bytes, options);
              if (!batch.ok()) return absl::InvalidArgumentError("damaged");
              return batch;
            }),
            "refused without a byte: damaged");
}

// As velox#11177 did: the first piece of what decompression gives was taken for the whole.
TEST(ReaderPropertyTest, AReaderThatLosesRowsOfCompressedPagesIsSeen) {
  EXPECT_NE(RuleBrokenByReader([](const TypePtr& schema, const Buffer& bytes,
                                  const PageReadOptions& options) {
              auto batch = page::ReadPage(schema, bytes, options);
              return batch.ok() && IsCompressed(bytes) ? WithoutLastRow(*batch) : batch;
            }),
            "none");
}

TEST(ReaderPropertyTest, AReaderThatRefusesCompressedPagesWithoutChecksumIsSeen) {
  EXPECT_EQ(RuleBrokenByReader([](const TypePtr& schema, const Buffer& bytes,
                                  PageReadOptions options) {
              if (IsCompressed(bytes) && bytes.data()[4] == page::kCompressedBit) {
                options.max_uncompressed_bytes = 0;
              }
              return page::ReadPage(schema, bytes, options);
            }),
            "a payload reads raw or compressed, but not both");
}

}  // namespace
}  // namespace spillway::fuzz
