// SPDX-License-Identifier: Apache-2.0
#include "src/arrow/array_reader.h"

#include <limits>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::arrow {
namespace {

using base::Invalid;
using base::Load;
using base::Store;
using vector::Buffer;
using vector::ColumnPtr;
using vector::FlatColumn;
using vector::Kind;
using vector::MutableBuffer;
using vector::Validity;

constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max();
constexpr int64_t kOffset = sizeof(int32_t);
constexpr int64_t kAnyRows = -1;

Buffer UnpackBooleans(const Buffer& bits, int64_t rows) {
  MutableBuffer out(rows);
  for (int64_t row = 0; row < rows; ++row) {
    out.data()[row] = (bits.data()[row / 8] >> (row % 8)) & 1;
  }
  return std::move(out).Freeze();
}

absl::StatusOr<Buffer> NarrowDecimals(const Buffer& wide, int64_t rows, const Validity& validity) {
  MutableBuffer out(rows * 8);
  for (int64_t row = 0; row < rows; ++row) {
    auto low = Load<int64_t>(wide.data() + row * 16);
    if (validity.IsNull(row)) {
      low = 0;
    } else if (Load<int64_t>(wide.data() + row * 16 + 8) != low >> 63) {
      return Invalid("row ", row, ": a decimal over 64 bits, for a precision of 18 or less");
    }
    Store(out.data() + row * 8, low);
  }
  return std::move(out).Freeze();
}

Buffer FromUnits(const Buffer& units, int64_t rows, metadata::TimeUnit unit) {
  int64_t per_second = 1;
  for (auto u = static_cast<int>(unit); u > 0; --u) per_second *= 1000;
  const int64_t nanos = 1'000'000'000 / per_second;
  MutableBuffer out(rows * 16);
  for (int64_t row = 0; row < rows; ++row) {
    const auto value = Load<int64_t>(units.data() + row * 8);
    const int64_t rest = value % per_second;
    const int64_t below = rest < 0 ? 1 : 0;
    Store(out.data() + row * 16, value / per_second - below);
    Store(out.data() + row * 16 + 8, static_cast<uint64_t>((rest + below * per_second) * nanos));
  }
  return std::move(out).Freeze();
}

// Index `row` of a dictionary; 2^63 - 1 for what is larger.
int64_t IndexAt(const Buffer& indices, int64_t row, const Field::Dictionary& dictionary) {
  const uint8_t* const at = indices.data() + row * (dictionary.bit_width / 8);
  switch (dictionary.bit_width) {
    case 8:
      return dictionary.is_signed ? int64_t{Load<int8_t>(at)} : int64_t{Load<uint8_t>(at)};
    case 16:
      return dictionary.is_signed ? int64_t{Load<int16_t>(at)} : int64_t{Load<uint16_t>(at)};
    case 32:
      return dictionary.is_signed ? int64_t{Load<int32_t>(at)} : int64_t{Load<uint32_t>(at)};
    default: {
      const auto index = Load<int64_t>(at);
      if (!dictionary.is_signed && index < 0) return std::numeric_limits<int64_t>::max();
      return index;
    }
  }
}

}  // namespace

absl::StatusOr<ColumnPtr> ArrayReader::Read(const Field& field, int64_t rows) {
  return base::In(base::Cat("field `", field.name, "`"), ReadAny(field, rows));
}

absl::Status ArrayReader::ExpectEnd() const {
  const uint32_t nodes = batch_.nodes() == nullptr ? 0 : batch_.nodes()->size();
  const uint32_t buffers = batch_.buffers() == nullptr ? 0 : batch_.buffers()->size();
  if (nodes != node_) return Invalid(nodes, " field nodes for a schema of ", node_);
  if (buffers != buffer_) return Invalid(buffers, " buffers for a schema of ", buffer_);
  return absl::OkStatus();
}

absl::StatusOr<Buffer> ArrayReader::NextBuffer(std::string_view what, int64_t at_least) {
  if (batch_.buffers() == nullptr || buffer_ >= batch_.buffers()->size()) {
    return Invalid("no buffer of ", what);
  }
  const metadata::Buffer& buffer = *batch_.buffers()->Get(buffer_++);
  const int64_t offset = buffer.offset();
  const int64_t length = buffer.length();
  if (offset < 0 || length < 0 || offset > body_.size() || length > body_.size() - offset) {
    return Invalid("the buffer of ", what, " is bytes ", offset, " to ", offset, " + ", length,
                   " of a body of ", body_.size());
  }
  if (length < at_least) {
    return Invalid("the buffer of ", what, " has ", length, " bytes, ", at_least, " are needed");
  }
  return body_.Slice(offset, length);
}

