// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/block_codec.h"

#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/base/suggest.h"
#include "src/shuffle/snappy_frame.h"

namespace spillway::shuffle {
namespace {

using base::Invalid;
using vector::Buffer;
using vector::MutableBuffer;

constexpr std::array<std::string_view, 4> kNames = {"none", "lz4", "zstd", "snappy"};
constexpr size_t kLz4Block = size_t{64} << 10;
constexpr int64_t kZstdBlock = int64_t{128} << 10;

struct FreeLz4Compressor {
  void operator()(LZ4F_cctx* state) const { LZ4F_freeCompressionContext(state); }
};
struct FreeLz4Decompressor {
  void operator()(LZ4F_dctx* state) const { LZ4F_freeDecompressionContext(state); }
};
struct FreeZstdCompressor {
  void operator()(ZSTD_CCtx* state) const { ZSTD_freeCCtx(state); }
};
struct FreeZstdDecompressor {
  void operator()(ZSTD_DCtx* state) const { ZSTD_freeDCtx(state); }
};

LZ4F_preferences_t Lz4Preferences() {
  LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  return preferences;
}

absl::Status OverLimit(int64_t max_bytes) {
  return base::Exhausted("over ", max_bytes, " bytes after decompression");
}

// Memory for a content of unknown size, doubled when it is full.
class GrowingBuffer {
 public:
  GrowingBuffer(int64_t first, int64_t max_bytes)
      : max_bytes_(max_bytes), memory_(std::min(first, max_bytes)) {}

  char* free() { return reinterpret_cast<char*>(memory_.data()) + filled_; }
  int64_t free_bytes() const { return memory_.size() - filled_; }
  void Fill(int64_t bytes) { filled_ += bytes; }
  // False: the limit is reached.
  bool Grow() {
    if (memory_.size() >= max_bytes_) return false;
    MutableBuffer larger(std::min(max_bytes_, 2 * memory_.size()));
    std::memcpy(larger.data(), memory_.data(), static_cast<size_t>(filled_));
    memory_ = std::move(larger);
    return true;
  }
  Buffer Freeze() && { return std::move(memory_).Freeze(filled_); }

 private:
  int64_t max_bytes_;
  MutableBuffer memory_;
  int64_t filled_ = 0;
};

absl::StatusOr<Buffer> DecompressLz4(std::string_view in, int64_t max_bytes) {
  LZ4F_dctx* state = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&state, LZ4F_VERSION))) {
    return base::Exhausted("no memory for lz4");
  }
  const std::unique_ptr<LZ4F_dctx, FreeLz4Decompressor> owner(state);
  GrowingBuffer out(std::max<int64_t>(static_cast<int64_t>(in.size()) * 4, kLz4Block), max_bytes);
  while (true) {
    size_t taken = in.size();
    auto made = static_cast<size_t>(out.free_bytes());
    const size_t next = LZ4F_decompress(state, out.free(), &made, in.data(), &taken, nullptr);
    if (LZ4F_isError(next)) return Invalid("a damaged LZ4 frame: ", LZ4F_getErrorName(next));
    in.remove_prefix(taken);
    out.Fill(static_cast<int64_t>(made));
    if (next == 0) break;
    if (out.free_bytes() == 0) {
      if (!out.Grow()) return OverLimit(max_bytes);
    } else if (taken == 0 && made == 0) {
      return Invalid("an LZ4 frame that is cut off");
    }
  }
  if (!in.empty()) return Invalid(in.size(), " bytes left over behind the LZ4 frame");
  return std::move(out).Freeze();
}

// At most as many bytes as the blocks of the frame can hold, by their headers; -1 if it is damaged.
int64_t ZstdBound(std::string_view frame) {
  if (frame.size() < 5 || base::Load<uint32_t>(frame.data()) != ZSTD_MAGICNUMBER) return -1;
  const auto descriptor = static_cast<uint8_t>(frame[4]);
  const bool single_segment = (descriptor & 0x20) != 0;
  constexpr std::array<size_t, 4> kDictionaryBytes = {0, 1, 2, 4};
  const std::array<size_t, 4> content_bytes = {single_segment ? size_t{1} : 0, 2, 4, 8};
  size_t at = 5 + (single_segment ? 0 : 1) + kDictionaryBytes[descriptor & 3] +
              content_bytes[descriptor >> 6];
  for (int64_t bound = 0; frame.size() >= at + 3;) {
    uint32_t header = 0;
    std::memcpy(&header, frame.data() + at, 3);
    const uint32_t kind = (header >> 1) & 3;
    const int64_t size = header >> 3;
    bound += kind == 2 ? kZstdBlock : std::min(size, kZstdBlock);
    at += 3 + (kind == 1 ? 1 : static_cast<size_t>(size));
    if ((header & 1) != 0) return bound;
  }
  return -1;
}

