// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of a VARCHAR column as integers that order them, so that most need not be compared byte by
// byte. A key speaks of what follows a prefix that all values of a scan share.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "src/base/little_endian.h"

namespace spillway::stats {

// How many bytes behind the prefix a key holds.
inline constexpr int64_t kKeyBytes = 7;

// The key of `size` bytes at `rest`, of which 8 may be read: the first 7, big-endian and zero past
// the last; then 1 + size, 9 if that is over 7. The top bit is flipped, so that keys compare as
// signed integers. A value with the lesser key is less; equal keys are those of equal values, or of
// two of more than 7 bytes. The size tells "a" from "a\0".
inline int64_t KeyAt(const uint8_t* rest, int64_t size) {
  const int64_t code = std::min(size, kKeyBytes + 1);
  const uint64_t bytes = __builtin_bswap64(base::Load<uint64_t>(rest)) & ~uint64_t{255};
  const uint64_t kept = code == 0 ? 0 : bytes & (~uint64_t{0} << (64 - 8 * code));
  return std::bit_cast<int64_t>((kept | static_cast<uint64_t>(code + 1)) ^ (uint64_t{1} << 63));
}

inline int64_t KeyOf(std::string_view rest) {
  uint8_t bytes[sizeof(int64_t)] = {};
  const size_t size = std::min(rest.size(), sizeof(bytes));
  if (size != 0) std::memcpy(bytes, rest.data(), size);
  return KeyAt(bytes, static_cast<int64_t>(rest.size()));
}

// Whether values of this key are equal.
inline bool IsWhole(int64_t key) { return (key & 255) <= kKeyBytes + 1; }

// Bytes that values begin with, compared 16 at a time. At most kMaxSize are used.
struct KeyPrefix {
  static constexpr int64_t kBlock = 16;
  static constexpr int64_t kMaxSize = 272;

  explicit KeyPrefix(std::string_view bytes)
      : size(std::min(static_cast<int64_t>(bytes.size()), kMaxSize)) {
    if (size != 0) std::memcpy(value.data(), bytes.data(), size);
    std::memset(last_mask.data(), 255, size - (blocks() - 1) * kBlock);
  }

  int64_t blocks() const { return std::max<int64_t>(1, (size + kBlock - 1) / kBlock); }
  // How many bytes from a value's start on are read to make its key, though it may end before.
  int64_t reach() const {
    return std::max<int64_t>(size + int64_t{sizeof(int64_t)}, blocks() * kBlock);
  }

  int64_t size;
  std::array<uint8_t, kMaxSize> value{};
  std::array<uint8_t, kBlock> last_mask{};  // all ones: a byte of the last block that is used
};

// Values whose keys are made together: bytes [starts[i], stops[i]) of a column's, both int32 at any
// alignment. KeyPrefix::reach() bytes can be read at each start.
struct KeyChunk {
  static constexpr int64_t kMaxCount = 256;
  static constexpr int64_t kWidth = sizeof(int32_t);

  int32_t Start(int64_t i) const { return base::Load<int32_t>(starts + i * kWidth); }
  int32_t Size(int64_t i) const { return base::Load<int32_t>(stops + i * kWidth) - Start(i); }
  std::string_view Value(int64_t i) const {
    return {reinterpret_cast<const char*>(bytes) + Start(i), static_cast<size_t>(Size(i))};
  }

  const uint8_t* bytes;
  const uint8_t* starts;
  const uint8_t* stops;
  int64_t count;
};

// Least and greatest key.
struct KeyRange {
  int64_t low;
  int64_t high;
};

}  // namespace spillway::stats