absl::StatusOr<Validity> ArrayReader::NextValidity(int64_t rows, int64_t nulls) {
  SPILLWAY_ASSIGN_OR_RETURN(const Buffer bits, NextBuffer("validity bits", 0));
  if (bits.empty() && nulls == 0) return Validity();
  const int64_t bytes = (rows + 7) / 8;
  if (bits.size() < bytes) {
    return Invalid("the validity bitmap has ", bits.size(), " bytes for ", rows, " rows");
  }
  const int64_t zeros = vector::CountZeroBits(bits.data(), 0, rows);
  if (zeros != nulls) {
    return Invalid("the validity bitmap has ", zeros, " nulls, the field node ", nulls);
  }
  if (nulls == 0) return Validity();
  return Validity::FromBits(bits.Slice(0, bytes), 0, nulls);
}

absl::StatusOr<ArrayReader::Node> ArrayReader::NextNode() {
  if (batch_.nodes() == nullptr || node_ >= batch_.nodes()->size()) {
    return Invalid("no field node");
  }
  const metadata::FieldNode& in = *batch_.nodes()->Get(node_++);
  if (in.length() < 0 || in.length() > kMaxRows || in.null_count() < 0 ||
      in.null_count() > in.length()) {
    return Invalid("a field node of ", in.length(), " rows, ", in.null_count(), " of them null");
  }
  return Node{in.length(), Validity(), in.null_count()};
}

absl::StatusOr<ArrayReader::Node> ArrayReader::NextColumn(int64_t rows) {
  SPILLWAY_ASSIGN_OR_RETURN(Node node, NextNode());
  if (rows != kAnyRows && node.rows != rows) {
    return Invalid(node.rows, " rows where ", rows, " are expected");
  }
  SPILLWAY_ASSIGN_OR_RETURN(node.validity, NextValidity(node.rows, node.claimed_nulls));
  return node;
}

absl::StatusOr<ColumnPtr> ArrayReader::ReadAny(const Field& field, int64_t rows) {
  if (!field.dictionary.has_value()) return ReadValues(field, rows);
  SPILLWAY_ASSIGN_OR_RETURN(Node node, NextColumn(rows));
  return ReadIndices(*field.dictionary, std::move(node));
}

absl::StatusOr<ColumnPtr> ArrayReader::ReadValues(const Field& field, int64_t rows) {
  const Kind kind = field.type->kind();
  if (kind == Kind::kUnknown) {
    SPILLWAY_ASSIGN_OR_RETURN(const Node node, NextNode());
    if (rows != kAnyRows && node.rows != rows) {
      return Invalid(node.rows, " rows where ", rows, " are expected");
    }
    return FlatColumn::Unknown(node.rows);
  }
  SPILLWAY_ASSIGN_OR_RETURN(Node node, NextColumn(rows));
  if (field.type->is_string()) return ReadStrings(field, std::move(node));
  if (kind == Kind::kArray || kind == Kind::kMap) return ReadList(field, std::move(node));
  if (kind == Kind::kRow) return ReadRow(field, std::move(node));
  return ReadFixed(field, std::move(node));
}

absl::StatusOr<ColumnPtr> ArrayReader::ReadFixed(const Field& field, Node node) {
  const int64_t rows = node.rows;
  Buffer values;
  switch (field.type->kind()) {
    case Kind::kBoolean: {
      SPILLWAY_ASSIGN_OR_RETURN(const Buffer bits, NextBuffer("values", (rows + 7) / 8));
      values = UnpackBooleans(bits, rows);
      break;
    }
    case Kind::kShortDecimal: {
      SPILLWAY_ASSIGN_OR_RETURN(const Buffer wide, NextBuffer("values", rows * 16));
      SPILLWAY_ASSIGN_OR_RETURN(values, NarrowDecimals(wide, rows, node.validity));
      break;
    }
    case Kind::kTimestamp: {
      SPILLWAY_ASSIGN_OR_RETURN(const Buffer units, NextBuffer("values", rows * 8));
      values = FromUnits(units, rows, field.unit);
      break;
    }
    default: {
      const int64_t bytes = rows * field.type->width();
      SPILLWAY_ASSIGN_OR_RETURN(const Buffer all, NextBuffer("values", bytes));
      values = all.Slice(0, bytes);
    }
  }
  return std::make_shared<FlatColumn>(field.type, rows, std::move(node.validity),
                                      std::move(values));
}

