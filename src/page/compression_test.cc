// SPDX-License-Identifier: Apache-2.0
// Each codec's form, its refusals and its limits. "BUGS n" is an upstream report of the same fault.
#include "src/page/compression.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/random.h"
#include "src/base/status.h"
#include "src/page/compressed_format.h"

namespace spillway::page {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using vector::Buffer;

constexpr int64_t kNoLimit = INT32_MAX;

// Text that repeats, with a few random bytes in between.
std::string Sample(size_t size) {
  base::Random random(size);
  std::string out;
  while (out.size() < size) {
    out += "some words that come again ";
    out += static_cast<char>(random.Below(256));
  }
  out.resize(size);
  return out;
}

std::string Noise(size_t size) {
  base::Random random(size);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random.Below(256));
  return out;
}

absl::StatusOr<Buffer> Unpack(Codec codec, std::string_view bytes, int64_t size,
                              int64_t max_bytes = kNoLimit) {
  base::ByteReader in(bytes);
  absl::StatusOr<Buffer> out = Decompress(codec, in, size, max_bytes);
  EXPECT_TRUE(!out.ok() || in.at_end());
  return out;
}

std::string Refusal(Codec codec, std::string_view bytes, int64_t size,
                    int64_t max_bytes = kNoLimit) {
  const absl::Status status = Unpack(codec, bytes, size, max_bytes).status();
  EXPECT_TRUE(status.ok() || base::ByteOffset(status).has_value()) << status;
  return std::string(status.message());
}

std::string Pack(Codec codec, std::string_view bytes) {
  return std::string(Compress(codec, bytes)->view());
}

