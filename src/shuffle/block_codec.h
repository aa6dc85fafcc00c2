// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the payload of a shuffle block is compressed: as a whole, in each codec's self-contained
// form. Not the codecs of Presto pages (src/page/compression.h), whose forms are others.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/vector/buffer.h"

namespace spillway::shuffle {

enum class BlockCodec : uint8_t {
  kNone,
  kLz4,     // an LZ4 frame: independent blocks of 64 KiB, no checksums, no content size
  kZstd,    // a Zstandard frame without content size
  kSnappy,  // Snappy's framing format
};

// "none", "lz4", "zstd", "snappy".
std::string_view BlockCodecName(BlockCodec codec);
// InvalidArgument, with the nearest name, if there is no such codec.
absl::StatusOr<BlockCodec> ParseBlockCodec(std::string_view name);

// Compresses blocks one after the other; keeps the codec's state. Not thread-safe.
class BlockCompressor {
 public:
  // `zstd_level` counts for kZstd only. InvalidArgument if Zstandard has no such level,
  // ResourceExhausted if there is no memory for the codec's state.
  static absl::StatusOr<BlockCompressor> Create(BlockCodec codec, int zstd_level);
  BlockCompressor(BlockCompressor&&) noexcept;
  BlockCompressor& operator=(BlockCompressor&&) noexcept;
  ~BlockCompressor();

  // All pieces, one behind the other, as one payload, which stays until the next call. Not for
  // kNone, whose payload is the pieces. Internal: the codec's library failed.
  absl::StatusOr<std::string_view> Compress(std::span<const std::string_view> pieces);

  // Bytes kept between calls, the codec's own state not counted.
  int64_t scratch_bytes() const;

 private:
  struct State;

  BlockCompressor(BlockCodec codec, std::unique_ptr<State> state);

  BlockCodec codec_;
  std::unique_ptr<State> state_;
};

// What `payload` holds; kNone gives the payload itself.
//
//   OK                 the content
//   InvalidArgument    damaged, cut off, or something behind its end
//   ResourceExhausted  the content is larger than `max_bytes`
//
// Memory grows with what has really been decompressed, whatever the payload claims.
absl::StatusOr<vector::Buffer> DecompressBlock(BlockCodec codec, const vector::Buffer& payload,
                                               int64_t max_bytes);

}  // namespace spillway::shuffle
