// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/snappy_frame.h"

#include <snappy.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "src/base/byte_reader.h"
#include "src/base/crc32c.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"

namespace spillway::shuffle {
namespace {

using base::ByteReader;
using vector::Buffer;
using vector::MutableBuffer;

constexpr std::string_view kIdentifier("\xff\x06\x00\x00sNaPpY", 10);
constexpr uint8_t kCompressed = 0x00;
constexpr uint8_t kStored = 0x01;
constexpr uint8_t kFirstSkippable = 0x80;
constexpr uint8_t kIdentifierChunk = 0xff;
constexpr size_t kMaxContent = 65536;
constexpr size_t kDensest = 22;  // a copy of 64 bytes in 3
constexpr size_t kHead = 4;      // kind, length in 24 bits
constexpr size_t kChecksum = 4;  // counted in the length

uint32_t MaskedCrc(std::string_view content) {
  const uint32_t crc = base::Crc32c(content);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8;
}

// Cuts pieces into contents of 64 KiB; only those that cross a piece's end are copied.
class Chunker {
 public:
  explicit Chunker(std::span<const std::string_view> pieces) : pieces_(pieces) {}

  // The next content; empty: there is none.
  std::string_view Next() {
    SkipEmpty();
    if (pieces_.empty()) return {};
    const std::string_view whole = pieces_.front().substr(taken_, kMaxContent);
    if (whole.size() == kMaxContent || pieces_.size() == 1) {
      taken_ += whole.size();
      return whole;
    }
    content_.clear();
    while (!pieces_.empty() && content_.size() < kMaxContent) {
      const std::string_view part = pieces_.front().substr(taken_, kMaxContent - content_.size());
      content_.append(part);
      taken_ += part.size();
      SkipEmpty();
    }
    return content_;
  }

 private:
  void SkipEmpty() {
    while (!pieces_.empty() && taken_ == pieces_.front().size()) {
      pieces_ = pieces_.subspan(1);
      taken_ = 0;
    }
  }

  std::span<const std::string_view> pieces_;
  size_t taken_ = 0;  // of the first piece
  std::string content_;
};

struct Chunk {
  uint8_t kind = 0;
  std::string_view body;  // behind the head
  int64_t at = 0;
};

absl::StatusOr<Chunk> ReadChunk(ByteReader& in) {
  Chunk chunk;
  chunk.at = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const auto head, in.Read<uint32_t>("a chunk's head"));
  chunk.kind = static_cast<uint8_t>(head);
  SPILLWAY_ASSIGN_OR_RETURN(chunk.body, in.ReadBytes(head >> 8, "a chunk"));
  return chunk;
}

bool HasContent(const Chunk& chunk) { return chunk.kind == kCompressed || chunk.kind == kStored; }

absl::StatusOr<size_t> ContentSize(const Chunk& chunk, const ByteReader& in) {
  size_t size = 0;
  if (chunk.body.size() < kChecksum) return in.ErrorAt(chunk.at, "a chunk without a checksum");
  const std::string_view data = chunk.body.substr(kChecksum);
  if (chunk.kind == kStored) {
    size = data.size();
  } else if (!snappy::GetUncompressedLength(data.data(), data.size(), &size)) {
    return in.ErrorAt(chunk.at, "a chunk that is damaged");
  }
  if (size > kMaxContent) return in.ErrorAt(chunk.at, "a chunk of ", size, " bytes, over 65536");
  if (size > kDensest * data.size()) {
    return in.ErrorAt(chunk.at, "a chunk of ", size, " bytes in ", data.size());
  }
  return size;
}

// Size of the whole content.
absl::StatusOr<int64_t> Measure(std::string_view stream, int64_t max_bytes) {
  ByteReader in(stream);
  if (stream.substr(0, kIdentifier.size()) != kIdentifier) {
    return in.ErrorAt(0, "no Snappy stream identifier");
  }
  int64_t total = 0;
  while (!in.at_end()) {
    SPILLWAY_ASSIGN_OR_RETURN(const Chunk chunk, ReadChunk(in));
    if (HasContent(chunk)) {
      SPILLWAY_ASSIGN_OR_RETURN(const size_t size, ContentSize(chunk, in));
      total += static_cast<int64_t>(size);
      if (total > max_bytes) {
        return in.At(chunk.at, base::Exhausted("over ", max_bytes, " bytes after decompression"));
      }
    } else if (chunk.kind == kIdentifierChunk) {
      if (chunk.body != kIdentifier.substr(kHead)) {
        return in.ErrorAt(chunk.at, "another stream identifier");
      }
    } else if (chunk.kind < kFirstSkippable) {
      return in.ErrorAt(chunk.at, "chunk of unknown kind ", int{chunk.kind});
    }
  }
  return total;
}

}  // namespace

Buffer FrameSnappy(std::span<const std::string_view> pieces) {
  size_t total = 0;
  for (const std::string_view piece : pieces) total += piece.size();
  const size_t chunks = total / kMaxContent + 1;
  MutableBuffer out(static_cast<int64_t>(
      kIdentifier.size() +
      chunks * (kHead + kChecksum + snappy::MaxCompressedLength(kMaxContent))));
  auto* const begin = reinterpret_cast<char*>(out.data());
  char* at = std::copy(kIdentifier.begin(), kIdentifier.end(), begin);
  Chunker chunker(pieces);
  for (std::string_view content = chunker.Next(); !content.empty(); content = chunker.Next()) {
    char* const data = at + kHead + kChecksum;
    size_t size = 0;
    snappy::RawCompress(content.data(), content.size(), data, &size);
    uint8_t kind = kCompressed;
    if (size >= content.size() - content.size() / 8) {
      kind = kStored;
      size = content.size();
      std::copy(content.begin(), content.end(), data);
    }
    base::Store(at, static_cast<uint32_t>((size + kChecksum) << 8 | kind));
    base::Store(at + kHead, MaskedCrc(content));
    at = data + size;
  }
  return std::move(out).Freeze(at - begin);
}

absl::StatusOr<Buffer> UnframeSnappy(std::string_view stream, int64_t max_bytes) {
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t total, Measure(stream, max_bytes));
  MutableBuffer out(total);
  auto* at = reinterpret_cast<char*>(out.data());
  ByteReader in(stream);
  while (!in.at_end()) {
    SPILLWAY_ASSIGN_OR_RETURN(const Chunk chunk, ReadChunk(in));
    if (!HasContent(chunk)) continue;
    SPILLWAY_ASSIGN_OR_RETURN(const size_t size, ContentSize(chunk, in));
    const std::string_view data = chunk.body.substr(kChecksum);
    if (chunk.kind == kStored) {
      std::copy(data.begin(), data.end(), at);
    } else if (!snappy::RawUncompress(data.data(), data.size(), at)) {
      return in.ErrorAt(chunk.at, "a chunk that is damaged");
    }
    if (base::Load<uint32_t>(chunk.body.data()) != MaskedCrc({at, size})) {
      return in.ErrorAt(chunk.at, "a chunk whose checksum is another");
    }
    at += size;
  }
  return std::move(out).Freeze();
}

}  // namespace spillway::shuffle
