// SPDX-License-Identifier: Apache-2.0
#include "src/stats/column_stats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/stats/string_range.h"
#include "src/stats/value_range.h"

namespace spillway::stats {
namespace {

using vector::Column;
using vector::Encoding;
using vector::FlatColumn;
using vector::Kind;
using vector::StringColumn;
using vector::Type;
using vector::Validity;

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr uint64_t kNanosPerMicro = 1'000;

// BoundWidth() by kind, that of binary strings for VARCHAR. A table, since a reader asks this of
// every column of every frame, and no processor predicts what comes next.
constexpr std::array<int8_t, static_cast<size_t>(Kind::kRow) + 1> MakeBoundWidths() {
  std::array<int8_t, static_cast<size_t>(Kind::kRow) + 1> widths{};
  const auto set = [&](int8_t width, std::initializer_list<Kind> kinds) {
    for (const Kind kind : kinds) widths[static_cast<size_t>(kind)] = width;
  };
  set(1, {Kind::kBoolean, Kind::kTinyint});
  set(2, {Kind::kSmallint});
  set(4, {Kind::kInteger, Kind::kDate, Kind::kIntervalYearMonth, Kind::kReal});
  set(8, {Kind::kBigint, Kind::kShortDecimal, Kind::kIntervalDayTime, Kind::kDouble,
          Kind::kTimestamp});
  set(16, {Kind::kLongDecimal});
  set(-1, {Kind::kVarchar});
  return widths;
}
constexpr auto kBoundWidths = MakeBoundWidths();

template <typename T>
std::string Encode(T value) {
  std::string out(sizeof(T), '\0');
  base::Store(out.data(), value);
  return out;
}

template <typename T>
std::optional<Bounds> OrderedBounds(const FlatColumn& column, const RowSet& rows) {
  const auto range = FindRange<T>(column.values().data(), rows).range;
  if (!range.has_value()) return std::nullopt;
  return Bounds{Encode(range->low), Encode(range->high)};
}

template <typename T>
std::optional<Bounds> FloatBounds(const FlatColumn& column, const RowSet& rows, bool nan_aware) {
  auto [range, nan] = FindRange<T>(column.values().data(), rows);
  if (nan && nan_aware) {
    constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
    range = {range.has_value() ? range->low : kNan, kNan};
  }
  if (!range.has_value()) return std::nullopt;
  return Bounds{Encode(range->low), Encode(range->high)};
}

std::optional<Bounds> BooleanBounds(const FlatColumn& column, const RowSet& rows) {
  const auto range = FindRange<uint8_t>(column.values().data(), rows).range;
  if (!range.has_value()) return std::nullopt;
  return Bounds{Encode<uint8_t>(range->low != 0 ? 1 : 0),
                Encode<uint8_t>(range->high != 0 ? 1 : 0)};
}

std::optional<Bounds> TimestampBounds(const FlatColumn& column, const RowSet& rows) {
  const auto range = FindRange<Instant>(column.values().data(), rows).range;
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

std::optional<Bounds> StringBounds(const StringColumn& column, const RowSet& rows) {
  // One byte more than a bound has tells whether the greatest value is longer.
  const auto range = FindStringRange(column, rows, kMaxStringBound + 1);
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

// Bounds over the rows of a flat column that are not null, nor null in `shown` if it is there.
std::optional<Bounds> FlatBounds(const Column& column, const Validity* shown, bool nan_aware) {
  if (column.type().kind() == Kind::kVarchar) {
    if (!column.type().collation().empty()) return std::nullopt;
    const auto& strings = column.As<StringColumn>();
    return StringBounds(strings, {strings.validity(), strings.rows(), shown});
  }
  if (BoundWidth(column.type()) == 0) return std::nullopt;
  const auto& flat = column.As<FlatColumn>();
  const RowSet rows{flat.validity(), flat.rows(), shown};
  switch (flat.type().kind()) {
    case Kind::kBoolean:
      return BooleanBounds(flat, rows);
    case Kind::kTinyint:
      return OrderedBounds<int8_t>(flat, rows);
    case Kind::kSmallint:
      return OrderedBounds<int16_t>(flat, rows);
    case Kind::kInteger:
    case Kind::kDate:
    case Kind::kIntervalYearMonth:
      return OrderedBounds<int32_t>(flat, rows);
    case Kind::kBigint:
    case Kind::kShortDecimal:
    case Kind::kIntervalDayTime:
      return OrderedBounds<int64_t>(flat, rows);
    case Kind::kLongDecimal:
      return OrderedBounds<__int128>(flat, rows);
    case Kind::kReal:
      return FloatBounds<float>(flat, rows, nan_aware);
    case Kind::kDouble:
      return FloatBounds<double>(flat, rows, nan_aware);
    case Kind::kTimestamp:
      return TimestampBounds(flat, rows);
    default:
      return std::nullopt;
  }
}

// Which entries of its alphabet those rows of a dictionary show that are not null, nor null in
// `shown`.
Validity ShownEntries(const vector::DictionaryColumn& dictionary, const Validity* shown) {
  const int64_t entries = dictionary.alphabet()->rows();
  std::vector<uint8_t> used(entries);
  const RowSet rows{dictionary.validity(), dictionary.rows(), shown};
  if (rows.all()) {
    for (int64_t row = 0; row < rows.rows; ++row) used[dictionary.Id(row)] = 1;
  } else {
    for (int64_t row = 0; row < rows.rows; row += 64) {
      for (uint64_t word = rows.Word(row); word != 0; word &= word - 1) {
        used[dictionary.Id(row + std::countr_zero(word))] = 1;
      }
    }
  }
  vector::MutableBuffer bits((entries + 7) / 8);
  std::fill(bits.data(), bits.data() + bits.size(), uint8_t{0});
  for (int64_t id = 0; id < entries; ++id) {
    bits.data()[id / 8] |= static_cast<uint8_t>(used[id] << (id % 8));
  }
  return Validity::CountBits(std::move(bits).Freeze(), 0, entries);
}

// Bounds of the rows that wrappers of any depth show: entries of an alphabet that no row uses do
// not count.
std::optional<Bounds> WrappedBounds(const Column& wrapped, bool nan_aware) {
  const Column* column = &wrapped;
  Validity shown;  // of `column`'s rows
  while (column->rows() > shown.null_count()) {
    if (column->encoding() == Encoding::kConstant) {
      column = column->As<vector::ConstantColumn>().value().get();
      shown = Validity();
    } else if (column->encoding() == Encoding::kDictionary) {
      const auto& dictionary = column->As<vector::DictionaryColumn>();
      shown = ShownEntries(dictionary, &shown);
      column = dictionary.alphabet().get();
    } else if (column->encoding() == Encoding::kFlat) {
      return FlatBounds(*column, &shown, nan_aware);
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

int BoundWidth(const Type& type) {
  const int8_t width = kBoundWidths[static_cast<size_t>(type.kind())];
  return width < 0 && !type.collation().empty() ? 0 : width;
}

ColumnStats ComputeStats(const Column& column, const StatsOptions& options) {
  ColumnStats stats;
  stats.null_count = static_cast<uint32_t>(column.null_count());
  stats.count = static_cast<uint32_t>(column.rows());
  if (column.encoding() == Encoding::kFlat) {
    stats.bounds = FlatBounds(column, nullptr, options.nan_aware);
  } else if (options.bounds == BoundsRule::kBest) {
    stats.bounds = WrappedBounds(column, options.nan_aware);
  }
  return stats;
}

}  // namespace spillway::stats
