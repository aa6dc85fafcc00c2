// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/murmur3.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "src/base/check.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/shuffle/flat_view.h"

namespace spillway::shuffle {
namespace {

using vector::FlatColumn;
using vector::Kind;
using vector::StringColumn;

__extension__ using Int128 = __int128;

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kNanosPerMicro = 1'000;

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

// java.math.BigInteger.toByteArray of `value`.
uint32_t MinimalBigEndian(Int128 value, uint32_t seed) {
  std::array<uint8_t, sizeof(Int128)> bytes;
  size_t first = bytes.size();
  // Bytes are needed until what is left is nothing but the sign of the last one.
  bool more = true;
  while (more) {
    const auto byte = static_cast<int8_t>(value);
    bytes[--first] = static_cast<uint8_t>(byte);
    value >>= 8;
    more = first != 0 && value != (byte < 0 ? -1 : 0);
  }
  return Bytes(bytes.data() + first, bytes.size() - first, seed);
}

// hashes[r] = hash(row of the base, hashes[r]) where row r is not null.
template <typename Hash>
void ForEachRow(const FlatView& view, std::span<uint32_t> hashes, Hash hash) {
  const auto rows = static_cast<int64_t>(hashes.size());
  if (view.mapping() == FlatView::Mapping::kIdentity && !view.may_have_nulls()) {
    for (int64_t row = 0; row < rows; ++row) hashes[row] = hash(row, hashes[row]);
    return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t source = view.Source(row);
    if (source != FlatView::kNull) hashes[row] = hash(source, hashes[row]);
  }
}

template <typename T, typename Hash>
void ForEachFixed(const FlatView& view, std::span<uint32_t> hashes, Hash hash) {
  const uint8_t* values = view.base().As<FlatColumn>().values().data();
  ForEachRow(view, hashes, [=](int64_t row, uint32_t seed) {
    return hash(base::Load<T>(values + row * static_cast<int64_t>(sizeof(T))), seed);
  });
}

template <typename T>
void HashAsInt(const FlatView& view, std::span<uint32_t> hashes) {
  ForEachFixed<T>(view, hashes, [](T value, uint32_t seed) {
    return Int(static_cast<uint32_t>(static_cast<int32_t>(value)), seed);
  });
}

// `Float` as the bits of `Bits`, zeros alike and, if asked, NaNs alike.
template <typename Float, typename Bits>
void HashFloat(const FlatView& view, std::span<uint32_t> hashes, HashOptions::Nan nan) {
  const auto run = [&](auto canonical) {
    ForEachFixed<Float>(view, hashes, [](Float value, uint32_t seed) {
      if (value == 0) value = 0;
      if (decltype(canonical)::value && std::isnan(value)) {
        value = std::numeric_limits<Float>::quiet_NaN();
      }
      const Bits bits = std::bit_cast<Bits>(value);
      if constexpr (sizeof(Bits) == sizeof(uint32_t)) {
        return Int(bits, seed);
      } else {
        return Long(bits, seed);
      }
    });
  };
  if (nan == HashOptions::Nan::kCanonical) {
    run(std::true_type());
  } else {
    run(std::false_type());
  }
}

// Microseconds of the TIMESTAMP at `at`; false if they do not fit.
bool ToMicros(const uint8_t* at, int64_t& micros) {
  const auto seconds = base::Load<int64_t>(at);
  const auto nanos = static_cast<int64_t>(base::Load<uint64_t>(at + sizeof(seconds)));
  // Seconds below 0 go up by one first: the lowest second reaches below 64 bits only without its
  // nanoseconds.
  const int64_t borrow = seconds < 0 ? 1 : 0;
  return !__builtin_mul_overflow(seconds + borrow, kMicrosPerSecond, &micros) &&
         !__builtin_add_overflow(micros, nanos / kNanosPerMicro - borrow * kMicrosPerSecond,
                                 &micros);
}

absl::Status HashTimestamps(const FlatView& view, std::span<uint32_t> hashes) {
  const uint8_t* values = view.base().As<FlatColumn>().values().data();
  constexpr int64_t kWidth = 2 * sizeof(int64_t);
  const auto rows = static_cast<int64_t>(hashes.size());
  int64_t micros = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t source = view.Source(row);
    if (source == FlatView::kNull || ToMicros(values + source * kWidth, micros)) continue;
    return base::Invalid("TIMESTAMP at row ", row, " has ",
                         base::Load<int64_t>(values + source * kWidth),
                         " seconds, whose microseconds do not fit 64 bits");
  }
  ForEachRow(view, hashes, [=](int64_t row, uint32_t seed) {
    int64_t value = 0;
    ToMicros(values + row * kWidth, value);
    return Long(static_cast<uint64_t>(value), seed);
  });
  return absl::OkStatus();
}

void HashStrings(const FlatView& view, std::span<uint32_t> hashes) {
  const auto& strings = view.base().As<StringColumn>();
  const uint8_t* bytes = strings.bytes().data();
  const int32_t first = strings.first();
  const uint8_t* ends = strings.ends().data();
  ForEachRow(view, hashes, [=](int64_t row, uint32_t seed) {
    constexpr int64_t kWidth = sizeof(int32_t);
    const int32_t start = row == 0 ? first : base::Load<int32_t>(ends + (row - 1) * kWidth);
    const int32_t end = base::Load<int32_t>(ends + row * kWidth);
    return Bytes(bytes + start, static_cast<size_t>(end - start), seed);
  });
}

void HashLongDecimals(const FlatView& view, HashOptions::LongDecimal form,
                      std::span<uint32_t> hashes) {
  if (form == HashOptions::LongDecimal::kSparkBigEndianMinimal) {
    ForEachFixed<Int128>(view, hashes, MinimalBigEndian);
    return;
  }
  ForEachFixed<Int128>(view, hashes, [](Int128 value, uint32_t seed) {
    return Bytes(reinterpret_cast<const uint8_t*>(&value), sizeof(value), seed);
  });
}

}  // namespace

