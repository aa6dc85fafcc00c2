// SPDX-License-Identifier: Apache-2.0
#include "fuzz/generators/value.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "src/vector/build.h"
#include "src/vector/int128.h"

namespace spillway::fuzz {
namespace {

using vector::Int128;
using vector::Kind;

template <typename T>
std::string Bytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T, size_t kSize>
T OneOf(base::Random& random, const std::array<T, kSize>& values) {
  return values[random.Below(kSize)];
}

template <typename T>
T MakeInteger(base::Random& random, bool extremes) {
  using Limits = std::numeric_limits<T>;
  if (extremes && random.Below(3) == 0) {
    return OneOf<T, 6>(random, {Limits::min(), static_cast<T>(Limits::min() + 1), T{-1}, T{0}, T{1},
                                Limits::max()});
  }
  if (random.Below(2) == 0) return static_cast<T>(random.Between(-100, 100));
  return static_cast<T>(random.Next());
}

Int128 MakeInt128(base::Random& random) {
  const uint64_t high = random.Next();  // in one expression the order would be the compiler's
  return static_cast<Int128>(static_cast<unsigned __int128>(high) << 64 | random.Next());
}

Int128 MakeUnscaled(base::Random& random, int precision, bool extremes) {
  const Int128 largest = vector::LargestUnscaled(precision);
  if (extremes && random.Below(3) == 0) {
    return OneOf<Int128, 5>(random, {-largest, -1, 0, 1, largest});
  }
  return MakeInt128(random) % (largest + 1);
}

template <typename Float, typename Bits>
Float MakeFloat(base::Random& random, const ValueOptions& options) {
  using Limits = std::numeric_limits<Float>;
  if (options.extremes && random.Below(3) == 0) {
    return OneOf<Float, 8>(random,
                           {Float{0}, -Float{0}, Limits::infinity(), -Limits::infinity(),
                            Limits::denorm_min(), Limits::min(), Limits::max(), Limits::lowest()});
  }
  if (options.nans && random.Below(4) == 0) {
    constexpr Bits kExponent = std::bit_cast<Bits>(Limits::infinity());
    return std::bit_cast<Float>(static_cast<Bits>(random.Next()) | kExponent | Bits{1});
  }
  if (random.Below(2) == 0) return static_cast<Float>(random.Between(-1000, 1000)) / Float{8};
  const auto any = std::bit_cast<Float>(static_cast<Bits>(random.Next()));
  return std::isnan(any) ? Float{1} : any;
}

// The first and last microsecond of 64 bits, and nanoseconds about them.
constexpr std::array<vector::Timestamp, 5> kMicrosEnds = {{{-9223372036855, 224'191'999},
                                                           {-9223372036855, 224'192'000},
                                                           {9223372036854, 775'807'000},
                                                           {9223372036854, 775'807'999},
                                                           {9223372036854, 775'808'000}}};

vector::Timestamp MakeTimestamp(base::Random& random, bool extremes) {
  if (extremes && random.Below(12) == 0) return OneOf(random, kMicrosEnds);
  if (extremes && random.Below(3) == 0) {
    return {OneOf<int64_t, 6>(random, {INT64_MIN, -62135596800, -1, 0, 253402300799, INT64_MAX}),
            OneOf<uint64_t, 5>(random, {0, 1, 999, 1000, 999999999})};
  }
  return {random.Between(-4'000'000'000, 4'000'000'000), random.Below(1'000'000'000)};
}

std::string MakeString(base::Random& random, const ValueOptions& options) {
  if (options.extremes && random.Below(3) == 0) {
    using namespace std::string_view_literals;
    return std::string(OneOf<std::string_view, 8>(
        random, {""sv, "\0"sv, "\xff"sv, "\xff\xff\xff\xff\xff\xff\xff\xff"sv, "\xc3\x28"sv,
                 "\xed\xa0\x80"sv, "\xf0\x9f\x90\x8d"sv, "%_\\\"'\n"sv}));
  }
  if (options.long_strings && random.Below(8) == 0) {
    const int64_t size = OneOf<int64_t, 5>(random, {255, 256, 257, 1000, 2000});
    if (random.Below(2) == 0) return std::string(size, random.Below(2) == 0 ? '\xff' : 'x');
    return MakeBytes(random, size);
  }
  if (random.Below(4) == 0) return MakeBytes(random, random.Between(1, 12));
  std::string out;
  const uint64_t size = random.Below(16);
  for (uint64_t i = 0; i < size; ++i) out += static_cast<char>('a' + random.Below(26));
  return out;
}

}  // namespace

std::string MakeValue(base::Random& random, const vector::Type& type,
                      const ValueOptions& options) {
  switch (type.kind()) {
    case Kind::kBoolean: {
      const bool value = random.Below(2) == 0;
      const bool loose = options.loose_booleans && random.Below(2) == 0;
      return Bytes(static_cast<uint8_t>(!value ? 0 : loose ? 1 + random.Below(255) : 1));
    }
    case Kind::kTinyint:
      return Bytes(MakeInteger<int8_t>(random, options.extremes));
    case Kind::kSmallint:
      return Bytes(MakeInteger<int16_t>(random, options.extremes));
    case Kind::kReal:
      return Bytes(MakeFloat<float, uint32_t>(random, options));
    case Kind::kDouble:
      return Bytes(MakeFloat<double, uint64_t>(random, options));
    case Kind::kHugeint: {
      constexpr Int128 kLowest = static_cast<Int128>(1) << 127;
      if (options.extremes && random.Below(3) == 0) {
        return Bytes(OneOf<Int128, 5>(random, {kLowest, -1, 0, 1, ~kLowest}));
      }
      return Bytes(MakeInt128(random));
    }
    case Kind::kShortDecimal:
      return Bytes(static_cast<int64_t>(MakeUnscaled(random, type.precision(), options.extremes)));
    case Kind::kLongDecimal:
      return Bytes(MakeUnscaled(random, type.precision(), options.extremes));
    case Kind::kTimestamp:
      return Bytes(MakeTimestamp(random, options.extremes));
    case Kind::kVarchar:
    case Kind::kVarbinary:
      return MakeString(random, options);
    default:
      return type.width() == sizeof(int32_t)
                 ? Bytes(MakeInteger<int32_t>(random, options.extremes))
                 : Bytes(MakeInteger<int64_t>(random, options.extremes));
  }
}

std::string MakeBytes(base::Random& random, int64_t size) {
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random.Next());
  return out;
}

}  // namespace spillway::fuzz
