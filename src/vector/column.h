// SPDX-License-Identifier: Apache-2.0
#pragma once
// Columns: immutable, shared, encoded. A column's logical value is its rows; how
// it holds them is its encoding. Everything that reads columns must take every
// encoding or say which it refuses.

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"
#include "src/vector/buffer.h"
#include "src/vector/type.h"
#include "src/vector/validity.h"

namespace spillway::vector {

enum class Encoding : uint8_t {
  kFlat,        // FlatColumn, or StringColumn for VARCHAR and VARBINARY
  kConstant,    // one value (or null) for all rows
  kDictionary,  // row -> id -> value, possibly with nulls of its own
  kRow,
  kArray,
  kMap,
  kLazy,  // LazyColumn: any of the others, once it is loaded (lazy_column.h)
};

class Column;
using ColumnPtr = std::shared_ptr<const Column>;

class Column {
 public:
  virtual ~Column() = default;
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  const Type& type() const { return *type_; }
  const TypePtr& type_ptr() const { return type_; }
  Encoding encoding() const { return encoding_; }
  int64_t rows() const { return rows_; }

  // Rows [offset, offset + rows), which must exist, sharing every buffer.
  virtual ColumnPtr Slice(int64_t offset, int64_t rows) const = 0;

  // Whether the row is null, the nulls of an alphabet or a constant's value included.
  virtual bool IsNull(int64_t row) const = 0;

  // Number of null rows, likewise.
  virtual int64_t null_count() const = 0;

  // Calls `visit` with every buffer, children's, alphabets' and validity bitmaps included, in a
  // fixed order. The same allocation may come more than once.
  virtual void VisitBuffers(const std::function<void(const Buffer&)>& visit) const = 0;

  // The column as the class of its encoding; the caller has looked at encoding() and type().
  template <typename T>
  const T& As() const {
    return static_cast<const T&>(*this);
  }

 protected:
  Column(TypePtr type, Encoding encoding, int64_t rows)
      : type_(std::move(type)), encoding_(encoding), rows_(rows) {}

 private:
  TypePtr type_;
  Encoding encoding_;
  int64_t rows_;
};

// One value a row, side by side, nulls included: `values` holds rows x type.width() bytes at any
// alignment. What stands under a null is unspecified and must never reach an output.
//
//   BOOLEAN            1 byte, 0 = false, anything else = true
//   REAL, DOUBLE       IEEE bits
//   DECIMAL, HUGEINT   unscaled, two's complement
//   TIMESTAMP          seconds i64, nanos u64 < 10^9
//   UNKNOWN            no bytes, every row null
class FlatColumn final : public Column {
 public:
  FlatColumn(TypePtr type, int64_t rows, Validity validity, Buffer values)
      : Column(std::move(type), Encoding::kFlat, rows),
        validity_(std::move(validity)),
        values_(std::move(values)) {}

  static ColumnPtr Unknown(int64_t rows);

  const Validity& validity() const { return validity_; }
  const Buffer& values() const { return values_; }

  template <typename T>
  T Value(int64_t row) const {
    return base::Load<T>(values_.data() + row * static_cast<int64_t>(sizeof(T)));
  }

  ColumnPtr Slice(int64_t offset, int64_t rows) const override;
  bool IsNull(int64_t row) const override { return validity_.IsNull(row); }
  int64_t null_count() const override { return validity_.null_count(); }
  void VisitBuffers(const std::function<void(const Buffer&)>& visit) const override;

 private:
  Validity validity_;
  Buffer values_;
};

// VARCHAR and VARBINARY. Row r is bytes [r == 0 ? first : ends[r - 1], ends[r]) of `bytes`: the end
// offsets as the page has them, and Arrow's offsets less the leading one. Ends ascend and stay
// within `bytes`, under nulls too.
class StringColumn final : public Column {
 public:
  StringColumn(TypePtr type, int64_t rows, Validity validity, int32_t first, Buffer ends,
               Buffer bytes)
      : Column(std::move(type), Encoding::kFlat, rows),
        validity_(std::move(validity)),
        first_(first),
        ends_(std::move(ends)),
        bytes_(std::move(bytes)) {}

  const Validity& validity() const { return validity_; }
  int32_t first() const { return first_; }
  const Buffer& ends() const { return ends_; }  // rows x int32, any alignment
  const Buffer& bytes() const { return bytes_; }

  int32_t Start(int64_t row) const { return row == 0 ? first_ : End(row - 1); }
  int32_t End(int64_t row) const {
    return base::Load<int32_t>(ends_.data() + row * static_cast<int64_t>(sizeof(int32_t)));
  }
  std::string_view Value(int64_t row) const {
    const int32_t start = Start(row);
    return bytes_.view().substr(start, End(row) - start);
  }