absl::StatusOr<Buffer> ArrayReader::ReadOffsets(int64_t rows) {
  // Writers may leave out the one offset of a column without rows.
  SPILLWAY_ASSIGN_OR_RETURN(const Buffer offsets,
                            NextBuffer("offsets", rows == 0 ? 0 : (rows + 1) * kOffset));
  if (offsets.size() < kOffset) {
    MutableBuffer zero(kOffset);
    Store(zero.data(), int32_t{0});
    return std::move(zero).Freeze();
  }
  auto before = Load<int32_t>(offsets.data());
  if (before < 0) return Invalid("the first offset is ", before);
  for (int64_t row = 0; row < rows; ++row) {
    const auto end = Load<int32_t>(offsets.data() + (row + 1) * kOffset);
    if (end < before) {
      return Invalid("offsets descend at row ", row, " (", before, " then ", end, ")");
    }
    before = end;
  }
  return offsets.Slice(0, (rows + 1) * kOffset);
}

absl::StatusOr<ColumnPtr> ArrayReader::ReadStrings(const Field& field, Node node) {
  SPILLWAY_ASSIGN_OR_RETURN(const Buffer offsets, ReadOffsets(node.rows));
  const auto first = Load<int32_t>(offsets.data());
  const auto end = Load<int32_t>(offsets.data() + node.rows * kOffset);
  SPILLWAY_ASSIGN_OR_RETURN(Buffer bytes, NextBuffer("strings", end));
  return std::make_shared<vector::StringColumn>(field.type, node.rows, std::move(node.validity),
                                                first, offsets.Slice(kOffset, node.rows * kOffset),
                                                bytes.Slice(0, end));
}

absl::StatusOr<ColumnPtr> ArrayReader::ReadList(const Field& field, Node node) {
  SPILLWAY_ASSIGN_OR_RETURN(Buffer offsets, ReadOffsets(node.rows));
  const auto end = Load<int32_t>(offsets.data() + node.rows * kOffset);
  int64_t elements = kAnyRows;
  if (field.type->kind() == Kind::kMap) {
    SPILLWAY_ASSIGN_OR_RETURN(const Node entries, NextColumn(kAnyRows));
    if (entries.validity.has_nulls()) return Invalid("an entry of a map is null");
    elements = entries.rows;
  }
  std::vector<ColumnPtr> children;
  for (const Field& child : field.children) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column, Read(child, elements));
    if (end > column->rows()) {
      return Invalid("offsets go to ", end, ", there are ", column->rows(), " elements");
    }
    children.push_back(std::move(column));
  }
  return std::make_shared<vector::ListColumn>(field.type, node.rows, std::move(node.validity),
                                              std::move(offsets), std::move(children));
}

absl::StatusOr<ColumnPtr> ArrayReader::ReadRow(const Field& field, Node node) {
  std::vector<ColumnPtr> fields;
  for (const Field& child : field.children) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column, Read(child, node.rows));
    fields.push_back(std::move(column));
  }
  return std::make_shared<vector::RowColumn>(field.type, node.rows, std::move(node.validity),
                                             std::move(fields));
}

absl::StatusOr<ColumnPtr> ArrayReader::ReadIndices(const Field::Dictionary& dictionary, Node node) {
  const auto found = dictionaries_.find(dictionary.id);
  if (found == dictionaries_.end()) return Invalid("dictionary ", dictionary.id, " did not come");
  const ColumnPtr& alphabet = found->second;
  SPILLWAY_ASSIGN_OR_RETURN(const Buffer indices,
                            NextBuffer("indices", node.rows * (dictionary.bit_width / 8)));
  MutableBuffer ids(node.rows * kOffset);
  for (int64_t row = 0; row < node.rows; ++row) {
    const int64_t index = node.validity.IsNull(row) ? 0 : IndexAt(indices, row, dictionary);
    if (!node.validity.IsNull(row) && (index < 0 || index >= alphabet->rows())) {
      return Invalid("row ", row, ": index ", index, " of a dictionary of ", alphabet->rows());
    }
    Store(ids.data() + row * kOffset, static_cast<int32_t>(index));
  }
  return std::make_shared<vector::DictionaryColumn>(node.rows, std::move(node.validity),
                                                    std::move(ids).Freeze(), alphabet);
}

}  // namespace spillway::arrow
