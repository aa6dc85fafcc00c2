// SPDX-License-Identifier: Apache-2.0
#include "src/page/block_reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/escaping.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/page/encoding_name.h"
#include "src/page/null_bits.h"
#include "src/page/value_rules.h"
#include "src/page/value_runs.h"
#include "src/vector/select.h"

namespace spillway::page {
namespace {

using base::ByteReader;
using vector::Buffer;
using vector::ColumnPtr;
using vector::ConstantColumn;
using vector::DictionaryColumn;
using vector::FlatColumn;
using vector::Kind;
using vector::ListColumn;
using vector::MutableBuffer;
using vector::RowColumn;
using vector::StringColumn;
using vector::Type;
using vector::TypePtr;
using vector::Validity;

constexpr int64_t kInt32 = sizeof(int32_t);
constexpr int64_t kInstanceIdBytes = 24;
constexpr auto kSignBit = static_cast<unsigned __int128>(1) << 127;
// Longest part of a hostile name that an error repeats.
constexpr int64_t kNameShown = 40;

int32_t Int32At(const uint8_t* values, int64_t index) {
  return base::Load<int32_t>(values + index * kInt32);
}

// Index of the first of `count` int32 that is below the one before it (below 0 for the first), or
// `count`.
int64_t FirstDescent(const uint8_t* values, int64_t count) {
  constexpr int64_t kStride = 256;
  int32_t before = 0;
  for (int64_t start = 0; start < count; start += kStride) {
    const int64_t end = std::min(count, start + kStride);
    bool ascends = Int32At(values, start) >= before;
    for (int64_t i = start + 1; i < end; ++i) {
      ascends &= Int32At(values, i) >= Int32At(values, i - 1);
    }
    if (!ascends) {
      for (int64_t i = start;; ++i) {
        if (Int32At(values, i) < before) return i;
        before = Int32At(values, i);
      }
    }
    before = Int32At(values, end - 1);
  }
  return count;
}

// In place: sign-magnitude to two's complement. Negative zero becomes 0.
void FromSignMagnitude(uint8_t* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i, values += sizeof(__int128)) {
    const auto wire = base::Load<unsigned __int128>(values);
    if ((wire & kSignBit) != 0) base::Store(values, -(wire & ~kSignBit));
  }
}


}  // namespace

absl::StatusOr<ColumnPtr> BlockReader::Read(const TypePtr& type, int64_t rows) {
  const int64_t at = in_.offset();
  SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column, Read(type));
  if (column->rows() == rows) return column;
  return in_.ErrorAt(at, "the block has ", column->rows(), " rows, not ", rows);
}

absl::StatusOr<ColumnPtr> BlockReader::Block(const TypePtr& type, int depth) {
  const int64_t at = in_.offset();
  if (depth > limits_.max_depth) {
    return in_.At(at, base::Exhausted("nested deeper than ", limits_.max_depth));
  }
  SPILLWAY_ASSIGN_OR_RETURN(const int32_t length, in_.Read<int32_t>("encoding name length"));
  SPILLWAY_ASSIGN_OR_RETURN(const std::string_view name,
                            in_.ReadBytes(length, "encoding name"));
  if (name == kRle) return Rle(type, depth);
  if (name == kDictionary) return Dictionary(type, depth);
  const std::string_view expected = EncodingName(type->kind());
  if (name == expected) {
    if (type->kind() == Kind::kRow) return Row(type, depth);
    if (type->is_nested()) return List(type, depth);
    return type->is_string() ? Strings(type) : Flat(type);
  }
  if (name == kByteArray) return NullFold(type, at);
  return in_.ErrorAt(at + kInt32, "encoding `",
                     absl::CEscape(base::ToAbsl(name.substr(0, kNameShown))), "` where ",
                     type->ToString(), " needs `", expected, "`");
}

absl::StatusOr<int64_t> BlockReader::Rows() {
  const int64_t at = in_.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const int32_t rows, in_.Read<int32_t>("row count"));
  if (rows < 0) return in_.ErrorAt(at, "negative row count ", rows);
  if (rows > limits_.max_rows) {
    return in_.At(at, base::Exhausted(rows, " rows, the limit is ", limits_.max_rows));
  }
  return rows;
}

absl::StatusOr<Validity> BlockReader::Nulls(int64_t rows) {
  const int64_t at = in_.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const uint8_t has_nulls, in_.Read<uint8_t>("hasNulls"));
  if (has_nulls > 1) return in_.ErrorAt(at, "hasNulls byte ", int{has_nulls}, " is not 0 or 1");
  if (has_nulls == 0 || rows == 0) return Validity();
  SPILLWAY_RETURN_IF_ERROR(in_.Need(NullBytes(rows), "null bitmap"));
  SPILLWAY_RETURN_IF_ERROR(Spend(NullBytes(rows)));
  Validity validity = ReadNullBits(in_.cursor(), rows);
  in_.Skip(NullBytes(rows));
  return validity;
}

