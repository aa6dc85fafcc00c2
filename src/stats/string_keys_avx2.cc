// SPDX-License-Identifier: Apache-2.0
#include "src/stats/string_keys_avx2.h"

#include <algorithm>
#include <cstdlib>

#if defined(__x86_64__)
#include <immintrin.h>

#define SPILLWAY_AVX2 __attribute__((target("avx2")))
#define SPILLWAY_AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline

namespace spillway::stats {
namespace {

SPILLWAY_AVX2_INLINE __m256i Load32(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

SPILLWAY_AVX2_INLINE __m128i Load16(const void* at) {
  return _mm_loadu_si128(static_cast<const __m128i*>(at));
}

SPILLWAY_AVX2_INLINE __m128i TwoWords(const uint8_t* a, const uint8_t* b) {
  const __m128d low = _mm_castsi128_pd(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(a)));
  return _mm_castpd_si128(_mm_loadh_pd(low, reinterpret_cast<const double*>(b)));
}

// The words at `bytes` + each of four starts.
SPILLWAY_AVX2_INLINE __m256i FourWords(const uint8_t* bytes, const uint8_t* starts) {
  const auto at = [&](int i) { return bytes + base::Load<int32_t>(starts + i * KeyChunk::kWidth); };
  const __m128i front = TwoWords(at(0), at(1));
  const __m128i back = TwoWords(at(2), at(3));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(front), back, 1);
}

// The 8-byte lanes of `value` where `mask` is all ones, those of `other` where it is zero. Some
// processors blend lanes at twice the speed of bytes, next to comparisons.
SPILLWAY_AVX2_INLINE __m256i Choose(__m256i other, __m256i value, __m256i mask) {
  return _mm256_castpd_si256(_mm256_blendv_pd(
      _mm256_castsi256_pd(other), _mm256_castsi256_pd(value), _mm256_castsi256_pd(mask)));
}

// Keys of four values whose words behind the prefix begin at `bytes` + their starts, and of which
// `rest` is left there.
SPILLWAY_AVX2_INLINE __m256i FourKeys(const uint8_t* bytes, const uint8_t* starts, __m128i rest) {
  // Bytes 6 to 0 of each word, behind them one that is zero.
  const __m256i reversed = _mm256_setr_epi8(-1, 6, 5, 4, 3, 2, 1, 0, -1, 14, 13, 12, 11, 10, 9, 8,
                                            -1, 6, 5, 4, 3, 2, 1, 0, -1, 14, 13, 12, 11, 10, 9, 8);
  const __m256i words = _mm256_shuffle_epi8(FourWords(bytes, starts), reversed);
  // How many bytes of the value are left, up to 8, and how many each byte of the key asks for.
  const __m256i left = _mm256_cvtepi32_epi64(_mm_min_epi32(rest, _mm_set1_epi32(kKeyBytes + 1)));
  const __m256i first = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8,
                                         0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8);
  const __m256i numbers = _mm256_set1_epi64x(0x0001020304050607);
  const __m256i has = _mm256_cmpgt_epi8(_mm256_shuffle_epi8(left, first), numbers);
  return _mm256_xor_si256(_mm256_and_si256(words, has),
                          _mm256_add_epi64(left, _mm256_set1_epi64x(INT64_MIN + 1)));
}

// Whether all values have the prefix.
SPILLWAY_AVX2_INLINE bool AllHave(const KeyChunk& chunk, const KeyPrefix& prefix) {
  if (prefix.size == 0) return true;
  __m256i shortest = _mm256_set1_epi32(INT32_MAX);
  for (int64_t i = 0; i < chunk.count * KeyChunk::kWidth; i += sizeof(shortest)) {
    const __m256i sizes = _mm256_sub_epi32(Load32(chunk.stops + i), Load32(chunk.starts + i));
    shortest = _mm256_min_epi32(shortest, sizes);
  }
  const __m256i size = _mm256_set1_epi32(static_cast<int>(prefix.size));
  const __m256i too_short = _mm256_cmpgt_epi32(size, shortest);
  __m128i differ = _mm_setzero_si128();
  const int64_t last = prefix.blocks() - 1;
  for (int64_t block = 0; block <= last; ++block) {
    const uint8_t* const at = chunk.bytes + block * KeyPrefix::kBlock;
    const __m128i wanted = Load16(prefix.value.data() + block * KeyPrefix::kBlock);
    __m128i found[2] = {_mm_setzero_si128(), _mm_setzero_si128()};
    for (int64_t i = 0; i < chunk.count; i += 2) {
      for (int chain = 0; chain < 2; ++chain) {
        found[chain] = _mm_or_si128(
            found[chain], _mm_xor_si128(wanted, Load16(at + chunk.Start(i + chain))));
      }
    }
    __m128i both = _mm_or_si128(found[0], found[1]);
    if (block == last) both = _mm_and_si128(both, Load16(prefix.last_mask.data()));
    differ = _mm_or_si128(differ, both);
  }
  return _mm256_testz_si256(too_short, too_short) != 0 && _mm_testz_si128(differ, differ) != 0;
}

}  // namespace

bool HasStringKeysAvx2() { return __builtin_cpu_supports("avx2"); }

SPILLWAY_AVX2 bool MakeKeysAvx2(const KeyChunk& chunk, const KeyPrefix& prefix, int64_t* keys,
                                KeyRange* range) {
  if (!AllHave(chunk, prefix)) return false;
  const uint8_t* const bytes = chunk.bytes + prefix.size;
  const __m128i size = _mm_set1_epi32(static_cast<int>(prefix.size));
  __m256i lows[2], highs[2];
  lows[0] = lows[1] = _mm256_set1_epi64x(range->low);
  highs[0] = highs[1] = _mm256_set1_epi64x(range->high);
  for (int64_t i = 0; i < chunk.count; i += 8) {
    for (int chain = 0; chain < 2; ++chain) {
      const int64_t at = i + 4 * chain;
      const uint8_t* const starts = chunk.starts + at * KeyChunk::kWidth;
      const uint8_t* const stops = chunk.stops + at * KeyChunk::kWidth;
      const __m128i rest = _mm_sub_epi32(_mm_sub_epi32(Load16(stops), Load16(starts)), size);
      const __m256i key = FourKeys(bytes, starts, rest);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(keys + at), key);
      lows[chain] = Choose(lows[chain], key, _mm256_cmpgt_epi64(lows[chain], key));
      highs[chain] = Choose(highs[chain], key, _mm256_cmpgt_epi64(key, highs[chain]));
    }
  }
  int64_t lanes[16];
  for (int chain = 0; chain < 2; ++chain) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes + 4 * chain), lows[chain]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes + 8 + 4 * chain), highs[chain]);
  }
  range->low = *std::min_element(lanes, lanes + 8);
  range->high = *std::max_element(lanes + 8, lanes + 16);
  return true;
}

}  // namespace spillway::stats

#else  // no AVX2 to be had

namespace spillway::stats {

bool HasStringKeysAvx2() { return false; }
bool MakeKeysAvx2(const KeyChunk&, const KeyPrefix&, int64_t*, KeyRange*) { std::abort(); }

}  // namespace spillway::stats

#endif
