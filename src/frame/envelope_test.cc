// SPDX-License-Identifier: Apache-2.0
#include "src/frame/envelope.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::frame {
namespace {

using ::testing::HasSubstr;
using vector::Batch;
using vector::Buffer;

using namespace std::string_literals;

std::string Error(const absl::Status& status) { return std::string(status.message()); }

absl::StatusOr<std::optional<Envelope>> Read(std::string_view bytes,
                                             const EnvelopeLimits& limits = {}) {
  MemorySource source(bytes);
  StreamReader in(source);
  return ReadEnvelope(in, limits);
}

std::string Write(const Envelope& envelope) { return std::string(WriteEnvelope(envelope)->view()); }

Envelope Full() {
  return {.rows = 5,
          .size_in_bytes = 99,
          .payload = Buffer::Copy("\1\2\3"),
          .stats = Buffer::Copy("st"),
          .schema = "{\"type\":\"struct\"}"};
}

void ExpectSame(const Envelope& a, const Envelope& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.size_in_bytes, b.size_in_bytes);
  EXPECT_EQ(a.payload.view(), b.payload.view());
  ASSERT_EQ(a.stats.has_value(), b.stats.has_value());
  if (a.stats.has_value()) {
    EXPECT_EQ(a.stats->view(), b.stats->view());
  }
  EXPECT_EQ(a.schema, b.schema);
}

Batch Numbers() {
  return vector::BatchOf(
      {vector::Flat<int32_t>(vector::Type::Scalar(vector::Kind::kInteger), {1, 2, 3})});
}

TEST(EnvelopeTest, EveryPartStandsWhereTheFormatSays) {
  EXPECT_EQ(Write(Full()), "\0\0\0\5" "\0\0\0\0\0\0\0\x63" "\0\0\0\4" "\1\2\3"
                           "\1" "\0\0\0\2" "st" "\1" "\0\0\0\x11" "{\"type\":\"struct\"}"s);
  EXPECT_EQ(Write({.payload = Buffer::Copy("x")}),
            "\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\2" "x" "\0\0"s);
}

TEST(EnvelopeTest, WhatIsWrittenIsRead) {
  Envelope envelope = Full();
  ExpectSame(**Read(Write(envelope)), envelope);
  envelope.stats.reset();
  ExpectSame(**Read(Write(envelope)), envelope);
  envelope.schema.reset();
  envelope.payload = Buffer();
  ExpectSame(**Read(Write(envelope)), envelope);
  envelope.stats = Buffer();
  envelope.schema = "";
  ExpectSame(**Read(Write(envelope)), envelope);
}

// BUGS 15.129 (apache/gluten#12092): streams of before the flags, and of between them.
TEST(EnvelopeTest, EndOfDataWhereAFlagBelongsIsAbsence) {
  const std::string bytes = Write(Full());
  const Envelope bare = **Read(bytes.substr(0, 19));
  EXPECT_EQ(bare.rows, 5);
  EXPECT_EQ(bare.payload.view(), "\1\2\3");
  EXPECT_FALSE(bare.stats.has_value());
  EXPECT_FALSE(bare.schema.has_value());
  const Envelope with_stats = **Read(bytes.substr(0, 19 + 1 + 4 + 2));
  EXPECT_EQ(with_stats.stats->view(), "st");
  EXPECT_FALSE(with_stats.schema.has_value());
}

TEST(EnvelopeTest, EveryOtherCutIsRefusedWithItsByte) {
  const std::string bytes = Write(Full());
  for (size_t size = 1; size < bytes.size(); ++size) {
    if (size == 19 || size == 26) continue;
    const absl::Status status = Read(bytes.substr(0, size)).status();
    EXPECT_EQ(base::ByteOffset(status), static_cast<int64_t>(size)) << status;
  }
  EXPECT_EQ(Error(Read(bytes.substr(0, 17)).status()),
            "envelope: payload needs 3 bytes, the data ends after 1, byte 17");
}

TEST(EnvelopeTest, NoBytesAreNoEnvelope) { EXPECT_FALSE(Read("")->has_value()); }

