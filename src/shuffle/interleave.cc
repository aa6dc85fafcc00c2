// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/interleave.h"

#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::shuffle {

Interleaver::Interleaver(vector::TypePtr schema, std::span<const vector::Batch> batches)
    : schema_(std::move(schema)) {
  for (size_t column = 0; column < schema_->children().size(); ++column) {
    std::vector<const vector::Column*> columns;
    columns.reserve(batches.size());
    for (const vector::Batch& batch : batches) columns.push_back(&batch.column(column));
    columns_.emplace_back(schema_->children()[column], std::move(columns));
  }
}

absl::StatusOr<vector::Batch> Interleaver::Gather(std::span<const RowRange> ranges) const {
  RowRanges wanted = {ranges};
  for (const RowRange& range : ranges) {
    wanted.rows += range.rows;
    wanted.have_null = wanted.have_null || range.batch == kNullBatch;
  }
  std::vector<vector::ColumnPtr> columns;
  columns.reserve(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    absl::StatusOr<vector::ColumnPtr> column = columns_[i].Gather(wanted);
    if (!column.ok()) {
      return base::In(base::Cat("column ", i, " `", schema_->names()[i], "`"), column.status());
    }
    columns.push_back(*std::move(column));
  }
  return vector::Batch(schema_, wanted.rows, std::move(columns));
}

}  // namespace spillway::shuffle
