// SPDX-License-Identifier: Apache-2.0
#include "src/cache/cached_table.h"

#include <atomic>
#include <string>
#include <utility>

#include "src/base/byte_reader.h"
#include "src/base/status.h"
#include "src/cache/parallel.h"
#include "src/frame/frame_stats.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"

namespace spillway::cache {
namespace {

using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::TypePtr;

constexpr int64_t kInt32 = sizeof(int32_t);

bool IsV3(Form form) { return form == Form::kV3Plain || form == Form::kV3; }
bool HasStats(Form form) { return form == Form::kV2 || form == Form::kV3; }

// The columns of `columns` out of a whole batch.
Batch Project(const Batch& batch, const std::optional<std::vector<int64_t>>& columns) {
  if (!columns.has_value()) return batch;
  std::vector<std::string> names;
  std::vector<TypePtr> types;
  std::vector<ColumnPtr> chosen;
  for (const int64_t index : *columns) {
    names.push_back(batch.schema()->names()[index]);
    types.push_back(batch.schema()->children()[index]);
    chosen.push_back(batch.columns()[index]);
  }
  return Batch(vector::Type::Row(std::move(names), std::move(types)), batch.rows(),
               std::move(chosen));
}

std::string Place(int64_t partition, int64_t batch) {
  return base::Cat("partition ", partition, ", batch ", batch);
}

}  // namespace

std::string_view FormName(Form form) {
  switch (form) {
    case Form::kLegacy:
      return "V2 without statistics";
    case Form::kV2:
      return "V2";
    case Form::kV3Plain:
      return "V3 without statistics";
    case Form::kV3:
      return "V3";
  }
  return "";
}

absl::StatusOr<CachedTable> CachedTable::Build(TypePtr schema,
                                               const std::vector<BatchSource>& partitions,
                                               const CacheOptions& options) {
  CachedTable table;
  table.schema_ = std::move(schema);
  table.form_ = options.form;
  table.partitions_.resize(partitions.size());
  std::atomic<int64_t> bytes = 0;
  const auto build = [&](int64_t p) -> absl::Status {
    for (int64_t index = 0;; ++index) {
      absl::StatusOr<std::optional<Batch>> batch = partitions[p]();
      if (!batch.ok()) return base::In(Place(p, index), std::move(batch).status());
      if (!batch->has_value()) return absl::OkStatus();
      if ((*batch)->rows() == 0) continue;
      absl::StatusOr<CachedBatch> cached = table.Write(**batch);
      if (!cached.ok()) return base::In(Place(p, index), std::move(cached).status());
      const int64_t total = bytes += cached->bytes.size();
      if (total > options.max_bytes) {
        return base::In(Place(p, index), base::Exhausted("the cache needs ", total,
                                                         " bytes, the limit is ",
                                                         options.max_bytes));
      }
      table.partitions_[p].push_back(*std::move(cached));
    }
  };
  SPILLWAY_RETURN_IF_ERROR(
      ForEach(static_cast<int64_t>(partitions.size()), options.threads, build));
  for (const Partition& partition : table.partitions_) {
    table.batches_ += static_cast<int64_t>(partition.size());
    for (const CachedBatch& batch : partition) table.rows_ += batch.rows;
  }
  table.footprint_ = bytes;
  return table;
}

absl::StatusOr<CachedTable::CachedBatch> CachedTable::Write(const Batch& batch) const {
  CachedBatch cached{Buffer(), batch.rows(), std::nullopt};
  if (IsV3(form_)) {
    SPILLWAY_ASSIGN_OR_RETURN(cached.bytes,
                              frame::WriteV3(batch, {.statistics = HasStats(form_)}));
  } else if (form_ == Form::kV2) {
    SPILLWAY_ASSIGN_OR_RETURN(cached.bytes, frame::WriteV2(batch));
  } else {
    SPILLWAY_ASSIGN_OR_RETURN(cached.bytes, page::WritePage(batch));
  }
  // A scan prunes by statistics that stand beside the bytes, as Spark keeps them in a row of their
  // own, and does not open a frame to skip it.
  if (HasStats(form_)) {
    SPILLWAY_ASSIGN_OR_RETURN(frame::FrameStats front,
                              frame::ReadFrameStats(*schema_, cached.bytes));
    cached.stats = std::move(front.stats);
  }
  return cached;
}

absl::StatusOr<ScanCounts> CachedTable::Scan(
    const ScanOptions& options,
    const std::function<absl::Status(int64_t, const Batch&)>& consume) const {
  if (options.columns.has_value()) {
    for (const int64_t index : *options.columns) {
      const auto columns = static_cast<int64_t>(schema_->children().size());
      if (index < 0 || index >= columns) {
        return absl::OutOfRangeError(
            base::Cat("column ", index, " of a table with ", columns, " columns"));
      }
    }
  }
  std::vector<ScanCounts> counts(partitions_.size());
  const auto scan = [&](int64_t p) -> absl::Status {
    int64_t index = 0;
    for (const CachedBatch& cached : partitions_[p]) {
      const absl::Status status = ScanBatch(
          cached, options, counts[p], [&](const Batch& batch) { return consume(p, batch); });
      if (!status.ok()) return base::In(Place(p, index), status);
      ++index;
    }
    return absl::OkStatus();
  };
  SPILLWAY_RETURN_IF_ERROR(ForEach(partitions(), options.threads, scan));
  ScanCounts total;
  for (const ScanCounts& one : counts) {
    total.batches += one.batches;
    total.batches_pruned += one.batches_pruned;
    total.rows += one.rows;
    total.columns_decoded += one.columns_decoded;
    total.bytes_touched += one.bytes_touched;
  }
  return total;
}

absl::Status CachedTable::ScanBatch(
    const CachedBatch& cached, const ScanOptions& options, ScanCounts& counts,
    const std::function<absl::Status(const Batch&)>& consume) const {
  ++counts.batches;
  if (options.keep != nullptr && cached.stats.has_value() && !options.keep(*cached.stats)) {
    ++counts.batches_pruned;
    return absl::OkStatus();
  }
  counts.rows += cached.rows;
  if (!IsV3(form_)) {
    counts.columns_decoded += static_cast<int64_t>(schema_->children().size());
    counts.bytes_touched += cached.bytes.size();
    if (form_ == Form::kLegacy) {
      SPILLWAY_ASSIGN_OR_RETURN(const Batch batch, page::ReadPage(schema_, cached.bytes));
      return consume(Project(batch, options.columns));
    }
    SPILLWAY_ASSIGN_OR_RETURN(const frame::V2Content content,
                              frame::ReadV2(schema_, cached.bytes));
    return consume(Project(content.batch, options.columns));
  }
  SPILLWAY_ASSIGN_OR_RETURN(const frame::V3Frame frame,
                            frame::V3Frame::Open(schema_, cached.bytes));
  SPILLWAY_ASSIGN_OR_RETURN(const Batch batch, frame.Read(options.columns));
  counts.columns_decoded += static_cast<int64_t>(batch.columns().size());
  if (options.columns.has_value()) {
    for (const int64_t index : *options.columns) counts.bytes_touched += frame.block_size(index);
  } else {
    for (size_t i = 0; i < schema_->children().size(); ++i) {
      counts.bytes_touched += frame.block_size(static_cast<int64_t>(i));
    }
  }
  return consume(batch);
}

absl::StatusOr<std::vector<int64_t>> CachedTable::ColumnFootprints() const {
  const size_t columns = schema_->children().size();
  std::vector<int64_t> bytes(columns, 0);
  for (const Partition& partition : partitions_) {
    for (const CachedBatch& cached : partition) {
      if (IsV3(form_)) {
        SPILLWAY_ASSIGN_OR_RETURN(const frame::V3Frame frame,
                                  frame::V3Frame::Open(schema_, cached.bytes));
        for (size_t i = 0; i < columns; ++i) {
          bytes[i] += frame.block_size(static_cast<int64_t>(i));
        }
        continue;
      }
      // A page does not say how long its blocks are: they are read one after the other.
      base::ByteReader in(cached.bytes.view());
      if (form_ == Form::kV2) {
        SPILLWAY_ASSIGN_OR_RETURN(const frame::FrameStats front,
                                  frame::ReadFrameStats(*schema_, cached.bytes));
        in.Skip(front.end + kInt32);  // statistics and bytesLen
      }
      in.Skip(page::kPageHeaderSize + kInt32);  // header and column count
      page::BlockReader blocks(cached.bytes, in);
      for (size_t i = 0; i < columns; ++i) {
        const int64_t start = in.offset();
        SPILLWAY_RETURN_IF_ERROR(blocks.Read(schema_->children()[i]).status());
        bytes[i] += in.offset() - start;
      }
    }
  }
  return bytes;
}

}  // namespace spillway::cache
