// SPDX-License-Identifier: Apache-2.0
#include "src/page/compressed_format.h"

namespace spillway::page {
namespace {

using std::string_view_literals::operator""sv;

struct Magic {
  std::string_view bytes;
  std::string_view name;
};

constexpr Magic kMagics[] = {
    {"\x04\x22\x4D\x18"sv, "an LZ4 frame"},
    {"\x02\x21\x4C\x18"sv, "a legacy LZ4 frame"},
    {"\x28\xB5\x2F\xFD"sv, "a Zstd frame"},
    {"\x1F\x8B\x08"sv, "a gzip member"},
    {"\xFF\x06\x00\x00sNaPpY"sv, "a Snappy framing stream"},
    // Deflate with a 32 KiB window and each of the four level marks.
    {"\x78\x01"sv, "a zlib stream"},
    {"\x78\x5E"sv, "a zlib stream"},
    {"\x78\x9C"sv, "a zlib stream"},
    {"\x78\xDA"sv, "a zlib stream"},
};

uint32_t BigEndian32(std::string_view bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

bool IsHadoopFramed(std::string_view bytes, int64_t uncompressed_size) {
  constexpr size_t kLengths = 8;
  return bytes.size() >= kLengths && BigEndian32(bytes) == uncompressed_size &&
         BigEndian32(bytes.substr(4)) <= bytes.size() - kLengths;
}

}  // namespace

std::string_view RecognizeCompressedFormat(std::string_view bytes, int64_t uncompressed_size) {
  for (const Magic& magic : kMagics) {
    if (bytes.substr(0, magic.bytes.size()) == magic.bytes) return magic.name;
  }
  if (IsHadoopFramed(bytes, uncompressed_size)) return "a Hadoop framed stream";
  return {};
}

}  // namespace spillway::page
