// SPDX-License-Identifier: Apache-2.0
#pragma once
// A column that is made when somebody first needs it (FORMAT section 4, "projected lazy read").
// docs/format/frames.md.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "src/vector/batch.h"
#include "src/vector/column.h"

namespace spillway::vector {

// Where columns come from: an opened frame, say. Owns or shares all that it needs, since lazy
// columns outlive whoever opened it.
class ColumnSource {
 public:
  virtual ~ColumnSource() = default;

  // Makes column `index`. Called by any thread and by several at once; a failure leaves the source
  // as it was, so that the next call can try again.
  virtual absl::StatusOr<ColumnPtr> Load(int64_t index) const = 0;
};

// Column `index` of a source, made at most once however many threads ask. A lazy column may stand
// wherever a column may, under a dictionary or in a ROW too; it is loaded whole.
//
// Type and row count are known before. IsNull(), null_count() and VisitBuffers() have no way to
// report a failed load: call them only after Load() or vector::Load() gave OK, or the process ends.
class LazyColumn final : public Column, public std::enable_shared_from_this<LazyColumn> {
 public:
  LazyColumn(TypePtr type, int64_t rows, std::shared_ptr<const ColumnSource> source,
             int64_t index)
      : Column(std::move(type), Encoding::kLazy, rows), source_(std::move(source)), index_(index) {}

  // The column, which is not lazy itself. The same one each time, and kept as long as this one; the
  // source is let go once it is there.
  //
  //   OK                 the column
  //   InvalidArgument    its type or row count is not the one that was promised
  //   otherwise          as the source says. A failure is not kept: each call tries again
  absl::StatusOr<ColumnPtr> Load() const;

  bool loaded() const { return loaded_.load(std::memory_order_acquire); }

  // Not loaded: a lazy column that loads this one. The column must be owned by a ColumnPtr.
  ColumnPtr Slice(int64_t offset, int64_t rows) const override;
  bool IsNull(int64_t row) const override { return Loaded().IsNull(row); }
  int64_t null_count() const override { return Loaded().null_count(); }
  void VisitBuffers(const std::function<void(const Buffer&)>& visit) const override {
    Loaded().VisitBuffers(visit);
  }

 private:
  const Column& Loaded() const;

  mutable std::mutex mutex_;
  mutable std::atomic<bool> loaded_ = false;  // true: column_ is there and stays as it is
  mutable ColumnPtr column_;
  mutable std::shared_ptr<const ColumnSource> source_;  // under mutex_
  int64_t index_;
};

// `column` with nothing lazy at any level; the same pointer where there was nothing. What takes
// columns of every encoding begins with this.
//
//   OK          the column
//   otherwise   as LazyColumn::Load
absl::StatusOr<ColumnPtr> Load(const ColumnPtr& column);

// Column by column; errors name the column.
absl::StatusOr<Batch> Load(const Batch& batch);

}  // namespace spillway::vector