  ColumnPtr Slice(int64_t offset, int64_t rows) const override;
  bool IsNull(int64_t row) const override { return validity_.IsNull(row); }
  int64_t null_count() const override { return validity_.null_count(); }
  void VisitBuffers(const std::function<void(const Buffer&)>& visit) const override;

 private:
  Validity validity_;
  int32_t first_;
  Buffer ends_;
  Buffer bytes_;
};

// `rows` times the one row of `value`, which may be null and of any type and encoding.
class ConstantColumn final : public Column {
 public:
  ConstantColumn(ColumnPtr value, int64_t rows)
      : Column(value->type_ptr(), Encoding::kConstant, rows), value_(std::move(value)) {}

  const ColumnPtr& value() const { return value_; }

  ColumnPtr Slice(int64_t offset, int64_t rows) const override;
  bool IsNull(int64_t) const override { return value_->IsNull(0); }
  int64_t null_count() const override { return value_->IsNull(0) ? rows() : 0; }
  void VisitBuffers(const std::function<void(const Buffer&)>& visit) const override;

 private:
  ColumnPtr value_;
};

// Row r is null, or row ids[r] of `alphabet`. Ids of non-null rows lie within the alphabet; what
// stands under a null of the wrapper is unspecified.
class DictionaryColumn final : public Column {
 public:
  DictionaryColumn(int64_t rows, Validity validity, Buffer ids, ColumnPtr alphabet)
      : Column(alphabet->type_ptr(), Encoding::kDictionary, rows),
        validity_(std::move(validity)),
        ids_(std::move(ids)),
        alphabet_(std::move(alphabet)) {}

  const Validity& validity() const { return validity_; }  // the wrapper's own nulls
  const Buffer& ids() const { return ids_; }              // rows x int32, any alignment
  const ColumnPtr& alphabet() const { return alphabet_; }

  int32_t Id(int64_t row) const {
    return base::Load<int32_t>(ids_.data() + row * static_cast<int64_t>(sizeof(int32_t)));
  }

  ColumnPtr Slice(int64_t offset, int64_t rows) const override;
  bool IsNull(int64_t row) const override {
    return validity_.IsNull(row) || alphabet_->IsNull(Id(row));
  }
  int64_t null_count() const override;
  void VisitBuffers(const std::function<void(const Buffer&)>& visit) const override;

 private:
  Validity validity_;
  Buffer ids_;
  ColumnPtr alphabet_;
};

// One child a field, each with as many rows as the parent. A child's row under a null parent is
// unspecified.
class RowColumn final : public Column {
 public:
  RowColumn(TypePtr type, int64_t rows, Validity validity, std::vector<ColumnPtr> fields)
      : Column(std::move(type), Encoding::kRow, rows),
        validity_(std::move(validity)),
        fields_(std::move(fields)) {}

  const Validity& validity() const { return validity_; }
  const std::vector<ColumnPtr>& fields() const { return fields_; }

  ColumnPtr Slice(int64_t offset, int64_t rows) const override;
  bool IsNull(int64_t row) const override { return validity_.IsNull(row); }
  int64_t null_count() const override { return validity_.null_count(); }
  void VisitBuffers(const std::function<void(const Buffer&)>& visit) const override;

 private:
  Validity validity_;
  std::vector<ColumnPtr> fields_;
};

// ARRAY and MAP: row r is elements [offsets[r], offsets[r + 1]) of each child, one child for ARRAY,
// keys and values for MAP. `offsets` holds rows + 1 int32 that ascend, under nulls too, and need
// not start at 0 nor end at the children's last row.
class ListColumn final : public Column {
 public:
  ListColumn(TypePtr type, int64_t rows, Validity validity, Buffer offsets,
             std::vector<ColumnPtr> children);

  const Validity& validity() const { return validity_; }
  const Buffer& offsets() const { return offsets_; }  // (rows + 1) x int32, any alignment
  const std::vector<ColumnPtr>& children() const { return children_; }
  int32_t Offset(int64_t row) const {
    return base::Load<int32_t>(offsets_.data() + row * static_cast<int64_t>(sizeof(int32_t)));
  }

  ColumnPtr Slice(int64_t offset, int64_t rows) const override;
  bool IsNull(int64_t row) const override { return validity_.IsNull(row); }
  int64_t null_count() const override { return validity_.null_count(); }
  void VisitBuffers(const std::function<void(const Buffer&)>& visit) const override;

 private:
  Validity validity_;
  Buffer offsets_;
  std::vector<ColumnPtr> children_;
};

}  // namespace spillway::vector
