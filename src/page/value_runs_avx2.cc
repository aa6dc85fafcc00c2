// SPDX-License-Identifier: Apache-2.0
#include "src/page/value_runs_avx2.h"

#include <array>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>

#define SPILLWAY_AVX2 __attribute__((target("avx2,popcnt")))

namespace spillway::page {
namespace {

// For every pattern of eight valid bits: which byte each of eight lanes takes. A compacting lane
// takes the next valid source; an expanding one the source's rank, or its own next if it is null.
struct Lanes {
  std::array<std::array<uint8_t, 8>, 256> compact;
  std::array<std::array<uint8_t, 8>, 256> expand;
};

constexpr Lanes MakeLanes() {
  Lanes lanes{};
  for (int bits = 0; bits < 256; ++bits) {
    int taken = 0;
    for (int lane = 0; lane < 8; ++lane) {
      lanes.expand[bits][lane] = static_cast<uint8_t>(taken < 8 ? taken : 7);
      if ((bits >> lane & 1) != 0) lanes.compact[bits][taken++] = static_cast<uint8_t>(lane);
    }
  }
  return lanes;
}

alignas(64) constexpr Lanes kLanes = MakeLanes();

// Lane numbers that compact 8-byte lanes, as the two 4-byte lanes that each consists of.
using Pairs = std::array<std::array<uint32_t, 8>, 16>;

constexpr Pairs MakePairs() {
  Pairs pairs{};
  for (int bits = 0; bits < 16; ++bits) {
    for (int lane = 0; lane < 4; ++lane) {
      for (uint32_t half = 0; half < 2; ++half) {
        pairs[bits][2 * lane + half] = 2u * (kLanes.compact[bits][lane] & 3u) + half;
      }
    }
  }
  return pairs;
}

alignas(64) constexpr Pairs kPairs = MakePairs();

SPILLWAY_AVX2 __m128i Load8(const void* at) {
  return _mm_loadl_epi64(static_cast<const __m128i*>(at));
}

SPILLWAY_AVX2 __m128i Load16(const void* at) {
  return _mm_loadu_si128(static_cast<const __m128i*>(at));
}

SPILLWAY_AVX2 __m256i Load32(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

// Byte numbers of eight 2-byte lanes: 2n and 2n + 1 for lane number n.
SPILLWAY_AVX2 __m128i PairBytes(const std::array<uint8_t, 8>& lanes) {
  const __m128i even = _mm_cvtepu8_epi16(_mm_slli_epi16(Load8(lanes.data()), 1));
  return _mm_or_si128(even, _mm_slli_epi16(_mm_add_epi16(even, _mm_set1_epi16(1)), 8));
}

// How one width moves eight rows (four for 8 bytes), and how many bytes it loads at once.
struct Move1 {
  static constexpr int kWidth = 1, kRows = 8, kLoad = 8;
  SPILLWAY_AVX2 static void Run(const std::array<uint8_t, 8>& lanes, const uint8_t* in,
                                uint8_t* out) {
    const __m128i moved = _mm_shuffle_epi8(Load8(in), Load8(lanes.data()));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), moved);
  }
  static const auto& Compact(uint64_t bits) { return kLanes.compact[bits & 255]; }
  static const auto& Expand(uint64_t bits) { return kLanes.expand[bits & 255]; }
};

struct Move2 {
  static constexpr int kWidth = 2, kRows = 8, kLoad = 16;
  SPILLWAY_AVX2 static void Run(const std::array<uint8_t, 8>& lanes, const uint8_t* in,
                                uint8_t* out) {
    const __m128i moved = _mm_shuffle_epi8(Load16(in), PairBytes(lanes));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), moved);
  }
  static const auto& Compact(uint64_t bits) { return kLanes.compact[bits & 255]; }
  static const auto& Expand(uint64_t bits) { return kLanes.expand[bits & 255]; }
};