uint32_t HashInt(uint32_t value, uint32_t seed) { return Int(value, seed); }
uint32_t HashLong(uint64_t value, uint32_t seed) { return Long(value, seed); }
uint32_t HashBytes(std::string_view bytes, uint32_t seed) {
  return Bytes(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), seed);
}

absl::Status CheckHashable(const vector::Type& type) {
  if (!type.is_nested()) return absl::OkStatus();
  return absl::UnimplementedError(
      base::Cat("type ", type.ToString(), " is nested, only scalars can be hashed"));
}

absl::Status HashColumn(const vector::Column& column, const HashOptions& options,
                        std::span<uint32_t> hashes) {
  SPILLWAY_CHECK(static_cast<int64_t>(hashes.size()) == column.rows(), "one hash a row");
  SPILLWAY_RETURN_IF_ERROR(CheckHashable(column.type()));
  SPILLWAY_ASSIGN_OR_RETURN(const FlatView view, FlatView::Of(column));
  switch (column.type().kind()) {
    case Kind::kBoolean:
      ForEachFixed<uint8_t>(view, hashes, [](uint8_t value, uint32_t seed) {
        return Int(value != 0 ? 1 : 0, seed);
      });
      break;
    case Kind::kTinyint:
      HashAsInt<int8_t>(view, hashes);
      break;
    case Kind::kSmallint:
      HashAsInt<int16_t>(view, hashes);
      break;
    case Kind::kInteger:
    case Kind::kDate:
    case Kind::kIntervalYearMonth:
      HashAsInt<int32_t>(view, hashes);
      break;
    case Kind::kBigint:
    case Kind::kShortDecimal:
    case Kind::kIntervalDayTime:
      ForEachFixed<uint64_t>(view, hashes, Long);
      break;
    case Kind::kReal:
      HashFloat<float, uint32_t>(view, hashes, options.nan);
      break;
    case Kind::kDouble:
      HashFloat<double, uint64_t>(view, hashes, options.nan);
      break;
    case Kind::kLongDecimal:
    case Kind::kHugeint:
      HashLongDecimals(view, options.long_decimal, hashes);
      break;
    case Kind::kTimestamp:
      return HashTimestamps(view, hashes);
    case Kind::kVarchar:
    case Kind::kVarbinary:
      HashStrings(view, hashes);
      break;
    case Kind::kUnknown:
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kRow:
      break;
  }
  return absl::OkStatus();
}

}  // namespace spillway::shuffle