// BUGS 15.130 (apache/gluten#12147): one byte a read is no end; two batches follow each other.
TEST(EnvelopeTest, OneByteAReadIsEnough) {
  Envelope second = Full();
  second.rows = 258;
  const std::string bytes = Write(Full()) + Write(second);
  MemorySource source(bytes, /*step=*/1);
  StreamReader in(source);
  ExpectSame(**ReadEnvelope(in), Full());
  ExpectSame(**ReadEnvelope(in), second);
  EXPECT_FALSE(ReadEnvelope(in)->has_value());
  EXPECT_EQ(in.offset(), static_cast<int64_t>(bytes.size()));
}

// BUGS 15.131 (apache/gluten 491070bf3).
TEST(EnvelopeTest, NegativeAndHugeLengthsAreRefusedBeforeAllocation) {
  const auto with_length = [](std::string length) {
    return "\0\0\0\5" "\0\0\0\0\0\0\0\x63"s + length + "\1\2\3";
  };
  EXPECT_EQ(Error(Read(with_length("\xFF\xFF\xFF\xFF"s)).status()),
            "envelope: length -2 of the payload is negative, byte 12");
  EXPECT_EQ(Error(Read(with_length("\x80\0\0\0"s)).status()),
            "envelope: length -2147483649 of the payload is negative, byte 12");
  EXPECT_EQ(Error(Read(with_length("\0\0\0\0"s)).status()),
            "envelope: the payload is null, byte 12");
  const absl::Status huge = Read(with_length("\x7F\xFF\xFF\xFF"s)).status();
  EXPECT_EQ(huge.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Error(huge),
            "envelope: payload of 2147483646 bytes, the limit is 67108864, byte 12");
  const std::string front = Write(Full()).substr(0, 19);
  EXPECT_EQ(Error(Read(front + "\1\xFF\xFF\xFF\xFF"s).status()),
            "envelope: length -1 of the statistics is negative, byte 20");
  EXPECT_EQ(Error(Read(front + "\0\1\x7F\xFF\xFF\xFF"s).status()),
            "envelope: schema of 2147483647 bytes, the limit is 67108864, byte 21");
}

// A length within the limit that the data does not keep: memory grows with what arrives.
TEST(EnvelopeTest, ALengthThatLiesIsNotAllocatedFor) {
  const std::string bytes =
      "\0\0\0\5" "\0\0\0\0\0\0\0\x63" "\x04\0\0\0"s + std::string(3 << 20, 'x');
  EXPECT_EQ(Error(Read(bytes).status()),
            base::Cat("envelope: payload needs 67108863 bytes, the data ends after ", 3 << 20,
                      ", byte ", 16 + (3 << 20)));
  Envelope large = Full();
  large.payload = Buffer::Copy(std::string((5 << 20) + 17, 'y'));
  ExpectSame(**Read(Write(large)), large);
}

TEST(EnvelopeTest, LimitsHoldForEachPartInBothDirections) {
  const EnvelopeLimits limits{.max_length = 16};
  EXPECT_EQ(Error(Read(Write(Full()), limits).status()),
            "envelope: schema of 17 bytes, the limit is 16, byte 27");
  EXPECT_EQ(Error(WriteEnvelope(Full(), limits).status()),
            "envelope: schema of 17 bytes, the limit is 16");
  EXPECT_TRUE(Read(Write(Full()), {.max_length = 17}).ok());
}

TEST(EnvelopeTest, NegativeCountsAreRefused) {
  std::string bytes = Write(Full());
  bytes[0] = '\x80';
  EXPECT_EQ(Error(Read(bytes).status()), "envelope: row count -2147483643, byte 0");
  bytes = Write(Full());
  bytes[4] = '\xFF';
  EXPECT_THAT(Error(Read(bytes).status()), HasSubstr("envelope: sizeInBytes -"));
  EXPECT_FALSE(WriteEnvelope({.rows = -1}).ok());
  EXPECT_FALSE(WriteEnvelope({.size_in_bytes = -1}).ok());
}

TEST(EnvelopeTest, AFlagOtherThanZeroOrOneIsRefused) {
  std::string bytes = Write(Full());
  bytes[19] = 2;
  EXPECT_EQ(Error(Read(bytes).status()),
            "envelope: flag of the statistics is 2, not 0 or 1, byte 19");
}

