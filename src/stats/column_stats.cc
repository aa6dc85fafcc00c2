// SPDX-License-Identifier: Apache-2.0
#include "src/stats/column_stats.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "src/base/little_endian.h"

namespace spillway::stats {
namespace {

using vector::Column;
using vector::Encoding;
using vector::FlatColumn;
using vector::Kind;
using vector::StringColumn;
using vector::Type;

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr uint64_t kNanosPerMicro = 1'000;

template <typename T>
std::string Encode(T value) {
  std::string out(sizeof(T), '\0');
  base::Store(out.data(), value);
  return out;
}

template <typename T>
struct Range {
  T low;
  T high;
};

// Least and greatest of the values of non-null rows for which `counts`; none: nullopt.
template <typename T, typename Counts>
std::optional<Range<T>> FindRange(const FlatColumn& column, Counts counts) {
  std::optional<Range<T>> range;
  for (int64_t row = 0; row < column.rows(); ++row) {
    if (column.IsNull(row)) continue;
    const T value = column.Value<T>(row);
    if (!counts(value)) continue;
    if (!range.has_value()) {
      range = {value, value};
    } else {
      if (value < range->low) range->low = value;
      if (range->high < value) range->high = value;
    }
  }
  return range;
}

template <typename T>
std::optional<Bounds> OrderedBounds(const FlatColumn& column) {
  const auto range = FindRange<T>(column, [](T) { return true; });
  if (!range.has_value()) return std::nullopt;
  return Bounds{Encode(range->low), Encode(range->high)};
}

template <typename T>
std::optional<Bounds> FloatBounds(const FlatColumn& column) {
  const auto range = FindRange<T>(column, [](T value) { return !std::isnan(value); });
  if (!range.has_value()) return std::nullopt;
  return Bounds{Encode(range->low), Encode(range->high)};
}

std::optional<Bounds> BooleanBounds(const FlatColumn& column) {
  bool seen[2] = {false, false};
  for (int64_t row = 0; row < column.rows(); ++row) {
    if (!column.IsNull(row)) seen[column.Value<uint8_t>(row) != 0] = true;
  }
  if (!seen[0] && !seen[1]) return std::nullopt;
  return Bounds{Encode<uint8_t>(seen[0] ? 0 : 1), Encode<uint8_t>(seen[1] ? 1 : 0)};
}

struct Instant {
  int64_t seconds;
  uint64_t nanos;
  bool operator<(const Instant& other) const {
    return seconds != other.seconds ? seconds < other.seconds : nanos < other.nanos;
  }
};

std::optional<Bounds> TimestampBounds(const FlatColumn& column) {
  const auto range = FindRange<Instant>(column, [](const Instant&) { return true; });
  if (!range.has_value()) return std::nullopt;
  // Nanos count up from the second, so dropping their rest rounds down before the epoch too. 128
  // bits, since the product may pass int64 on the way to a sum that fits (velox#7506).
  const auto micros = [](const Instant& instant) {
    return static_cast<__int128>(instant.seconds) * kMicrosPerSecond +
           static_cast<int64_t>(instant.nanos / kNanosPerMicro);
  };
  constexpr __int128 kMin = std::numeric_limits<int64_t>::min();
  constexpr __int128 kMax = std::numeric_limits<int64_t>::max();
  const __int128 lower = micros(range->low);
  __int128 upper = micros(range->high);
  if (lower < kMin || upper > kMax) return std::nullopt;
  if (range->high.nanos % kNanosPerMicro != 0 && upper != kMax) ++upper;
  return Bounds{Encode(static_cast<int64_t>(lower)), Encode(static_cast<int64_t>(upper))};
}

std::optional<Bounds> StringBounds(const StringColumn& column) {
  std::optional<Range<std::string_view>> range;
  for (int64_t row = 0; row < column.rows(); ++row) {
    if (column.IsNull(row)) continue;
    // Compares as unsigned bytes, as std::char_traits<char> does.
    const std::string_view value = column.Value(row);
    if (!range.has_value()) {
      range = {value, value};
    } else if (value < range->low) {
      range->low = value;
    } else if (value > range->high) {
      range->high = value;
    }
  }
  if (!range.has_value()) return std::nullopt;
  Bounds bounds{std::string(range->low.substr(0, kMaxStringBound)),
                std::string(range->high.substr(0, kMaxStringBound))};
  if (static_cast<int64_t>(range->high.size()) > kMaxStringBound) {
    auto byte = bounds.upper.rbegin();
    for (; byte != bounds.upper.rend(); ++byte) {
      *byte = static_cast<char>(static_cast<uint8_t>(*byte) + 1);
      if (*byte != 0) break;
    }
    if (byte == bounds.upper.rend()) return std::nullopt;
  }
  return bounds;
}

std::optional<Bounds> FlatBounds(const Column& column) {
  switch (column.type().kind()) {
    case Kind::kBoolean:
      return BooleanBounds(column.As<FlatColumn>());
    case Kind::kTinyint:
      return OrderedBounds<int8_t>(column.As<FlatColumn>());
    case Kind::kSmallint:
      return OrderedBounds<int16_t>(column.As<FlatColumn>());
    case Kind::kInteger:
    case Kind::kDate:
    case Kind::kIntervalYearMonth:
      return OrderedBounds<int32_t>(column.As<FlatColumn>());
    case Kind::kBigint:
    case Kind::kShortDecimal:
    case Kind::kIntervalDayTime:
      return OrderedBounds<int64_t>(column.As<FlatColumn>());
    case Kind::kLongDecimal:
      return OrderedBounds<__int128>(column.As<FlatColumn>());
    case Kind::kReal:
      return FloatBounds<float>(column.As<FlatColumn>());
    case Kind::kDouble:
      return FloatBounds<double>(column.As<FlatColumn>());
    case Kind::kTimestamp:
      return TimestampBounds(column.As<FlatColumn>());
    case Kind::kVarchar:
      if (!column.type().collation().empty()) return std::nullopt;
      return StringBounds(column.As<StringColumn>());
    default:
      return std::nullopt;
  }
}

}  // namespace

int BoundWidth(const Type& type) {
  switch (type.kind()) {
    case Kind::kVarchar:
      return type.collation().empty() ? -1 : 0;
    case Kind::kTimestamp:
      return sizeof(int64_t);
    case Kind::kHugeint:
    case Kind::kVarbinary:
    case Kind::kUnknown:
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kRow:
      return 0;
    default:
      return type.width();
  }
}

ColumnStats ComputeStats(const Column& column) {
  ColumnStats stats;
  stats.null_count = static_cast<uint32_t>(column.null_count());
  stats.count = static_cast<uint32_t>(column.rows());
  if (column.encoding() == Encoding::kFlat) stats.bounds = FlatBounds(column);
  return stats;
}

}  // namespace spillway::stats
