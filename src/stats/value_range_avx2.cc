// SPDX-License-Identifier: Apache-2.0
#include "src/stats/value_range_avx2.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>

#include "src/base/little_endian.h"

#define SPILLWAY_AVX2 __attribute__((target("avx2")))
#define SPILLWAY_AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline

namespace spillway::stats {
namespace {

SPILLWAY_AVX2_INLINE __m256i Load32(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

// The lanes of `value` whose bit of `bits` is set, those of `fill` otherwise.
SPILLWAY_AVX2_INLINE __m256i Pick8(__m256i fill, __m256i value, uint64_t bits) {
  const __m256i numbers = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202,
                                             0x0303030303030303);
  const __m256i bytes =
      _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), numbers);
  const __m256i bit = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201));
  return _mm256_blendv_epi8(fill, value, _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit));
}

SPILLWAY_AVX2_INLINE __m256i Pick16(__m256i fill, __m256i value, uint64_t bits) {
  const __m256i bit =
      _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384,
                        static_cast<int16_t>(0x8000));
  const __m256i all = _mm256_set1_epi16(static_cast<int16_t>(bits));
  return _mm256_blendv_epi8(fill, value, _mm256_cmpeq_epi16(_mm256_and_si256(all, bit), bit));
}

SPILLWAY_AVX2_INLINE __m256i Pick32(__m256i fill, __m256i value, uint64_t bits) {
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i all = _mm256_set1_epi32(static_cast<int>(bits));
  return _mm256_blendv_epi8(fill, value, _mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit));
}

// The 8-byte lanes of `value` where `mask` is all ones, those of `fill` where it is zero. Some
// processors blend lanes at twice the speed of bytes, next to comparisons.
SPILLWAY_AVX2_INLINE __m256i Choose64(__m256i fill, __m256i value, __m256i mask) {
  return _mm256_castpd_si256(_mm256_blendv_pd(
      _mm256_castsi256_pd(fill), _mm256_castsi256_pd(value), _mm256_castsi256_pd(mask)));
}

SPILLWAY_AVX2_INLINE __m256i Pick64(__m256i fill, __m256i value, uint64_t bits, __m256i bit) {
  const __m256i all = _mm256_set1_epi64x(static_cast<int64_t>(bits));
  return Choose64(fill, value, _mm256_cmpeq_epi64(_mm256_and_si256(all, bit), bit));
}

// A vector of a type's values: how it is made, narrowed to the lanes that count, and compared. Of
// equal values Least() and Greatest() give the second, as of a NaN that comes first.
struct Bytes {
  static constexpr int kRows = 32;
  __m256i lanes;

  SPILLWAY_AVX2_INLINE static Bytes Of(const uint8_t* at) { return {Load32(at)}; }
  SPILLWAY_AVX2_INLINE static Bytes Pick(Bytes fill, Bytes value, uint64_t bits) {
    return {Pick8(fill.lanes, value.lanes, bits)};
  }
  SPILLWAY_AVX2_INLINE static Bytes Least(Bytes a, Bytes b) {
    return {_mm256_min_epu8(a.lanes, b.lanes)};
  }
  SPILLWAY_AVX2_INLINE static Bytes Greatest(Bytes a, Bytes b) {
    return {_mm256_max_epu8(a.lanes, b.lanes)};
  }
};

struct Int8s {
  static constexpr int kRows = 32;
  __m256i lanes;

  SPILLWAY_AVX2_INLINE static Int8s Of(const uint8_t* at) { return {Load32(at)}; }
  SPILLWAY_AVX2_INLINE static Int8s Pick(Int8s fill, Int8s value, uint64_t bits) {
    return {Pick8(fill.lanes, value.lanes, bits)};
  }
  SPILLWAY_AVX2_INLINE static Int8s Least(Int8s a, Int8s b) {
    return {_mm256_min_epi8(a.lanes, b.lanes)};
  }
  SPILLWAY_AVX2_INLINE static Int8s Greatest(Int8s a, Int8s b) {
    return {_mm256_max_epi8(a.lanes, b.lanes)};
  }
};

struct Int16s {
  static constexpr int kRows = 16;
  __m256i lanes;

