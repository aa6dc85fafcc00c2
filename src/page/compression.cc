// SPDX-License-Identifier: Apache-2.0
#include "src/page/compression.h"

#include <libdeflate.h>
#include <lz4.h>
#include <snappy.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/page/compressed_format.h"

namespace spillway::page {
namespace {

using base::ByteReader;
using vector::Buffer;
using vector::MutableBuffer;

struct CodecRules {
  std::string_view name;
  std::string_view form;  // as RecognizeCompressedFormat names it, where it has a magic number
  int64_t densest;        // no input byte stands for more output bytes than this
};

// In the order of Codec.
constexpr std::array<CodecRules, 6> kCodecs = {{
    {"none", "", 1},
    {"lz4", "a raw LZ4 block", 255},        // a byte that extends a match by 255
    {"zstd", "a Zstd frame", 32768},        // an RLE block: 128 KiB in 4 bytes
    {"snappy", "a raw Snappy block", 22},   // a copy of 64 bytes in 3
    {"zlib", "a zlib stream", 1032},        // a match of 258 bytes in 2 bits
    {"gzip", "a gzip member", 1032},
}};

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
constexpr int kZstdLevel = ZSTD_CLEVEL_DEFAULT;
constexpr int kDeflateLevel = 6;

const CodecRules& Rules(Codec codec) { return kCodecs[static_cast<size_t>(codec)]; }

struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};
struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

absl::Status NoState(Codec codec) { return base::Exhausted("no memory for ", Rules(codec).name); }

absl::Status CannotCompress(Codec codec, std::string_view bytes) {
  return base::Exhausted(Rules(codec).name, " does not take ", bytes.size(), " bytes in one piece");
}

absl::StatusOr<Buffer> CompressLz4(std::string_view bytes) {
  if (bytes.size() > LZ4_MAX_INPUT_SIZE) return CannotCompress(Codec::kLz4, bytes);
  const int size = static_cast<int>(bytes.size());
  MutableBuffer out(LZ4_compressBound(size));
  const int written = LZ4_compress_default(bytes.data(), reinterpret_cast<char*>(out.data()), size,
                                           static_cast<int>(out.size()));
  if (written <= 0) return CannotCompress(Codec::kLz4, bytes);
  return std::move(out).Freeze(written);
}

absl::StatusOr<Buffer> CompressZstd(std::string_view bytes) {
  MutableBuffer out(static_cast<int64_t>(ZSTD_compressBound(bytes.size())));
  const size_t written =
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kZstdLevel);
  if (ZSTD_isError(written)) return CannotCompress(Codec::kZstd, bytes);
  return std::move(out).Freeze(static_cast<int64_t>(written));
}

absl::StatusOr<Buffer> CompressSnappy(std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<uint32_t>::max()) {
    return CannotCompress(Codec::kSnappy, bytes);
  }
  MutableBuffer out(static_cast<int64_t>(snappy::MaxCompressedLength(bytes.size())));
  size_t written = 0;
  snappy::RawCompress(bytes.data(), bytes.size(), reinterpret_cast<char*>(out.data()), &written);
  return std::move(out).Freeze(static_cast<int64_t>(written));
}

absl::StatusOr<Buffer> CompressDeflate(Codec codec, std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> state(
      libdeflate_alloc_compressor(kDeflateLevel));
  if (state == nullptr) return NoState(codec);
  const bool zlib = codec == Codec::kZlib;
  const auto bound = zlib ? libdeflate_zlib_compress_bound : libdeflate_gzip_compress_bound;
  const auto compress = zlib ? libdeflate_zlib_compress : libdeflate_gzip_compress;
  MutableBuffer out(static_cast<int64_t>(bound(state.get(), bytes.size())));
  const size_t written =
      compress(state.get(), bytes.data(), bytes.size(), out.data(), out.size());
  if (written == 0) return CannotCompress(codec, bytes);
  return std::move(out).Freeze(static_cast<int64_t>(written));
}

// One call's input and what is expected of it.
class Decompression {
 public:
  Decompression(Codec codec, const ByteReader& in, int64_t size)
      : codec_(codec),
        in_(in),
        bytes_(reinterpret_cast<const char*>(in.cursor()), in.remaining()),
        size_(size) {}

  absl::StatusOr<Buffer> Run() const {
    if (size_ > Rules(codec_).densest * in_.remaining()) {
      return Refuse(base::Cat("cannot hold ", size_, " bytes in ", in_.remaining()));
    }
    switch (codec_) {
      case Codec::kNone:
        return Copy();
      case Codec::kLz4:
        return Lz4();
      case Codec::kZstd:
        return Zstd();
      case Codec::kSnappy:
        return Snappy();
      case Codec::kZlib:
      case Codec::kGzip:
        return Deflate();
    }
    return Damaged();
  }

 private:
  absl::StatusOr<Buffer> Copy() const {
    if (in_.remaining() != size_) return OtherSize(in_.remaining());
    return Buffer::Copy(bytes_);
  }

  absl::StatusOr<Buffer> Lz4() const {
    MutableBuffer out(size_);
    const int written = LZ4_decompress_safe(bytes_.data(), reinterpret_cast<char*>(out.data()),
                                            static_cast<int>(bytes_.size()),
                                            static_cast<int>(size_));
    if (written < 0) return Damaged();
    if (written != size_) return OtherSize(written);
    return std::move(out).Freeze();
  }

