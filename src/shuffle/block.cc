// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/block.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "src/arrow/stream_reader.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::shuffle {
namespace {

using base::Invalid;
using vector::Batch;
using vector::Buffer;

constexpr int64_t kMaxLength = std::numeric_limits<int32_t>::max();
constexpr size_t kCodecBytes = 4;
constexpr std::array<std::string_view, 4> kTags = {"NONE", "LZ4_", "ZSTD", "SNAP"};  // by codec

std::string Header(const vector::Type& schema, BlockCodec codec, int64_t payload) {
  std::string header(BlockHeader::kSize, '\0');
  base::Store(header.data(), static_cast<uint64_t>(payload + BlockHeader::kCounted));
  base::Store(header.data() + 8, uint64_t{schema.children().size()});
  const std::string_view tag = kTags[static_cast<size_t>(codec)];
  std::copy(tag.begin(), tag.end(), header.begin() + 16);
  return header;
}

}  // namespace

absl::StatusOr<BlockWriter> BlockWriter::Create(vector::TypePtr schema,
                                                const BlockOptions& options) {
  SPILLWAY_ASSIGN_OR_RETURN(arrow::StreamWriter stream,
                            arrow::StreamWriter::Create(std::move(schema), options.stream));
  SPILLWAY_ASSIGN_OR_RETURN(BlockCompressor compressor,
                            BlockCompressor::Create(options.codec, options.zstd_level));
  return BlockWriter(options.codec, std::move(stream), std::move(compressor));
}

absl::Status BlockWriter::Append(const Batch& rows, arrow::Pieces& out) {
  if (rows.rows() == 0) return absl::OkStatus();
  arrow::Pieces payload;
  SPILLWAY_RETURN_IF_ERROR(stream_.AppendStream(rows, payload));
  if (codec_ != BlockCodec::kNone) {
    SPILLWAY_ASSIGN_OR_RETURN(const std::string_view compressed,
                              compressor_.Compress(payload.list()));
    payload.Clear();
    payload.Borrow(compressed);
  }
  if (payload.size() > kMaxLength - BlockHeader::kCounted) {
    return base::Exhausted("shuffle block: ", payload.size(), " bytes of payload, over 2^31 - 1");
  }
  out.Share(Buffer::Own(Header(*stream_.schema(), codec_, payload.size())));
  out.Append(std::move(payload));
  return absl::OkStatus();
}

absl::StatusOr<BlockHeader> ReadBlockHeader(std::string_view bytes, int64_t available) {
  if (static_cast<int64_t>(bytes.size()) < BlockHeader::kSize) {
    return Invalid("a block's header of ", BlockHeader::kSize, " bytes, ", bytes.size(), " remain");
  }
  const auto length = base::Load<uint64_t>(bytes.data());
  const auto fields = base::Load<uint64_t>(bytes.data() + 8);
  const std::string_view tag = bytes.substr(16, kCodecBytes);
  if (length < static_cast<uint64_t>(BlockHeader::kCounted) ||
      length > static_cast<uint64_t>(kMaxLength)) {
    return Invalid("a block of length ", length, ", not ", BlockHeader::kCounted, " to 2^31 - 1");
  }
  if (fields > static_cast<uint64_t>(kMaxLength)) return Invalid("a block of ", fields, " columns");
  const auto codec = std::find(kTags.begin(), kTags.end(), tag);
  if (codec == kTags.end()) {
    return Invalid("a block of codec `", absl::CHexEscape(base::ToAbsl(tag)),
                   "`, not NONE, LZ4_, ZSTD or SNAP");
  }
  const BlockHeader header = {static_cast<int64_t>(length), static_cast<int64_t>(fields),
                              static_cast<BlockCodec>(codec - kTags.begin())};
  if (header.block_bytes() > available) {
    return Invalid("a block of ", header.block_bytes(), " bytes, ", available, " remain");
  }
  return header;
}

absl::StatusOr<Batch> ReadBlock(const Buffer& block, const BlockReadOptions& options) {
  SPILLWAY_ASSIGN_OR_RETURN(const BlockHeader header, ReadBlockHeader(block.view(), block.size()));
  if (header.block_bytes() != block.size()) {
    return Invalid(block.size() - header.block_bytes(), " bytes left over behind the block");
  }
  const int64_t payload = block.size() - BlockHeader::kSize;
  SPILLWAY_ASSIGN_OR_RETURN(
      Buffer stream,
      DecompressBlock(header.codec, block.Slice(BlockHeader::kSize, payload), options.max_bytes));
  SPILLWAY_ASSIGN_OR_RETURN(arrow::StreamReader reader, arrow::StreamReader::Open(stream));
  const auto fields = static_cast<int64_t>(reader.schema()->children().size());
  if (fields != header.fields) {
    return Invalid("a header for ", header.fields, " columns, a schema of ", fields);
  }
  SPILLWAY_ASSIGN_OR_RETURN(std::optional<Batch> batch, reader.Next());
  if (!batch.has_value()) return Invalid("a block without a record batch");
  SPILLWAY_ASSIGN_OR_RETURN(const std::optional<Batch> second, reader.Next());
  if (second.has_value()) return Invalid("a block of more than one record batch");
  return *std::move(batch);
}

}  // namespace spillway::shuffle
