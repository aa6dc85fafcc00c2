// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/column_gather.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/vector/buffer.h"

namespace spillway::shuffle {
namespace {

using vector::ColumnPtr;
using vector::Encoding;
using vector::FlatColumn;
using vector::ListColumn;
using vector::MutableBuffer;
using vector::RowColumn;
using vector::StringColumn;
using vector::Validity;

constexpr int64_t kInt32 = sizeof(int32_t);
constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

// Each run is a cache miss or several, in an order that the processor cannot guess: they are asked
// for this many runs early.
constexpr size_t kAhead = 8;

void Prefetch(const uint8_t* from, int64_t bytes) {
  constexpr int64_t kLine = 64;
  constexpr int64_t kMost = 16 * kLine;  // the processor goes on by itself
  for (int64_t at = 0; at < std::min(bytes, kMost); at += kLine) __builtin_prefetch(from + at);
}

bool IsWrapper(const vector::Column& column) {
  return column.encoding() == Encoding::kConstant || column.encoding() == Encoding::kDictionary;
}

const vector::Column* Wrapped(const vector::Column& column) {
  return column.encoding() == Encoding::kConstant
             ? column.As<vector::ConstantColumn>().value().get()
             : column.As<vector::DictionaryColumn>().alphabet().get();
}

// The row of the bottom column that `row` of `column` shows, or -1 for a null of a wrapper.
int64_t BaseRow(const vector::Column* column, int64_t row) {
  for (; IsWrapper(*column); column = Wrapped(*column)) {
    if (column->encoding() == Encoding::kConstant) {
      row = 0;
      continue;
    }
    const auto& dictionary = column->As<vector::DictionaryColumn>();
    if (dictionary.validity().IsNull(row)) return -1;
    row = dictionary.Id(row);
  }
  return row;
}

const uint8_t* DataOf(const vector::Column& base) {
  if (base.encoding() == Encoding::kRow) return nullptr;
  if (base.type().is_nested()) return base.As<ListColumn>().offsets().data();
  if (base.type().is_string()) return base.As<StringColumn>().ends().data();
  return base.As<FlatColumn>().values().data();
}

int32_t Int32At(const uint8_t* data, int64_t index) {
  return base::Load<int32_t>(data + index * kInt32);
}

// Builds a bitmap from its first bit on.
class BitWriter {
 public:
  explicit BitWriter(int64_t bits) : buffer_((bits + 63) / 64 * 8) {
    std::memset(buffer_.data(), 0, static_cast<size_t>(buffer_.size()));
  }

  void Ones(int64_t count) {
    for (; count > 0 && (at_ & 7) != 0; --count) One();
    if (count >= 8) std::memset(buffer_.data() + (at_ >> 3), 0xff, static_cast<size_t>(count / 8));
    at_ += count / 8 * 8;
    for (count %= 8; count > 0; --count) One();
  }
  void Zeros(int64_t count) {
    at_ += count;
    zeros_ += count;
  }
  void Add(const Validity& validity, int64_t row, int64_t rows) {
    if (!validity.has_nulls()) return Ones(rows);
    for (int64_t end = row + rows; row < end; ++row, ++at_) {
      const bool one = !validity.IsNull(row);
      buffer_.data()[at_ >> 3] |= static_cast<uint8_t>(static_cast<int>(one) << (at_ & 7));
      zeros_ += one ? 0 : 1;
    }
  }

  Validity Finish() && {
    if (zeros_ == 0) return Validity();
    return Validity::FromBits(std::move(buffer_).Freeze((at_ + 7) / 8), 0, zeros_);
  }

 private:
  void One() {
    buffer_.data()[at_ >> 3] |= static_cast<uint8_t>(1 << (at_ & 7));
    ++at_;
  }