// `bytes` bytes at the cursor, which moves behind them; their presence is known.
absl::StatusOr<Buffer> BlockReader::Take(int64_t bytes) {
  const int64_t offset = in_.cursor() - input_.data();
  in_.Skip(bytes);
  const Buffer view = input_.Slice(offset, bytes);
  if (input_.owned()) return view;
  SPILLWAY_RETURN_IF_ERROR(Spend(bytes));
  return Buffer::Copy(view.view());
}

absl::Status BlockReader::Spend(int64_t bytes) {
  budget_ -= bytes;
  if (budget_ >= 0) return absl::OkStatus();
  return in_.At(in_.offset(), base::Exhausted("decoded columns need more than ",
                                              limits_.max_decoded_bytes, " bytes"));
}

absl::StatusOr<ColumnPtr> BlockReader::Flat(const TypePtr& type) {
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t rows, Rows());
  SPILLWAY_ASSIGN_OR_RETURN(Validity validity, Nulls(rows));
  if (type->kind() == Kind::kUnknown) {
    if (validity.null_count() != rows) {
      return in_.ErrorAt(in_.offset(), rows - validity.null_count(),
                         " rows of an UNKNOWN block are not null");
    }
    return FlatColumn::Unknown(rows);
  }
  const int64_t width = type->width();
  const int64_t stored = rows - validity.null_count();
  SPILLWAY_RETURN_IF_ERROR(in_.Need(stored * width, "values"));
  const int64_t at = in_.offset();
  // HUGEINT has the same encoding, but is two's complement on the wire.
  const bool sign_magnitude = type->kind() == Kind::kLongDecimal;
  const bool in_place = !validity.has_nulls() && !sign_magnitude;
  Buffer values;
  if (in_place) {
    SPILLWAY_ASSIGN_OR_RETURN(values, Take(stored * width));
  } else {
    SPILLWAY_RETURN_IF_ERROR(Spend(rows * width));
    MutableBuffer expanded(rows * width);
    if (validity.has_nulls()) {
      ExpandValues(in_.cursor(), static_cast<int>(width), validity, rows, expanded.data());
    } else if (rows != 0) {
      std::memcpy(expanded.data(), in_.cursor(), rows * width);
    }
    in_.Skip(stored * width);
    if (sign_magnitude) FromSignMagnitude(expanded.data(), rows);
    values = std::move(expanded).Freeze();
  }
  auto column =
      std::make_shared<const FlatColumn>(type, rows, std::move(validity), std::move(values));
  SPILLWAY_RETURN_IF_ERROR(CheckValues(*column, at));
  return column;
}

absl::Status BlockReader::CheckValues(const FlatColumn& column, int64_t first_value_at) const {
  const uint8_t* values = column.values().data();
  const int64_t row = FirstForbidden(column.type(), values, column.validity(), column.rows());
  if (row == column.rows()) return absl::OkStatus();
  int64_t stored_before = row;
  for (int64_t before = 0; before < row; ++before) stored_before -= column.IsNull(before) ? 1 : 0;
  return in_.ErrorAt(first_value_at + stored_before * column.type().width(), "row ", row, ": ",
                     ExplainForbidden(column.type(), values, row));
}

// A BYTE_ARRAY block in the place of another: an UNKNOWN column, good if all its rows are null
// (velox#8355).
absl::StatusOr<ColumnPtr> BlockReader::NullFold(const TypePtr& type, int64_t at) {
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t rows, Rows());
  SPILLWAY_ASSIGN_OR_RETURN(const Validity validity, Nulls(rows));
  if (validity.null_count() != rows) {
    return in_.ErrorAt(at + kInt32, "encoding `BYTE_ARRAY` with a non-null row where ",
                       type->ToString(), " needs `", EncodingName(type->kind()), "`");
  }
  absl::StatusOr<ColumnPtr> nulls = vector::NullColumn(type, rows, &budget_);
  if (!nulls.ok()) return in_.At(at, std::move(nulls).status());
  return nulls;
}

