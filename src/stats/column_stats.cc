// SPDX-License-Identifier: Apache-2.0
#include "src/stats/column_stats.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

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

// The rows of a flat column that bounds are taken over.
struct EveryRow {
  int64_t rows;
  int64_t size() const { return rows; }
  int64_t operator[](int64_t i) const { return i; }
};
struct TheseRows {
  const std::vector<int32_t>& rows;
  int64_t size() const { return static_cast<int64_t>(rows.size()); }
  int64_t operator[](int64_t i) const { return rows[i]; }
};

// Least and greatest of the values of non-null rows for which `counts`; none: nullopt.
template <typename T, typename Rows, typename Counts>
std::optional<Range<T>> FindRange(const FlatColumn& column, Rows rows, Counts counts) {
  std::optional<Range<T>> range;
  for (int64_t i = 0; i < rows.size(); ++i) {
    const int64_t row = rows[i];
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

template <typename T, typename Rows>
std::optional<Bounds> OrderedBounds(const FlatColumn& column, Rows rows) {
  const auto range = FindRange<T>(column, rows, [](T) { return true; });
  if (!range.has_value()) return std::nullopt;
  return Bounds{Encode(range->low), Encode(range->high)};
}

template <typename T, typename Rows>
std::optional<Bounds> FloatBounds(const FlatColumn& column, Rows rows, bool nan_aware) {
  bool nan = false;
  auto range = FindRange<T>(column, rows, [&nan](T value) {
    nan |= std::isnan(value);
    return !std::isnan(value);
  });
  if (nan && nan_aware) {
    constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
    range = {range.has_value() ? range->low : kNan, kNan};
  }
  if (!range.has_value()) return std::nullopt;
  return Bounds{Encode(range->low), Encode(range->high)};
}

template <typename Rows>
std::optional<Bounds> BooleanBounds(const FlatColumn& column, Rows rows) {
  bool seen[2] = {false, false};
  for (int64_t i = 0; i < rows.size(); ++i) {
    const int64_t row = rows[i];
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

template <typename Rows>
std::optional<Bounds> TimestampBounds(const FlatColumn& column, Rows rows) {
  const auto range = FindRange<Instant>(column, rows, [](const Instant&) { return true; });
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

template <typename Rows>
std::optional<Bounds> StringBounds(const StringColumn& column, Rows rows) {
  std::optional<Range<std::string_view>> range;
  for (int64_t i = 0; i < rows.size(); ++i) {
    const int64_t row = rows[i];
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

template <typename Rows>
std::optional<Bounds> FlatBounds(const Column& column, Rows rows, bool nan_aware) {
  switch (column.type().kind()) {
    case Kind::kBoolean:
      return BooleanBounds(column.As<FlatColumn>(), rows);
    case Kind::kTinyint:
      return OrderedBounds<int8_t>(column.As<FlatColumn>(), rows);
    case Kind::kSmallint:
      return OrderedBounds<int16_t>(column.As<FlatColumn>(), rows);
    case Kind::kInteger:
    case Kind::kDate:
    case Kind::kIntervalYearMonth:
      return OrderedBounds<int32_t>(column.As<FlatColumn>(), rows);
    case Kind::kBigint:
    case Kind::kShortDecimal:
    case Kind::kIntervalDayTime:
      return OrderedBounds<int64_t>(column.As<FlatColumn>(), rows);
    case Kind::kLongDecimal:
      return OrderedBounds<__int128>(column.As<FlatColumn>(), rows);
    case Kind::kReal:
      return FloatBounds<float>(column.As<FlatColumn>(), rows, nan_aware);
    case Kind::kDouble:
      return FloatBounds<double>(column.As<FlatColumn>(), rows, nan_aware);
    case Kind::kTimestamp:
      return TimestampBounds(column.As<FlatColumn>(), rows);
    case Kind::kVarchar:
      if (!column.type().collation().empty()) return std::nullopt;
      return StringBounds(column.As<StringColumn>(), rows);
    default:
      return std::nullopt;
  }
}

// Bounds of the rows that wrappers of any depth show: entries of an alphabet that no row uses do
// not count.
std::optional<Bounds> WrappedBounds(const Column& wrapped, bool nan_aware) {
  std::vector<int32_t> rows;
  const Column* column = &wrapped;
  bool all = true;  // no dictionary yet: each row of `column` is shown
  while (column->rows() > 0) {
    if (column->encoding() == Encoding::kConstant) {
      if (!all && rows.empty()) return std::nullopt;
      column = column->As<vector::ConstantColumn>().value().get();
      all = true;
      continue;
    }
    if (column->encoding() == Encoding::kFlat) {
      return all ? FlatBounds(*column, EveryRow{column->rows()}, nan_aware)
                 : FlatBounds(*column, TheseRows{rows}, nan_aware);
    }
    if (column->encoding() != Encoding::kDictionary) return std::nullopt;
    const auto& dictionary = column->As<vector::DictionaryColumn>();
    std::vector<bool> used(dictionary.alphabet()->rows());
    const auto use = [&](int64_t row) {
      if (!dictionary.validity().IsNull(row)) used[dictionary.Id(row)] = true;
    };
    if (all) {
      for (int64_t row = 0; row < dictionary.rows(); ++row) use(row);
    } else {
      for (const int32_t row : rows) use(row);
    }
    rows.clear();
    for (size_t id = 0; id < used.size(); ++id) {
      if (used[id]) rows.push_back(static_cast<int32_t>(id));
    }
    column = dictionary.alphabet().get();
    all = false;
  }
  return std::nullopt;
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

ColumnStats ComputeStats(const Column& column, const StatsOptions& options) {
  ColumnStats stats;
  stats.null_count = static_cast<uint32_t>(column.null_count());
  stats.count = static_cast<uint32_t>(column.rows());
  if (column.encoding() == Encoding::kFlat) {
    stats.bounds = FlatBounds(column, EveryRow{column.rows()}, options.nan_aware);
  } else if (options.bounds == BoundsRule::kBest) {
    stats.bounds = WrappedBounds(column, options.nan_aware);
  }
  return stats;
}

}  // namespace spillway::stats
