// SPDX-License-Identifier: Apache-2.0
#include "src/arrow/array_writer.h"

#include <limits>
#include <utility>

#include "src/arrow/clean_nulls.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/vector/flatten.h"

namespace spillway::arrow {
namespace {

using base::Load;
using base::Store;
using vector::Buffer;
using vector::Column;
using vector::ColumnPtr;
using vector::FlatColumn;
using vector::Kind;
using vector::ListColumn;
using vector::MutableBuffer;
using vector::RowColumn;
using vector::StringColumn;
using vector::Validity;

constexpr int64_t kOffset = sizeof(int32_t);
constexpr int64_t kMicros = 1'000'000;
constexpr uint64_t kNanosPerMicro = 1'000;

// Eight bytes that are 0 or not, as eight bits.
uint8_t PackBits(uint64_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  // The top bit of each byte that is not 0, moved down.
  const uint64_t low = bytes & (kOnes * 0x7f);
  const uint64_t set = ((low + kOnes * 0x7f) | bytes) >> 7 & kOnes;
  return static_cast<uint8_t>((set * 0x0102040810204080) >> 56);
}

Buffer PackBooleans(const FlatColumn& column) {
  const int64_t rows = column.rows();
  const uint8_t* const values = column.values().data();
  MutableBuffer bits((rows + 7) / 8);
  int64_t row = 0;
  for (; row + 8 <= rows; row += 8) bits.data()[row / 8] = PackBits(Load<uint64_t>(values + row));
  if (row < rows) {
    uint8_t last = 0;
    for (int64_t i = row; i < rows; ++i)
      last |= static_cast<uint8_t>((values[i] != 0) << (i - row));
    bits.data()[row / 8] = last;
  }
  return std::move(bits).Freeze();
}

Buffer WidenDecimals(const FlatColumn& column) {
  MutableBuffer wide(column.rows() * 16);
  for (int64_t row = 0; row < column.rows(); ++row) {
    const auto value = column.Value<int64_t>(row);
    Store(wide.data() + row * 16, value);
    Store(wide.data() + row * 16 + 8, value >> 63);
  }
  return std::move(wide).Freeze();
}

absl::StatusOr<Buffer> ToMicros(const FlatColumn& column) {
  MutableBuffer micros(column.rows() * 8);
  for (int64_t row = 0; row < column.rows(); ++row) {
    const uint8_t* const value = column.values().data() + row * 16;
    const auto seconds = Load<int64_t>(value);
    const auto nanos = Load<uint64_t>(value + 8);
    int64_t out = 0;
    if (__builtin_mul_overflow(seconds, kMicros, &out) ||
        __builtin_add_overflow(out, static_cast<int64_t>(nanos / kNanosPerMicro), &out)) {
      return base::Invalid("row ", row, ": the microseconds of (", seconds, " s, ", nanos,
                           " ns) do not fit 64 bits");
    }
    Store(micros.data() + row * 8, out);
  }
  return std::move(micros).Freeze();
}

}  // namespace

absl::Status ArrayWriter::Spend(int64_t bytes) {
  budget_ -= bytes;
  if (budget_ < 0) return base::Exhausted("an Arrow stream needs more memory than the limit");
  return absl::OkStatus();
}

absl::Status ArrayWriter::Write(const ColumnPtr& column) {
  SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr flat, vector::Flatten(column, &budget_));
  SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr clean, CleanNulls(flat, &budget_));
  return WriteFlat(*clean);
}

absl::Status ArrayWriter::WriteFlat(const Column& column) {
  switch (column.type().kind()) {
    case Kind::kUnknown:
      Node(column.rows(), column.rows());
      return absl::OkStatus();
    case Kind::kVarchar:
    case Kind::kVarbinary:
      return WriteStrings(column.As<StringColumn>());
    case Kind::kArray:
    case Kind::kMap:
      return WriteList(column.As<ListColumn>());
    case Kind::kRow:
      return WriteRow(column.As<RowColumn>());
    default:
      return WriteValues(column.As<FlatColumn>());
  }
}

absl::Status ArrayWriter::WriteValues(const FlatColumn& column) {
  const int64_t rows = column.rows();
  Node(rows, column.null_count());
  WriteValidity(column.validity(), rows);
  const Kind kind = column.type().kind();
  if (column.validity().all_null()) {
    // Such a column need not have values.
    const int64_t width = kind == Kind::kShortDecimal ? 16
                          : kind == Kind::kTimestamp  ? 8
                                                      : column.type().width();
    PutZeros(kind == Kind::kBoolean ? (rows + 7) / 8 : rows * width);
    return absl::OkStatus();
  }
  switch (kind) {
    case Kind::kBoolean:
      SPILLWAY_RETURN_IF_ERROR(Spend((rows + 7) / 8));
      Put(PackBooleans(column));
      return absl::OkStatus();
    case Kind::kShortDecimal:
      SPILLWAY_RETURN_IF_ERROR(Spend(rows * 16));
      Put(WidenDecimals(column));
      return absl::OkStatus();
    case Kind::kTimestamp: {
      SPILLWAY_RETURN_IF_ERROR(Spend(rows * 8));
      SPILLWAY_ASSIGN_OR_RETURN(Buffer micros, ToMicros(column));
      Put(std::move(micros));
      return absl::OkStatus();
    }
    default:
      Put(column.values().Slice(0, rows * column.type().width()));
      return absl::OkStatus();
  }
}

