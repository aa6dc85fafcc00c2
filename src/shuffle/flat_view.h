// SPDX-License-Identifier: Apache-2.0
#pragma once
// A column of a scalar type, whatever wraps it, as rows of the flat column at its bottom.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/vector/column.h"

namespace spillway::shuffle {

// Borrows the column. Costs nothing for flat columns, 8 bytes a row for dictionaries.
class FlatView {
 public:
  enum class Mapping {
    kIdentity,  // row r is row r of base(); nulls are base()'s
    kConstant,  // every row is row Source(0) of base(), or null
    kIndexed,   // row r is row Source(r) of base(), or null
  };

  static constexpr int64_t kNull = -1;

  // Unimplemented, with the type: ARRAY, MAP and ROW.
  static absl::StatusOr<FlatView> Of(const vector::Column& column);

  // A FlatColumn, or a StringColumn if its type is_string().
  const vector::Column& base() const { return *base_; }
  const vector::Validity& base_validity() const { return *validity_; }

  Mapping mapping() const { return mapping_; }
  bool may_have_nulls() const { return may_have_nulls_; }

  // The row of base() that holds row's value, or kNull.
  int64_t Source(int64_t row) const {
    switch (mapping_) {
      case Mapping::kIdentity:
        return validity_->IsNull(row) ? kNull : row;
      case Mapping::kConstant:
        return constant_;
      case Mapping::kIndexed:
        return indices_[row];
    }
    return kNull;
  }

 private:
  FlatView(const vector::Column& base, const vector::Validity& validity)
      : base_(&base), validity_(&validity), may_have_nulls_(validity.has_nulls()) {}

  void WrapInConstant();
  void WrapInDictionary(const vector::DictionaryColumn& dictionary);

  const vector::Column* base_;
  const vector::Validity* validity_;
  Mapping mapping_ = Mapping::kIdentity;
  bool may_have_nulls_;
  int64_t constant_ = kNull;
  std::vector<int64_t> indices_;
};

}  // namespace spillway::shuffle
