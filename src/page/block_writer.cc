// SPDX-License-Identifier: Apache-2.0
#include "src/page/block_writer.h"

#include <algorithm>
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
#include "src/vector/lazy_column.h"
#include "src/vector/select.h"

namespace spillway::page {
namespace {

using vector::Column;
using vector::ColumnPtr;
using vector::ConstantColumn;
using vector::DictionaryColumn;
using vector::Encoding;
using vector::FlatColumn;
using vector::Kind;
using vector::ListColumn;
using vector::RowColumn;
using vector::StringColumn;
using vector::Type;
using vector::Validity;

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
constexpr int64_t kInt32 = sizeof(int32_t);
constexpr int64_t kInstanceIdBytes = 24;
constexpr int32_t kNoHashTable = -1;

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

bool IsWrapper(const Column& column) {
  return column.encoding() == Encoding::kConstant || column.encoding() == Encoding::kDictionary;
}

int64_t NameSize(std::string_view name) { return kInt32 + static_cast<int64_t>(name.size()); }

// Name, row count, null flag and bitmap.
int64_t HeadSize(const Type& type, const Validity& validity, int64_t rows) {
  return NameSize(EncodingName(type.kind())) + kInt32 + 1 +
         (validity.has_nulls() ? NullBytes(rows) : 0);
}

// The same and offsets.
int64_t NestedSize(const Type& type, const Validity& validity, int64_t rows) {
  return HeadSize(type, validity, rows) + (rows + 1) * kInt32;
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
    const auto value = base::Load<unsigned __int128>(values);
    if ((value & kSign) != 0) base::Store(values, -value | kSign);
  }
}

}  // namespace

absl::StatusOr<BlockPlan> BlockPlan::Make(ColumnPtr column, EncodingChoice choice) {
  int64_t budget = kMaxExpandedBytes;
  return Make(std::move(column), choice, &budget);
}

absl::StatusOr<BlockPlan> BlockPlan::Make(ColumnPtr column, EncodingChoice choice,
                                          int64_t* budget) {
  SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr loaded, vector::Load(column));
  return MakeOn(std::move(loaded), {choice, 0, budget});
}

absl::StatusOr<BlockPlan> BlockPlan::MakeOn(ColumnPtr column, const Terms& terms) {
  if (terms.depth > kMaxDepth) return base::Invalid("nested deeper than ", kMaxDepth);
  if (column->rows() > kMaxInt32) {
    return base::Exhausted(column->rows(), " rows do not fit a block, whose limit is ", kMaxInt32);
  }
  const bool smallest = terms.choice == EncodingChoice::kSmallest;
  if (smallest && IsWrapper(*column)) return Smallest(column, terms);
  BlockPlan plan;
  if (smallest) {
    plan.column_ = std::move(column);
  } else {
    SPILLWAY_ASSIGN_OR_RETURN(plan.column_, ChooseEncoding(column, terms.choice, terms.budget));
  }
  SPILLWAY_RETURN_IF_ERROR(plan.Plan(terms));
  return plan;
}

// Plans both forms and keeps the smaller, the flat one if they are equal.
absl::StatusOr<BlockPlan> BlockPlan::Smallest(const ColumnPtr& column, const Terms& terms) {
  int64_t budget = *terms.budget;
  BlockPlan encoded;
  SPILLWAY_ASSIGN_OR_RETURN(encoded.column_, PeelWrappers(*column, terms.budget));
  const absl::Status planned = encoded.Plan(terms);
  // No flat block takes less than a bit a row: a long run need not be expanded to be compared.
  if (planned.ok() && encoded.size() <= column->rows() / 8) return encoded;
  // On a budget of its own, since only one of the two is kept.
  absl::StatusOr<BlockPlan> flat = MakeOn(column, {EncodingChoice::kFlatten, terms.depth, &budget});
  // Either alone may be impossible: a wrapper nested too deep, a run too long to be flat.
  if (planned.ok() && (!flat.ok() || encoded.size() < flat->size())) return encoded;
  if (!flat.ok()) return planned;
  *terms.budget = budget;
  return flat;
}

