// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/block.h"

#include <lz4frame.h>
#include <zstd.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/arrow/pieces.h"
#include "src/base/crc32c.h"
#include "src/base/random.h"
#include "src/shuffle/block_codec.h"
#include "src/shuffle/index_file.h"
#include "src/shuffle/snappy_frame.h"
#include "src/shuffle/spill_ranges.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::shuffle {
namespace {

using vector::Batch;
using vector::Buffer;
using vector::Kind;
using vector::Type;

constexpr BlockCodec kCodecs[] = {BlockCodec::kNone, BlockCodec::kLz4, BlockCodec::kZstd,
                                  BlockCodec::kSnappy};
constexpr int64_t kMax = int64_t{1} << 30;

Batch Rows(int64_t rows) {
  std::vector<int64_t> numbers(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) numbers[static_cast<size_t>(row)] = row * row;
  return vector::BatchOf({vector::Flat<int64_t>(Type::Scalar(Kind::kBigint), numbers)});
}

std::string BlockOf(const Batch& rows, BlockCodec codec) {
  auto writer = *BlockWriter::Create(rows.schema(), {.codec = codec});
  arrow::Pieces pieces;
  EXPECT_EQ(writer.Append(rows, pieces), absl::OkStatus());
  return pieces.ToString();
}

absl::Status ReadError(std::string_view block, const BlockReadOptions& options = {}) {
  return ReadBlock(Buffer::Copy(block), options).status();
}

// Text that compresses by half and more.
std::string Compressible(size_t size) {
  base::Random random(5);
  std::string out;
  while (out.size() < size) {
    out += std::string(random.Below(40), static_cast<char>('a' + random.Below(26)));
  }
  return out.substr(0, size);
}

std::string Noise(size_t size) {
  base::Random random(6);
  std::string out;
  for (size_t i = 0; i < size; ++i) out.push_back(static_cast<char>(random.Next()));
  return out;
}

std::vector<std::string_view> Cut(std::string_view bytes, size_t piece) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < bytes.size(); at += piece) out.push_back(bytes.substr(at, piece));
  return out;
}

std::string Compressed(BlockCodec codec, std::span<const std::string_view> pieces) {
  auto compressor = *BlockCompressor::Create(codec, 1);
  return std::string(*compressor.Compress(pieces));
}

TEST(BlockTest, EveryCodecIsReadBack) {
  for (const BlockCodec codec : kCodecs) {
    for (const int64_t rows : {1, 100, 8192, 40000}) {
      const Batch batch = Rows(rows);
      const std::string block = BlockOf(batch, codec);
      const auto header = *ReadBlockHeader(block, static_cast<int64_t>(block.size()));
      EXPECT_EQ(header.codec, codec);
      EXPECT_EQ(header.fields, 1);
      EXPECT_EQ(header.block_bytes(), static_cast<int64_t>(block.size()));
      const absl::StatusOr<Batch> read = ReadBlock(Buffer::Copy(block));
      ASSERT_EQ(read.status(), absl::OkStatus()) << BlockCodecName(codec);
      EXPECT_EQ(vector::FirstDifference(*read, batch).value_or(""), "") << BlockCodecName(codec);
    }
  }
}

TEST(BlockTest, ABatchWithoutRowsIsNoBlock) {
  for (const BlockCodec codec : kCodecs) EXPECT_EQ(BlockOf(Rows(0), codec), "");
}

TEST(BlockTest, TruncatedAndDamagedBlocksAreRefused) {
  for (const BlockCodec codec : kCodecs) {
    std::string block = BlockOf(Rows(100), codec);
    for (size_t size = 0; size < block.size(); ++size) {
      EXPECT_FALSE(ReadError(block.substr(0, size)).ok()) << BlockCodecName(codec) << " " << size;
    }
    EXPECT_FALSE(ReadError(block + "x").ok());
    // Flipped bits may stay unseen where nothing checks them; they must do no harm.
    int refused = 0;
    for (size_t bit = 0; bit < block.size() * 8; bit += 3) {
      block[bit / 8] = static_cast<char>(block[bit / 8] ^ (1 << (bit % 8)));
      refused += ReadError(block).ok() ? 0 : 1;
      block[bit / 8] = static_cast<char>(block[bit / 8] ^ (1 << (bit % 8)));
    }
    EXPECT_GT(refused, 200) << BlockCodecName(codec);
  }
}

