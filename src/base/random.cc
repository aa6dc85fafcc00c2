// SPDX-License-Identifier: Apache-2.0
#include "src/base/random.h"

namespace spillway::base {
namespace {

// FNV-1a, 64 bits: spreads a stream's name over the seed.
uint64_t Fnv1a(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace

Random::Random(uint64_t seed) {
  for (uint64_t& word : state_) {
    word = SplitMix64(seed);
    seed += 0x9E3779B97F4A7C15u;
  }
}

Random Random::Stream(uint64_t seed, std::string_view name) {
  return Random(SplitMix64(seed) ^ Fnv1a(name));
}

uint64_t Random::Below(uint64_t bound) {
  // Lemire's multiply-and-reject: the high word is uniform once the few low
  // words that would favour some results are drawn again.
  unsigned __int128 product = static_cast<unsigned __int128>(Next()) * bound;
  if (static_cast<uint64_t>(product) < bound) {
    const uint64_t threshold = -bound % bound;
    while (static_cast<uint64_t>(product) < threshold) {
      product = static_cast<unsigned __int128>(Next()) * bound;
    }
  }
  return static_cast<uint64_t>(product >> 64);
}

int64_t Random::Between(int64_t low, int64_t high) {
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  const uint64_t draw = span == 0 ? Next() : Below(span);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + draw);
}

}  // namespace spillway::base