// BUGS 15.132 (apache/gluten#12092): 300 takes two bytes as a varint and four here.
TEST(EnvelopeTest, CountsAreFixedWidth) {
  Envelope envelope = Full();
  envelope.rows = 300;
  EXPECT_EQ(Write(envelope).substr(0, 4), "\0\0\1\x2C"s);
  EXPECT_EQ((*Read(Write(envelope)))->rows, 300);
}

// BUGS 15.133 (apache/gluten#12092): 258 rows are 00 00 01 02, and no version 2.
TEST(EnvelopeTest, ARowCountIsNoVersion) {
  for (const int32_t rows : {2, 3, 258, 515, INT32_MAX}) {
    Envelope envelope = Full();
    envelope.rows = rows;
    EXPECT_EQ((*Read(Write(envelope)))->rows, rows);
  }
}

TEST(EnvelopeContentTest, EveryFormGoesInAndComesOut) {
  const Batch batch = Numbers();
  const stats::BatchStats stats = stats::ComputeStats(batch);
  struct Case {
    Buffer bytes;
    Format format;
    bool stats;
  };
  const Case cases[] = {{*WriteV3(batch), Format::kV3, true},
                        {*WriteV3(batch, {.statistics = false}), Format::kV3, false},
                        {*WriteV2(batch), Format::kV2, true},
                        {*page::WritePage(batch), Format::kLegacy, false}};
  for (const Case& c : cases) {
    const Envelope envelope = *MakeEnvelope(c.bytes, batch.rows(), 1234);
    const Envelope read = **Read(Write(envelope));
    const auto content = ReadEnvelopeContent(batch.schema(), read);
    ASSERT_TRUE(content.ok()) << content.status();
    EXPECT_EQ(content->format, c.format);
    EXPECT_EQ(content->stats.has_value(), c.stats);
    if (c.stats) {
      EXPECT_EQ(*content->stats, stats);
    }
    EXPECT_EQ(vector::FirstDifference(content->batch, batch), std::nullopt);
  }
}

TEST(EnvelopeContentTest, V2LiesInTwoPartsAndV3InOne) {
  const Batch batch = Numbers();
  const Envelope v2 = *MakeEnvelope(*WriteV2(batch), 3, 0);
  EXPECT_EQ(v2.payload.view(), page::WritePage(batch)->view());
  EXPECT_TRUE(v2.stats.has_value());
  EXPECT_EQ(AssembleV2(v2.stats->view(), v2.payload.view())->view(), WriteV2(batch)->view());
  const Envelope v3 = *MakeEnvelope(*WriteV3(batch), 3, 0);
  EXPECT_EQ(v3.payload.view(), WriteV3(batch)->view());
  EXPECT_FALSE(v3.stats.has_value());
}

// BUGS 15.138 (apache/gluten#12224): statistics beside the payload have one entry a column.
TEST(EnvelopeContentTest, StatisticsOfOtherColumnsAreRefused) {
  const Batch batch = Numbers();
  const Batch two = vector::BatchOf({batch.columns()[0], batch.columns()[0]});
  Envelope envelope = *MakeEnvelope(*WriteV2(batch), 3, 0);
  envelope.stats = SplitV2(*WriteV2(two))->stats;
  EXPECT_THAT(Error(ReadEnvelopeContent(batch.schema(), envelope).status()),
              HasSubstr("statistics: statistics of 2 columns, the schema has 1"));
  envelope.stats = SplitV2(*WriteV2(Batch(vector::Type::Row({}, {}), 3, {})))->stats;
  EXPECT_THAT(Error(ReadEnvelopeContent(batch.schema(), envelope).status()),
              HasSubstr("statistics: statistics of 0 columns, the schema has 1"));
}

TEST(EnvelopeContentTest, EnvelopeAndPayloadAgreeOnTheRows) {
  const Envelope envelope = *MakeEnvelope(*WriteV3(Numbers()), 4, 0);
  EXPECT_EQ(Error(ReadEnvelopeContent(Numbers().schema(), envelope).status()),
            "the envelope says 4 rows, its payload has 3");
  EXPECT_FALSE(MakeEnvelope(Buffer(), int64_t{1} << 31, 0).ok());
}

}  // namespace
}  // namespace spillway::frame