struct Move4 {
  static constexpr int kWidth = 4, kRows = 8, kLoad = 32;
  SPILLWAY_AVX2 static void Run(const std::array<uint8_t, 8>& lanes, const uint8_t* in,
                                uint8_t* out) {
    const __m256i numbers = _mm256_cvtepu8_epi32(Load8(lanes.data()));
    const __m256i moved = _mm256_permutevar8x32_epi32(Load32(in), numbers);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), moved);
  }
  static const auto& Compact(uint64_t bits) { return kLanes.compact[bits & 255]; }
  static const auto& Expand(uint64_t bits) { return kLanes.expand[bits & 255]; }
};

struct Move8 {
  static constexpr int kWidth = 8, kRows = 4;
  SPILLWAY_AVX2 static void Run(const std::array<uint32_t, 8>& lanes, const uint8_t* in,
                                uint8_t* out) {
    const __m256i moved = _mm256_permutevar8x32_epi32(Load32(in), Load32(lanes.data()));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), moved);
  }
  static const auto& Compact(uint64_t bits) { return kPairs[bits & 15]; }
};

template <typename Move>
SPILLWAY_AVX2 uint8_t* CompactWord(const uint8_t* values, uint64_t valid, uint8_t* out) {
  constexpr uint64_t kMask = (uint64_t{1} << Move::kRows) - 1;
  for (int row = 0; row < 64; row += Move::kRows, valid >>= Move::kRows) {
    Move::Run(Move::Compact(valid), values + row * Move::kWidth, out);
    out += Move::kWidth * __builtin_popcountll(valid & kMask);
  }
  return out;
}

template <typename Move>
SPILLWAY_AVX2 const uint8_t* ExpandWord(const uint8_t* packed, const uint8_t* end, uint64_t valid,
                                        uint8_t* out) {
  constexpr uint64_t kMask = (uint64_t{1} << Move::kRows) - 1;
  int row = 0;
  for (; row < 64 && end - packed >= Move::kLoad; row += Move::kRows, valid >>= Move::kRows) {
    Move::Run(Move::Expand(valid), packed, out + row * Move::kWidth);
    packed += Move::kWidth * __builtin_popcountll(valid & kMask);
  }
  // The last values of all: one by one, and none for a null row, as there may be nothing to read.
  for (; row < 64; ++row, valid >>= 1) {
    if ((valid & 1) != 0) {
      std::memcpy(out + row * Move::kWidth, packed, Move::kWidth);
      packed += Move::kWidth;
    } else {
      std::memset(out + row * Move::kWidth, 0, Move::kWidth);
    }
  }
  return packed;
}

}  // namespace

bool HasAvx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"); }

#define SPILLWAY_COMPACT(width)                                                          \
  SPILLWAY_AVX2 uint8_t* CompactWord##width##Avx2(const uint8_t* values, uint64_t valid, \
                                                  uint8_t* out) {                        \
    return CompactWord<Move##width>(values, valid, out);                                 \
  }
#define SPILLWAY_EXPAND(width)                                                                   \
  SPILLWAY_AVX2 const uint8_t* ExpandWord##width##Avx2(const uint8_t* packed, const uint8_t* end, \
                                                       uint64_t valid, uint8_t* out) {           \
    return ExpandWord<Move##width>(packed, end, valid, out);                                     \
  }

}  // namespace spillway::page

#else  // no AVX2 to be had

namespace spillway::page {

bool HasAvx2() { return false; }

#define SPILLWAY_COMPACT(width) \
  uint8_t* CompactWord##width##Avx2(const uint8_t*, uint64_t, uint8_t*) { std::abort(); }
#define SPILLWAY_EXPAND(width)                                                                    \
  const uint8_t* ExpandWord##width##Avx2(const uint8_t*, const uint8_t*, uint64_t, uint8_t*) {   \
    std::abort();                                                                                 \
  }

}  // namespace spillway::page

#endif

namespace spillway::page {

SPILLWAY_COMPACT(1)
SPILLWAY_COMPACT(2)
SPILLWAY_COMPACT(4)
SPILLWAY_COMPACT(8)
SPILLWAY_EXPAND(1)
SPILLWAY_EXPAND(2)
SPILLWAY_EXPAND(4)

}  // namespace spillway::page
