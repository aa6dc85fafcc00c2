// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gathers rows that lie scattered over buffered batches.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/shuffle/flat_view.h"
#include "src/vector/batch.h"
#include "src/vector/type.h"

namespace spillway::shuffle {

// A row of a list of batches. The 8 bytes that a shuffle writer keeps a row.
struct RowRef {
  uint32_t batch = 0;
  uint32_t row = 0;
};

// Borrows the batches, which all have `schema`, and resolves their wrappers once, for any number of
// Gather() calls.
class Interleaver {
 public:
  // OK, or Unimplemented naming the first column of `schema` that is of a nested type.
  static absl::Status Check(const vector::Type& schema);

  // Fails as Check() does.
  static absl::StatusOr<Interleaver> Create(vector::TypePtr schema,
                                            std::span<const vector::Batch> batches);

  // The rows of `refs`, in that order, as new flat columns: constants and dictionaries are
  // resolved, no buffer is shared with the input, and a column without nulls has no validity bits.
  // What stands under a null is zero.
  //
  //   OK
  //   ResourceExhausted  the strings of a column have 2^31 bytes or more together
  absl::StatusOr<vector::Batch> Gather(std::span<const RowRef> refs) const;

 private:
  // One column, a view a batch.
  struct Source {
    std::vector<FlatView> views;
    std::vector<const uint8_t*> values;  // of the views' bases, if those are FlatColumns
    bool flat = true;                    // every view is its base
    bool may_have_nulls = false;         // some view has them
  };

  explicit Interleaver(vector::TypePtr schema) : schema_(std::move(schema)) {}

  template <typename Put>
  static vector::Validity ForEachRef(const Source& source, std::span<const RowRef> refs, Put put);
  template <typename T>
  static vector::ColumnPtr GatherFixed(const vector::TypePtr& type, const Source& source,
                                       std::span<const RowRef> refs);
  static absl::StatusOr<vector::ColumnPtr> GatherStrings(const vector::TypePtr& type,
                                                         const Source& source,
                                                         std::span<const RowRef> refs);
  static absl::StatusOr<vector::ColumnPtr> GatherColumn(const vector::TypePtr& type,
                                                        const Source& source,
                                                        std::span<const RowRef> refs);

  vector::TypePtr schema_;
  std::vector<Source> columns_;
};

}  // namespace spillway::shuffle
