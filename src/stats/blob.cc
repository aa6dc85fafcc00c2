// SPDX-License-Identifier: Apache-2.0
#include "src/stats/blob.h"

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/vector/column_name.h"

namespace spillway::stats {
namespace {

using base::ByteReader;
using vector::Type;

constexpr int64_t kFixedCellSize = 1 + 4 + 4 + 8;
constexpr int64_t kLength = sizeof(uint32_t);

template <typename T>
uint8_t* Put(T value, uint8_t* out) {
  base::Store(out, value);
  return out + sizeof(T);
}

uint8_t* PutBound(std::string_view bound, uint8_t* out) {
  out = Put(static_cast<uint32_t>(bound.size()), out);
  if (!bound.empty()) std::memcpy(out, bound.data(), bound.size());
  return out + bound.size();
}

absl::StatusOr<std::string> ReadBound(const Type& type, std::string_view name, ByteReader& in) {
  const int64_t at = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t length, in.Read<uint32_t>("bound length"));
  const int width = BoundWidth(type);
  if (width >= 0 ? length != static_cast<uint32_t>(width) : length > kMaxStringBound) {
    return in.ErrorAt(at, name, " bound of ", length, " bytes, ", type.ToString(), " has ",
                      width >= 0 ? base::Cat(width) : base::Cat("at most ", kMaxStringBound));
  }
  SPILLWAY_ASSIGN_OR_RETURN(const std::string_view bytes, in.ReadBytes(length, name));
  return std::string(bytes);
}

absl::StatusOr<ColumnStats> ReadCell(const Type& type, ByteReader& in) {
  SPILLWAY_RETURN_IF_ERROR(in.Need(kFixedCellSize, "statistics cell"));
  const int64_t at = in.offset();
  const uint8_t supported = *in.Read<uint8_t>("supported");
  if (supported > 1) return in.ErrorAt(at, "supported byte ", int{supported}, " is not 0 or 1");
  ColumnStats stats;
  stats.null_count = *in.Read<uint32_t>("nullCount");
  stats.count = *in.Read<uint32_t>("count");
  stats.size_in_bytes = *in.Read<uint64_t>("sizeInBytes");
  if (stats.null_count > stats.count) {
    return in.ErrorAt(at + 1, "nullCount ", stats.null_count, " is over the row count ",
                      stats.count);
  }
  if (supported == 0) return stats;
  if (BoundWidth(type) == 0) {
    return in.ErrorAt(at, "bounds for ", type.ToString(), ", which has none");
  }
  Bounds bounds;
  SPILLWAY_ASSIGN_OR_RETURN(bounds.lower, ReadBound(type, "lower", in));
  SPILLWAY_ASSIGN_OR_RETURN(bounds.upper, ReadBound(type, "upper", in));
  stats.bounds = std::move(bounds);
  return stats;
}

// Behind both bounds of `width` bytes at `at`; null if ReadBound() would refuse one. Where the next
// cell starts does not hang on a load.
const uint8_t* SkipFixedBounds(int width, const uint8_t* at, const uint8_t* end) {
  const int64_t size = kLength + width;
  if (end - at < 2 * size) return nullptr;
  const auto expected = static_cast<uint32_t>(width);
  const bool right = base::Load<uint32_t>(at) == expected &&
                     base::Load<uint32_t>(at + size) == expected;
  return right ? at + 2 * size : nullptr;
}

// Behind the VARCHAR bound at `at`, likewise.
const uint8_t* SkipStringBound(const uint8_t* at, const uint8_t* end) {
  if (end - at < kLength) return nullptr;
  const auto length = base::Load<uint32_t>(at);
  if (length > kMaxStringBound) return nullptr;
  at += kLength;
  return end - at < static_cast<int64_t>(length) ? nullptr : at + length;
}

// Behind the cell at `at`; null if ReadCell() would refuse it.
const uint8_t* SkipCell(const Type& type, const uint8_t* at, const uint8_t* end) {
  if (end - at < kFixedCellSize) return nullptr;
  const uint8_t supported = *at;
  if (supported > 1 || base::Load<uint32_t>(at + 1) > base::Load<uint32_t>(at + 5)) return nullptr;
  at += kFixedCellSize;
  if (supported == 0) return at;
  const int width = BoundWidth(type);
  if (width == 0) return nullptr;
  if (width > 0) return SkipFixedBounds(width, at, end);
  at = SkipStringBound(at, end);
  return at == nullptr ? nullptr : SkipStringBound(at, end);
}

bool IsBlob(const Type& schema, const ByteReader& in) {
  const uint8_t* at = in.cursor();
  const uint8_t* const end = at + in.remaining();
  if (end - at < kLength || base::Load<uint32_t>(at) != schema.children().size()) return false;
  at += kLength;
  for (const vector::TypePtr& type : schema.children()) {
    at = SkipCell(*type, at, end);
    if (at == nullptr) return false;
  }
  return at == end;
}

}  // namespace

BatchStats ComputeStats(const vector::Batch& batch, const StatsOptions& options) {
  BatchStats stats;
  stats.reserve(batch.columns().size());
  for (const vector::ColumnPtr& column : batch.columns()) {
    stats.push_back(ComputeStats(*column, options));
  }
  return stats;
}

int64_t BlobSize(const BatchStats& stats) {
  int64_t size = sizeof(uint32_t);
  for (const ColumnStats& column : stats) {
    size += kFixedCellSize;
    if (column.bounds.has_value()) {
      size += static_cast<int64_t>(2 * sizeof(uint32_t) + column.bounds->lower.size() +
                                   column.bounds->upper.size());
    }
  }
  return size;
}

uint8_t* WriteBlob(const BatchStats& stats, uint8_t* out) {
  out = Put(static_cast<uint32_t>(stats.size()), out);
  for (const ColumnStats& column : stats) {
    out = Put<uint8_t>(column.bounds.has_value() ? 1 : 0, out);
    out = Put(column.null_count, out);
    out = Put(column.count, out);
    out = Put(column.size_in_bytes, out);
    if (column.bounds.has_value()) {
      out = PutBound(column.bounds->lower, out);
      out = PutBound(column.bounds->upper, out);
    }
  }
  return out;
}

absl::StatusOr<BatchStats> ReadBlob(const Type& schema, ByteReader in) {
  const int64_t at = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t columns, in.Read<uint32_t>("column count"));
  if (columns != schema.children().size()) {
    return in.ErrorAt(at, "statistics of ", columns, " columns, the schema has ",
                      schema.children().size());
  }
  BatchStats stats;
  stats.reserve(columns);
  for (size_t i = 0; i < columns; ++i) {
    absl::StatusOr<ColumnStats> cell = ReadCell(*schema.children()[i], in);
    if (!cell.ok()) return base::In(vector::ColumnName(schema, i), std::move(cell).status());
    stats.push_back(*std::move(cell));
  }
  SPILLWAY_RETURN_IF_ERROR(in.ExpectEnd("statistics"));
  return stats;
}

absl::Status CheckBlob(const Type& schema, ByteReader in) {
  if (IsBlob(schema, in)) return absl::OkStatus();
  return ReadBlob(schema, in).status();
}

}  // namespace spillway::stats
