// SPDX-License-Identifier: Apache-2.0
#include "src/vector/column.h"

namespace spillway::vector {
namespace {

constexpr int64_t kInt32 = sizeof(int32_t);

}  // namespace

ColumnPtr FlatColumn::Unknown(int64_t rows) {
  return std::make_shared<FlatColumn>(Type::Scalar(Kind::kUnknown), rows, Validity::AllNull(rows),
                                      Buffer());
}

ColumnPtr FlatColumn::Slice(int64_t offset, int64_t rows) const {
  const int64_t width = type().width();
  return std::make_shared<FlatColumn>(type_ptr(), rows, validity_.Slice(offset, rows),
                                      values_.Slice(offset * width, rows * width));
}

void FlatColumn::VisitBuffers(const std::function<void(const Buffer&)>& visit) const {
  visit(values_);
  visit(validity_.bits());
}

ColumnPtr StringColumn::Slice(int64_t offset, int64_t rows) const {
  const int32_t first = rows == 0 && offset == this->rows() ? 0 : Start(offset);
  return std::make_shared<StringColumn>(type_ptr(), rows, validity_.Slice(offset, rows), first,
                                        ends_.Slice(offset * kInt32, rows * kInt32), bytes_);
}

void StringColumn::VisitBuffers(const std::function<void(const Buffer&)>& visit) const {
  visit(ends_);
  visit(bytes_);
  visit(validity_.bits());
}

ColumnPtr ConstantColumn::Slice(int64_t, int64_t rows) const {
  return std::make_shared<ConstantColumn>(value_, rows);
}

void ConstantColumn::VisitBuffers(const std::function<void(const Buffer&)>& visit) const {
  value_->VisitBuffers(visit);
}

ColumnPtr DictionaryColumn::Slice(int64_t offset, int64_t rows) const {
  return std::make_shared<DictionaryColumn>(rows, validity_.Slice(offset, rows),
                                            ids_.Slice(offset * kInt32, rows * kInt32), alphabet_);
}

int64_t DictionaryColumn::null_count() const {
  if (alphabet_->null_count() == 0) return validity_.null_count();
  int64_t nulls = 0;
  for (int64_t row = 0; row < rows(); ++row) nulls += IsNull(row) ? 1 : 0;
  return nulls;
}

void DictionaryColumn::VisitBuffers(const std::function<void(const Buffer&)>& visit) const {
  visit(ids_);
  visit(validity_.bits());
  alphabet_->VisitBuffers(visit);
}

ColumnPtr RowColumn::Slice(int64_t offset, int64_t rows) const {
  std::vector<ColumnPtr> fields;
  fields.reserve(fields_.size());
  for (const ColumnPtr& field : fields_) fields.push_back(field->Slice(offset, rows));
  return std::make_shared<RowColumn>(type_ptr(), rows, validity_.Slice(offset, rows),
                                     std::move(fields));
}

void RowColumn::VisitBuffers(const std::function<void(const Buffer&)>& visit) const {
  visit(validity_.bits());
  for (const ColumnPtr& field : fields_) field->VisitBuffers(visit);
}

ListColumn::ListColumn(TypePtr type, int64_t rows, Validity validity, Buffer offsets,
                       std::vector<ColumnPtr> children)
    : Column(type, type->kind() == Kind::kMap ? Encoding::kMap : Encoding::kArray, rows),
      validity_(std::move(validity)),
      offsets_(std::move(offsets)),
      children_(std::move(children)) {}

ColumnPtr ListColumn::Slice(int64_t offset, int64_t rows) const {
  return std::make_shared<ListColumn>(type_ptr(), rows, validity_.Slice(offset, rows),
                                      offsets_.Slice(offset * kInt32, (rows + 1) * kInt32),
                                      children_);
}

void ListColumn::VisitBuffers(const std::function<void(const Buffer&)>& visit) const {
  visit(offsets_);
  visit(validity_.bits());
  for (const ColumnPtr& child : children_) child->VisitBuffers(visit);
}

}  // namespace spillway::vector