  SPILLWAY_AVX2_INLINE static Int16s Of(const uint8_t* at) { return {Load32(at)}; }
  SPILLWAY_AVX2_INLINE static Int16s Pick(Int16s fill, Int16s value, uint64_t bits) {
    return {Pick16(fill.lanes, value.lanes, bits)};
  }
  SPILLWAY_AVX2_INLINE static Int16s Least(Int16s a, Int16s b) {
    return {_mm256_min_epi16(a.lanes, b.lanes)};
  }
  SPILLWAY_AVX2_INLINE static Int16s Greatest(Int16s a, Int16s b) {
    return {_mm256_max_epi16(a.lanes, b.lanes)};
  }
};

struct Int32s {
  static constexpr int kRows = 8;
  __m256i lanes;

  SPILLWAY_AVX2_INLINE static Int32s Of(const uint8_t* at) { return {Load32(at)}; }
  SPILLWAY_AVX2_INLINE static Int32s Pick(Int32s fill, Int32s value, uint64_t bits) {
    return {Pick32(fill.lanes, value.lanes, bits)};
  }
  SPILLWAY_AVX2_INLINE static Int32s Least(Int32s a, Int32s b) {
    return {_mm256_min_epi32(a.lanes, b.lanes)};
  }
  SPILLWAY_AVX2_INLINE static Int32s Greatest(Int32s a, Int32s b) {
    return {_mm256_max_epi32(a.lanes, b.lanes)};
  }
};

struct Int64s {
  static constexpr int kRows = 4;
  __m256i lanes;

  SPILLWAY_AVX2_INLINE static Int64s Of(const uint8_t* at) { return {Load32(at)}; }
  SPILLWAY_AVX2_INLINE static Int64s Pick(Int64s fill, Int64s value, uint64_t bits) {
    return {Pick64(fill.lanes, value.lanes, bits, _mm256_setr_epi64x(1, 2, 4, 8))};
  }
  SPILLWAY_AVX2_INLINE static Int64s Least(Int64s a, Int64s b) {
    return {Choose64(b.lanes, a.lanes, _mm256_cmpgt_epi64(b.lanes, a.lanes))};
  }
  SPILLWAY_AVX2_INLINE static Int64s Greatest(Int64s a, Int64s b) {
    return {Choose64(b.lanes, a.lanes, _mm256_cmpgt_epi64(a.lanes, b.lanes))};
  }
};

struct Floats {
  static constexpr int kRows = 8;
  __m256 lanes;

  SPILLWAY_AVX2_INLINE static Floats Of(const uint8_t* at) {
    return {_mm256_castsi256_ps(Load32(at))};
  }
  SPILLWAY_AVX2_INLINE static Floats Pick(Floats fill, Floats value, uint64_t bits) {
    return {_mm256_castsi256_ps(
        Pick32(_mm256_castps_si256(fill.lanes), _mm256_castps_si256(value.lanes), bits))};
  }
  SPILLWAY_AVX2_INLINE static Floats Least(Floats a, Floats b) {
    return {_mm256_min_ps(a.lanes, b.lanes)};
  }
  SPILLWAY_AVX2_INLINE static Floats Greatest(Floats a, Floats b) {
    return {_mm256_max_ps(a.lanes, b.lanes)};
  }
  SPILLWAY_AVX2_INLINE __m256i Nans() const {
    return _mm256_castps_si256(_mm256_cmp_ps(lanes, lanes, _CMP_UNORD_Q));
  }
};

struct Doubles {
  static constexpr int kRows = 4;
  __m256d lanes;

  SPILLWAY_AVX2_INLINE static Doubles Of(const uint8_t* at) {
    return {_mm256_castsi256_pd(Load32(at))};
  }
  SPILLWAY_AVX2_INLINE static Doubles Pick(Doubles fill, Doubles value, uint64_t bits) {
    return {_mm256_castsi256_pd(Pick64(_mm256_castpd_si256(fill.lanes),
                                       _mm256_castpd_si256(value.lanes), bits,
                                       _mm256_setr_epi64x(1, 2, 4, 8)))};
  }
  SPILLWAY_AVX2_INLINE static Doubles Least(Doubles a, Doubles b) {
    return {_mm256_min_pd(a.lanes, b.lanes)};
  }
  SPILLWAY_AVX2_INLINE static Doubles Greatest(Doubles a, Doubles b) {
    return {_mm256_max_pd(a.lanes, b.lanes)};
  }
  SPILLWAY_AVX2_INLINE __m256i Nans() const {
    return _mm256_castpd_si256(_mm256_cmp_pd(lanes, lanes, _CMP_UNORD_Q));
  }
};