absl::Status ArrayWriter::WriteStrings(const StringColumn& column) {
  const int64_t rows = column.rows();
  Node(rows, column.null_count());
  WriteValidity(column.validity(), rows);
  SPILLWAY_RETURN_IF_ERROR(WriteOffsets(column.ends(), rows, column.first()));
  const int32_t end = rows == 0 ? column.first() : column.End(rows - 1);
  Put(column.bytes().Slice(column.first(), end - column.first()));
  return absl::OkStatus();
}

absl::Status ArrayWriter::WriteRow(const RowColumn& column) {
  Node(column.rows(), column.null_count());
  WriteValidity(column.validity(), column.rows());
  for (size_t i = 0; i < column.fields().size(); ++i) {
    SPILLWAY_RETURN_IF_ERROR(
        base::In(base::Cat("field `", column.type().names()[i], "`"), Write(column.fields()[i])));
  }
  return absl::OkStatus();
}

absl::Status ArrayWriter::WriteList(const ListColumn& column) {
  const int64_t rows = column.rows();
  Node(rows, column.null_count());
  WriteValidity(column.validity(), rows);
  const int32_t first = column.Offset(0);
  const int32_t elements = column.Offset(rows) - first;
  const Buffer ends = column.offsets().Slice(kOffset, rows * kOffset);
  SPILLWAY_RETURN_IF_ERROR(WriteOffsets(ends, rows, first));
  if (column.type().kind() == Kind::kArray) {
    return base::In("element", Write(column.children()[0]->Slice(first, elements)));
  }
  Node(elements, 0);
  WriteValidity(Validity(), elements);
  const ColumnPtr keys = column.children()[0]->Slice(first, elements);
  if (keys->null_count() > 0) return base::Invalid("a key of a map is null");
  SPILLWAY_RETURN_IF_ERROR(base::In("key", Write(keys)));
  return base::In("value", Write(column.children()[1]->Slice(first, elements)));
}

void ArrayWriter::Node(int64_t rows, int64_t nulls) { nodes_.emplace_back(rows, nulls); }

void ArrayWriter::WriteValidity(const Validity& validity, int64_t rows) {
  const int64_t bytes = (rows + 7) / 8;
  if (validity.all_null() && rows > 0) {
    PutZeros(bytes);
    return;
  }
  if (!validity.has_nulls()) {
    body_.Ones(bytes);
    EndBuffer(bytes);
    return;
  }
  // In place if the bits begin with a byte and nothing stands behind them in the last one.
  const uint8_t* const bits = validity.bits().data();
  const int64_t first = validity.bit_offset();
  const int64_t tail = rows % 8;
  if (first % 8 == 0 && (tail == 0 || bits[(first + rows) / 8] >> tail == 0)) {
    Put(validity.bits().Slice(first / 8, bytes));
    return;
  }
  MutableBuffer moved(bytes);
  for (int64_t i = 0; i < bytes; ++i) {
    uint8_t byte = 0;
    for (int64_t bit = 0; bit < 8 && i * 8 + bit < rows; ++bit) {
      byte |= static_cast<uint8_t>(!validity.IsNull(i * 8 + bit) << bit);
    }
    moved.data()[i] = byte;
  }
  Put(std::move(moved).Freeze());
}

absl::Status ArrayWriter::WriteOffsets(const Buffer& ends, int64_t rows, int32_t first) {
  if (first == 0) {
    body_.Zeros(kOffset);
    body_.Share(ends.Slice(0, rows * kOffset));
    EndBuffer((rows + 1) * kOffset);
    return absl::OkStatus();
  }
  SPILLWAY_RETURN_IF_ERROR(Spend((rows + 1) * kOffset));
  MutableBuffer moved((rows + 1) * kOffset);
  Store(moved.data(), int32_t{0});
  for (int64_t row = 0; row < rows; ++row) {
    Store(moved.data() + (row + 1) * kOffset, Load<int32_t>(ends.data() + row * kOffset) - first);
  }
  Put(std::move(moved).Freeze());
  return absl::OkStatus();
}

void ArrayWriter::EndBuffer(int64_t bytes) {
  buffers_.emplace_back(offset_, bytes);
  const int64_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  body_.Zeros(padded - bytes);
  offset_ += padded;
}

void ArrayWriter::Put(Buffer bytes) {
  const int64_t size = bytes.size();
  body_.Share(std::move(bytes));
  EndBuffer(size);
}

void ArrayWriter::PutZeros(int64_t count) {
  body_.Zeros(count);
  EndBuffer(count);
}

}  // namespace spillway::arrow
