// SPDX-License-Identifier: Apache-2.0
#include "src/vector/flatten.h"

#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/vector/build.h"

namespace spillway::vector {
namespace {

constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max();
constexpr int64_t kInt32 = sizeof(int32_t);
constexpr int32_t kNull = -1;

// Rows of a source column in the order of the output; kNull makes a null row.
using Selection = std::vector<int32_t>;

class Flattener {
 public:
  explicit Flattener(const FlattenOptions& options) : options_(options) {}

  // Keeps what is flat already.
  absl::StatusOr<ColumnPtr> Flatten(const ColumnPtr& column) {
    switch (column->encoding()) {
      case Encoding::kFlat:
        return column;
      case Encoding::kRow:
        return FlattenFields(column);
      case Encoding::kArray:
      case Encoding::kMap:
        return FlattenElements(column);
      case Encoding::kConstant:
      case Encoding::kDictionary:
        break;
    }
    if (column->type().kind() == Kind::kUnknown) return FlatColumn::Unknown(column->rows());
    SPILLWAY_ASSIGN_OR_RETURN(Selection selection, Select(column->rows()));
    for (int64_t row = 0; row < column->rows(); ++row) selection[row] = static_cast<int32_t>(row);
    return Gather(*column, std::move(selection));
  }

 private:
  absl::Status Charge(int64_t count, int64_t width) {
    // Counts are below 2^31 and widths below 2^5, so the product cannot overflow.
    charged_ += count * width;
    if (charged_ <= options_.max_bytes) return absl::OkStatus();
    return base::Exhausted("flattening needs more than ", options_.max_bytes, " bytes");
  }

  absl::StatusOr<Selection> Select(int64_t rows) {
    if (rows > kMaxRows) {
      return base::Exhausted("flattening ", rows, " rows, more than ", kMaxRows);
    }
    SPILLWAY_RETURN_IF_ERROR(Charge(rows, kInt32));
    return Selection(rows);
  }

  absl::StatusOr<ColumnPtr> FlattenFields(const ColumnPtr& column) {
    const auto& source = column->As<RowColumn>();
    std::vector<ColumnPtr> fields;
    for (const ColumnPtr& field : source.fields()) {
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr flat, Flatten(field));
      fields.push_back(std::move(flat));
    }
    if (fields == source.fields()) return column;
    return std::make_shared<RowColumn>(source.type_ptr(), source.rows(), source.validity(),
                                       std::move(fields));
  }

  absl::StatusOr<ColumnPtr> FlattenElements(const ColumnPtr& column) {
    const auto& source = column->As<ListColumn>();
    std::vector<ColumnPtr> children;
    for (const ColumnPtr& child : source.children()) {
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr flat, Flatten(child));
      children.push_back(std::move(flat));
    }
    if (children == source.children()) return column;
    return std::make_shared<ListColumn>(source.type_ptr(), source.rows(), source.validity(),
                                        source.offsets(), std::move(children));
  }

  // Rows `selection` of `source`, copied.
  absl::StatusOr<ColumnPtr> Gather(const Column& source, Selection selection) {
    const Column* column = &source;
    while (column->encoding() == Encoding::kConstant ||
           column->encoding() == Encoding::kDictionary) {
      column = Unwrap(*column, selection);
    }
    for (int32_t& row : selection) {
      if (row != kNull && column->IsNull(row)) row = kNull;
    }
    switch (column->encoding()) {
      case Encoding::kRow:
        return GatherRow(column->As<RowColumn>(), selection);
      case Encoding::kArray:
      case Encoding::kMap:
        return GatherList(column->As<ListColumn>(), selection);
      default:
        if (column->type().is_string()) {
          return GatherStrings(column->As<StringColumn>(), selection);
        }
        return GatherFlat(column->As<FlatColumn>(), selection);
    }
  }

  // Turns rows of a wrapper into rows of what it wraps, and returns that.
  static const Column* Unwrap(const Column& wrapper, Selection& selection) {
    if (wrapper.encoding() == Encoding::kConstant) {
      for (int32_t& row : selection) row = row == kNull ? kNull : 0;
      return wrapper.As<ConstantColumn>().value().get();
    }
    const auto& dictionary = wrapper.As<DictionaryColumn>();
    for (int32_t& row : selection) {
      if (row == kNull) continue;
      row = dictionary.validity().IsNull(row) ? kNull : dictionary.Id(row);
    }
    return dictionary.alphabet().get();
  }

  absl::StatusOr<Validity> NullsOf(const Selection& selection) {
    const auto rows = static_cast<int64_t>(selection.size());
    SPILLWAY_RETURN_IF_ERROR(Charge((rows + 7) / 8, 1));
    return BuildValidity(rows, [&](int64_t row) { return selection[row] == kNull; });
  }

