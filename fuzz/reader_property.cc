// SPDX-License-Identifier: Apache-2.0
#include "fuzz/reader_property.h"

#include <array>
#include <cstdint>
#include <utility>

#include "src/base/byte_reader.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/block_reader.h"
#include "src/page/compression.h"
#include "src/vector/buffer.h"
#include "src/vector/compare.h"
#include "src/vector/flatten.h"
#include "src/vector/type.h"

namespace spillway::fuzz {
namespace {

using page::Codec;
using page::EncodingChoice;
using vector::Batch;
using vector::Buffer;
using vector::Type;
using vector::TypePtr;

using Rule = std::optional<std::string>;

// Numbers of inputs in the corpus: schemas and codecs are added behind the others.
constexpr std::array<std::string_view, 14> kSchemas = {
    "ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>",
    "ROW<c:BOOLEAN>",
    "ROW<c:DECIMAL(38, 4)>",
    "ROW<c:TIMESTAMP>",
    "ROW<c:VARBINARY,d:UNKNOWN>",
    "ROW<c:DECIMAL(12, 4),d:SMALLINT>",
    "ROW<c:ARRAY<INTEGER>>",
    "ROW<c:MAP<VARCHAR,BIGINT>>",
    "ROW<c:ROW<a:INTEGER,b:VARCHAR>>",
    "ROW<c:ARRAY<ROW<x:INTEGER,y:ARRAY<VARCHAR>>>>",
    "ROW<c:HUGEINT>",
    "ROW<>",
    "ROW<c:BIGINT>",
    "ROW<c:VARCHAR>",
};
constexpr std::array<Codec, 6> kCodecs = {Codec::kNone,   Codec::kLz4,  Codec::kZstd,
                                          Codec::kSnappy, Codec::kZlib, Codec::kGzip};

// Small, so that the time goes into the readers and not into clearing memory.
constexpr page::ReadLimits kLimits = {.max_rows = 1 << 16, .max_decoded_bytes = 1 << 20};
constexpr int64_t kMaxUncompressedBytes = 1 << 16;
constexpr int64_t kMaxFlatBytes = 1 << 22;

class Property {
 public:
  Property(TypePtr schema, Codec compression, const PageCodec& codec)
      : schema_(std::move(schema)), compression_(compression), codec_(codec) {}

  Rule OfPage(const Buffer& input) const { return OfRead(Read(input)); }

  Rule OfV2(const Buffer& input) const {
    const auto content = frame::ReadV2(schema_, input, kLimits);
    return content.ok() ? OfBatch(content->batch) : OfError(content.status());
  }

  Rule OfV3(const Buffer& input) const {
    const auto frame = frame::V3Frame::Open(schema_, input, kLimits);
    return frame.ok() ? OfRead(frame->Read()) : OfError(frame.status());
  }

  Rule OfBlock(const Buffer& input) const {
    if (schema_->children().empty()) return std::nullopt;
    base::ByteReader in(input.view());
    const auto column = page::BlockReader(input, in, kLimits).Read(schema_->children()[0]);
    return column.ok() ? std::nullopt : OfError(column.status());
  }

  // `input` is a page header, of which only the row count is taken, and a payload.
  Rule OfPayload(const Buffer& input) const {
    if (compression_ == Codec::kNone || input.size() < page::kPageHeaderSize) return std::nullopt;
    const std::string_view payload = input.view().substr(page::kPageHeaderSize);
    if (static_cast<int64_t>(payload.size()) > kMaxUncompressedBytes) return std::nullopt;
    const auto compressed = page::Compress(compression_, payload);
    if (!compressed.ok()) return "a small payload does not compress";
    const auto rows = base::Load<int32_t>(input.data());
    const auto raw_read = Read(Page(rows, 0, payload.size(), payload));
    const auto read =
        Read(Page(rows, page::kCompressedBit, payload.size(), compressed->view()));
    if (raw_read.ok() != read.ok()) return "a payload reads raw or compressed, but not both";
    if (!read.ok()) return OfError(read.status());
    if (vector::FirstDifference(*raw_read, *read).has_value()) {
      return "a payload reads differently when it is compressed";
    }
    return std::nullopt;
  }

 private:
  static Buffer Page(int32_t rows, uint8_t marker, size_t uncompressed, std::string_view stored) {
    std::string bytes(page::kPageHeaderSize, '\0');
    base::Store<int32_t>(bytes.data(), rows);
    bytes[4] = static_cast<char>(marker);
    base::Store<int32_t>(bytes.data() + 5, static_cast<int32_t>(uncompressed));
    base::Store<int32_t>(bytes.data() + 9, static_cast<int32_t>(stored.size()));
    bytes += stored;
    return Buffer::Own(std::move(bytes));
  }

  absl::StatusOr<Batch> Read(const Buffer& bytes) const {
    return codec_.read(schema_, bytes,
                       {.limits = kLimits,
                        .codec = compression_,
                        .max_uncompressed_bytes = kMaxUncompressedBytes});
  }

  static Rule OfError(const absl::Status& status) {
    if (base::ByteOffset(status).has_value()) return std::nullopt;
    return base::Cat("refused without a byte: ", base::ToStd(status.message()));
  }

  Rule OfRead(const absl::StatusOr<Batch>& read) const {
    return read.ok() ? OfBatch(*read) : OfError(read.status());
  }

  Rule OfBatch(const Batch& batch) const {
    // Few bytes can stand for gigabytes of rows, which would be written flat.
    for (const vector::ColumnPtr& column : batch.columns()) {
      if (!vector::Flatten(column, {.max_bytes = kMaxFlatBytes}).ok()) return std::nullopt;
    }
    for (const EncodingChoice encoding :
         {EncodingChoice::kFlatten, EncodingChoice::kVeloxBatch, EncodingChoice::kPreserve,
          EncodingChoice::kSmallest}) {
      if (Rule rule = OfWriting(batch, {.encoding = encoding}); rule.has_value()) return rule;
    }
    return OfWriting(batch, {.codec = compression_});
  }

  Rule OfWriting(const Batch& batch, const page::PageWriteOptions& options) const {
    const auto written = codec_.write(batch, options);
    if (!written.ok()) {
      return base::Cat("what was read does not write: ", base::ToStd(written.status().message()));
    }
    const auto again = codec_.read(batch.schema(), *written, {.codec = options.codec});
    if (!again.ok()) {
      return base::Cat("what was written does not read: ", base::ToStd(again.status().message()));
    }
    const auto difference = vector::FirstDifference(batch, *again);
    if (difference.has_value()) return base::Cat("written and read back: ", *difference);
    return std::nullopt;
  }

  const TypePtr schema_;
  const Codec compression_;
  const PageCodec& codec_;
};

}  // namespace

std::optional<std::string> BrokenRule(std::string_view input, const PageCodec& codec) {
  if (input.size() < 2) return std::nullopt;
  const auto pick = [&](size_t at, size_t size) { return static_cast<uint8_t>(input[at]) % size; };
  const Property property(*Type::Parse(kSchemas[pick(0, kSchemas.size())]),
                          kCodecs[pick(1, kCodecs.size())], codec);
  const Buffer bytes = Buffer::Copy(input.substr(2));
  if (Rule rule = property.OfPage(bytes); rule.has_value()) return rule;
  if (Rule rule = property.OfPayload(bytes); rule.has_value()) return rule;
  if (Rule rule = property.OfV2(bytes); rule.has_value()) return rule;
  if (Rule rule = property.OfV3(bytes); rule.has_value()) return rule;
  return property.OfBlock(bytes);
}

}  // namespace spillway::fuzz