absl::StatusOr<ColumnPtr> BlockReader::Strings(const TypePtr& type) {
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t rows, Rows());
  SPILLWAY_RETURN_IF_ERROR(in_.Need(rows * kInt32, "end offsets"));
  const int64_t ends_at = in_.offset();
  const uint8_t* wire_ends = in_.cursor();
  const int64_t descent = FirstDescent(wire_ends, rows);
  if (descent < rows) {
    const int32_t before = descent == 0 ? 0 : Int32At(wire_ends, descent - 1);
    return in_.ErrorAt(ends_at + descent * kInt32, "offsets descend at row ", descent, " (",
                       before, " then ", Int32At(wire_ends, descent), ")");
  }
  SPILLWAY_ASSIGN_OR_RETURN(Buffer ends, Take(rows * kInt32));
  SPILLWAY_ASSIGN_OR_RETURN(Validity validity, Nulls(rows));
  const int64_t count_at = in_.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const int32_t byte_count, in_.Read<int32_t>("byte count"));
  const int32_t last = rows == 0 ? 0 : Int32At(ends.data(), rows - 1);
  if (byte_count != last) {
    return in_.ErrorAt(count_at, "byte count ", byte_count, " is not the last offset ", last);
  }
  SPILLWAY_RETURN_IF_ERROR(in_.Need(byte_count, "bytes"));
  SPILLWAY_ASSIGN_OR_RETURN(Buffer bytes, Take(byte_count));
  return std::make_shared<StringColumn>(type, rows, std::move(validity), 0, std::move(ends),
                                        std::move(bytes));
}

absl::StatusOr<ColumnPtr> BlockReader::Rle(const TypePtr& type, int depth) {
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t rows, Rows());
  const int64_t at = in_.offset();
  SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr value, base::In("RLE value", Block(type, depth + 1)));
  if (value->rows() != 1) {
    return in_.ErrorAt(at, "RLE value block has ", value->rows(), " rows, not 1");
  }
  return std::make_shared<ConstantColumn>(std::move(value), rows);
}

absl::StatusOr<ColumnPtr> BlockReader::Dictionary(const TypePtr& type, int depth) {
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t rows, Rows());
  SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr alphabet,
                            base::In("dictionary alphabet", Block(type, depth + 1)));
  SPILLWAY_RETURN_IF_ERROR(in_.Need(rows * kInt32, "dictionary ids"));
  const uint8_t* ids = in_.cursor();
  const auto size = static_cast<uint64_t>(alphabet->rows());
  bool inside = true;
  for (int64_t row = 0; row < rows; ++row) {
    inside &= static_cast<uint32_t>(Int32At(ids, row)) < size;
  }
  if (!inside) {
    int64_t row = 0;
    while (static_cast<uint32_t>(Int32At(ids, row)) < size) ++row;
    return in_.ErrorAt(in_.offset() + row * kInt32, "dictionary id ", Int32At(ids, row),
                       " at row ", row, " is outside an alphabet of ", alphabet->rows());
  }
  SPILLWAY_ASSIGN_OR_RETURN(Buffer id_buffer, Take(rows * kInt32));
  SPILLWAY_RETURN_IF_ERROR(in_.Need(kInstanceIdBytes, "dictionary instance id"));
  in_.Skip(kInstanceIdBytes);
  return std::make_shared<DictionaryColumn>(rows, Validity(), std::move(id_buffer),
                                            std::move(alphabet));
}

absl::StatusOr<ColumnPtr> BlockReader::List(const TypePtr& type, int depth) {
  const bool map = type->kind() == Kind::kMap;
  const int64_t start = in_.offset();
  std::vector<ColumnPtr> children;
  constexpr std::string_view kParts[] = {"keys", "values"};
  for (size_t i = 0; i < type->children().size(); ++i) {
    const int64_t at = in_.offset();
    SPILLWAY_ASSIGN_OR_RETURN(
        ColumnPtr child,
        base::In(map ? kParts[i] : "elements", Block(type->children()[i], depth + 1)));
    if (i != 0 && child->rows() != children[0]->rows()) {
      return in_.ErrorAt(at, child->rows(), " values for ", children[0]->rows(), " keys");
    }
    children.push_back(std::move(child));
  }
  if (map) SPILLWAY_RETURN_IF_ERROR(SkipHashTable());
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t rows, Rows());
  SPILLWAY_ASSIGN_OR_RETURN(Buffer offsets, Offsets(rows, children[0]->rows()));
  SPILLWAY_ASSIGN_OR_RETURN(Validity validity, Nulls(rows));
  auto list = std::make_shared<const ListColumn>(type, rows, std::move(validity),
                                                 std::move(offsets), std::move(children));
  if (map) SPILLWAY_RETURN_IF_ERROR(CheckKeys(*list, start));
  return list;
}