// Four values of two 8-byte halves, of which the one that counts more is signed and the other, kept
// with its top bit flipped, is not. Rows 0, 2, 1, 3, as unpacking orders them. Lanes that do not
// count say so, which is less work than to fill two halves.
template <bool kHighFirst>
struct Pairs {
  static constexpr int kRows = 4;
  __m256i high;
  __m256i low;
  __m256i counts;

  SPILLWAY_AVX2_INLINE static Pairs Of(const uint8_t* at) {
    const __m256i front = Load32(at);
    const __m256i back = Load32(at + 32);
    const __m256i first = _mm256_unpacklo_epi64(front, back);
    const __m256i second = _mm256_unpackhi_epi64(front, back);
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
    const __m256i all = _mm256_set1_epi64x(-1);
    return kHighFirst ? Pairs{first, _mm256_xor_si256(second, sign), all}
                      : Pairs{second, _mm256_xor_si256(first, sign), all};
  }
  SPILLWAY_AVX2_INLINE static Pairs Pick(Pairs, Pairs value, uint64_t bits) {
    const __m256i bit = _mm256_setr_epi64x(1, 4, 2, 8);
    const __m256i all = _mm256_set1_epi64x(static_cast<int64_t>(bits));
    return {value.high, value.low, _mm256_cmpeq_epi64(_mm256_and_si256(all, bit), bit)};
  }
  // `a` in the lanes where x < y and `a` counts, `b` in the others.
  SPILLWAY_AVX2_INLINE static Pairs Choose(Pairs x, Pairs y, Pairs a, Pairs b) {
    const __m256i less = _mm256_or_si256(
        _mm256_cmpgt_epi64(y.high, x.high),
        _mm256_and_si256(_mm256_cmpeq_epi64(x.high, y.high), _mm256_cmpgt_epi64(y.low, x.low)));
    const __m256i take = _mm256_and_si256(less, a.counts);
    return {Choose64(b.high, a.high, take), Choose64(b.low, a.low, take), b.counts};
  }
  SPILLWAY_AVX2_INLINE static Pairs Least(Pairs a, Pairs b) { return Choose(a, b, a, b); }
  SPILLWAY_AVX2_INLINE static Pairs Greatest(Pairs a, Pairs b) { return Choose(b, a, a, b); }
};

template <typename T>
struct LanesOf;
template <> struct LanesOf<uint8_t> { using Type = Bytes; };
template <> struct LanesOf<int8_t> { using Type = Int8s; };
template <> struct LanesOf<int16_t> { using Type = Int16s; };
template <> struct LanesOf<int32_t> { using Type = Int32s; };
template <> struct LanesOf<int64_t> { using Type = Int64s; };
template <> struct LanesOf<__int128> { using Type = Pairs<false>; };
template <> struct LanesOf<Instant> { using Type = Pairs<true>; };
template <> struct LanesOf<float> { using Type = Floats; };
template <> struct LanesOf<double> { using Type = Doubles; };

// Lanes that are all `value`.
template <typename T, typename Lanes>
SPILLWAY_AVX2_INLINE Lanes Every(T value) {
  uint8_t bytes[Lanes::kRows * sizeof(T)];
  for (int row = 0; row < Lanes::kRows; ++row) base::Store(bytes + row * sizeof(T), value);
  return Lanes::Of(bytes);
}

// The lanes as values, in any order.
template <typename T, typename Lanes>
SPILLWAY_AVX2_INLINE void Spread(Lanes lanes, T* out) {
  if constexpr (sizeof(T) == 16) {
    int64_t high[4], low[4];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(high), lanes.high);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(low), lanes.low);
    for (int row = 0; row < 4; ++row) {
      const uint64_t flipped = static_cast<uint64_t>(low[row]) ^ (uint64_t{1} << 63);
      if constexpr (std::is_same_v<T, Instant>) {
        out[row] = {high[row], flipped};
      } else {
        out[row] = static_cast<__int128>(static_cast<unsigned __int128>(high[row]) << 64 | flipped);
      }
    }
  } else {
    static_assert(sizeof(lanes.lanes) == Lanes::kRows * sizeof(T));
    std::memcpy(out, &lanes.lanes, sizeof(lanes.lanes));
  }
}

// The bound among `lanes`, of which `beyond(a, b)` says that a replaces b. False: zeros of both
// signs are.
template <typename T, typename Beyond>
bool Reduce(const T* lanes, int count, Beyond beyond, T* bound) {
  T best = lanes[0];
  for (int i = 1; i < count; ++i) best = beyond(lanes[i], best) ? lanes[i] : best;
  if constexpr (std::is_floating_point_v<T>) {
    for (int i = 0; i < count; ++i) {
      if (lanes[i] == best && std::signbit(lanes[i]) != std::signbit(best)) return false;
    }
  }
  *bound = best;
  return true;
}

