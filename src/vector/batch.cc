// SPDX-License-Identifier: Apache-2.0
#include "src/vector/batch.h"

namespace spillway::vector {

Batch Batch::Slice(int64_t offset, int64_t rows) const {
  std::vector<ColumnPtr> columns;
  columns.reserve(columns_.size());
  for (const ColumnPtr& column : columns_) columns.push_back(column->Slice(offset, rows));
  return Batch(schema_, rows, std::move(columns));
}

}  // namespace spillway::vector