absl::StatusOr<Buffer> DecompressZstd(std::string_view in, int64_t max_bytes) {
  const size_t frame = ZSTD_findFrameCompressedSize(in.data(), in.size());
  const int64_t bound = ZstdBound(in);
  if (ZSTD_isError(frame) || bound < 0) return Invalid("a damaged or cut off Zstd frame");
  if (frame != in.size())
    return Invalid(in.size() - frame, " bytes left over behind the Zstd frame");
  const std::unique_ptr<ZSTD_DCtx, FreeZstdDecompressor> state(ZSTD_createDCtx());
  if (state == nullptr) return base::Exhausted("no memory for zstd");
  // In one call the output is the window, so that none has to be allocated.
  MutableBuffer out(std::min(bound, max_bytes));
  const size_t made = ZSTD_decompressDCtx(state.get(), out.data(), static_cast<size_t>(out.size()),
                                          in.data(), in.size());
  if (ZSTD_isError(made)) {
    if (bound > max_bytes) return OverLimit(max_bytes);
    return Invalid("a damaged Zstd frame: ", ZSTD_getErrorName(made));
  }
  return std::move(out).Freeze(static_cast<int64_t>(made));
}

}  // namespace

struct BlockCompressor::State {
  std::unique_ptr<LZ4F_cctx, FreeLz4Compressor> lz4;
  std::unique_ptr<ZSTD_CCtx, FreeZstdCompressor> zstd;

  Buffer snappy;
  // Of the last payload; grows only.
  std::unique_ptr<char[]> scratch;
  size_t capacity = 0;

  void Reserve(size_t bytes) {
    if (bytes <= capacity) return;
    scratch.reset(new char[bytes]);
    capacity = bytes;
  }
  absl::StatusOr<std::string_view> Lz4(std::span<const std::string_view> pieces, size_t total);
  absl::StatusOr<std::string_view> Zstd(std::span<const std::string_view> pieces, size_t total);
};

absl::StatusOr<std::string_view> BlockCompressor::State::Lz4(
    std::span<const std::string_view> pieces, size_t total) {
  const LZ4F_preferences_t preferences = Lz4Preferences();
  // A block that does not shrink is stored. Each call wants room for a whole block more than it
  // was given.
  const size_t bound =
      LZ4F_compressBound(total, &preferences) + LZ4F_HEADER_SIZE_MAX + 2 * kLz4Block;
  Reserve(bound);
  char* const begin = scratch.get();
  size_t size = LZ4F_compressBegin(lz4.get(), begin, bound, &preferences);
  size_t result = size;
  for (const std::string_view piece : pieces) {
    if (LZ4F_isError(result)) break;
    result = LZ4F_compressUpdate(lz4.get(), begin + size, bound - size, piece.data(), piece.size(),
                                 nullptr);
    size += LZ4F_isError(result) ? 0 : result;
  }
  if (!LZ4F_isError(result)) {
    result = LZ4F_compressEnd(lz4.get(), begin + size, bound - size, nullptr);
    size += LZ4F_isError(result) ? 0 : result;
  }
  if (LZ4F_isError(result)) return absl::InternalError(LZ4F_getErrorName(result));
  return std::string_view(begin, size);
}