  MutableBuffer buffer_;
  int64_t at_ = 0;
  int64_t zeros_ = 0;
};

// What stood under nulls stays behind.
template <int kWidth>
void ZeroNulls(const Validity& validity, int64_t rows, uint8_t* values) {
  if (!validity.has_nulls()) return;
  for (int64_t row = 0; row < rows; ++row) {
    if (validity.IsNull(row)) std::memset(values + row * kWidth, 0, kWidth);
  }
}

}  // namespace

ColumnGatherer::ColumnGatherer(vector::TypePtr type, std::vector<const vector::Column*> columns)
    : type_(std::move(type)), columns_(std::move(columns)) {
  bases_.reserve(columns_.size());
  data_.reserve(columns_.size());
  for (const vector::Column* column : columns_) {
    const vector::Column* base = column;
    while (IsWrapper(*base)) base = Wrapped(*base);
    wrapped_ = wrapped_ || base != column;
    bases_.push_back(base);
    data_.push_back(DataOf(*base));
    may_have_nulls_ =
        may_have_nulls_ || ValidityOf(static_cast<uint32_t>(bases_.size() - 1)).has_nulls();
  }
  if (type_->is_nested()) AddChildren();
}

void ColumnGatherer::AddChildren() {
  for (size_t i = 0; i < type_->children().size(); ++i) {
    std::vector<const vector::Column*> columns;
    columns.reserve(bases_.size());
    for (const vector::Column* base : bases_) {
      columns.push_back(base->encoding() == Encoding::kRow
                            ? base->As<RowColumn>().fields()[i].get()
                            : base->As<ListColumn>().children()[i].get());
    }
    children_.emplace_back(type_->children()[i], std::move(columns));
  }
}

const Validity& ColumnGatherer::ValidityOf(uint32_t batch) const {
  const vector::Column& base = *bases_[batch];
  if (base.encoding() == Encoding::kRow) return base.As<RowColumn>().validity();
  if (type_->is_nested()) return base.As<ListColumn>().validity();
  if (type_->is_string()) return base.As<StringColumn>().validity();
  return base.As<FlatColumn>().validity();
}

absl::StatusOr<ColumnPtr> ColumnGatherer::Gather(const RowRanges& ranges) const {
  if (!wrapped_) return GatherBases(ranges);
  const std::vector<RowRange> unwrapped = Unwrapped(ranges.ranges);
  return GatherBases({unwrapped, ranges.rows, true});
}

std::vector<RowRange> ColumnGatherer::Unwrapped(std::span<const RowRange> ranges) const {
  std::vector<RowRange> out;
  for (const RowRange& range : ranges) {
    if (range.batch == kNullBatch || bases_[range.batch] == columns_[range.batch]) {
      out.push_back(range);
      continue;
    }
    for (uint32_t row = range.row; row < range.row + range.rows; ++row) {
      const int64_t base_row = BaseRow(columns_[range.batch], row);
      out.push_back(base_row < 0 ? RowRange{kNullBatch, 0, 1}
                                 : RowRange{range.batch, static_cast<uint32_t>(base_row), 1});
    }
  }
  return out;
}

absl::StatusOr<ColumnPtr> ColumnGatherer::GatherBases(const RowRanges& ranges) const {
  if (type_->kind() == vector::Kind::kRow) return GatherFields(ranges);
  if (type_->is_nested()) return GatherLists(ranges);
  if (type_->is_string()) return GatherStrings(ranges);
  switch (type_->width()) {
    case 1:
      return GatherFixed<1>(ranges);
    case 2:
      return GatherFixed<2>(ranges);
    case 4:
      return GatherFixed<4>(ranges);
    case 8:
      return GatherFixed<8>(ranges);
    case 16:
      return GatherFixed<16>(ranges);
    default:
      return FlatColumn::Unknown(ranges.rows);
  }
}

Validity ColumnGatherer::GatherNulls(const RowRanges& ranges) const {
  if (!may_have_nulls_ && !ranges.have_null) return Validity();
  BitWriter bits(ranges.rows);
  for (const RowRange& range : ranges.ranges) {
    if (range.batch == kNullBatch) {
      bits.Zeros(range.rows);
    } else {
      bits.Add(ValidityOf(range.batch), range.row, range.rows);
    }
  }
  return std::move(bits).Finish();
}

template <int kWidth>
ColumnPtr ColumnGatherer::GatherFixed(const RowRanges& ranges) const {
  MutableBuffer values(ranges.rows * kWidth);
  uint8_t* to = values.data();
  for (size_t i = 0; i < ranges.ranges.size(); ++i) {
    if (i + kAhead < ranges.ranges.size()) {
      const RowRange& next = ranges.ranges[i + kAhead];
      if (next.batch != kNullBatch) {
        Prefetch(data_[next.batch] + int64_t{next.row} * kWidth, int64_t{next.rows} * kWidth);
      }
    }
    const RowRange& range = ranges.ranges[i];
    const int64_t bytes = int64_t{range.rows} * kWidth;
    if (range.batch == kNullBatch) {
      std::memset(to, 0, static_cast<size_t>(bytes));
    } else if (range.rows == 1) {
      std::memcpy(to, data_[range.batch] + int64_t{range.row} * kWidth, kWidth);
    } else {
      std::memcpy(to, data_[range.batch] + int64_t{range.row} * kWidth, static_cast<size_t>(bytes));
    }
    to += bytes;
  }
  Validity validity = GatherNulls(ranges);
  ZeroNulls<kWidth>(validity, ranges.rows, values.data());
  return std::make_shared<FlatColumn>(type_, ranges.rows, std::move(validity),
                                      std::move(values).Freeze());
}

template <typename Visit>
void ColumnGatherer::VisitRuns(const RowRanges& ranges, Visit visit) const {
  int64_t at = 0;
  for (size_t i = 0; i < ranges.ranges.size(); ++i) {
    if (i + kAhead < ranges.ranges.size()) {
      const RowRange& next = ranges.ranges[i + kAhead];
      if (next.batch != kNullBatch) {
        Prefetch(data_[next.batch] + int64_t{next.row} * kInt32, int64_t{next.rows} * kInt32);
      }
    }
    const RowRange& range = ranges.ranges[i];
    if (range.batch != kNullBatch) {
      const Validity& validity = ValidityOf(range.batch);
      if (!validity.has_nulls()) {
        visit(at, range.batch, int64_t{range.row}, int64_t{range.rows});
      } else {
        for (uint32_t k = 0; k < range.rows; ++k) {
          const int64_t row = int64_t{range.row} + k;
          if (!validity.IsNull(row)) visit(at + k, range.batch, row, int64_t{1});
        }
      }
    }
    at += range.rows;
  }
}

absl::StatusOr<ColumnPtr> ColumnGatherer::GatherStrings(const RowRanges& ranges) const {
  struct Span {
    const uint8_t* from;
    int64_t bytes;
  };
  std::vector<Span> spans;
  spans.reserve(ranges.ranges.size());
  MutableBuffer ends(ranges.rows * kInt32);
  uint8_t* const out = ends.data();
  int64_t total = 0;
  int64_t filled = 0;
  // Nulls are empty.
  const auto fill = [&](int64_t until) {
    for (; filled < until; ++filled) {
      base::Store(out + filled * kInt32, static_cast<int32_t>(total));
    }
  };
  VisitRuns(ranges, [&](int64_t at, uint32_t batch, int64_t row, int64_t rows) {
    fill(at);
    const uint8_t* source = data_[batch] + row * kInt32;
    const auto& strings = bases_[batch]->As<StringColumn>();
    const int64_t start = row == 0 ? strings.first() : Int32At(source, -1);
    const auto shift = static_cast<uint32_t>(total - start);
    uint8_t* to = out + at * kInt32;
    for (int64_t k = 0; k < rows; ++k) {
      base::Store(to + k * kInt32, base::Load<uint32_t>(source + k * kInt32) + shift);
    }
    const int64_t bytes = Int32At(source, rows - 1) - start;
    spans.push_back({strings.bytes().data() + start, bytes});
    total += bytes;
    filled = at + rows;
  });
  if (total > kMaxInt32) {
    return base::Exhausted(ranges.rows, " rows have ", total,
                           " bytes of strings, offsets have 31 bits");
  }
  fill(ranges.rows);
  MutableBuffer bytes(total);
  uint8_t* to = bytes.data();
  for (size_t i = 0; i < spans.size(); ++i) {
    if (i + kAhead < spans.size()) Prefetch(spans[i + kAhead].from, spans[i + kAhead].bytes);
    if (spans[i].bytes != 0) std::memcpy(to, spans[i].from, static_cast<size_t>(spans[i].bytes));
    to += spans[i].bytes;
  }
  return std::make_shared<StringColumn>(type_, ranges.rows, GatherNulls(ranges), 0,
                                        std::move(ends).Freeze(), std::move(bytes).Freeze());
}

absl::StatusOr<ColumnPtr> ColumnGatherer::GatherFields(const RowRanges& ranges) const {
  std::vector<ColumnPtr> fields;
  for (const ColumnGatherer& child : children_) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr field, child.Gather(ranges));
    fields.push_back(std::move(field));
  }
  return std::make_shared<RowColumn>(type_, ranges.rows, GatherNulls(ranges), std::move(fields));
}

