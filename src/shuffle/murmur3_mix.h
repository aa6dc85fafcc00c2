// SPDX-License-Identifier: Apache-2.0
#pragma once
// Spark's Murmur3 of one value.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/base/little_endian.h"

namespace spillway::shuffle::murmur3 {

inline uint32_t MixK1(uint32_t k1) { return std::rotl(k1 * 0xcc9e2d51u, 15) * 0x1b873593u; }

inline uint32_t MixH1(uint32_t h1, uint32_t k1) {
  return std::rotl(h1 ^ MixK1(k1), 13) * 5 + 0xe6546b64u;
}

inline uint32_t Finish(uint32_t h1, uint32_t length) {
  h1 ^= length;
  h1 = (h1 ^ (h1 >> 16)) * 0x85ebca6bu;
  h1 = (h1 ^ (h1 >> 13)) * 0xc2b2ae35u;
  return h1 ^ (h1 >> 16);
}

inline uint32_t Int(uint32_t value, uint32_t seed) {
  return Finish(MixH1(seed, value), sizeof(value));
}

inline uint32_t Long(uint64_t value, uint32_t seed) {
  const uint32_t low = MixH1(seed, static_cast<uint32_t>(value));
  return Finish(MixH1(low, static_cast<uint32_t>(value >> 32)), sizeof(value));
}

inline uint32_t Bytes(const uint8_t* data, size_t size, uint32_t seed) {
  uint32_t h1 = seed;
  size_t i = 0;
  for (; i + sizeof(uint32_t) <= size; i += sizeof(uint32_t)) {
    h1 = MixH1(h1, base::Load<uint32_t>(data + i));
  }
  for (; i < size; ++i) h1 = MixH1(h1, static_cast<uint32_t>(static_cast<int8_t>(data[i])));
  return Finish(h1, static_cast<uint32_t>(size));
}

}  // namespace spillway::shuffle::murmur3
