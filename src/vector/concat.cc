// SPDX-License-Identifier: Apache-2.0
#include "src/vector/concat.h"

#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/check.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/vector/column_name.h"
#include "src/vector/flatten.h"

namespace spillway::vector {
namespace {

using Parts = std::vector<ColumnPtr>;

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
constexpr int64_t kInt32 = sizeof(int32_t);

absl::Status CheckCount(int64_t count, std::string_view what) {
  if (count <= kMaxInt32) return absl::OkStatus();
  return base::Exhausted("together ", count, " ", what, " in one column, more than ", kMaxInt32);
}

const Validity& ValidityOf(const Column& column) {
  switch (column.encoding()) {
    case Encoding::kRow:
      return column.As<RowColumn>().validity();
    case Encoding::kArray:
    case Encoding::kMap:
      return column.As<ListColumn>().validity();
    default:
      if (column.type().is_string()) return column.As<StringColumn>().validity();
      return column.As<FlatColumn>().validity();
  }
}

// Joins columns that are flat at every level.
class Joiner {
 public:
  explicit Joiner(int64_t budget) : budget_(budget) {}

  absl::StatusOr<ColumnPtr> Join(const Parts& parts) {
    int64_t rows = 0;
    for (const ColumnPtr& part : parts) rows += part->rows();
    SPILLWAY_RETURN_IF_ERROR(CheckCount(rows, "rows"));
    if (parts.size() == 1) return parts[0];
    const TypePtr& type = parts[0]->type_ptr();
    if (type->kind() == Kind::kUnknown) return FlatColumn::Unknown(rows);
    if (type->kind() == Kind::kRow) return JoinFields(parts, rows);
    if (type->is_nested()) return JoinLists(parts, rows);
    if (type->is_string()) return JoinStrings(parts, rows);
    return JoinFlat(parts, rows);
  }

 private:
  absl::StatusOr<MutableBuffer> Allocate(int64_t bytes) {
    if (bytes > budget_) {
      return base::Exhausted("the joined batches need ", bytes - budget_,
                             " bytes more than the limit");
    }
    budget_ -= bytes;
    return MutableBuffer(bytes);
  }

  absl::StatusOr<Validity> JoinNulls(const Parts& parts, int64_t rows) {
    int64_t nulls = 0;
    for (const ColumnPtr& part : parts) nulls += ValidityOf(*part).null_count();
    if (nulls == 0) return Validity();
    SPILLWAY_ASSIGN_OR_RETURN(MutableBuffer bits, Allocate((rows + 7) / 8));
    std::memset(bits.data(), 0, bits.size());
    int64_t at = 0;
    for (const ColumnPtr& part : parts) {
      const Validity& validity = ValidityOf(*part);
      for (int64_t row = 0; row < part->rows(); ++row, ++at) {
        if (!validity.IsNull(row)) bits.data()[at >> 3] |= static_cast<uint8_t>(1 << (at & 7));
      }
    }
    return Validity::FromBits(std::move(bits).Freeze(), 0, nulls);
  }

  absl::StatusOr<ColumnPtr> JoinFlat(const Parts& parts, int64_t rows) {
    const int64_t width = parts[0]->type().width();
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, JoinNulls(parts, rows));
    SPILLWAY_ASSIGN_OR_RETURN(MutableBuffer values, Allocate(rows * width));
    uint8_t* to = values.data();
    for (const ColumnPtr& part : parts) {
      to = Append(part->As<FlatColumn>().values().data(), part->rows() * width, to);
    }
    return std::make_shared<FlatColumn>(parts[0]->type_ptr(), rows, std::move(validity),
                                        std::move(values).Freeze());
  }

  absl::StatusOr<ColumnPtr> JoinStrings(const Parts& parts, int64_t rows) {
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, JoinNulls(parts, rows));
    int64_t total = 0;
    for (const ColumnPtr& part : parts) total += Span(part->As<StringColumn>());
    SPILLWAY_RETURN_IF_ERROR(CheckCount(total, "string bytes"));
    SPILLWAY_ASSIGN_OR_RETURN(MutableBuffer ends, Allocate(rows * kInt32));
    SPILLWAY_ASSIGN_OR_RETURN(MutableBuffer bytes, Allocate(total));
    uint8_t* next_end = ends.data();
    int32_t base = 0;
    for (const ColumnPtr& part : parts) {
      const auto& strings = part->As<StringColumn>();
      const int32_t span = Span(strings);
      Append(strings.bytes().data() + strings.first(), span, bytes.data() + base);
      for (int64_t row = 0; row < strings.rows(); ++row, next_end += kInt32) {
        base::Store(next_end, base + (strings.End(row) - strings.first()));
      }
      base += span;
    }
    return std::make_shared<StringColumn>(parts[0]->type_ptr(), rows, std::move(validity), 0,
                                          std::move(ends).Freeze(), std::move(bytes).Freeze());
  }

