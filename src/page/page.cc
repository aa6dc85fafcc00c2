// SPDX-License-Identifier: Apache-2.0
#include "src/page/page.h"

#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/page/checksum.h"
#include "src/vector/column_name.h"

namespace spillway::page {
namespace {

using base::ByteReader;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::TypePtr;

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

// Offsets of the header's fields.
constexpr int64_t kMarkerAt = 4;
constexpr int64_t kUncompressedSizeAt = 5;
constexpr int64_t kSizeAt = 9;
constexpr int64_t kChecksumAt = 13;

// Velox's default ratio, exactly: compressed <= 0.8 x uncompressed.
bool SavesEnough(int64_t compressed, int64_t uncompressed) {
  return 5 * compressed <= 4 * uncompressed;
}

absl::Status CheckHeader(const PageHeader& header, const ByteReader& in, int64_t start) {
  if (header.rows < 0) return in.ErrorAt(start, "negative row count ", header.rows);
  if ((header.marker & ~(kCompressedBit | kEncryptedBit | kChecksummedBit)) != 0) {
    return in.ErrorAt(start + kMarkerAt, "unknown bits in marker ", int{header.marker});
  }
  if (header.uncompressed_size < 0) {
    return in.ErrorAt(start + kUncompressedSizeAt, "negative uncompressed size ",
                      header.uncompressed_size);
  }
  if (header.size < 0) return in.ErrorAt(start + kSizeAt, "negative size ", header.size);
  if ((header.marker & kCompressedBit) == 0 && header.size != header.uncompressed_size) {
    return in.ErrorAt(start + kSizeAt, "size ", header.size,
                      " of an uncompressed page is not its uncompressed size ",
                      header.uncompressed_size);
  }
  if (header.size != in.remaining()) {
    return in.ErrorAt(start + kSizeAt, "payload of ", header.size, " bytes, ", in.remaining(),
                      " follow the header");
  }
  const auto checksum = static_cast<uint64_t>(header.checksum);
  if ((header.marker & kChecksummedBit) == 0 && checksum != 0) {
    return in.ErrorAt(start + kChecksumAt, absl::StrFormat("checksum %016x", checksum),
                      " without the checksum flag");
  }
  if (checksum >> 32 != 0) {
    return in.ErrorAt(start + kChecksumAt, absl::StrFormat("checksum %016x", checksum),
                      " does not fit 32 bits");
  }
  return absl::OkStatus();
}

absl::Status CheckChecksum(const PageHeader& header, const ByteReader& in) {
  if ((header.marker & kChecksummedBit) == 0) return absl::OkStatus();
  const std::string_view payload(reinterpret_cast<const char*>(in.cursor()), header.size);
  const uint32_t actual =
      PageChecksum(payload, header.marker, header.rows, header.uncompressed_size);
  if (actual == static_cast<uint64_t>(header.checksum)) return absl::OkStatus();
  return in.ErrorAt(in.offset() - kPageHeaderSize + kChecksumAt,
                    absl::StrFormat("checksum %08x, the page's bytes have %08x",
                                    static_cast<uint32_t>(header.checksum), actual));
}

// A page whose payload cannot be read under `options`, found before its bytes are looked at.
absl::Status CheckMarker(const PageHeader& header, const ByteReader& in, int64_t start,
                         const PageReadOptions& options) {
  if ((header.marker & kEncryptedBit) != 0) {
    return in.At(start + kMarkerAt, absl::UnimplementedError("the page is encrypted"));
  }
  if ((header.marker & kCompressedBit) != 0 && options.codec == Codec::kNone) {
    return in.At(start + kMarkerAt,
                 absl::UnimplementedError("the page is compressed and no codec is configured"));
  }
  return absl::OkStatus();
}

// Reads the columns off the uncompressed payload that `in` has left, bytes of `input`.
absl::StatusOr<Batch> ReadPayload(const TypePtr& schema, int64_t rows, const Buffer& input,
                                  ByteReader& in, const ReadLimits& limits) {
  const int64_t count_at = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const int32_t count, in.Read<int32_t>("column count"));
  const size_t expected = schema->children().size();
  if (count < 0 || static_cast<size_t>(count) != expected) {
    return in.ErrorAt(count_at, count, " columns, the schema has ", expected);
  }
  BlockReader blocks(input, in, limits);
  std::vector<ColumnPtr> columns;
  columns.reserve(expected);
  for (size_t i = 0; i < expected; ++i) {
    absl::StatusOr<ColumnPtr> column = blocks.Read(schema->children()[i], rows);
    if (!column.ok()) return base::In(vector::ColumnName(*schema, i), std::move(column).status());
    columns.push_back(*std::move(column));
  }
  SPILLWAY_RETURN_IF_ERROR(in.ExpectEnd("last column"));
  return Batch(schema, rows, std::move(columns));
}

}  // namespace

absl::StatusOr<PageHeader> ReadPageHeader(ByteReader& in) {
  const int64_t start = in.offset();
  SPILLWAY_RETURN_IF_ERROR(in.Need(kPageHeaderSize, "page header"));
  const uint8_t* at = in.cursor();
  PageHeader header;
  header.rows = base::Load<int32_t>(at);
  header.marker = at[kMarkerAt];
  header.uncompressed_size = base::Load<int32_t>(at + kUncompressedSizeAt);
  header.size = base::Load<int32_t>(at + kSizeAt);
  header.checksum = base::Load<int64_t>(at + kChecksumAt);
  in.Skip(kPageHeaderSize);
  SPILLWAY_RETURN_IF_ERROR(CheckHeader(header, in, start));
  return header;
}

