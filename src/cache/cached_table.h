// SPDX-License-Identifier: Apache-2.0
#pragma once
// A table held as cached batches, the way Spark's table cache holds one with Gluten: partitions of
// batches, each batch a legacy page, a V2 or a V3 frame. docs/cache.md.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/frame/fallback_log.h"
#include "src/frame/v3.h"
#include "src/page/encoding_choice.h"
#include "src/stats/blob.h"
#include "src/stats/prune.h"
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
  // Of the V3 forms; pages and V2 frames are flat. kSmallest keeps dictionaries and constants where
  // that is smaller.
  page::EncodingChoice encoding = page::EncodingChoice::kFlatten;
  // Of the V3 forms: frames are opened when they are cached and stay so, at some 300 bytes and four
  // a column each. Otherwise each scan opens them, as Gluten does, which walks over the lengths of
  // all blocks: as many cache misses as columns, one after the other.
  bool keep_open = false;
  // Bytes of all batches together, at most.
  int64_t max_bytes = std::numeric_limits<int64_t>::max();
  // Threads that build partitions, each partition by one of them.
  int threads = 1;
};

// Yields the batches of one partition in order, then nothing. Called by one thread at a time.
using BatchSource = std::function<absl::StatusOr<std::optional<vector::Batch>>()>;

// A batch as it is cached.
struct CachedBatch {
  vector::Buffer bytes;
  int64_t rows = 0;
  // What a scan prunes by. They stand beside the bytes, as Spark keeps them in a row of their own,
  // so that a batch is skipped without opening its frame.
  std::optional<stats::BatchStats> stats = std::nullopt;
  // Which of the batches it is that its partition's source yielded.
  int64_t index = 0;
  // `bytes`, if they are a V3 frame that is kept open.
  std::optional<frame::V3Frame> frame = std::nullopt;
};

struct ScanOptions {
  // As frame::V3Frame::Read: absent all, empty none, else these in this order.
  std::optional<std::vector<int64_t>> columns = std::nullopt;
  // Batches that it may skip by their statistics are not read. Rows are not filtered: a batch that
  // is read comes whole. Its predicate is over the table's schema. Borrowed.
  const stats::Pruner* pruner = nullptr;
  // Makes anew, whole, what the source of `partition` yielded as number `batch`, as Spark computes
  // a lost partition again. Called where a batch does not decode, by several threads. Absent: such
  // a batch ends the scan.
  std::function<absl::StatusOr<vector::Batch>(int64_t partition, int64_t batch)> recompute =
      nullptr;
  // Told why each batch had to be made anew. Borrowed; may be null.
  frame::FallbackLog* log = nullptr;
  int threads = 1;
};

// What a scan did.
struct ScanCounts {
  int64_t batches = 0;          // looked at, pruned ones included
  int64_t batches_pruned = 0;   // skipped by their statistics
  int64_t rows = 0;             // handed to the consumer
  int64_t fallbacks = 0;        // did not decode and were made anew
  int64_t columns_decoded = 0;  // over all batches; one that is wanted twice counts once
  int64_t bytes_touched = 0;    // of the pages, or of the blocks, that were decoded

  ScanCounts& operator+=(const ScanCounts& other);
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

  // A table of batches that are already bytes of `form`, out of a cache file, say. Nothing is asked
  // of bytes and statistics: a scan finds out. InvalidArgument for a batch without rows.
  static absl::StatusOr<CachedTable> Adopt(vector::TypePtr schema, Form form,
                                           std::vector<std::vector<CachedBatch>> partitions);

  // Calls `consume` with the wanted columns of each batch that is kept: batches of a partition in
  // order by one thread, partitions side by side. A batch and what it views live as long as the
  // consumer keeps them. A batch whose bytes are damaged where no wanted column of a V3 frame lies
  // is read like any other.
  //
  //   OK               what the scan did
  //   OutOfRange       `columns` names a column that is not there
  //   InvalidArgument  the pruner's predicate is over another schema, or a batch that was made anew
  //                    is not of the table's schema or of the rows that were cached
  //   otherwise        the first failure of reading, making anew or the consumer, which ends the
  //                    scan; the message names partition and batch
  absl::StatusOr<ScanCounts> Scan(
      const ScanOptions& options,
      const std::function<absl::Status(int64_t partition, const vector::Batch& batch)>& consume)
      const;

  const vector::TypePtr& schema() const { return schema_; }
  Form form() const { return form_; }
  int64_t partitions() const { return static_cast<int64_t>(partitions_.size()); }
  const std::vector<CachedBatch>& partition(int64_t index) const { return partitions_[index]; }
  int64_t rows() const { return rows_; }
  int64_t batches() const { return batches_; }
  // Bytes of all pages or frames, statistics included.
  int64_t footprint() const { return footprint_; }

  // Bytes of each column's blocks over all batches; headers and statistics are the rest of
  // footprint(). Walks every batch.
  absl::StatusOr<std::vector<int64_t>> ColumnFootprints() const;

 private:
  struct Wanted;

  CachedTable(vector::TypePtr schema, Form form) : schema_(std::move(schema)), form_(form) {}

  void CountUp();
  absl::StatusOr<CachedBatch> Write(const vector::Batch& batch, const CacheOptions& options,
                                    int64_t index) const;
  absl::Status CheckScan(const ScanOptions& options) const;
  absl::StatusOr<vector::Batch> Decode(const CachedBatch& cached, const Wanted& wanted,
                                       ScanCounts& counts) const;
  absl::StatusOr<vector::Batch> DecodeForm(const CachedBatch& cached, const Wanted& wanted,
                                           ScanCounts& counts) const;
  absl::StatusOr<vector::Batch> DecodeFrame(const frame::V3Frame& frame, const Wanted& wanted,
                                            ScanCounts& counts) const;
  absl::StatusOr<vector::Batch> MakeAnew(int64_t partition, const CachedBatch& cached,
                                         const ScanOptions& options) const;

  vector::TypePtr schema_;
  Form form_;
  std::vector<std::vector<CachedBatch>> partitions_;
  int64_t rows_ = 0;
  int64_t batches_ = 0;
  int64_t footprint_ = 0;
};

}  // namespace spillway::cache
