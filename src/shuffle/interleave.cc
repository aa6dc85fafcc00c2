// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/interleave.h"

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::shuffle {
namespace {

using vector::ColumnPtr;
using vector::FlatColumn;
using vector::MutableBuffer;
using vector::StringColumn;
using vector::TypePtr;
using vector::Validity;

// The 16-byte values as two words, since their kinds differ (decimals, timestamps).
struct Wide {
  uint64_t words[2];
};

std::string ColumnName(const vector::Type& schema, size_t column) {
  return base::Cat("column ", column, " `", schema.names()[column], "`");
}

}  // namespace

// Calls put(i, batch, row of the batch's base) for each reference that is not null, and marks the
// others.
template <typename Put>
Validity Interleaver::ForEachRef(const Source& source, std::span<const RowRef> refs, Put put) {
  const auto rows = static_cast<int64_t>(refs.size());
  if (!source.may_have_nulls) {
    for (int64_t i = 0; i < rows; ++i) {
      const RowRef ref = refs[i];
      put(i, ref.batch, source.flat ? ref.row : source.views[ref.batch].Source(ref.row));
    }
    return Validity();
  }
  MutableBuffer bits((rows + 7) / 8);
  std::memset(bits.data(), 0, bits.size());
  int64_t nulls = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const RowRef ref = refs[i];
    const int64_t row = source.views[ref.batch].Source(ref.row);
    if (row == FlatView::kNull) {
      ++nulls;
    } else {
      bits.data()[i >> 3] |= static_cast<uint8_t>(1 << (i & 7));
      put(i, ref.batch, row);
    }
  }
  return nulls == 0 ? Validity() : Validity::FromBits(std::move(bits).Freeze(), 0, nulls);
}

template <typename T>
ColumnPtr Interleaver::GatherFixed(const TypePtr& type, const Source& source,
                                   std::span<const RowRef> refs) {
  constexpr int64_t kWidth = sizeof(T);
  const auto rows = static_cast<int64_t>(refs.size());
  MutableBuffer values(rows * kWidth);
  uint8_t* out = values.data();
  if (source.may_have_nulls) std::memset(out, 0, values.size());
  Validity validity = ForEachRef(source, refs, [&](int64_t i, uint32_t batch, int64_t row) {
    base::Store(out + i * kWidth, base::Load<T>(source.values[batch] + row * kWidth));
  });
  return std::make_shared<FlatColumn>(type, rows, std::move(validity), std::move(values).Freeze());
}

absl::StatusOr<ColumnPtr> Interleaver::GatherStrings(const TypePtr& type, const Source& source,
                                                     std::span<const RowRef> refs) {
  constexpr int64_t kWidth = sizeof(int32_t);
  const auto rows = static_cast<int64_t>(refs.size());
  // First the sizes, then, with the room that they need, the bytes.
  std::vector<std::string_view> values(refs.size());
  int64_t total = 0;
  Validity validity = ForEachRef(source, refs, [&](int64_t i, uint32_t batch, int64_t row) {
    values[i] = source.views[batch].base().As<StringColumn>().Value(row);
    total += static_cast<int64_t>(values[i].size());
  });
  if (total > std::numeric_limits<int32_t>::max()) {
    return base::Exhausted(rows, " rows have ", total, " bytes of strings, offsets have 31 bits");
  }
  MutableBuffer ends(rows * kWidth);
  MutableBuffer bytes(total);
  int32_t end = 0;
  for (int64_t i = 0; i < rows; ++i) {
    if (!values[i].empty()) std::memcpy(bytes.data() + end, values[i].data(), values[i].size());
    end += static_cast<int32_t>(values[i].size());
    base::Store(ends.data() + i * kWidth, end);
  }
  return std::make_shared<StringColumn>(type, rows, std::move(validity), 0,
                                        std::move(ends).Freeze(), std::move(bytes).Freeze());
}

absl::StatusOr<ColumnPtr> Interleaver::GatherColumn(const TypePtr& type, const Source& source,
                                                    std::span<const RowRef> refs) {
  if (type->is_string()) return GatherStrings(type, source, refs);
  switch (type->width()) {
    case 1:
      return GatherFixed<uint8_t>(type, source, refs);
    case 2:
      return GatherFixed<uint16_t>(type, source, refs);
    case 4:
      return GatherFixed<uint32_t>(type, source, refs);
    case 8:
      return GatherFixed<uint64_t>(type, source, refs);
    case 16:
      return GatherFixed<Wide>(type, source, refs);
    default:
      return FlatColumn::Unknown(static_cast<int64_t>(refs.size()));
  }
}

absl::Status Interleaver::Check(const vector::Type& schema) {
  for (size_t column = 0; column < schema.children().size(); ++column) {
    const vector::Type& type = *schema.children()[column];
    if (!type.is_nested()) continue;
    return absl::UnimplementedError(base::Cat(ColumnName(schema, column), ": type ",
                                              type.ToString(),
                                              " is nested, only scalars can be shuffled"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Interleaver> Interleaver::Create(vector::TypePtr schema,
                                                std::span<const vector::Batch> batches) {
  SPILLWAY_RETURN_IF_ERROR(Check(*schema));
  Interleaver out(std::move(schema));
  out.columns_.resize(out.schema_->children().size());
  for (size_t column = 0; column < out.columns_.size(); ++column) {
    Source& source = out.columns_[column];
    for (const vector::Batch& batch : batches) {
      SPILLWAY_ASSIGN_OR_RETURN(FlatView view, FlatView::Of(batch.column(column)));
      source.flat = source.flat && view.mapping() == FlatView::Mapping::kIdentity;
      source.may_have_nulls = source.may_have_nulls || view.may_have_nulls();
      source.values.push_back(view.base().type().is_string()
                                  ? nullptr
                                  : view.base().As<FlatColumn>().values().data());
      source.views.push_back(std::move(view));
    }
  }
  return out;
}

absl::StatusOr<vector::Batch> Interleaver::Gather(std::span<const RowRef> refs) const {
  std::vector<ColumnPtr> columns;
  columns.reserve(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    absl::StatusOr<ColumnPtr> column = GatherColumn(schema_->children()[i], columns_[i], refs);
    if (!column.ok()) return base::In(ColumnName(*schema_, i), column.status());
    columns.push_back(*std::move(column));
  }
  return vector::Batch(schema_, static_cast<int64_t>(refs.size()), std::move(columns));
}

}  // namespace spillway::shuffle
