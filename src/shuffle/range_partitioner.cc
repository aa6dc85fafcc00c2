// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/range_partitioner.h"

#include <limits>
#include <string>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/shuffle/flat_view.h"
#include "src/vector/flatten.h"

namespace spillway::shuffle {
namespace {

using vector::FlatColumn;
using vector::Kind;

__extension__ using Int128 = __int128;

// Of two values that are not null: below 0, 0 or above 0.
using Compare = int (*)(const vector::Column& a, int64_t a_row, const vector::Column& b,
                        int64_t b_row);

template <typename T>
T ValueAt(const vector::Column& column, int64_t row) {
  return column.As<FlatColumn>().Value<T>(row);
}

template <typename T>
int Order(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

template <typename T>
int CompareNumbers(const vector::Column& a, int64_t a_row, const vector::Column& b, int64_t b_row) {
  return Order(ValueAt<T>(a, a_row), ValueAt<T>(b, b_row));
}

int CompareBooleans(const vector::Column& a, int64_t a_row, const vector::Column& b,
                    int64_t b_row) {
  return Order(ValueAt<uint8_t>(a, a_row) != 0, ValueAt<uint8_t>(b, b_row) != 0);
}

template <typename T>
int CompareFloats(const vector::Column& a, int64_t a_row, const vector::Column& b, int64_t b_row) {
  const T x = ValueAt<T>(a, a_row);
  const T y = ValueAt<T>(b, b_row);
  if (x != x || y != y) return Order(x != x, y != y);
  return Order(x, y);
}

struct Instant {
  int64_t seconds;
  uint64_t nanos;
};

int CompareTimestamps(const vector::Column& a, int64_t a_row, const vector::Column& b,
                      int64_t b_row) {
  const auto x = ValueAt<Instant>(a, a_row);
  const auto y = ValueAt<Instant>(b, b_row);
  return x.seconds == y.seconds ? Order(x.nanos, y.nanos) : Order(x.seconds, y.seconds);
}

int CompareStrings(const vector::Column& a, int64_t a_row, const vector::Column& b, int64_t b_row) {
  return a.As<vector::StringColumn>().Value(a_row).compare(
      b.As<vector::StringColumn>().Value(b_row));
}

// UNKNOWN: there are nulls only.
int CompareNothing(const vector::Column&, int64_t, const vector::Column&, int64_t) { return 0; }

// Null for nested types.
Compare CompareFor(Kind kind) {
  switch (kind) {
    case Kind::kBoolean:
      return CompareBooleans;
    case Kind::kTinyint:
      return CompareNumbers<int8_t>;
    case Kind::kSmallint:
      return CompareNumbers<int16_t>;
    case Kind::kInteger:
    case Kind::kDate:
    case Kind::kIntervalYearMonth:
      return CompareNumbers<int32_t>;
    case Kind::kBigint:
    case Kind::kShortDecimal:
    case Kind::kIntervalDayTime:
      return CompareNumbers<int64_t>;
    case Kind::kHugeint:
    case Kind::kLongDecimal:
      return CompareNumbers<Int128>;
    case Kind::kReal:
      return CompareFloats<float>;
    case Kind::kDouble:
      return CompareFloats<double>;
    case Kind::kTimestamp:
      return CompareTimestamps;
    case Kind::kVarchar:
    case Kind::kVarbinary:
      return CompareStrings;
    case Kind::kUnknown:
      return CompareNothing;
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kRow:
      return nullptr;
  }
  return nullptr;
}

// Key columns of a batch and of the boundaries.
struct KeyView {
  FlatView rows;
  FlatView boundaries;
  Compare compare;
  SortKey key;

  int CompareRow(int64_t row, int64_t boundary) const {
    const int64_t a = rows.Source(row);
    const int64_t b = boundaries.Source(boundary);
    if (a == FlatView::kNull || b == FlatView::kNull) {
      const int order = Order(a == FlatView::kNull, b == FlatView::kNull);
      return key.nulls_first ? -order : order;
    }
    const int order = compare(rows.base(), a, boundaries.base(), b);
    return key.ascending ? order : -order;
  }
};

absl::StatusOr<std::vector<KeyView>> Views(const vector::Batch& batch,
                                           const std::vector<SortKey>& keys, bool of_boundaries,
                                           const vector::Batch& boundaries) {
  std::vector<KeyView> views;
  for (size_t i = 0; i < keys.size(); ++i) {
    const size_t column = of_boundaries ? i : static_cast<size_t>(keys[i].column);
    SPILLWAY_ASSIGN_OR_RETURN(FlatView rows, FlatView::Of(batch.column(column)));
    SPILLWAY_ASSIGN_OR_RETURN(FlatView bounds, FlatView::Of(boundaries.column(i)));
    views.push_back({std::move(rows), std::move(bounds),
                     CompareFor(boundaries.column(i).type().kind()), keys[i]});
  }
  return views;
}

int CompareRow(const std::vector<KeyView>& views, int64_t row, int64_t boundary) {
  for (const KeyView& view : views) {
    const int order = view.CompareRow(row, boundary);
    if (order != 0) return order;
  }
  return 0;
}

absl::Status CheckKey(const vector::Type& schema, const SortKey& key,
                      const vector::Type& boundary) {
  const auto columns = static_cast<int>(schema.children().size());
  if (key.column < 0 || key.column >= columns) {
    return base::Invalid("key column ", key.column, " of ", columns);
  }
  const vector::Type& type = *schema.children()[key.column];
  const std::string name =
      base::Cat("key column ", key.column, " `", schema.names()[key.column], "`");
  if (!(type == boundary)) {
    return base::Invalid(name, ": boundaries are ", boundary.ToString(), ", rows ",
                         type.ToString());
  }
  if (CompareFor(type.kind()) == nullptr || !type.collation().empty()) {
    return absl::UnimplementedError(
        base::Cat(name, ": type ", type.ToString(), " cannot be ordered here"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RangePartitioner> RangePartitioner::Create(vector::TypePtr schema,
                                                          std::vector<SortKey> keys,
                                                          const vector::Batch& boundaries,
                                                          BoundarySide side) {
  constexpr const char* kWhere = "range partitioning";
  if (keys.empty()) return base::Invalid(kWhere, ": no key column");
  if (boundaries.columns().size() != keys.size()) {
    return base::Invalid(kWhere, ": boundaries of ", boundaries.columns().size(), " columns for ",
                         keys.size(), " keys");
  }
  if (boundaries.rows() >= std::numeric_limits<int32_t>::max()) {
    return base::Exhausted(kWhere, ": ", boundaries.rows(), " boundaries");
  }
  std::vector<vector::ColumnPtr> columns;
  for (size_t i = 0; i < keys.size(); ++i) {
    SPILLWAY_RETURN_IF_ERROR(
        base::In(kWhere, CheckKey(*schema, keys[i], boundaries.column(i).type())));
    SPILLWAY_ASSIGN_OR_RETURN(vector::ColumnPtr flat,
                              base::In(kWhere, vector::Flatten(boundaries.columns()[i])));
    columns.push_back(std::move(flat));
  }
  vector::Batch flat(boundaries.schema(), boundaries.rows(), std::move(columns));
  SPILLWAY_ASSIGN_OR_RETURN(const std::vector<KeyView> views, Views(flat, keys, true, flat));
  for (int64_t row = 1; row < flat.rows(); ++row) {
    if (CompareRow(views, row, row - 1) > 0) continue;
    return base::Invalid(kWhere, ": boundary ", row, " is not greater than the one before");
  }
  return RangePartitioner(std::move(schema), std::move(keys), std::move(flat), side);
}

absl::Status RangePartitioner::Assign(const vector::Batch& batch,
                                      std::vector<uint32_t>& out) const {
  SPILLWAY_ASSIGN_OR_RETURN(const std::vector<KeyView> views,
                            Views(batch, keys_, false, boundaries_));
  // Boundaries that a row is behind: those below it, and on Comet's side those equal to it.
  const int least = side_ == BoundarySide::kBelow ? 1 : 0;
  out.resize(batch.rows());
  for (int64_t row = 0; row < batch.rows(); ++row) {
    int64_t first = 0;
    for (int64_t count = boundaries_.rows(); count > 0;) {
      const int64_t half = count / 2;
      if (CompareRow(views, row, first + half) >= least) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    out[row] = static_cast<uint32_t>(first);
  }
  return absl::OkStatus();
}

}  // namespace spillway::shuffle
