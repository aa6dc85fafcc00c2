// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/murmur3_avx2.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <immintrin.h>

#define SPILLWAY_AVX2 __attribute__((target("avx2")))

namespace spillway::shuffle {
namespace {

// Two vectors at a time: one chain of dependent multiplications would leave the processor idle.
constexpr int kVectors = 2;
constexpr int64_t kLanes = 8;
constexpr int64_t kRows = kVectors * kLanes;

struct Words {
  __m256i of[kVectors];
};

SPILLWAY_AVX2 inline __m256i Load(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

SPILLWAY_AVX2 inline void Store(uint32_t* at, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), value);
}

SPILLWAY_AVX2 inline Words LoadWords(const void* at) {
  const auto* from = static_cast<const uint8_t*>(at);
  return {{Load(from), Load(from + sizeof(__m256i))}};
}

SPILLWAY_AVX2 inline void StoreWords(uint32_t* at, const Words& words) {
  for (int i = 0; i < kVectors; ++i) Store(at + i * kLanes, words.of[i]);
}

SPILLWAY_AVX2 inline __m256i All(uint32_t value) {
  return _mm256_set1_epi32(static_cast<int>(value));
}

SPILLWAY_AVX2 inline Words Times(Words words, uint32_t factor) {
  for (__m256i& w : words.of) w = _mm256_mullo_epi32(w, All(factor));
  return words;
}

SPILLWAY_AVX2 inline Words Xor(Words words, const Words& other) {
  for (int i = 0; i < kVectors; ++i) words.of[i] = _mm256_xor_si256(words.of[i], other.of[i]);
  return words;
}

template <int kBits>
SPILLWAY_AVX2 inline Words RotateLeft(Words words) {
  for (__m256i& w : words.of) {
    w = _mm256_or_si256(_mm256_slli_epi32(w, kBits), _mm256_srli_epi32(w, 32 - kBits));
  }
  return words;
}

template <int kBits>
SPILLWAY_AVX2 inline Words XorShifted(Words words) {
  for (__m256i& w : words.of) w = _mm256_xor_si256(w, _mm256_srli_epi32(w, kBits));
  return words;
}

SPILLWAY_AVX2 inline Words MixH1(const Words& h1, const Words& k1) {
  const Words mixed = Times(RotateLeft<15>(Times(k1, 0xcc9e2d51u)), 0x1b873593u);
  Words out = RotateLeft<13>(Xor(h1, mixed));
  for (__m256i& h : out.of) {
    // Five times; there are more units that add than such that shift.
    const __m256i twice = _mm256_add_epi32(h, h);
    h = _mm256_add_epi32(_mm256_add_epi32(twice, twice), _mm256_add_epi32(h, All(0xe6546b64u)));
  }
  return out;
}

SPILLWAY_AVX2 inline Words Finish(Words h1, const Words& length) {
  h1 = Times(XorShifted<16>(Xor(h1, length)), 0x85ebca6bu);
  h1 = Times(XorShifted<13>(h1), 0xc2b2ae35u);
  return XorShifted<16>(h1);
}

SPILLWAY_AVX2 inline Words Finish(const Words& h1, uint32_t length) {
  return Finish(h1, Words{{All(length), All(length)}});
}

// `then` where `mask` is set, else `otherwise`.
SPILLWAY_AVX2 inline Words Choose(const Words& mask, Words otherwise, const Words& then) {
  for (int i = 0; i < kVectors; ++i) {
    otherwise.of[i] = _mm256_blendv_epi8(otherwise.of[i], then.of[i], mask.of[i]);
  }
  return otherwise;
}

SPILLWAY_AVX2 inline Words Above(Words words, int bound) {
  for (__m256i& w : words.of) w = _mm256_cmpgt_epi32(w, _mm256_set1_epi32(bound));
  return words;
}

SPILLWAY_AVX2 inline bool Any(const Words& mask) {
  const __m256i any = _mm256_or_si256(mask.of[0], mask.of[1]);
  return _mm256_testz_si256(any, any) == 0;
}

SPILLWAY_AVX2 inline __m256i LoadPair(const uint8_t* low, const uint8_t* high) {
  return _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}

// Of rows of 16 bytes, at `offsets` of `bytes`: word[k] has the k-th word of each.
SPILLWAY_AVX2 inline void Transpose(const uint8_t* bytes, const int32_t* offsets, Words word[4]) {
  for (int i = 0; i < kVectors; ++i, offsets += kLanes) {
    __m256i pair[4];  // rows k and k + 4
    for (int k = 0; k < 4; ++k) pair[k] = LoadPair(bytes + offsets[k], bytes + offsets[k + 4]);
    const __m256i low01 = _mm256_unpacklo_epi32(pair[0], pair[1]);
    const __m256i low23 = _mm256_unpacklo_epi32(pair[2], pair[3]);
    const __m256i high01 = _mm256_unpackhi_epi32(pair[0], pair[1]);
    const __m256i high23 = _mm256_unpackhi_epi32(pair[2], pair[3]);
    word[0].of[i] = _mm256_unpacklo_epi64(low01, low23);
    word[1].of[i] = _mm256_unpackhi_epi64(low01, low23);
    word[2].of[i] = _mm256_unpacklo_epi64(high01, high23);
    word[3].of[i] = _mm256_unpackhi_epi64(high01, high23);
  }
}

// Strings of `length` bytes from `start` on.
SPILLWAY_AVX2 inline Words HashStrings(const uint8_t* bytes, const Words& start,
                                       const Words& length, Words h1) {
  Words words;
  for (int i = 0; i < kVectors; ++i) words.of[i] = _mm256_srli_epi32(length.of[i], 2);
  Words rest = {};  // the words that the last bytes are in
  for (int done = 0;; done += 16) {
    const Words more = Above(length, done);
    if (!Any(more)) break;
    // A row that is through reads its first bytes again, which count for nothing.
    alignas(32) int32_t offsets[kRows];
    for (int i = 0; i < kVectors; ++i) {
      _mm256_store_si256(
          reinterpret_cast<__m256i*>(offsets + i * kLanes),
          _mm256_add_epi32(start.of[i], _mm256_and_si256(_mm256_set1_epi32(done), more.of[i])));
    }
    Words word[4];
    Transpose(bytes, offsets, word);
    for (int k = 0; k < 4; ++k) {
      const int index = done / 4 + k;
      const Words whole = Above(words, index);
      // That a row has words up to this one and no more is its last bytes' business.
      rest = Choose(Above(words, index - 1), rest, word[k]);
      h1 = Choose(whole, h1, MixH1(h1, word[k]));
    }
  }
  Words bytes_left;
  for (int i = 0; i < kVectors; ++i) bytes_left.of[i] = _mm256_and_si256(length.of[i], All(3));
  for (int k = 0; k < 3; ++k) {
    Words byte = rest;
    for (__m256i& b : byte.of) b = _mm256_srai_epi32(_mm256_slli_epi32(b, 24 - 8 * k), 24);
    h1 = Choose(Above(bytes_left, k), h1, MixH1(h1, byte));
  }
  return Finish(h1, length);
}

}  // namespace