absl::StatusOr<PagePlan> PagePlan::Make(const Batch& batch, const PageWriteOptions& options) {
  PagePlan plan;
  plan.rows_ = batch.rows();
  plan.marker_ = options.checksum ? kChecksummedBit : 0;
  plan.payload_size_ = sizeof(int32_t);
  if (plan.rows_ > kMaxInt32) {
    return base::Exhausted(plan.rows_, " rows do not fit a page, whose limit is ", kMaxInt32);
  }
  int64_t budget = options.max_expanded_bytes;
  plan.blocks_.reserve(batch.columns().size());
  for (size_t i = 0; i < batch.columns().size(); ++i) {
    absl::StatusOr<BlockPlan> block =
        BlockPlan::Make(batch.columns()[i], options.encoding, &budget);
    if (!block.ok()) {
      return base::In(vector::ColumnName(*batch.schema(), i), std::move(block).status());
    }
    plan.payload_size_ += block->size();
    // Now rather than behind the last column: each that was flattened holds its memory.
    if (plan.payload_size_ > kMaxInt32) {
      return base::Exhausted("a payload of ", plan.payload_size_,
                             " bytes does not fit a page, whose limit is ", kMaxInt32);
    }
    plan.blocks_.push_back(*std::move(block));
  }
  plan.stored_size_ = plan.payload_size_;
  if (options.codec != Codec::kNone && plan.payload_size_ >= options.min_bytes_to_compress) {
    SPILLWAY_RETURN_IF_ERROR(plan.CompressPayload(options.codec));
  }
  return plan;
}

// Writes the payload as it is stored and calls `written` with each part of it, which is still in
// the cache then.
template <typename Written>
uint8_t* PagePlan::WritePayload(uint8_t* out, Written written) const {
  const auto part = [&](uint8_t* end) {
    written(std::string_view(reinterpret_cast<const char*>(out), end - out));
    out = end;
  };
  if ((marker_ & kCompressedBit) != 0) {
    std::memcpy(out, compressed_.data(), compressed_.size());
    part(out + compressed_.size());
    return out;
  }
  base::Store(out, static_cast<int32_t>(blocks_.size()));
  part(out + sizeof(int32_t));
  for (const BlockPlan& block : blocks_) part(block.Write(out));
  return out;
}

absl::Status PagePlan::CompressPayload(Codec codec) {
  vector::MutableBuffer raw(payload_size_);
  WritePayload(raw.data(), [](std::string_view) {});
  const Buffer payload = std::move(raw).Freeze();
  SPILLWAY_ASSIGN_OR_RETURN(Buffer compressed, Compress(codec, payload.view()));
  if (!SavesEnough(compressed.size(), payload_size_)) return absl::OkStatus();
  stored_size_ = compressed.size();
  compressed_ = std::move(compressed);
  marker_ |= kCompressedBit;
  return absl::OkStatus();
}

uint8_t* PagePlan::Write(uint8_t* out) const {
  const auto rows = static_cast<int32_t>(rows_);
  const auto uncompressed_size = static_cast<int32_t>(payload_size_);
  uint8_t* const payload = out + kPageHeaderSize;
  uint8_t* end;
  int64_t checksum = 0;
  if ((marker_ & kChecksummedBit) != 0) {
    PageChecksummer sum;
    end = WritePayload(payload, [&](std::string_view part) { sum.Add(part); });
    checksum = sum.Finish(marker_, rows, uncompressed_size);
  } else {
    end = WritePayload(payload, [](std::string_view) {});
  }
  base::Store(out, rows);
  out[kMarkerAt] = marker_;
  base::Store(out + kUncompressedSizeAt, uncompressed_size);
  base::Store(out + kSizeAt, static_cast<int32_t>(stored_size_));
  base::Store(out + kChecksumAt, checksum);
  return end;
}

absl::StatusOr<Buffer> WritePage(const Batch& batch, const PageWriteOptions& options) {
  SPILLWAY_ASSIGN_OR_RETURN(const PagePlan plan, PagePlan::Make(batch, options));
  vector::MutableBuffer out(plan.size());
  plan.Write(out.data());
  return std::move(out).Freeze();
}

absl::StatusOr<Batch> ReadPage(const TypePtr& schema, const Buffer& bytes,
                               const PageReadOptions& options) {
  ByteReader in(bytes.view());
  return ReadPage(schema, bytes, in, options);
}

absl::StatusOr<Batch> ReadPage(const TypePtr& schema, const Buffer& input, ByteReader& in,
                               const PageReadOptions& options) {
  const int64_t start = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const PageHeader header, ReadPageHeader(in));
  SPILLWAY_RETURN_IF_ERROR(CheckMarker(header, in, start, options));
  const ReadLimits& limits = options.limits;
  if (header.rows > limits.max_rows) {
    return in.At(start, base::Exhausted(header.rows, " rows, the limit is ", limits.max_rows));
  }
  SPILLWAY_RETURN_IF_ERROR(CheckChecksum(header, in));
  if ((header.marker & kCompressedBit) == 0) {
    return ReadPayload(schema, header.rows, input, in, limits);
  }
  SPILLWAY_ASSIGN_OR_RETURN(const Buffer payload, Decompress(options.codec, in,
                                                             header.uncompressed_size,
                                                             options.max_uncompressed_bytes));
  ByteReader payload_in(payload.view());
  return base::In("in the decompressed payload",
                  ReadPayload(schema, header.rows, payload, payload_in, limits));
}

}  // namespace spillway::page