class CodecTest : public ::testing::TestWithParam<Codec> {
 protected:
  Codec codec() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(AllCodecs, CodecTest,
                         ::testing::Values(Codec::kNone, Codec::kLz4, Codec::kZstd, Codec::kSnappy,
                                           Codec::kZlib, Codec::kGzip),
                         [](const auto& info) { return std::string(CodecName(info.param)); });

TEST_P(CodecTest, TheNameIsReadBack) { EXPECT_EQ(*ParseCodec(CodecName(codec())), codec()); }

TEST(CodecNameTest, AnUnknownNameIsRefusedWithTheNamesThatThereAre) {
  EXPECT_EQ(std::string(ParseCodec("lzo").status().message()),
            "unknown codec `lzo`; there are none, lz4, zstd, snappy, zlib, gzip");
}

// Powers of two and one either side, up to past every codec's window (BUGS 5.45, trino#16541: a
// read across a 64 KiB boundary failed).
TEST_P(CodecTest, WhatIsCompressedComesBack) {
  constexpr size_t kLargest = size_t{1} << 17;
  const std::string inputs[] = {Sample(kLargest + 1), Noise(kLargest + 1),
                                std::string(kLargest + 1, 'x')};
  for (size_t size = 1; size <= kLargest; size *= 2) {
    for (const size_t n : {size - 1, size, size + 1}) {
      for (const std::string& input : inputs) {
        const std::string bytes = input.substr(0, n);
        const std::string packed = Pack(codec(), bytes);
        const auto out = Unpack(codec(), packed, static_cast<int64_t>(n));
        ASSERT_TRUE(out.ok()) << n << ": " << out.status();
        ASSERT_TRUE(out->view() == bytes) << n;
      }
    }
  }
  const std::string straddling = Sample(65540);
  EXPECT_TRUE(Unpack(codec(), Pack(codec(), straddling), 65540)->view() == straddling);
}

TEST_P(CodecTest, TheResultOwnsItsMemory) {
  const auto out = Unpack(codec(), Pack(codec(), Sample(1000)), 1000);
  EXPECT_TRUE(out->owned());
  EXPECT_EQ(out->allocation().capacity, 1000);
}

// BUGS 5.43 (velox#11177): only the first piece of a long output was read.
TEST_P(CodecTest, ManyMegabytesComeBackWhole) {
  const std::string bytes = Sample(3'000'001);
  const auto out = Unpack(codec(), Pack(codec(), bytes), static_cast<int64_t>(bytes.size()));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(out->view() == bytes);
}

// BUGS 5.44 (velox#12784, #18074): a wrong length went unseen.
TEST_P(CodecTest, AnyOtherUncompressedSizeIsRefused) {
  const std::string packed = Pack(codec(), Sample(5000));
  for (const int64_t size : {4999, 5001, 2500, 6000, 1, 0}) {
    EXPECT_THAT(Refusal(codec(), packed, size),
                StartsWith(base::Cat("the ", CodecName(codec()), " payload ")))
        << size;
  }
}

TEST_P(CodecTest, EveryTruncationIsRefused) {
  const std::string packed = Pack(codec(), Sample(700));
  for (size_t size = 0; size < packed.size(); ++size) {
    ASSERT_NE(Refusal(codec(), packed.substr(0, size), 700), "") << size;
  }
}

TEST_P(CodecTest, BytesBehindTheEndAreRefused) {
  if (codec() == Codec::kNone) GTEST_SKIP() << "has no end of its own";
  for (const char* more : {"x", "\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
    EXPECT_NE(Refusal(codec(), Pack(codec(), Sample(700)) + more, 700), "");
  }
}

TEST_P(CodecTest, FlippedBitsAreRefusedOrGiveTheRightNumberOfBytes) {
  const std::string packed = Pack(codec(), Sample(700));
  for (size_t bit = 0; bit < 8 * packed.size(); ++bit) {
    std::string bytes = packed;
    bytes[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    const auto out = Unpack(codec(), bytes, 700);
    if (out.ok()) {
      EXPECT_EQ(out->size(), 700);
    } else {
      EXPECT_TRUE(base::ByteOffset(out.status()).has_value()) << out.status();
    }
  }
}

TEST_P(CodecTest, ASizeOverTheLimitIsRefused) {
  const std::string packed = Pack(codec(), std::string(5000, 'x'));
  EXPECT_EQ(Unpack(codec(), packed, 5000, 4999).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Refusal(codec(), packed, 5000, 4999),
              StartsWith("5000 bytes after decompression, the limit is 4999, byte 0 of "));
  EXPECT_TRUE(Unpack(codec(), packed, 5000, 5000).ok());
  EXPECT_THAT(Refusal(codec(), packed, int64_t{1} << 31, int64_t{1} << 40),
              HasSubstr("the limit is 2147483647"));
}

TEST_P(CodecTest, ASizeThatSoFewBytesCannotHoldIsRefused) {
  const std::string packed = Pack(codec(), "x");
  EXPECT_THAT(Refusal(codec(), packed, INT32_MAX),
              HasSubstr(base::Cat("cannot hold 2147483647 bytes in ", packed.size())));
}

// The densest inputs that the bound has to let through.
TEST_P(CodecTest, OneByteRepeatedIsNotTakenForTooDense) {
  const std::string bytes(1 << 22, 'x');
  EXPECT_TRUE(Unpack(codec(), Pack(codec(), bytes), 1 << 22).ok());
}

TEST(CompressionTest, BombsAreRefusedByWhatTheyClaim) {
  // One Zstd frame with a content size of 2^31 - 1 in its header and an RLE block of 128 KiB.
  const std::string_view zstd("\x28\xb5\x2f\xfd\xa0\xff\xff\xff\x7f\x03\x00\x10x", 13);
  EXPECT_THAT(Refusal(Codec::kZstd, zstd, 131072),
              HasSubstr("holds 2147483647 bytes, 131072 are expected"));
  const std::string_view snappy("\xff\xff\xff\xff\x07\x00x", 7);
  EXPECT_THAT(Refusal(Codec::kSnappy, snappy, 1),
              HasSubstr("holds 2147483647 bytes, 1 are expected"));
}

TEST(CompressionTest, ASecondFrameIsLeftOver) {
  const std::string one = Pack(Codec::kZstd, "one");
  EXPECT_EQ(Refusal(Codec::kZstd, one + one, 6),
            base::Cat(one.size(), " bytes left over after a Zstd frame, byte ", one.size(), " of ",
                      2 * one.size()));
  const std::string member = Pack(Codec::kGzip, "one");
  EXPECT_THAT(Refusal(Codec::kGzip, member + member, 3),
              HasSubstr("bytes left over after a gzip member"));
}

TEST(CompressionTest, ASkippableZstdFrameIsNotAPayload) {
  const std::string_view skippable("\x50\x2a\x4d\x18\x01\x00\x00\x00x", 9);
  EXPECT_THAT(Refusal(Codec::kZstd, skippable, 0), HasSubstr("the zstd payload is damaged"));
}

// BUGS 5.46 (gluten#10168): a frame met a reader of raw blocks, and the reverse.
TEST(CompressionTest, AnLz4FrameIsRefusedByName) {
  const std::string_view frame("\x04\x22\x4d\x18\x60\x40\x82\x02\x00\x00\x80hi\x00\x00\x00\x00",
                               17);
  EXPECT_EQ(Refusal(Codec::kLz4, frame, 2),
            "an LZ4 frame where a raw LZ4 block is expected, byte 0 of 17");
  EXPECT_EQ(Refusal(Codec::kLz4, std::string("\x02\x21\x4c\x18", 4) + Pack(Codec::kLz4, "hi"), 2),
            "a legacy LZ4 frame where a raw LZ4 block is expected, byte 0 of 7");
}

// BUGS 5.47 (gluten#5427): the first bytes of a raw block were taken for Hadoop's lengths.
TEST(CompressionTest, HadoopFramingIsRefusedByName) {
  const std::string block = Pack(Codec::kLz4, Sample(500));
  std::string framed("\x00\x00\x01\xf4\x00\x00", 6);
  framed += static_cast<char>(block.size() >> 8);
  framed += static_cast<char>(block.size());
  framed += block;
  EXPECT_THAT(Refusal(Codec::kLz4, framed, 500),
              StartsWith("a Hadoop framed stream where a raw LZ4 block is expected"));
  EXPECT_TRUE(Unpack(Codec::kLz4, block, 500).ok());
}

TEST(CompressionTest, EveryFormatUnderAnotherCodecIsRefusedByName) {
  const struct {
    Codec codec;
    std::string_view name;
  } with_magic[] = {{Codec::kZstd, "a Zstd frame"},
                    {Codec::kZlib, "a zlib stream"},
                    {Codec::kGzip, "a gzip member"}};
  for (const auto& [written, name] : with_magic) {
    for (const Codec read :
         {Codec::kLz4, Codec::kZstd, Codec::kSnappy, Codec::kZlib, Codec::kGzip}) {
      if (read == written) continue;
      EXPECT_THAT(Refusal(read, Pack(written, Sample(500)), 500),
                  StartsWith(base::Cat(name, " where a")))
          << CodecName(read);
    }
  }
  const std::string snappy_stream =
      std::string("\xff\x06\x00\x00sNaPpY", 10) + Pack(Codec::kSnappy, "hi");
  EXPECT_THAT(Refusal(Codec::kSnappy, snappy_stream, 2),
              StartsWith("a Snappy framing stream where a raw Snappy block is expected"));
}

TEST(CompressionTest, DamageOfTheRightFormatIsNotTakenForAnotherFormat) {
  std::string zlib = Pack(Codec::kZlib, Sample(500));
  zlib.back() ^= 1;
  EXPECT_THAT(Refusal(Codec::kZlib, zlib, 500), StartsWith("the zlib payload is damaged"));
  std::string zstd = Pack(Codec::kZstd, Sample(500));
  zstd[8] ^= 0x40;
  EXPECT_THAT(Refusal(Codec::kZstd, zstd, 500), StartsWith("the zstd payload "));
}

// A raw block may begin with any format's magic number: then it is still a raw block.
TEST(CompressionTest, ARawBlockThatBeginsLikeAZlibStreamIsRead) {
  const std::string_view block("\x78\x9c" "aaaaaa\x01\x00\x50zzzzz", 16);
  EXPECT_EQ(RecognizeCompressedFormat(block, 24), "a zlib stream");
  const auto out = Unpack(Codec::kLz4, block, 24);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->view(), "\x9c" "aaaaaaaaaaaaaaaaaazzzzz");
}

TEST(CompressionTest, OffsetsCountFromTheOutermostInput) {
  const std::string input = "head" + Pack(Codec::kLz4, "hi");
  base::ByteReader in(input);
  in.Skip(4);
  EXPECT_EQ(std::string(Decompress(Codec::kLz4, in, 3, kNoLimit).status().message()),
            "the lz4 payload holds 2 bytes, 3 are expected, byte 4 of 7");
}

}  // namespace
}  // namespace spillway::page