bool HasAvx2() { return __builtin_cpu_supports("avx2"); }

SPILLWAY_AVX2 int64_t HashIntsAvx2(const uint8_t* values, int64_t rows, uint32_t* hashes) {
  int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) {
    const Words h1 = MixH1(LoadWords(hashes + row), LoadWords(values + row * 4));
    StoreWords(hashes + row, Finish(h1, 4));
  }
  return row;
}

SPILLWAY_AVX2 int64_t HashLongsAvx2(const uint8_t* values, int64_t rows, uint32_t* hashes) {
  int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) {
    Words low;
    Words high;
    for (int i = 0; i < kVectors; ++i) {
      const uint8_t* from = values + (row + i * kLanes) * 8;
      // Rows 0 1 4 5 and 2 3 6 7, so that the halves of all come out in their order.
      const __m256 first = _mm256_castsi256_ps(LoadPair(from, from + 32));
      const __m256 second = _mm256_castsi256_ps(LoadPair(from + 16, from + 48));
      low.of[i] = _mm256_castps_si256(_mm256_shuffle_ps(first, second, 0x88));
      high.of[i] = _mm256_castps_si256(_mm256_shuffle_ps(first, second, 0xdd));
    }
    const Words h1 = MixH1(MixH1(LoadWords(hashes + row), low), high);
    StoreWords(hashes + row, Finish(h1, 8));
  }
  return row;
}

SPILLWAY_AVX2 int64_t HashStringsAvx2(const uint8_t* bytes, int64_t size, const uint8_t* ends,
                                      int64_t rows, uint32_t* hashes) {
  constexpr int kLongest = 64;
  constexpr int64_t kReadBehind = 16;
  int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) {
    const Words start = LoadWords(ends + (row - 1) * 4);
    const Words end = LoadWords(ends + row * 4);
    Words length;
    for (int i = 0; i < kVectors; ++i) length.of[i] = _mm256_sub_epi32(end.of[i], start.of[i]);
    const bool fits = int64_t{_mm256_extract_epi32(end.of[1], 7)} + kReadBehind <= size;
    if (!fits || Any(Above(length, kLongest))) break;
    StoreWords(hashes + row, HashStrings(bytes, start, length, LoadWords(hashes + row)));
  }
  return row;
}

SPILLWAY_AVX2 int64_t RemaindersAvx2(uint32_t divisor, uint32_t factor, int shift, int64_t rows,
                                     uint32_t* hashes) {
  const __m256i divisors = All(divisor);
  const __m256i factors = All(factor);
  const __m128i shifts = _mm_cvtsi32_si128(shift);
  int64_t row = 0;
  for (; row + kLanes <= rows; row += kLanes) {
    const __m256i hash = Load(hashes + row);
    const __m256i negative = _mm256_srai_epi32(hash, 31);
    const __m256i value = _mm256_xor_si256(hash, negative);
    const __m256i even = _mm256_srl_epi64(_mm256_mul_epu32(value, factors), shifts);
    const __m256i odd =
        _mm256_srl_epi64(_mm256_mul_epu32(_mm256_srli_epi64(value, 32), factors), shifts);
    const __m256i quotient = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
    const __m256i remainder = _mm256_sub_epi32(value, _mm256_mullo_epi32(quotient, divisors));
    Store(hashes + row, _mm256_add_epi32(_mm256_xor_si256(remainder, negative),
                                         _mm256_and_si256(divisors, negative)));
  }
  return row;
}

}  // namespace spillway::shuffle

#else  // no AVX2 to be had

namespace spillway::shuffle {

bool HasAvx2() { return false; }

int64_t HashIntsAvx2(const uint8_t*, int64_t, uint32_t*) { std::abort(); }
int64_t HashLongsAvx2(const uint8_t*, int64_t, uint32_t*) { std::abort(); }
int64_t HashStringsAvx2(const uint8_t*, int64_t, const uint8_t*, int64_t, uint32_t*) {
  std::abort();
}
int64_t RemaindersAvx2(uint32_t, uint32_t, int, int64_t, uint32_t*) { std::abort(); }

}  // namespace spillway::shuffle

#endif
