// SPDX-License-Identifier: Apache-2.0
#include "src/vector/lazy_column.h"

#include <utility>
#include <vector>

#include "src/base/check.h"
#include "src/base/status.h"
#include "src/vector/column_name.h"

namespace spillway::vector {
namespace {

class SliceSource final : public ColumnSource {
 public:
  SliceSource(std::shared_ptr<const LazyColumn> whole, int64_t offset, int64_t rows)
      : whole_(std::move(whole)), offset_(offset), rows_(rows) {}

  absl::StatusOr<ColumnPtr> Load(int64_t) const override {
    SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr column, whole_->Load());
    return column->Slice(offset_, rows_);
  }

 private:
  std::shared_ptr<const LazyColumn> whole_;
  int64_t offset_;
  int64_t rows_;
};

// Each loaded; the same pointers where nothing was lazy.
absl::StatusOr<std::vector<ColumnPtr>> LoadAll(const std::vector<ColumnPtr>& columns) {
  std::vector<ColumnPtr> out;
  out.reserve(columns.size());
  for (const ColumnPtr& column : columns) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr loaded, Load(column));
    out.push_back(std::move(loaded));
  }
  return out;
}

}  // namespace

absl::StatusOr<ColumnPtr> LazyColumn::Load() const {
  if (loaded()) return column_;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (loaded()) return column_;
  SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr made, source_->Load(index_));
  SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column, vector::Load(made));
  if (!(column->type() == type())) {
    return base::Invalid("loaded a column of ", column->type().ToString(), ", not ",
                         type().ToString());
  }
  if (column->rows() != rows()) {
    return base::Invalid("loaded a column of ", column->rows(), " rows, not ", rows());
  }
  column_ = std::move(column);
  source_.reset();
  loaded_.store(true, std::memory_order_release);
  return column_;
}

ColumnPtr LazyColumn::Slice(int64_t offset, int64_t rows) const {
  if (loaded()) return column_->Slice(offset, rows);
  return std::make_shared<LazyColumn>(
      type_ptr(), rows, std::make_shared<SliceSource>(shared_from_this(), offset, rows), 0);
}

const Column& LazyColumn::Loaded() const {
  SPILLWAY_CHECK(loaded(), "a lazy column must be loaded before its rows are looked at");
  return *column_;
}

absl::StatusOr<ColumnPtr> Load(const ColumnPtr& column) {
  switch (column->encoding()) {
    case Encoding::kLazy:
      return column->As<LazyColumn>().Load();
    case Encoding::kConstant: {
      const ColumnPtr& value = column->As<ConstantColumn>().value();
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr loaded, Load(value));
      if (loaded == value) return column;
      return std::make_shared<ConstantColumn>(std::move(loaded), column->rows());
    }
    case Encoding::kDictionary: {
      const auto& dictionary = column->As<DictionaryColumn>();
      SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr alphabet, Load(dictionary.alphabet()));
      if (alphabet == dictionary.alphabet()) return column;
      return std::make_shared<DictionaryColumn>(column->rows(), dictionary.validity(),
                                                dictionary.ids(), std::move(alphabet));
    }
    case Encoding::kRow: {
      const auto& row = column->As<RowColumn>();
      SPILLWAY_ASSIGN_OR_RETURN(std::vector<ColumnPtr> fields, LoadAll(row.fields()));
      if (fields == row.fields()) return column;
      return std::make_shared<RowColumn>(row.type_ptr(), row.rows(), row.validity(),
                                         std::move(fields));
    }
    case Encoding::kArray:
    case Encoding::kMap: {
      const auto& list = column->As<ListColumn>();
      SPILLWAY_ASSIGN_OR_RETURN(std::vector<ColumnPtr> children, LoadAll(list.children()));
      if (children == list.children()) return column;
      return std::make_shared<ListColumn>(list.type_ptr(), list.rows(), list.validity(),
                                          list.offsets(), std::move(children));
    }
    case Encoding::kFlat:
      break;
  }
  return column;
}

absl::StatusOr<Batch> Load(const Batch& batch) {
  std::vector<ColumnPtr> columns;
  columns.reserve(batch.columns().size());
  for (size_t i = 0; i < batch.columns().size(); ++i) {
    absl::StatusOr<ColumnPtr> column = Load(batch.columns()[i]);
    if (!column.ok()) return base::In(ColumnName(*batch.schema(), i), std::move(column).status());
    columns.push_back(*std::move(column));
  }
  return Batch(batch.schema(), batch.rows(), std::move(columns));
}

}  // namespace spillway::vector