  absl::StatusOr<Buffer> Zstd() const {
    // The library may also know the formats before 1.0, and skips frames without content.
    if (bytes_.size() < sizeof(uint32_t) ||
        base::Load<uint32_t>(bytes_.data()) != ZSTD_MAGICNUMBER) {
      return Damaged();
    }
    const size_t frame = ZSTD_findFrameCompressedSize(bytes_.data(), bytes_.size());
    if (ZSTD_isError(frame)) return Damaged();
    if (frame != bytes_.size()) return LeftOver(frame);
    const unsigned long long claimed = ZSTD_getFrameContentSize(bytes_.data(), bytes_.size());
    if (claimed == ZSTD_CONTENTSIZE_ERROR) return Damaged();
    if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed != static_cast<uint64_t>(size_)) {
      return OtherSize(claimed);
    }
    MutableBuffer out(size_);
    const size_t written = ZSTD_decompress(out.data(), size_, bytes_.data(), bytes_.size());
    if (ZSTD_isError(written)) return Damaged();
    if (written != static_cast<size_t>(size_)) return OtherSize(written);
    return std::move(out).Freeze();
  }

  absl::StatusOr<Buffer> Snappy() const {
    size_t claimed = 0;
    if (!snappy::GetUncompressedLength(bytes_.data(), bytes_.size(), &claimed)) return Damaged();
    if (claimed != static_cast<size_t>(size_)) return OtherSize(claimed);
    MutableBuffer out(size_);
    if (!snappy::RawUncompress(bytes_.data(), bytes_.size(),
                               reinterpret_cast<char*>(out.data()))) {
      return Damaged();
    }
    return std::move(out).Freeze();
  }

  absl::StatusOr<Buffer> Deflate() const {
    const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> state(
        libdeflate_alloc_decompressor());
    if (state == nullptr) return NoState(codec_);
    const auto decompress = codec_ == Codec::kZlib ? libdeflate_zlib_decompress_ex
                                                   : libdeflate_gzip_decompress_ex;
    MutableBuffer out(size_);
    size_t consumed = 0;
    size_t written = 0;
    const libdeflate_result result = decompress(state.get(), bytes_.data(), bytes_.size(),
                                                out.data(), size_, &consumed, &written);
    if (result != LIBDEFLATE_SUCCESS) return Damaged();
    if (written != static_cast<size_t>(size_)) return OtherSize(written);
    if (consumed != bytes_.size()) return LeftOver(consumed);
    return std::move(out).Freeze();
  }

  absl::Status Damaged() const {
    return Refuse(base::Cat("is damaged or does not hold ", size_, " bytes"));
  }
  absl::Status OtherSize(uint64_t size) const {
    return Refuse(base::Cat("holds ", size, " bytes, ", size_, " are expected"));
  }
  absl::Status LeftOver(size_t consumed) const {
    return in_.ErrorAt(in_.offset() + static_cast<int64_t>(consumed), bytes_.size() - consumed,
                       " bytes left over after ", Rules(codec_).form);
  }

  // The bytes are not what they should be: says so by the name of what they are, if it shows.
  absl::Status Refuse(const std::string& fault) const {
    const std::string_view expected = Rules(codec_).form;
    const std::string_view seen = RecognizeCompressedFormat(bytes_, size_);
    if (codec_ != Codec::kNone && !seen.empty() && seen != expected) {
      return in_.ErrorAt(in_.offset(), seen, " where ", expected, " is expected");
    }
    return in_.ErrorAt(in_.offset(), "the ", CodecName(codec_), " payload ", fault);
  }

  const Codec codec_;
  const ByteReader& in_;
  const std::string_view bytes_;
  const int64_t size_;
};

}  // namespace

std::string_view CodecName(Codec codec) { return Rules(codec).name; }

absl::StatusOr<Codec> ParseCodec(std::string_view name) {
  std::string names;
  for (size_t i = 0; i < kCodecs.size(); ++i) {
    if (kCodecs[i].name == name) return static_cast<Codec>(i);
    names += base::Cat(names.empty() ? "" : ", ", kCodecs[i].name);
  }
  return base::Invalid("unknown codec `", name, "`; there are ", names);
}

absl::StatusOr<Buffer> Compress(Codec codec, std::string_view bytes) {
  switch (codec) {
    case Codec::kNone:
      break;
    case Codec::kLz4:
      return CompressLz4(bytes);
    case Codec::kZstd:
      return CompressZstd(bytes);
    case Codec::kSnappy:
      return CompressSnappy(bytes);
    case Codec::kZlib:
    case Codec::kGzip:
      return CompressDeflate(codec, bytes);
  }
  return Buffer::Copy(bytes);
}

absl::StatusOr<Buffer> Decompress(Codec codec, ByteReader& in, int64_t size, int64_t max_bytes) {
  if (size < 0) return in.ErrorAt(in.offset(), "negative uncompressed size ", size);
  const int64_t limit = std::min(max_bytes, kMaxInt32);
  if (size > limit) {
    return in.At(in.offset(),
                 base::Exhausted(size, " bytes after decompression, the limit is ", limit));
  }
  if (in.remaining() > kMaxInt32) {
    return in.At(in.offset(),
                 base::Exhausted(in.remaining(), " compressed bytes, the limit is ", kMaxInt32));
  }
  SPILLWAY_ASSIGN_OR_RETURN(Buffer out, Decompression(codec, in, size).Run());
  in.Skip(in.remaining());
  return out;
}

}  // namespace spillway::page