absl::StatusOr<std::string_view> BlockCompressor::State::Zstd(
    std::span<const std::string_view> pieces, size_t total) {
  Reserve(ZSTD_compressBound(total) + 1);
  ZSTD_outBuffer out = {scratch.get(), capacity, 0};
  ZSTD_CCtx_reset(zstd.get(), ZSTD_reset_session_only);
  for (size_t i = 0; i <= pieces.size(); ++i) {
    const bool last = i == pieces.size();
    const std::string_view piece = last ? std::string_view() : pieces[i];
    ZSTD_inBuffer in = {piece.data(), piece.size(), 0};
    size_t result = 0;
    do {
      result = ZSTD_compressStream2(zstd.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(result)) return absl::InternalError(ZSTD_getErrorName(result));
      if (out.pos == out.size) return absl::InternalError("zstd made more than its bound");
    } while (last ? result != 0 : in.pos < in.size);
  }
  return std::string_view(scratch.get(), out.pos);
}

std::string_view BlockCodecName(BlockCodec codec) { return kNames[static_cast<size_t>(codec)]; }

absl::StatusOr<BlockCodec> ParseBlockCodec(std::string_view name) {
  const std::vector<std::string> names(kNames.begin(), kNames.end());
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<BlockCodec>(found - names.begin());
  const std::string nearest = base::Nearest(name, names);
  return Invalid("unknown codec `", name, "`",
                 nearest.empty() ? base::Cat("; there are none, lz4, zstd, snappy")
                                 : base::Cat("; did you mean ", nearest, "?"));
}

BlockCompressor::BlockCompressor(BlockCodec codec, std::unique_ptr<State> state)
    : codec_(codec), state_(std::move(state)) {}
BlockCompressor::BlockCompressor(BlockCompressor&&) noexcept = default;
BlockCompressor& BlockCompressor::operator=(BlockCompressor&&) noexcept = default;
BlockCompressor::~BlockCompressor() = default;

absl::StatusOr<BlockCompressor> BlockCompressor::Create(BlockCodec codec, int zstd_level) {
  auto state = std::make_unique<State>();
  if (codec == BlockCodec::kLz4) {
    LZ4F_cctx* lz4 = nullptr;
    if (LZ4F_isError(LZ4F_createCompressionContext(&lz4, LZ4F_VERSION))) {
      return base::Exhausted("no memory for lz4");
    }
    state->lz4.reset(lz4);
  }
  if (codec == BlockCodec::kZstd) {
    if (zstd_level < ZSTD_minCLevel() || zstd_level > ZSTD_maxCLevel()) {
      return Invalid("zstd level ", zstd_level, ", not ", ZSTD_minCLevel(), " to ",
                     ZSTD_maxCLevel());
    }
    state->zstd.reset(ZSTD_createCCtx());
    if (state->zstd == nullptr) return base::Exhausted("no memory for zstd");
    ZSTD_CCtx_setParameter(state->zstd.get(), ZSTD_c_compressionLevel, zstd_level);
    ZSTD_CCtx_setParameter(state->zstd.get(), ZSTD_c_contentSizeFlag, 0);
  }
  return BlockCompressor(codec, std::move(state));
}

int64_t BlockCompressor::scratch_bytes() const {
  return static_cast<int64_t>(state_->capacity) + state_->snappy.allocation().capacity;
}

absl::StatusOr<std::string_view> BlockCompressor::Compress(
    std::span<const std::string_view> pieces) {
  size_t total = 0;
  for (const std::string_view piece : pieces) total += piece.size();
  switch (codec_) {
    case BlockCodec::kLz4:
      return state_->Lz4(pieces, total);
    case BlockCodec::kZstd:
      return state_->Zstd(pieces, total);
    case BlockCodec::kSnappy:
      state_->snappy = FrameSnappy(pieces);
      return state_->snappy.view();
    case BlockCodec::kNone:
      break;
  }
  return absl::InternalError("codec none has nothing to compress");
}

absl::StatusOr<Buffer> DecompressBlock(BlockCodec codec, const Buffer& payload, int64_t max_bytes) {
  if (codec == BlockCodec::kNone) {
    if (payload.size() > max_bytes) return OverLimit(max_bytes);
    return payload;
  }
  absl::StatusOr<Buffer> content =
      codec == BlockCodec::kLz4    ? DecompressLz4(payload.view(), max_bytes)
      : codec == BlockCodec::kZstd ? DecompressZstd(payload.view(), max_bytes)
                                   : UnframeSnappy(payload.view(), max_bytes);
  return base::In(base::Cat(BlockCodecName(codec), " payload"), std::move(content));
}

}  // namespace spillway::shuffle
