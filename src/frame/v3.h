// SPDX-License-Identifier: Apache-2.0
#pragma once
// The V3 frame: optional statistics and one block a column, each by itself (FORMAT
// section 4). docs/format/frames.md.
//
//   FE CA 53 03 | statsLen u32 | statistics blob | numRows u32 | numCols u32
//   | numCols x (colLen u32 | column block)

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "src/page/block_reader.h"
#include "src/stats/blob.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"

namespace spillway::frame {

struct V3WriteOptions {
  bool statistics = true;
};

// The frame of `batch`, as Gluten writes it: flat blocks.
//
//   OK                 the frame; its allocation is its size
//   InvalidArgument    a value that the format cannot hold; the message names column and row
//   ResourceExhausted  over 2^31 - 1 rows or bytes
absl::StatusOr<vector::Buffer> WriteV3(const vector::Batch& batch,
                                       const V3WriteOptions& options = {});

// A frame of blocks that are already bytes. Nothing is asked of their content; `stats`, if any, has
// one entry a block.
absl::StatusOr<vector::Buffer> AssembleV3(int64_t rows,
                                          const std::optional<stats::BatchStats>& stats,
                                          const std::vector<std::string_view>& blocks);

// A frame whose structure has been checked as a whole and whose columns are decoded one by one, on
// demand. A value; shares the ownership of its bytes, if they are owned.
class V3Frame {
 public:
  // Checks the structure of the frame that fills `bytes` exactly, under `schema` (a ROW type), and
  // decodes the statistics.
  //
  //   OK                 the frame
  //   InvalidArgument    a rule is broken; the message names part, byte offset and value
  //   ResourceExhausted  the row count is over `limits`
  static absl::StatusOr<V3Frame> Open(vector::TypePtr schema, vector::Buffer bytes,
                                      const page::ReadLimits& limits = {});

  int64_t rows() const { return rows_; }
  const vector::TypePtr& schema() const { return schema_; }
  // Absent: the frame has none (statsLen 0).
  const std::optional<stats::BatchStats>& stats() const { return stats_; }

  // Bytes of column `index`'s block.
  int64_t BlockBytes(int64_t index) const { return blocks_[index].remaining(); }

  // Decodes column `index`. Its block must have exactly rows() rows and nothing behind it.
  //
  //   OK               the column; it may be a view that shares the ownership of the frame's bytes
  //   OutOfRange       no such column; the message names index and range
  //   otherwise        as BlockReader::Read, naming the column
  absl::StatusOr<vector::ColumnPtr> Load(int64_t index) const;

  // The columns of `projection` in its order, duplicates included; absent: all; empty: none, and
  // the row count survives. The batch's schema is that of the columns asked for.
  absl::StatusOr<vector::Batch> Read(
      const std::optional<std::vector<int64_t>>& projection = std::nullopt) const;

 private:
  V3Frame() = default;
  absl::Status Parse();

  vector::TypePtr schema_;
  vector::Buffer bytes_;
  page::ReadLimits limits_;
  int64_t rows_ = 0;
  std::optional<stats::BatchStats> stats_;
  std::vector<base::ByteReader> blocks_;  // one a column, bounded to colLen
};

}  // namespace spillway::frame
