// SPDX-License-Identifier: Apache-2.0
#pragma once
// The codecs of a page's payload, each in the form that Velox writes (FORMAT section 1).
// docs/format/compression.md.

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/base/byte_reader.h"
#include "src/vector/buffer.h"

namespace spillway::page {

// A page does not say which codec it is compressed with: writer and reader are configured alike.
enum class Codec : uint8_t {
  kNone,
  kLz4,     // one raw block; no frame, no length in front
  kZstd,    // one frame
  kSnappy,  // one raw block, which begins with its uncompressed length
  kZlib,    // one zlib stream (RFC 1950)
  kGzip,    // one gzip member (RFC 1952)
};

// "none", "lz4", "zstd", "snappy", "zlib", "gzip".
std::string_view CodecName(Codec codec);
// The codec of that name; otherwise InvalidArgument with the names that there are.
absl::StatusOr<Codec> ParseCodec(std::string_view name);

// `bytes` in the codec's form at its default level; kNone copies. The result depends on the version
// of the codec's library.
//
//   OK                 the compressed bytes, which may be more than the input
//   ResourceExhausted  more bytes than the codec takes in one piece, or no memory for its state
absl::StatusOr<vector::Buffer> Compress(Codec codec, std::string_view bytes);

// The `size` bytes that all of `in` holds in the codec's form, in memory of their own; `in` stands
// at its end afterwards.
//
//   OK                 exactly `size` bytes
//   InvalidArgument    damaged, more or fewer bytes, another format ("an LZ4 frame where a raw LZ4
//                      block is expected"), or something behind the end
//   ResourceExhausted  `size` > `max_bytes`, or either side over 2^31 - 1 bytes
//
// Nothing is allocated for a size over the limit, for one that differs from what the input itself
// says, or for one that so few compressed bytes cannot hold in the codec's densest form.
absl::StatusOr<vector::Buffer> Decompress(Codec codec, base::ByteReader& in, int64_t size,
                                          int64_t max_bytes);

}  // namespace spillway::page