template <typename T>
SPILLWAY_AVX2 bool Widen(const uint8_t* values, const uint64_t* masks, int64_t words, T* low,
                         T* high, bool* nan) {
  using Lanes = typename LanesOf<T>::Type;
  constexpr int kRows = Lanes::kRows;
  // Chains of comparisons that do not wait for each other, as many as there are registers for.
  constexpr int kChains = sizeof(T) == 1 || sizeof(T) == 16 ? 2 : 4;
  constexpr int64_t kBytes = kRows * sizeof(T);
  const Lanes fill = Every<T, Lanes>(*low);
  Lanes lows[kChains], highs[kChains];
  for (int chain = 0; chain < kChains; ++chain) {
    lows[chain] = fill;
    highs[chain] = Every<T, Lanes>(*high);
  }
  __m256i nans = _mm256_setzero_si256();
  const auto widen = [&](int chain, Lanes value) SPILLWAY_AVX2 {
    lows[chain] = Lanes::Least(value, lows[chain]);
    highs[chain] = Lanes::Greatest(value, highs[chain]);
    if constexpr (std::is_floating_point_v<T>) nans = _mm256_or_si256(nans, value.Nans());
  };
  for (int64_t word = 0; word < words; ++word) {
    const uint64_t mask = masks[word];
    const uint8_t* at = values + word * 64 * static_cast<int64_t>(sizeof(T));
    if (mask == ~uint64_t{0}) {
      for (int row = 0; row < 64; row += kRows * kChains) {
        for (int chain = 0; chain < kChains; ++chain, at += kBytes) widen(chain, Lanes::Of(at));
      }
    } else {
      for (int row = 0; row < 64; row += kRows * kChains) {
        for (int chain = 0; chain < kChains; ++chain, at += kBytes) {
          widen(chain, Lanes::Pick(fill, Lanes::Of(at), mask >> (row + chain * kRows)));
        }
      }
    }
  }
  if (_mm256_testz_si256(nans, nans) == 0) *nan = true;
  int chains = kChains;
  if constexpr (!std::is_floating_point_v<T>) {
    for (; chains > 1; --chains) {
      lows[0] = Lanes::Least(lows[chains - 1], lows[0]);
      highs[0] = Lanes::Greatest(highs[chains - 1], highs[0]);
    }
  }
  T spread[2][kChains * kRows];
  for (int chain = 0; chain < chains; ++chain) {
    Spread(lows[chain], spread[0] + chain * kRows);
    Spread(highs[chain], spread[1] + chain * kRows);
  }
  T bounds[2];
  const auto less = [](const T& a, const T& b) { return a < b; };
  const auto greater = [](const T& a, const T& b) { return b < a; };
  if (!Reduce(spread[0], chains * kRows, less, &bounds[0]) ||
      !Reduce(spread[1], chains * kRows, greater, &bounds[1])) {
    return false;
  }
  *low = bounds[0];
  *high = bounds[1];
  return true;
}

}  // namespace

bool HasAvx2() { return __builtin_cpu_supports("avx2"); }

template <typename T>
bool WidenAvx2(const uint8_t* values, const uint64_t* masks, int64_t words, T* low, T* high,
               bool* nan) {
  return Widen(values, masks, words, low, high, nan);
}

}  // namespace spillway::stats

#else  // no AVX2 to be had

namespace spillway::stats {

bool HasAvx2() { return false; }

template <typename T>
bool WidenAvx2(const uint8_t*, const uint64_t*, int64_t, T*, T*, bool*) {
  std::abort();
}

}  // namespace spillway::stats

#endif

namespace spillway::stats {

#define SPILLWAY_WIDEN(T)                                                                     \
  template bool WidenAvx2<T>(const uint8_t* values, const uint64_t* masks, int64_t words, T* low, \
                             T* high, bool* nan)

SPILLWAY_WIDEN(uint8_t);
SPILLWAY_WIDEN(int8_t);
SPILLWAY_WIDEN(int16_t);
SPILLWAY_WIDEN(int32_t);
SPILLWAY_WIDEN(int64_t);
SPILLWAY_WIDEN(__int128);
SPILLWAY_WIDEN(Instant);
SPILLWAY_WIDEN(float);
SPILLWAY_WIDEN(double);

}  // namespace spillway::stats