absl::Status BlockPlan::Plan(const Terms& terms) {
  switch (column_->encoding()) {
    case Encoding::kConstant:
      size_ = NameSize(kRle) + kInt32;
      return AddChild(column_->As<ConstantColumn>().value(), terms);
    case Encoding::kDictionary:
      size_ = NameSize(kDictionary) + kInt32 + column_->rows() * kInt32 + kInstanceIdBytes;
      return AddChild(column_->As<DictionaryColumn>().alphabet(), terms);
    case Encoding::kRow:
      return PlanRow(terms);
    case Encoding::kArray:
    case Encoding::kMap:
      return PlanList(terms);
    case Encoding::kFlat:
    case Encoding::kLazy:  // loaded by Make()
      break;
  }
  return column_->type().is_string() ? PlanStrings() : PlanFlat();
}

absl::Status BlockPlan::AddChild(ColumnPtr column, const Terms& terms) {
  SPILLWAY_ASSIGN_OR_RETURN(BlockPlan child, MakeOn(std::move(column), terms.Inside()));
  size_ += child.size();
  children_.push_back(std::move(child));
  return absl::OkStatus();
}

// A field block holds the rows whose parent is not null, and no others.
absl::Status BlockPlan::PlanRow(const Terms& terms) {
  const auto& row = column_->As<RowColumn>();
  size_ = NestedSize(row.type(), row.validity(), row.rows()) + kInt32;
  std::vector<int32_t> present;
  if (row.validity().has_nulls()) {
    for (int64_t i = 0; i < row.rows(); ++i) {
      if (!row.IsNull(i)) present.push_back(static_cast<int32_t>(i));
    }
  }
  children_.reserve(row.fields().size());
  for (size_t i = 0; i < row.fields().size(); ++i) {
    ColumnPtr field = row.fields()[i];
    if (row.validity().has_nulls()) {
      SPILLWAY_ASSIGN_OR_RETURN(field, vector::Select(*field, present, terms.budget));
    }
    const absl::Status added = AddChild(std::move(field), terms);
    if (!added.ok()) {
      return base::In(base::Cat("field ", i, " `", row.type().names()[i], "`"), added);
    }
  }
  return absl::OkStatus();
}

absl::Status BlockPlan::PlanList(Terms terms) {
  const auto& list = column_->As<ListColumn>();
  const bool map = list.encoding() == Encoding::kMap;
  size_ = NestedSize(list.type(), list.validity(), list.rows()) + (map ? kInt32 : 0);
  // Velox's encodings do not survive inside a list.
  if (terms.choice != EncodingChoice::kSmallest) terms.choice = EncodingChoice::kFlatten;
  const int64_t first = list.Offset(0);
  int64_t elements = list.Offset(list.rows()) - first;
  ForEachNull(list.validity(), list.rows(),
              [&](int64_t row) { elements -= list.Offset(row + 1) - list.Offset(row); });
  const bool contiguous = elements == list.Offset(list.rows()) - first;
  const bool runs = std::all_of(list.children().begin(), list.children().end(),
                                [](const ColumnPtr& child) { return vector::IsRun(*child); });
  std::vector<int32_t> present;
  if (!contiguous && !runs) {
    present.reserve(elements);
    for (int64_t row = 0; row < list.rows(); ++row) {
      if (list.IsNull(row)) continue;
      for (int32_t at = list.Offset(row); at < list.Offset(row + 1); ++at) present.push_back(at);
    }
  }
  constexpr std::string_view kParts[] = {"keys", "values"};
  for (size_t i = 0; i < list.children().size(); ++i) {
    const ColumnPtr& child = list.children()[i];
    ColumnPtr part;
    if (runs) {
      part = vector::RunOf(*child, elements);
    } else if (contiguous) {
      part = child->Slice(first, elements);
    } else {
      SPILLWAY_ASSIGN_OR_RETURN(part, vector::Select(*child, present, terms.budget));
    }
    SPILLWAY_RETURN_IF_ERROR(
        base::In(map ? kParts[i] : "elements", AddChild(std::move(part), terms)));
  }
  return absl::OkStatus();
}

