// SPDX-License-Identifier: Apache-2.0
#include "src/cache/cached_table.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <utility>

#include "src/base/byte_reader.h"
#include "src/base/status.h"
#include "src/cache/parallel.h"
#include "src/frame/content.h"
#include "src/frame/frame_stats.h"
#include "src/frame/v2.h"
#include "src/page/page.h"

namespace spillway::cache {
namespace {

using vector::Batch;
using vector::Buffer;
using vector::TypePtr;

constexpr int64_t kInt32 = sizeof(int32_t);

bool IsV3(Form form) { return form == Form::kV3Plain || form == Form::kV3; }
bool HasStats(Form form) { return form == Form::kV2 || form == Form::kV3; }

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

ScanCounts& ScanCounts::operator+=(const ScanCounts& other) {
  batches += other.batches;
  batches_pruned += other.batches_pruned;
  rows += other.rows;
  fallbacks += other.fallbacks;
  columns_decoded += other.columns_decoded;
  bytes_touched += other.bytes_touched;
  return *this;
}

absl::StatusOr<CachedTable> CachedTable::Build(TypePtr schema,
                                               const std::vector<BatchSource>& partitions,
                                               const CacheOptions& options) {
  CachedTable table(std::move(schema), options.form);
  table.partitions_.resize(partitions.size());
  std::atomic<int64_t> bytes = 0;
  const auto build = [&](int64_t p) -> absl::Status {
    for (int64_t index = 0;; ++index) {
      absl::StatusOr<std::optional<Batch>> batch = partitions[p]();
      if (!batch.ok()) return base::In(Place(p, index), std::move(batch).status());
      if (!batch->has_value()) return absl::OkStatus();
      if ((*batch)->rows() == 0) continue;
      absl::StatusOr<CachedBatch> cached = table.Write(**batch, options, index);
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
  table.CountUp();
  return table;
}

absl::StatusOr<CachedTable> CachedTable::Adopt(
    TypePtr schema, Form form, std::vector<std::vector<CachedBatch>> partitions) {
  for (size_t p = 0; p < partitions.size(); ++p) {
    for (const CachedBatch& cached : partitions[p]) {
      if (cached.rows > 0) continue;
      return base::In(Place(static_cast<int64_t>(p), cached.index),
                      base::Invalid("a cached batch of ", cached.rows, " rows"));
    }
  }
  CachedTable table(std::move(schema), form);
  table.partitions_ = std::move(partitions);
  table.CountUp();
  return table;
}

void CachedTable::CountUp() {
  for (const std::vector<CachedBatch>& partition : partitions_) {
    batches_ += static_cast<int64_t>(partition.size());
    for (const CachedBatch& cached : partition) {
      rows_ += cached.rows;
      footprint_ += cached.bytes.size();
    }
  }
}

absl::StatusOr<CachedBatch> CachedTable::Write(const Batch& batch, const CacheOptions& options,
                                               int64_t index) const {
  CachedBatch cached{.bytes = Buffer(), .rows = batch.rows(), .index = index};
  if (IsV3(form_)) {
    SPILLWAY_ASSIGN_OR_RETURN(cached.bytes,
                              frame::WriteV3(batch, {.statistics = HasStats(form_),
                                                     .encoding = options.encoding}));
    if (options.keep_open) {
      SPILLWAY_ASSIGN_OR_RETURN(cached.frame, frame::V3Frame::Open(schema_, cached.bytes));
    }
  } else if (form_ == Form::kV2) {
    SPILLWAY_ASSIGN_OR_RETURN(cached.bytes, frame::WriteV2(batch));
  } else {
    SPILLWAY_ASSIGN_OR_RETURN(cached.bytes, page::WritePage(batch));
  }
  if (HasStats(form_)) {
    SPILLWAY_ASSIGN_OR_RETURN(frame::FrameStats front,
                              frame::ReadFrameStats(*schema_, cached.bytes));
    cached.stats = std::move(front.stats);
  }
  return cached;
}

// Which columns a scan wants, and which it decodes for that: each once.
struct CachedTable::Wanted {
  explicit Wanted(const frame::Projection& projection, size_t columns) : columns(projection) {
    if (projection.has_value()) {
      distinct = *projection;
      std::sort(distinct.begin(), distinct.end());
      distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    } else {
      distinct.resize(columns);
      std::iota(distinct.begin(), distinct.end(), 0);
    }
  }

  const frame::Projection& columns;
  std::vector<int64_t> distinct;
};

absl::Status CachedTable::CheckScan(const ScanOptions& options) const {
  const auto columns = static_cast<int64_t>(schema_->children().size());
  for (const int64_t index : options.columns.value_or(std::vector<int64_t>())) {
    if (index >= 0 && index < columns) continue;
    return absl::OutOfRangeError(
        base::Cat("column ", index, " of a table with ", columns, " columns"));
  }
  if (options.pruner == nullptr) return absl::OkStatus();
  const vector::Type& pruned = *options.pruner->predicate().schema();
  if (pruned == *schema_) return absl::OkStatus();
  return base::Invalid("a predicate over ", pruned.ToString(), " for a table of ",
                       schema_->ToString());
}

absl::StatusOr<ScanCounts> CachedTable::Scan(
    const ScanOptions& options,
    const std::function<absl::Status(int64_t, const Batch&)>& consume) const {
  SPILLWAY_RETURN_IF_ERROR(CheckScan(options));
  const Wanted wanted(options.columns, schema_->children().size());
  std::vector<ScanCounts> counts(partitions_.size());
  const auto scan_batch = [&](int64_t p, const CachedBatch& cached) -> absl::Status {
    ++counts[p].batches;
    if (options.pruner != nullptr && cached.stats.has_value() &&
        options.pruner->MaySkip(*cached.stats, cached.rows)) {
      ++counts[p].batches_pruned;
      return absl::OkStatus();
    }
    absl::StatusOr<Batch> batch = Decode(cached, wanted, counts[p]);
    if (!batch.ok() && options.recompute != nullptr) {
      ++counts[p].fallbacks;
      if (options.log != nullptr) {
        options.log->Add(base::In(Place(p, cached.index), batch.status()));
      }
      batch = MakeAnew(p, cached, options);
    }
    SPILLWAY_RETURN_IF_ERROR(batch.status());
    counts[p].rows += cached.rows;
    return consume(p, *batch);
  };
  const auto scan = [&](int64_t p) -> absl::Status {
    for (const CachedBatch& cached : partitions_[p]) {
      const absl::Status status = scan_batch(p, cached);
      if (!status.ok()) return base::In(Place(p, cached.index), status);
    }
    return absl::OkStatus();
  };
  SPILLWAY_RETURN_IF_ERROR(ForEach(partitions(), options.threads, scan));
  ScanCounts total;
  for (const ScanCounts& one : counts) total += one;
  return total;
}

// The wanted columns, from the bytes.
absl::StatusOr<Batch> CachedTable::Decode(const CachedBatch& cached, const Wanted& wanted,
                                          ScanCounts& counts) const {
  ScanCounts touched;
  SPILLWAY_ASSIGN_OR_RETURN(Batch batch, DecodeForm(cached, wanted, touched));
  if (batch.rows() != cached.rows) {
    return base::Invalid("bytes of ", batch.rows(), " rows, not ", cached.rows);
  }
  counts += touched;
  return batch;
}

absl::StatusOr<Batch> CachedTable::DecodeForm(const CachedBatch& cached, const Wanted& wanted,
                                              ScanCounts& counts) const {
  if (cached.frame.has_value()) return DecodeFrame(*cached.frame, wanted, counts);
  if (IsV3(form_)) {
    SPILLWAY_ASSIGN_OR_RETURN(const frame::V3Frame frame,
                              frame::V3Frame::Open(schema_, cached.bytes));
    return DecodeFrame(frame, wanted, counts);
  }
  counts.columns_decoded += static_cast<int64_t>(schema_->children().size());
  counts.bytes_touched += cached.bytes.size();
  if (form_ == Form::kV2) {
    SPILLWAY_ASSIGN_OR_RETURN(const frame::V2Content content,
                              frame::ReadV2(schema_, cached.bytes));
    return frame::Project(content.batch, wanted.columns);
  }
  SPILLWAY_ASSIGN_OR_RETURN(const Batch batch,
                            base::In("page", page::ReadPage(schema_, cached.bytes)));
  return frame::Project(batch, wanted.columns);
}

absl::StatusOr<Batch> CachedTable::DecodeFrame(const frame::V3Frame& frame, const Wanted& wanted,
                                               ScanCounts& counts) const {
  counts.columns_decoded += static_cast<int64_t>(wanted.distinct.size());
  for (const int64_t index : wanted.distinct) counts.bytes_touched += frame.block_size(index);
  return frame.Read(wanted.columns);
}

// The wanted columns, from where the table came from.
absl::StatusOr<Batch> CachedTable::MakeAnew(int64_t partition, const CachedBatch& cached,
                                            const ScanOptions& options) const {
  SPILLWAY_ASSIGN_OR_RETURN(
      const Batch batch, base::In("made anew", options.recompute(partition, cached.index)));
  if (batch.rows() != cached.rows) {
    return base::Invalid("made anew: ", batch.rows(), " rows, not ", cached.rows);
  }
  if (*batch.schema() != *schema_) {
    return base::Invalid("made anew: columns ", batch.schema()->ToString(), ", not ",
                         schema_->ToString());
  }
  return frame::Project(batch, options.columns);
}

absl::StatusOr<std::vector<int64_t>> CachedTable::ColumnFootprints() const {
  const size_t columns = schema_->children().size();
  std::vector<int64_t> bytes(columns, 0);
  for (const std::vector<CachedBatch>& partition : partitions_) {
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
