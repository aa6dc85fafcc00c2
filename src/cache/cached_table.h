// SPDX-License-Identifier: Apache-2.0
#pragma once
// A table held as cached batches, the way Spark's table cache holds one with Gluten: partitions of
// batches, each batch a legacy page, a V2 or a V3 frame. docs/cache.md.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/stats/blob.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"

namespace spillway::cache {

// What a cached batch is.
enum class Form : uint8_t {
  kLegacy,   // a page; "V2 without statistics" in Gluten's terms
  kV2,       // a page and statistics
  kV3Plain,  // a block a column
  kV3,       // the same and statistics
};
std::string_view FormName(Form form);
inline constexpr Form kForms[] = {Form::kLegacy, Form::kV2, Form::kV3Plain, Form::kV3};

struct CacheOptions {
  Form form = Form::kV3;
  // Bytes of all batches together, at most.
  int64_t max_bytes = std::numeric_limits<int64_t>::max();
  // Threads that build partitions, each partition by one of them.
  int threads = 1;
};

// Yields the batches of one partition in order, then nothing. Called by one thread at a time.
using BatchSource = std::function<absl::StatusOr<std::optional<vector::Batch>>()>;

struct ScanOptions {
  // As frame::V3Frame::Read: absent all, empty none, else these in this order.
  std::optional<std::vector<int64_t>> columns = std::nullopt;
  // False: the batch with these statistics holds no row that is wanted and need not be read. Called
  // by several threads, and only for batches that have statistics.
  std::function<bool(const stats::BatchStats& stats)> keep = nullptr;
  int threads = 1;
};

// What a scan did.
struct ScanCounts {
  int64_t batches = 0;          // looked at, pruned ones included
  int64_t batches_pruned = 0;   // skipped by their statistics
  int64_t rows = 0;             // handed to the consumer
  int64_t columns_decoded = 0;  // over all batches
  int64_t bytes_touched = 0;    // of the pages, or of the blocks, that were decoded
};

// Immutable once built; scans may run at the same time.
class CachedTable {
 public:
  // Takes one partition from each source. Batches without rows are dropped.
  //
  //   OK
  //   ResourceExhausted  over max_bytes; what was built is freed
  //   otherwise          the first failure of a source or of writing, naming partition and batch
  static absl::StatusOr<CachedTable> Build(vector::TypePtr schema,
                                           const std::vector<BatchSource>& partitions,
                                           const CacheOptions& options);

  // Calls `consume` with the wanted columns of each batch that is kept: batches of a partition in
  // order by one thread, partitions side by side. A batch and what it views live as long as the
  // consumer keeps them. The first failure, of reading or of the consumer, ends the scan.
  absl::StatusOr<ScanCounts> Scan(
      const ScanOptions& options,
      const std::function<absl::Status(int64_t partition, const vector::Batch& batch)>& consume)
      const;

  const vector::TypePtr& schema() const { return schema_; }
  Form form() const { return form_; }
  int64_t partitions() const { return static_cast<int64_t>(partitions_.size()); }
  int64_t rows() const { return rows_; }
  int64_t batches() const { return batches_; }
  // Bytes of all pages or frames, statistics included.
  int64_t footprint() const { return footprint_; }

  // Bytes of each column's blocks over all batches; headers and statistics are the rest of
  // footprint(). Walks every batch.
  absl::StatusOr<std::vector<int64_t>> ColumnFootprints() const;

 private:
  struct CachedBatch {
    vector::Buffer bytes;
    int64_t rows;
    std::optional<stats::BatchStats> stats;
  };
  using Partition = std::vector<CachedBatch>;

  CachedTable() = default;
  absl::StatusOr<CachedBatch> Write(const vector::Batch& batch) const;
  absl::Status ScanBatch(const CachedBatch& cached, const ScanOptions& options, ScanCounts& counts,
                         const std::function<absl::Status(const vector::Batch&)>& consume) const;

  vector::TypePtr schema_;
  Form form_ = Form::kV3;
  std::vector<Partition> partitions_;
  int64_t rows_ = 0;
  int64_t batches_ = 0;
  int64_t footprint_ = 0;
};

}  // namespace spillway::cache
