// SPDX-License-Identifier: Apache-2.0
#include "src/vector/select.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/vector/build.h"
#include "src/vector/empty.h"
#include "src/vector/lazy_column.h"

namespace spillway::vector {
namespace {

// The rows of a selection, and whether some of them are kNullRow.
struct Rows {
  Rows(std::span<const int32_t> rows)  // NOLINT: spans are selections
      : of(rows), have_null(std::find(rows.begin(), rows.end(), kNullRow) != rows.end()) {}
  // None is.
  static Rows WithoutNull(std::span<const int32_t> rows) { return Rows(rows, false); }

  int64_t count() const { return static_cast<int64_t>(of.size()); }

  std::span<const int32_t> of;
  bool have_null;

 private:
  Rows(std::span<const int32_t> rows, bool null) : of(rows), have_null(null) {}
};

constexpr int64_t kInt32 = sizeof(int32_t);
constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

// Fixed-width values, with the width as a constant so that each is one move.
template <int kWidth>
void CopyValues(const uint8_t* from, const Rows& rows, uint8_t* to) {
  if (!rows.have_null) {
    for (const int32_t row : rows.of) {
      std::memcpy(to, from + int64_t{row} * kWidth, kWidth);
      to += kWidth;
    }
    return;
  }
  for (const int32_t row : rows.of) {
    if (row == kNullRow) {
      std::memset(to, 0, kWidth);
    } else {
      std::memcpy(to, from + int64_t{row} * kWidth, kWidth);
    }
    to += kWidth;
  }
}

void CopyValues(const uint8_t* from, int width, const Rows& rows, uint8_t* to) {
  switch (width) {
    case 1:
      return CopyValues<1>(from, rows, to);
    case 2:
      return CopyValues<2>(from, rows, to);
    case 4:
      return CopyValues<4>(from, rows, to);
    case 8:
      return CopyValues<8>(from, rows, to);
    default:
      return CopyValues<16>(from, rows, to);
  }
}

// The bytes of the rows of `column` that are not null in the selection. `to` has the slack of a
// MutableBuffer: short strings are moved as 16 bytes, of which the next string overwrites some.
void CopyStrings(const StringColumn& column, const Rows& rows, const Validity& chosen,
                 uint8_t* to) {
  constexpr int64_t kWord = 16;
  static_assert(kWord <= MutableBuffer::kSlack);
  const uint8_t* bytes = column.bytes().data();
  const int64_t last_word = column.bytes().size() - kWord;  // where one can begin
  for (int64_t i = 0; i < rows.count(); ++i) {
    if (chosen.IsNull(i)) continue;
    const int64_t start = column.Start(rows.of[i]);
    const int64_t size = column.End(rows.of[i]) - start;
    if (size <= kWord && start <= last_word) {
      std::memcpy(to, bytes + start, kWord);
    } else if (size != 0) {
      std::memcpy(to, bytes + start, static_cast<size_t>(size));
    }
    to += size;
  }
}

// What stands under nulls of the source is unspecified, and stays behind.
void ZeroNulls(const Validity& source, const Validity& chosen, int width, MutableBuffer& values) {
  if (!source.has_nulls()) return;
  const int64_t rows = values.size() / width;
  for (int64_t row = 0; row < rows; ++row) {
    if (chosen.IsNull(row)) std::memset(values.data() + row * width, 0, width);
  }
}

class Selector {
 public:
  explicit Selector(int64_t* budget) : budget_(*budget) {}

  absl::StatusOr<ColumnPtr> Column(const class Column& column, const Rows& rows) {
    switch (column.encoding()) {
      case Encoding::kConstant:
        return Constant(column.As<ConstantColumn>(), rows);
      case Encoding::kDictionary:
        return Dictionary(column.As<DictionaryColumn>(), rows);
      case Encoding::kRow:
        return Row(column.As<RowColumn>(), rows);
      case Encoding::kArray:
      case Encoding::kMap:
        return List(column.As<ListColumn>(), rows);
      case Encoding::kLazy: {
        SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr loaded, column.As<LazyColumn>().Load());
        return Column(*loaded, rows);
      }
      case Encoding::kFlat:
        break;
    }
    return column.type().is_string() ? Strings(column.As<StringColumn>(), rows)
                                     : Flat(column.As<FlatColumn>(), rows);
  }