TEST(BlockTest, HeadersSayWhatIsWrong) {
  const std::string block = BlockOf(Rows(3), BlockCodec::kNone);
  const auto with = [&](size_t at, std::string_view bytes) {
    std::string out = block;
    return ReadError(out.replace(at, bytes.size(), bytes));
  };
  EXPECT_EQ(with(16, "ZLIB"),
            absl::InvalidArgumentError("a block of codec `ZLIB`, not NONE, LZ4_, ZSTD or SNAP"));
  EXPECT_EQ(with(0, std::string("\x0b\0\0\0\0\0\0\0", 8)),
            absl::InvalidArgumentError("a block of length 11, not 12 to 2^31 - 1"));
  EXPECT_EQ(with(0, std::string("\0\0\0\x80\0\0\0\0", 8)),
            absl::InvalidArgumentError("a block of length 2147483648, not 12 to 2^31 - 1"));
  EXPECT_EQ(with(0, std::string(8, '\xff')).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(with(8, "\x02"), absl::InvalidArgumentError("a header for 2 columns, a schema of 1"));
  EXPECT_EQ(ReadError("abc"), absl::InvalidArgumentError("a block's header of 20 bytes, 3 remain"));
}

TEST(BlockCodecTest, PiecesOfEverySizeMakeTheSameContent) {
  for (const BlockCodec codec : {BlockCodec::kLz4, BlockCodec::kZstd, BlockCodec::kSnappy}) {
    for (const std::string& content :
         {std::string(), std::string("a"), Compressible(1000), Compressible(65536),
          Compressible(300'000), Noise(65537), Noise(200'000)}) {
      for (const size_t piece : {size_t{7}, size_t{65536}, size_t{100'000}, content.size() + 1}) {
        if (piece == 7 && content.size() > 100'000) continue;
        const std::string payload = Compressed(codec, Cut(content, piece));
        const auto back = DecompressBlock(codec, Buffer::Copy(payload), kMax);
        ASSERT_EQ(back.status(), absl::OkStatus()) << BlockCodecName(codec);
        EXPECT_TRUE(back->view() == content) << BlockCodecName(codec) << " " << content.size();
        EXPECT_FALSE(DecompressBlock(codec, Buffer::Copy(payload + "x"), kMax).ok());
        // Snappy's format lets streams follow each other.
        EXPECT_EQ(DecompressBlock(codec, Buffer::Copy(payload + payload), kMax).ok(),
                  codec == BlockCodec::kSnappy);
      }
    }
  }
}

// What the real writer's README says of its frames.
TEST(BlockCodecTest, FramesSayWhatTheRealWritersSay) {
  const std::string content = Compressible(200'000);
  const std::string lz4 = Compressed(BlockCodec::kLz4, Cut(content, 1000));
  LZ4F_dctx* state = nullptr;
  ASSERT_FALSE(LZ4F_isError(LZ4F_createDecompressionContext(&state, LZ4F_VERSION)));
  LZ4F_frameInfo_t info;
  size_t size = lz4.size();
  ASSERT_FALSE(LZ4F_isError(LZ4F_getFrameInfo(state, &info, lz4.data(), &size)));
  LZ4F_freeDecompressionContext(state);
  EXPECT_EQ(info.blockSizeID, LZ4F_max64KB);
  EXPECT_EQ(info.blockMode, LZ4F_blockIndependent);
  EXPECT_EQ(info.contentChecksumFlag, LZ4F_noContentChecksum);
  EXPECT_EQ(info.blockChecksumFlag, LZ4F_noBlockChecksum);
  EXPECT_EQ(info.contentSize, 0u);
  const std::string zstd = Compressed(BlockCodec::kZstd, Cut(content, 1000));
  EXPECT_EQ(ZSTD_getFrameContentSize(zstd.data(), zstd.size()), ZSTD_CONTENTSIZE_UNKNOWN);
}

TEST(BlockCodecTest, MoreThanTheLimitIsRefusedWhateverIsClaimed) {
  const std::string zeros(1'000'000, '\0');
  for (const BlockCodec codec : kCodecs) {
    const std::string payload =
        codec == BlockCodec::kNone ? zeros : Compressed(codec, Cut(zeros, zeros.size()));
    const Buffer in = Buffer::Copy(payload);
    EXPECT_EQ(DecompressBlock(codec, in, 1'000'000).status(), absl::OkStatus());
    EXPECT_EQ(DecompressBlock(codec, in, 999'999).status().code(),
              absl::StatusCode::kResourceExhausted)
        << BlockCodecName(codec);
    EXPECT_EQ(DecompressBlock(codec, in, 1000).status().code(),
              absl::StatusCode::kResourceExhausted)
        << BlockCodecName(codec);
  }
}

TEST(BlockCodecTest, NamesLevelsAndTypingErrors) {
  for (const BlockCodec codec : kCodecs) {
    EXPECT_EQ(*ParseBlockCodec(BlockCodecName(codec)), codec);
  }
  EXPECT_EQ(ParseBlockCodec("zst").status(),
            absl::InvalidArgumentError("unknown codec `zst`; did you mean zstd?"));
  EXPECT_EQ(ParseBlockCodec("deflate").status().message(),
            "unknown codec `deflate`; there are none, lz4, zstd, snappy");
  EXPECT_EQ(BlockCompressor::Create(BlockCodec::kZstd, 99).status().code(),
            absl::StatusCode::kInvalidArgument);
  const std::string fast = Compressible(100'000);
  auto best = *BlockCompressor::Create(BlockCodec::kZstd, 19);
  EXPECT_LT(best.Compress(Cut(fast, fast.size()))->size(),
            Compressed(BlockCodec::kZstd, Cut(fast, fast.size())).size());
}

TEST(SnappyFrameTest, TheFormatsOwnRules) {
  const std::string content = "Wikipedia is a free, web-based, collaborative, multilingual";
  const std::vector<std::string_view> pieces = {content};
  const std::string stream(FrameSnappy(pieces).view());
  EXPECT_EQ(stream.substr(0, 10), std::string("\xff\x06\0\0sNaPpY", 10));
  EXPECT_EQ(stream[10], '\x01') << "what does not shrink by an eighth is stored";
  EXPECT_EQ(UnframeSnappy(stream, kMax)->view(), content);
  EXPECT_FALSE(UnframeSnappy(stream.substr(10), kMax).ok()) << "no identifier";
  // Skippable chunks and a second identifier may stand between; reserved ones may not.
  const std::string head = stream.substr(0, 10);
  const std::string rest = stream.substr(10);
  EXPECT_EQ(UnframeSnappy(head + std::string("\xfe\2\0\0zz", 6) + head + rest, kMax)->view(),
            content);
  EXPECT_EQ(UnframeSnappy(head + std::string("\x02\1\0\0z", 5) + rest, kMax).status().message(),
            "chunk of unknown kind 2, byte 10 of 82");
  EXPECT_EQ(UnframeSnappy(head + std::string("\0\x07\0\0\0\0\0\0\x80\x80\x04", 11), kMax)
                .status()
                .message(),
            "a chunk of 65536 bytes in 3, byte 10 of 21");
  std::string damaged = stream;
  damaged[20] = static_cast<char>(damaged[20] ^ 1);
  EXPECT_EQ(UnframeSnappy(damaged, kMax).status().message(),
            "a chunk whose checksum is another, byte 10 of 77");
}

TEST(IndexFileTest, OffsetsThatMakeNoSenseAreRefused) {
  const std::vector<int64_t> good = {0, 5, 5, 9};
  const std::string bytes = EncodeIndex(good, IndexOrder::kBigEndian);
  EXPECT_EQ(bytes.size(), 32u);
  EXPECT_EQ(bytes[15], 5);
  EXPECT_EQ(*DecodeIndex(bytes, IndexOrder::kBigEndian, 9), good);
  EXPECT_EQ(DecodeIndex(bytes, IndexOrder::kBigEndian, 8).status().message(),
            "shuffle index: the last offset is 9, the data file has 8 bytes");
  EXPECT_EQ(DecodeIndex(bytes.substr(1), IndexOrder::kBigEndian, 9).status().message(),
            "shuffle index: 31 bytes, no multiple of 8");
  EXPECT_EQ(CheckOffsets(std::vector<int64_t>{0, 7, 6, 9}, 9).message(),
            "shuffle index: partition 1 ends at 6, before its start 7");
  EXPECT_EQ(CheckOffsets(std::vector<int64_t>{1, 7}, 7).message(),
            "shuffle index: the first offset is 1, not 0");
  EXPECT_FALSE(DecodeIndex("", IndexOrder::kBigEndian, 0).ok());
}

TEST(SpillRangesTest, ACursorSeesWhatWasAppended) {
  SpillRanges ranges;
  const std::vector<std::pair<int32_t, int64_t>> appended = {
      {0, 1}, {0, 2}, {5, 127}, {6, 128}, {1000, int64_t{1} << 40}, {1000, 1}, {1 << 30, 7}};
  for (const auto& [partition, bytes] : appended) ranges.Append(partition, bytes);
  ranges.Seal();
  SpillRanges::Cursor cursor(ranges, 100);
  const std::vector<std::tuple<int32_t, int64_t, int64_t>> expected = {
      {0, 100, 3},
      {5, 103, 127},
      {6, 230, 128},
      {1000, 358, (int64_t{1} << 40) + 1},
      {1 << 30, 359 + (int64_t{1} << 40), 7}};
  for (const auto& [partition, offset, bytes] : expected) {
    EXPECT_EQ(cursor.partition(), partition);
    EXPECT_EQ(cursor.offset(), offset);
    EXPECT_EQ(cursor.bytes(), bytes);
    cursor.Next();
  }
  EXPECT_EQ(cursor.partition(), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(SpillRanges::Cursor(SpillRanges(), 0).partition(), std::numeric_limits<int32_t>::max());
}

TEST(Crc32cTest, TheVectorsOfRfc3720) {
  EXPECT_EQ(base::Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(base::Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string ascending;
  for (char i = 0; i < 32; ++i) ascending.push_back(i);
  EXPECT_EQ(base::Crc32c(ascending), 0x46dd794eu);
  EXPECT_EQ(base::Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(base::Crc32c(""), 0u);
}

}  // namespace
}  // namespace spillway::shuffle