  absl::StatusOr<ColumnPtr> JoinFields(const Parts& parts, int64_t rows) {
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, JoinNulls(parts, rows));
    std::vector<ColumnPtr> fields;
    for (size_t i = 0; i < parts[0]->type().children().size(); ++i) {
      Parts field_parts;
      for (const ColumnPtr& part : parts) field_parts.push_back(part->As<RowColumn>().fields()[i]);
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr field, Join(field_parts));
      fields.push_back(std::move(field));
    }
    return std::make_shared<RowColumn>(parts[0]->type_ptr(), rows, std::move(validity),
                                       std::move(fields));
  }

  absl::StatusOr<ColumnPtr> JoinLists(const Parts& parts, int64_t rows) {
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, JoinNulls(parts, rows));
    int64_t total = 0;
    for (const ColumnPtr& part : parts) total += Span(part->As<ListColumn>());
    SPILLWAY_RETURN_IF_ERROR(CheckCount(total, "elements"));
    SPILLWAY_ASSIGN_OR_RETURN(MutableBuffer offsets, Allocate((rows + 1) * kInt32));
    base::Store<int32_t>(offsets.data(), 0);
    uint8_t* next = offsets.data() + kInt32;
    int32_t base = 0;
    for (const ColumnPtr& part : parts) {
      const auto& lists = part->As<ListColumn>();
      for (int64_t row = 0; row < lists.rows(); ++row, next += kInt32) {
        base::Store(next, base + (lists.Offset(row + 1) - lists.Offset(0)));
      }
      base += Span(lists);
    }
    std::vector<ColumnPtr> children;
    for (size_t i = 0; i < parts[0]->type().children().size(); ++i) {
      Parts child_parts;
      for (const ColumnPtr& part : parts) {
        const auto& lists = part->As<ListColumn>();
        child_parts.push_back(lists.children()[i]->Slice(lists.Offset(0), Span(lists)));
      }
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr child, Join(child_parts));
      children.push_back(std::move(child));
    }
    return std::make_shared<ListColumn>(parts[0]->type_ptr(), rows, std::move(validity),
                                        std::move(offsets).Freeze(), std::move(children));
  }

  // Bytes or elements from the first row's start to the last row's end.
  static int32_t Span(const StringColumn& column) {
    return column.rows() == 0 ? 0 : column.End(column.rows() - 1) - column.first();
  }
  static int32_t Span(const ListColumn& column) {
    return column.Offset(column.rows()) - column.Offset(0);
  }

  static uint8_t* Append(const uint8_t* from, int64_t bytes, uint8_t* to) {
    if (bytes != 0) std::memcpy(to, from, bytes);
    return to + bytes;
  }

  int64_t budget_;
};

}  // namespace

absl::StatusOr<ColumnPtr> Concat(std::span<const ColumnPtr> parts, const ConcatOptions& options) {
  SPILLWAY_CHECK(!parts.empty(), "Concat() needs a part, whose type the result has");
  Parts flat;
  for (const ColumnPtr& part : parts) {
    SPILLWAY_CHECK(part->type() == parts[0]->type(), "Concat() needs parts of one type");
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column,
                              Flatten(part, {.max_bytes = options.max_bytes}));
    flat.push_back(std::move(column));
  }
  return Joiner(options.max_bytes).Join(flat);
}

absl::StatusOr<Batch> Concat(std::span<const Batch> parts, const ConcatOptions& options) {
  SPILLWAY_CHECK(!parts.empty(), "Concat() needs a part, whose schema the result has");
  const TypePtr& schema = parts[0].schema();
  int64_t rows = 0;
  for (const Batch& part : parts) {
    SPILLWAY_CHECK(*part.schema() == *schema, "Concat() needs parts of one schema");
    rows += part.rows();
  }
  if (rows > kMaxInt32) {
    return base::Exhausted("together ", rows, " rows, more than ", kMaxInt32);
  }
  std::vector<ColumnPtr> columns;
  for (size_t i = 0; i < schema->children().size(); ++i) {
    Parts column_parts;
    for (const Batch& part : parts) column_parts.push_back(part.columns()[i]);
    absl::StatusOr<ColumnPtr> column = Concat(column_parts, options);
    if (!column.ok()) return base::In(ColumnName(*schema, i), std::move(column).status());
    columns.push_back(*std::move(column));
  }
  return Batch(schema, rows, std::move(columns));
}

}  // namespace spillway::vector