absl::Status BlockPlan::PlanFlat() {
  const auto& flat = column_->As<FlatColumn>();
  const int64_t rows = flat.rows();
  const int64_t width = flat.type().width();
  const int64_t stored = rows - flat.null_count();
  size_ = HeadSize(flat.type(), flat.validity(), rows) + stored * width;
  if (stored == 0) return absl::OkStatus();
  const uint8_t* values = flat.values().data();
  const int64_t row = FirstForbidden(flat.type(), values, flat.validity(), rows);
  if (row == rows) return absl::OkStatus();
  return base::Invalid("row ", row, ": ", ExplainForbidden(flat.type(), values, row));
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
  size_ =
      HeadSize(strings.type(), strings.validity(), rows) + rows * kInt32 + kInt32 + string_bytes_;
  return absl::OkStatus();
}

uint8_t* BlockPlan::Write(uint8_t* out) const {
  switch (column_->encoding()) {
    case Encoding::kConstant:
      return WriteChildren(WriteInt32(column_->rows(), WriteName(kRle, out)));
    case Encoding::kDictionary:
      return WriteDictionary(out);
    case Encoding::kRow:
      return WriteRow(out);
    case Encoding::kArray:
    case Encoding::kMap:
      return WriteList(out);
    case Encoding::kFlat:
    case Encoding::kLazy:  // loaded by Make()
      break;
  }
  out = WriteName(EncodingName(column_->type().kind()), out);
  out = WriteInt32(column_->rows(), out);
  return column_->type().is_string() ? WriteStrings(out) : WriteFlat(out);
}

uint8_t* BlockPlan::WriteChildren(uint8_t* out) const {
  for (const BlockPlan& child : children_) out = child.Write(out);
  return out;
}

uint8_t* BlockPlan::WriteDictionary(uint8_t* out) const {
  const auto& dictionary = column_->As<DictionaryColumn>();
  const int64_t bytes = dictionary.rows() * kInt32;
  out = WriteChildren(WriteInt32(dictionary.rows(), WriteName(kDictionary, out)));
  if (bytes != 0) std::memcpy(out, dictionary.ids().data(), bytes);
  std::memset(out + bytes, 0, kInstanceIdBytes);
  return out + bytes + kInstanceIdBytes;
}

uint8_t* BlockPlan::WriteRow(uint8_t* out) const {
  const auto& row = column_->As<RowColumn>();
  out = WriteInt32(static_cast<int64_t>(children_.size()), WriteName(kRow, out));
  out = WriteInt32(row.rows(), WriteChildren(out));
  int32_t present = 0;
  out = WriteInt32(0, out);
  for (int64_t i = 0; i < row.rows(); ++i) {
    present += row.IsNull(i) ? 0 : 1;
    out = WriteInt32(present, out);
  }
  return WriteNulls(row.validity(), row.rows(), out);
}

uint8_t* BlockPlan::WriteList(uint8_t* out) const {
  const auto& list = column_->As<ListColumn>();
  const bool map = list.encoding() == Encoding::kMap;
  out = WriteChildren(WriteName(map ? kMap : kArray, out));
  if (map) out = WriteInt32(kNoHashTable, out);
  out = WriteInt32(list.rows(), out);
  int32_t end = 0;
  out = WriteInt32(end, out);
  for (int64_t row = 0; row < list.rows(); ++row) {
    if (!list.IsNull(row)) end += list.Offset(row + 1) - list.Offset(row);
    out = WriteInt32(end, out);
  }
  return WriteNulls(list.validity(), list.rows(), out);
}

uint8_t* BlockPlan::WriteFlat(uint8_t* out) const {
  const auto& flat = column_->As<FlatColumn>();
  out = WriteNulls(flat.validity(), flat.rows(), out);
  if (flat.null_count() == flat.rows()) return out;
  uint8_t* end =
      CompactValues(flat.values().data(), flat.type().width(), flat.validity(), flat.rows(), out);
  if (flat.type().kind() == Kind::kBoolean) NormalizeBooleans(out, end);
  if (flat.type().kind() == Kind::kLongDecimal) ToSignMagnitude(out, end);
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
