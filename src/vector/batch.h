// SPDX-License-Identifier: Apache-2.0
#pragma once
// A batch: columns of the same number of rows under a schema.

#include <cstdint>
#include <utility>
#include <vector>

#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::vector {

// A value; copying it shares the columns. A batch may have rows but no columns (`count(*)`).
class Batch {
 public:
  // `schema` is a ROW type with one field a column; each column has that field's type and `rows`
  // rows.
  Batch(TypePtr schema, int64_t rows, std::vector<ColumnPtr> columns)
      : schema_(std::move(schema)), rows_(rows), columns_(std::move(columns)) {}

  const TypePtr& schema() const { return schema_; }
  int64_t rows() const { return rows_; }
  const std::vector<ColumnPtr>& columns() const { return columns_; }
  const Column& column(size_t index) const { return *columns_[index]; }

  // Rows [offset, offset + rows), sharing every buffer.
  Batch Slice(int64_t offset, int64_t rows) const;

 private:
  TypePtr schema_;
  int64_t rows_;
  std::vector<ColumnPtr> columns_;
};

}  // namespace spillway::vector