 private:
  absl::Status Spend(int64_t bytes) {
    budget_ -= bytes;
    if (budget_ >= 0) return absl::OkStatus();
    return base::Exhausted("selecting rows needs ", -budget_, " bytes more than the limit");
  }

  absl::StatusOr<Validity> Nulls(const Validity& source, const Rows& rows) {
    if (!rows.have_null && !source.has_nulls()) return Validity();
    const int64_t count = rows.count();
    SPILLWAY_RETURN_IF_ERROR(Spend((count + 7) / 8));
    return BuildValidity(
        count, [&](int64_t i) { return rows.of[i] == kNullRow || source.IsNull(rows.of[i]); });
  }

  absl::StatusOr<ColumnPtr> Flat(const FlatColumn& column, const Rows& rows) {
    const int64_t count = rows.count();
    if (column.type().kind() == Kind::kUnknown) return FlatColumn::Unknown(count);
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, Nulls(column.validity(), rows));
    const int width = column.type().width();
    SPILLWAY_RETURN_IF_ERROR(Spend(count * width));
    MutableBuffer values(count * width);
    CopyValues(column.values().data(), width, rows, values.data());
    ZeroNulls(column.validity(), validity, width, values);
    return std::make_shared<FlatColumn>(column.type_ptr(), count, std::move(validity),
                                        std::move(values).Freeze());
  }

