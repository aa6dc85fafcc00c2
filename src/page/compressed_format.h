// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names the container formats that other systems put around compressed bytes.

#include <cstdint>
#include <string_view>

namespace spillway::page {

// What `bytes` begin as: "an LZ4 frame", "a legacy LZ4 frame", "a Zstd frame", "a zlib stream",
// "a gzip member", "a Snappy framing stream", "a Hadoop framed stream". Empty if nothing is
// recognised, as with the raw blocks of LZ4 and Snappy, which have no magic number.
// `uncompressed_size` is what the bytes should hold: Hadoop's framing (big-endian total, big-endian
// length of the first chunk) shows by it.
//
// For diagnosis after a codec has refused the bytes: a raw block may begin like a zlib stream.
std::string_view RecognizeCompressedFormat(std::string_view bytes, int64_t uncompressed_size);

}  // namespace spillway::page
