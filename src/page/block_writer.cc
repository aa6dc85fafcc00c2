// SPDX-License-Identifier: Apache-2.0
#include "src/page/block_writer.h"

#include <bit>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/page/encoding_name.h"
#include "src/page/null_bits.h"
#include "src/page/value_rules.h"
#include "src/page/value_runs.h"

namespace spillway::page {
namespace {

using vector::Column;
using vector::Encoding;
using vector::FlatColumn;
using vector::Kind;
using vector::StringColumn;
using vector::Type;
using vector::Validity;

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
constexpr int64_t kInt32 = sizeof(int32_t);

uint8_t* WriteInt32(int64_t value, uint8_t* out) {
  base::Store(out, static_cast<int32_t>(value));
  return out + kInt32;
}

uint8_t* WriteName(std::string_view name, uint8_t* out) {
  out = WriteInt32(static_cast<int64_t>(name.size()), out);
  std::memcpy(out, name.data(), name.size());
  return out + name.size();
}

uint8_t* WriteNulls(const Validity& validity, int64_t rows, uint8_t* out) {
  *out++ = validity.has_nulls() ? 1 : 0;
  return validity.has_nulls() ? WriteNullBits(validity, rows, out) : out;
}

// Name, row count, null flag and bitmap.
int64_t HeadSize(const Type& type, const Validity& validity, int64_t rows) {
  return kInt32 + static_cast<int64_t>(EncodingName(type.kind()).size()) + kInt32 + 1 +
         (validity.has_nulls() ? NullBytes(rows) : 0);
}

// Calls `visit` with each null row, ascending.
template <typename Visit>
void ForEachNull(const Validity& validity, int64_t rows, Visit visit) {
  if (!validity.has_nulls()) return;
  for (int64_t row = 0; row < rows; row += 64) {
    uint64_t nulls = ~ValidWord(validity, row, rows);
    if (rows - row < 64) nulls &= (uint64_t{1} << (rows - row)) - 1;
    for (; nulls != 0; nulls &= nulls - 1) visit(row + std::countr_zero(nulls));
  }
}

void NormalizeBooleans(uint8_t* values, uint8_t* end) {
  for (; values != end; ++values) *values = *values != 0 ? 1 : 0;
}

// In place: two's complement to sign-magnitude, whose sign is the top bit.
void ToSignMagnitude(uint8_t* values, const uint8_t* end) {
  constexpr auto kSign = static_cast<unsigned __int128>(1) << 127;
  for (; values != end; values += sizeof(__int128)) {
    const auto value = base::Load<__int128>(values);
    if (value < 0) base::Store(values, static_cast<unsigned __int128>(-value) | kSign);
  }
}

}  // namespace

absl::StatusOr<BlockPlan> BlockPlan::Make(vector::ColumnPtr column) {
  if (column->rows() > kMaxInt32) {
    return base::Exhausted(column->rows(), " rows do not fit a block, whose limit is ", kMaxInt32);
  }
  BlockPlan plan(std::move(column));
  SPILLWAY_RETURN_IF_ERROR(plan.column_->type().is_string() ? plan.PlanStrings() : plan.PlanFlat());
  return plan;
}

absl::Status BlockPlan::PlanFlat() {
  const auto& flat = column_->As<FlatColumn>();
  const int64_t rows = flat.rows();
  const int64_t width = flat.type().width();
  const int64_t stored = rows - flat.null_count();
  size_ = HeadSize(flat.type(), flat.validity(), rows) + stored * width;
  if (stored == 0) return absl::OkStatus();
  const uint8_t* values = flat.values().data();
  for (int64_t row = FirstForbidden(flat.type(), values, 0, rows); row < rows;
       row = FirstForbidden(flat.type(), values, row + 1, rows)) {
    if (flat.IsNull(row)) continue;
    return base::Invalid("row ", row, ": ", ExplainForbidden(flat.type(), values, row));
  }
  return absl::OkStatus();
}

absl::Status BlockPlan::PlanStrings() {
  const auto& strings = column_->As<StringColumn>();
  const int64_t rows = strings.rows();
  string_bytes_ = rows == 0 ? 0 : int64_t{strings.End(rows - 1)} - strings.first();
  ForEachNull(strings.validity(), rows, [&](int64_t row) {
    const int64_t length = strings.End(row) - strings.Start(row);
    string_bytes_ -= length;
    nulls_span_bytes_ |= length != 0;
  });
  size_ = HeadSize(strings.type(), strings.validity(), rows) + rows * kInt32 + kInt32 +
          string_bytes_;
  return absl::OkStatus();
}

uint8_t* BlockPlan::Write(uint8_t* out) const {
  out = WriteName(EncodingName(column_->type().kind()), out);
  out = WriteInt32(column_->rows(), out);
  return column_->type().is_string() ? WriteStrings(out) : WriteFlat(out);
}

uint8_t* BlockPlan::WriteFlat(uint8_t* out) const {
  const auto& flat = column_->As<FlatColumn>();
  out = WriteNulls(flat.validity(), flat.rows(), out);
  if (flat.null_count() == flat.rows()) return out;
  uint8_t* end =
      CompactValues(flat.values().data(), flat.type().width(), flat.validity(), flat.rows(), out);
  if (flat.type().kind() == Kind::kBoolean) NormalizeBooleans(out, end);
  if (flat.type().width() == sizeof(__int128) && flat.type().kind() != Kind::kTimestamp) {
    ToSignMagnitude(out, end);
  }
  return end;
}

uint8_t* BlockPlan::WriteStrings(uint8_t* out) const {
  const auto& strings = column_->As<StringColumn>();
  const int64_t rows = strings.rows();
  uint8_t* ends = out;
  out = WriteNulls(strings.validity(), rows, out + rows * kInt32);
  out = WriteInt32(string_bytes_, out);
  const uint8_t* bytes = strings.bytes().data();
  if (!nulls_span_bytes_) {
    for (int64_t row = 0; row < rows; ++row) {
      base::Store(ends + row * kInt32, strings.End(row) - strings.first());
    }
    if (string_bytes_ != 0) std::memcpy(out, bytes + strings.first(), string_bytes_);
    return out + string_bytes_;
  }
  int32_t end = 0;
  for (int64_t row = 0; row < rows; ++row) {
    if (!strings.IsNull(row)) {
      const std::string_view value = strings.Value(row);
      if (!value.empty()) std::memcpy(out + end, value.data(), value.size());
      end += static_cast<int32_t>(value.size());
    }
    base::Store(ends + row * kInt32, end);
  }
  return out + end;
}

}  // namespace spillway::page