  absl::StatusOr<ColumnPtr> Strings(const StringColumn& column, const Rows& rows) {
    const int64_t count = rows.count();
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, Nulls(column.validity(), rows));
    SPILLWAY_RETURN_IF_ERROR(Spend(count * kInt32));
    MutableBuffer ends(count * kInt32);
    int64_t end = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (!validity.IsNull(i)) end += column.End(rows.of[i]) - column.Start(rows.of[i]);
      if (end > kMaxInt32) return base::Exhausted("over ", kMaxInt32, " string bytes in a column");
      base::Store(ends.data() + i * kInt32, static_cast<int32_t>(end));
    }
    SPILLWAY_RETURN_IF_ERROR(Spend(end));
    MutableBuffer bytes(end);
    CopyStrings(column, rows, validity, bytes.data());
    return std::make_shared<StringColumn>(column.type_ptr(), count, std::move(validity), 0,
                                          std::move(ends).Freeze(), std::move(bytes).Freeze());
  }

  absl::StatusOr<ColumnPtr> Constant(const ConstantColumn& column, const Rows& rows) {
    const int64_t count = rows.count();
    const bool kept = column.value()->IsNull(0) || !rows.have_null;
    if (kept) return std::make_shared<ConstantColumn>(column.value(), count);
    // The value, and nulls beside it: a dictionary of one entry.
    SPILLWAY_RETURN_IF_ERROR(Spend((count + 7) / 8 + count * kInt32));
    MutableBuffer ids(count * kInt32);
    std::memset(ids.data(), 0, ids.size());
    return std::make_shared<DictionaryColumn>(
        count, BuildValidity(count, [&](int64_t i) { return rows.of[i] == kNullRow; }),
        std::move(ids).Freeze(), column.value());
  }

  absl::StatusOr<ColumnPtr> Dictionary(const DictionaryColumn& column, const Rows& rows) {
    const int64_t count = rows.count();
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, Nulls(column.validity(), rows));
    SPILLWAY_RETURN_IF_ERROR(Spend(count * kInt32));
    MutableBuffer ids(count * kInt32);
    CopyValues<kInt32>(column.ids().data(), rows, ids.data());
    ZeroNulls(column.validity(), validity, kInt32, ids);
    return std::make_shared<DictionaryColumn>(count, std::move(validity), std::move(ids).Freeze(),
                                              column.alphabet());
  }

  absl::StatusOr<ColumnPtr> Row(const RowColumn& column, const Rows& rows) {
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, Nulls(column.validity(), rows));
    std::vector<ColumnPtr> fields;
    fields.reserve(column.fields().size());
    for (const ColumnPtr& field : column.fields()) {
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr selected, Field(*field, rows));
      fields.push_back(std::move(selected));
    }
    return std::make_shared<RowColumn>(column.type_ptr(), rows.count(), std::move(validity),
                                       std::move(fields));
  }

  // A field's rows under a null parent are unspecified, so a constant field stays one.
  absl::StatusOr<ColumnPtr> Field(const class Column& field, const Rows& rows) {
    if (field.encoding() != Encoding::kConstant) return Column(field, rows);
    return std::make_shared<ConstantColumn>(field.As<ConstantColumn>().value(), rows.count());
  }

  absl::StatusOr<ColumnPtr> List(const ListColumn& column, const Rows& rows) {
    const int64_t count = rows.count();
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, Nulls(column.validity(), rows));
    SPILLWAY_RETURN_IF_ERROR(Spend((count + 1) * kInt32));
    MutableBuffer offsets((count + 1) * kInt32);
    int64_t end = 0;
    base::Store(offsets.data(), int32_t{0});
    for (int64_t i = 0; i < count; ++i) {
      if (!validity.IsNull(i)) end += column.Offset(rows.of[i] + 1) - column.Offset(rows.of[i]);
      if (end > kMaxInt32) return base::Exhausted("over ", kMaxInt32, " elements in a column");
      base::Store(offsets.data() + (i + 1) * kInt32, static_cast<int32_t>(end));
    }
    std::vector<ColumnPtr> children;
    if (std::all_of(column.children().begin(), column.children().end(),
                    [](const ColumnPtr& child) { return IsRun(*child); })) {
      for (const ColumnPtr& child : column.children()) children.push_back(RunOf(*child, end));
      return std::make_shared<ListColumn>(column.type_ptr(), count, std::move(validity),
                                          std::move(offsets).Freeze(), std::move(children));
    }
    SPILLWAY_RETURN_IF_ERROR(Spend(end * kInt32));
    std::vector<int32_t> elements;
    elements.reserve(end);
    for (int64_t i = 0; i < count; ++i) {
      if (validity.IsNull(i)) continue;
      for (int32_t at = column.Offset(rows.of[i]); at < column.Offset(rows.of[i] + 1); ++at) {
        elements.push_back(at);
      }
    }
    for (const ColumnPtr& child : column.children()) {
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr selected, Column(*child, Rows::WithoutNull(elements)));
      children.push_back(std::move(selected));
    }
    return std::make_shared<ListColumn>(column.type_ptr(), count, std::move(validity),
                                        std::move(offsets).Freeze(), std::move(children));
  }

  int64_t& budget_;
};

}  // namespace

bool IsRun(const Column& column) {
  return column.encoding() == Encoding::kConstant ||
         (column.encoding() == Encoding::kFlat && column.type().kind() == Kind::kUnknown);
}

ColumnPtr RunOf(const Column& run, int64_t rows) {
  if (run.encoding() == Encoding::kFlat) return FlatColumn::Unknown(rows);
  return std::make_shared<ConstantColumn>(run.As<ConstantColumn>().value(), rows);
}

absl::StatusOr<ColumnPtr> Select(const Column& column, std::span<const int32_t> rows,
                                 int64_t* budget) {
  return Selector(budget).Column(column, rows);
}

absl::StatusOr<ColumnPtr> NullColumn(const TypePtr& type, int64_t rows, int64_t* budget) {
  *budget -= rows * kInt32;
  if (*budget < 0) return base::Exhausted(rows, " null rows need more memory than the limit");
  const std::vector<int32_t> nulls(rows, kNullRow);
  return Select(*EmptyColumn(type), nulls, budget);
}

}  // namespace spillway::vector