  absl::StatusOr<ColumnPtr> GatherFlat(const FlatColumn& source, const Selection& selection) {
    const auto rows = static_cast<int64_t>(selection.size());
    if (source.type().kind() == Kind::kUnknown) return FlatColumn::Unknown(rows);
    const int64_t width = source.type().width();
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, NullsOf(selection));
    SPILLWAY_RETURN_IF_ERROR(Charge(rows, width));
    MutableBuffer values(rows * width);
    for (int64_t row = 0; row < rows; ++row) {
      uint8_t* to = values.data() + row * width;
      if (selection[row] == kNull) {
        std::memset(to, 0, width);
      } else {
        std::memcpy(to, source.values().data() + selection[row] * width, width);
      }
    }
    return std::make_shared<FlatColumn>(source.type_ptr(), rows, std::move(validity),
                                        std::move(values).Freeze());
  }

  absl::StatusOr<ColumnPtr> GatherStrings(const StringColumn& source, const Selection& selection) {
    const auto rows = static_cast<int64_t>(selection.size());
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, NullsOf(selection));
    SPILLWAY_RETURN_IF_ERROR(Charge(rows, kInt32));
    MutableBuffer ends(rows * kInt32);
    int64_t total = 0;
    for (int64_t row = 0; row < rows; ++row) {
      if (selection[row] != kNull) {
        total += source.End(selection[row]) - source.Start(selection[row]);
      }
      if (total > kMaxRows) return TooMany("string bytes");
      base::Store(ends.data() + row * kInt32, static_cast<int32_t>(total));
    }
    SPILLWAY_RETURN_IF_ERROR(Charge(total, 1));
    MutableBuffer bytes(total);
    uint8_t* to = bytes.data();
    for (const int32_t row : selection) {
      if (row == kNull) continue;
      const std::string_view value = source.Value(row);
      if (!value.empty()) std::memcpy(to, value.data(), value.size());
      to += value.size();
    }
    return std::make_shared<StringColumn>(source.type_ptr(), rows, std::move(validity), 0,
                                          std::move(ends).Freeze(), std::move(bytes).Freeze());
  }

  absl::StatusOr<ColumnPtr> GatherRow(const RowColumn& source, const Selection& selection) {
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, NullsOf(selection));
    std::vector<ColumnPtr> fields;
    for (const ColumnPtr& field : source.fields()) {
      SPILLWAY_RETURN_IF_ERROR(Charge(static_cast<int64_t>(selection.size()), kInt32));
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr flat, Gather(*field, selection));
      fields.push_back(std::move(flat));
    }
    return std::make_shared<RowColumn>(source.type_ptr(), selection.size(), std::move(validity),
                                       std::move(fields));
  }

  absl::StatusOr<ColumnPtr> GatherList(const ListColumn& source, const Selection& selection) {
    const auto rows = static_cast<int64_t>(selection.size());
    SPILLWAY_ASSIGN_OR_RETURN(Validity validity, NullsOf(selection));
    SPILLWAY_RETURN_IF_ERROR(Charge(rows + 1, kInt32));
    MutableBuffer offsets((rows + 1) * kInt32);
    base::Store<int32_t>(offsets.data(), 0);
    int64_t total = 0;
    for (int64_t row = 0; row < rows; ++row) {
      if (selection[row] != kNull) {
        total += source.Offset(selection[row] + 1) - source.Offset(selection[row]);
      }
      if (total > kMaxRows) return TooMany("elements");
      base::Store(offsets.data() + (row + 1) * kInt32, static_cast<int32_t>(total));
    }
    SPILLWAY_ASSIGN_OR_RETURN(Selection elements, Select(total));
    int32_t* to = elements.data();
    for (const int32_t row : selection) {
      if (row == kNull) continue;
      for (int32_t i = source.Offset(row); i < source.Offset(row + 1); ++i) *to++ = i;
    }
    std::vector<ColumnPtr> children;
    for (const ColumnPtr& child : source.children()) {
      SPILLWAY_RETURN_IF_ERROR(Charge(total, kInt32));
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr flat, Gather(*child, elements));
      children.push_back(std::move(flat));
    }
    return std::make_shared<ListColumn>(source.type_ptr(), rows, std::move(validity),
                                        std::move(offsets).Freeze(), std::move(children));
  }

  static absl::Status TooMany(std::string_view what) {
    return base::Exhausted("flattening makes more than ", kMaxRows, " ", what, " in one column");
  }

  const FlattenOptions& options_;
  int64_t charged_ = 0;
};

}  // namespace

absl::StatusOr<ColumnPtr> Flatten(const ColumnPtr& column, const FlattenOptions& options) {
  return Flattener(options).Flatten(column);
}

}  // namespace spillway::vector
