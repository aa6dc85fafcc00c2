// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logical types of columns: Velox's scalars, ARRAY, MAP and ROW.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace spillway::vector {

enum class Kind : uint8_t {
  kBoolean,
  kTinyint,
  kSmallint,
  kInteger,
  kBigint,
  kHugeint,  // 128 bits, not a decimal
  kReal,
  kDouble,
  kShortDecimal,  // precision 1..18, unscaled in 64 bits
  kLongDecimal,   // precision 19..38, unscaled in 128 bits
  kDate,          // days since 1970-01-01, 32 bits
  kIntervalYearMonth,
  kIntervalDayTime,
  kTimestamp,
  kVarchar,
  kVarbinary,
  kUnknown,  // every row is null
  kArray,
  kMap,
  kRow,
};

class Type;
using TypePtr = std::shared_ptr<const Type>;

// Immutable. Text form, as Velox prints it:
//   BIGINT  DECIMAL(12, 4)  INTERVAL DAY TO SECOND  VARCHAR COLLATE UTF8_LCASE
//   ARRAY<INTEGER>  MAP<VARCHAR,BIGINT>  ROW<a:INTEGER,b:ROW<c:VARCHAR>>  ROW<>
// A ROW field's name that is not [A-Za-z_][A-Za-z0-9_]* stands in double quotes, with "" for ".
class Type {
 public:
  // Any kind but decimals and nested ones. One shared instance a kind.
  static const TypePtr& Scalar(Kind kind);
  // Precision 1..38, scale 0..precision.
  static absl::StatusOr<TypePtr> Decimal(int precision, int scale);
  // A VARCHAR whose order is not that of its bytes: never pruned by bounds.
  static TypePtr Collated(std::string collation);
  static TypePtr Array(TypePtr element);
  static TypePtr Map(TypePtr key, TypePtr value);
  // `names`, in UTF-8, and `fields` have the same length, which may be 0.
  static TypePtr Row(std::vector<std::string> names, std::vector<TypePtr> fields);

  // InvalidArgument with the position in `text` of the first thing that is wrong.
  static absl::StatusOr<TypePtr> Parse(std::string_view text);

  Kind kind() const { return kind_; }
  int precision() const { return precision_; }  // decimals only
  int scale() const { return scale_; }          // decimals only
  // Empty: binary order.
  const std::string& collation() const { return collation_; }
  const std::vector<std::string>& names() const { return names_; }  // ROW only
  // ARRAY: element. MAP: key, value. ROW: fields.
  const std::vector<TypePtr>& children() const { return children_; }

  // Bytes of one value in a flat column's value buffer, 0 if the kind has none
  // (VARCHAR, VARBINARY, UNKNOWN, nested).
  int width() const;
  bool is_nested() const { return kind_ >= Kind::kArray; }
  bool is_string() const { return kind_ == Kind::kVarchar || kind_ == Kind::kVarbinary; }

  std::string ToString() const;
  bool operator==(const Type& other) const;

 private:
  explicit Type(Kind kind) : kind_(kind) {}

  Kind kind_;
  int precision_ = 0;
  int scale_ = 0;
  std::string collation_;
  std::vector<std::string> names_;
  std::vector<TypePtr> children_;
};

}  // namespace spillway::vector