absl::StatusOr<ColumnPtr> ColumnGatherer::GatherLists(const RowRanges& ranges) const {
  std::vector<RowRange> elements;
  MutableBuffer offsets((ranges.rows + 1) * kInt32);
  uint8_t* const out = offsets.data();
  int64_t total = 0;
  int64_t filled = 0;
  const auto fill = [&](int64_t until) {
    for (; filled <= until; ++filled) {
      base::Store(out + filled * kInt32, static_cast<int32_t>(total));
    }
  };
  VisitRuns(ranges, [&](int64_t at, uint32_t batch, int64_t row, int64_t rows) {
    fill(at);
    const uint8_t* source = data_[batch] + row * kInt32;
    const int64_t start = Int32At(source, 0);
    for (int64_t k = 1; k <= rows; ++k) {
      base::Store(out + (at + k) * kInt32,
                  static_cast<uint32_t>(total) + static_cast<uint32_t>(Int32At(source, k) - start));
    }
    const int64_t count = Int32At(source, rows) - start;
    if (count != 0) {
      elements.push_back({batch, static_cast<uint32_t>(start), static_cast<uint32_t>(count)});
    }
    total += count;
    filled = at + rows + 1;
  });
  if (total > kMaxInt32) {
    return base::Exhausted(ranges.rows, " rows have ", total,
                           " elements of lists, offsets have 31 bits");
  }
  fill(ranges.rows);
  std::vector<ColumnPtr> children;
  for (const ColumnGatherer& child : children_) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column, child.Gather({elements, total, false}));
    children.push_back(std::move(column));
  }
  return std::make_shared<ListColumn>(type_, ranges.rows, GatherNulls(ranges),
                                      std::move(offsets).Freeze(), std::move(children));
}

}  // namespace spillway::shuffle