absl::Status BlockReader::SkipHashTable() {
  const int64_t at = in_.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const int32_t entries, in_.Read<int32_t>("hash table size"));
  if (entries < -1) return in_.ErrorAt(at, "hash table size ", entries);
  if (entries == -1) return absl::OkStatus();
  SPILLWAY_RETURN_IF_ERROR(in_.Need(entries * kInt32, "hash table"));
  in_.Skip(entries * kInt32);
  return absl::OkStatus();
}

absl::StatusOr<Buffer> BlockReader::Offsets(int64_t rows, int64_t elements) {
  SPILLWAY_RETURN_IF_ERROR(in_.Need((rows + 1) * kInt32, "offsets"));
  const int64_t at = in_.offset();
  const uint8_t* offsets = in_.cursor();
  if (Int32At(offsets, 0) != 0) {
    return in_.ErrorAt(at, "first offset ", Int32At(offsets, 0), " is not 0");
  }
  const int64_t descent = FirstDescent(offsets, rows + 1);
  if (descent <= rows) {
    return in_.ErrorAt(at + descent * kInt32, "offsets descend at row ", descent - 1, " (",
                       Int32At(offsets, descent - 1), " then ", Int32At(offsets, descent), ")");
  }
  if (Int32At(offsets, rows) != elements) {
    return in_.ErrorAt(at + rows * kInt32, "last offset ", Int32At(offsets, rows),
                       " is not the element count ", elements);
  }
  return Take((rows + 1) * kInt32);
}

absl::Status BlockReader::CheckKeys(const ListColumn& map, int64_t keys_at) const {
  const vector::Column& keys = *map.children()[0];
  if (keys.null_count() == 0) return absl::OkStatus();
  for (int64_t row = 0; row < map.rows(); ++row) {
    if (map.IsNull(row)) continue;
    for (int32_t key = map.Offset(row); key < map.Offset(row + 1); ++key) {
      if (keys.IsNull(key)) return in_.ErrorAt(keys_at, "key ", key, " of row ", row, " is null");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ColumnPtr> BlockReader::Row(const TypePtr& type, int depth) {
  const int64_t count_at = in_.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const int32_t count, in_.Read<int32_t>("field count"));
  const size_t expected = type->children().size();
  if (count < 0 || static_cast<size_t>(count) != expected) {
    return in_.ErrorAt(count_at, count, " fields, the type has ", expected);
  }
  std::vector<ColumnPtr> fields;
  std::vector<int64_t> starts;
  for (size_t i = 0; i < expected; ++i) {
    starts.push_back(in_.offset());
    absl::StatusOr<ColumnPtr> field = Block(type->children()[i], depth + 1);
    if (!field.ok()) {
      return base::In(base::Cat("field ", i, " `", type->names()[i], "`"),
                      std::move(field).status());
    }
    fields.push_back(*std::move(field));
  }
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t rows, Rows());
  // Some writers put 0 at null rows, so the offsets tell nothing that the nulls do not.
  SPILLWAY_RETURN_IF_ERROR(in_.Need((rows + 1) * kInt32, "offsets"));
  in_.Skip((rows + 1) * kInt32);
  SPILLWAY_ASSIGN_OR_RETURN(Validity validity, Nulls(rows));
  const int64_t present = rows - validity.null_count();
  for (size_t i = 0; i < expected; ++i) {
    if (fields[i]->rows() == present) continue;
    return in_.ErrorAt(starts[i], "field ", i, " `", type->names()[i], "` has ",
                       fields[i]->rows(), " rows, ", present, " parents are not null");
  }
  if (validity.has_nulls() && expected != 0) {
    SPILLWAY_RETURN_IF_ERROR(Spend(rows * kInt32));
    std::vector<int32_t> sources(rows);
    int32_t next = 0;
    for (int64_t row = 0; row < rows; ++row) {
      sources[row] = validity.IsNull(row) ? vector::kNullRow : next++;
    }
    for (ColumnPtr& field : fields) {
      SPILLWAY_ASSIGN_OR_RETURN(field, Spread(std::move(field), sources));
    }
  }
  return std::make_shared<RowColumn>(type, rows, std::move(validity), std::move(fields));
}

absl::StatusOr<ColumnPtr> BlockReader::Spread(ColumnPtr field, const std::vector<int32_t>& rows) {
  if (field->encoding() == vector::Encoding::kConstant) {
    return std::make_shared<ConstantColumn>(field->As<ConstantColumn>().value(),
                                            static_cast<int64_t>(rows.size()));
  }
  absl::StatusOr<ColumnPtr> spread = vector::Select(*field, rows, &budget_);
  if (!spread.ok()) return in_.At(in_.offset(), std::move(spread).status());
  return spread;
}

}  // namespace spillway::page
