// SPDX-License-Identifier: Apache-2.0
#pragma once
// The V3 frame, read: optional statistics and one block a column, each by itself (FORMAT
// section 4). docs/format/frames.md.
//
//   FE CA 53 03 | statsLen u32 | statistics blob | numRows u32 | numCols u32
//   | numCols x (colLen u32 | column block)

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "src/frame/v3_writer.h"  // the other half of the format, for those who include this
#include "src/page/block_reader.h"
#include "src/stats/blob.h"
#include "src/vector/batch.h"
#include "src/vector/buffer.h"

namespace spillway::frame {

// Which columns, in which order, duplicates included. Absent: all. Empty: none, and the row count
// survives (`count(*)`).
using Projection = std::optional<std::vector<int64_t>>;

// A frame whose structure has been checked as a whole and whose columns are decoded one by one, on
// demand. A cheap value: copies share everything, the ownership of the bytes included, if they are
// owned. Safe to use from many threads.
class V3Frame {
 public:
  // Checks the structure of the frame that fills `bytes` exactly, under `schema` (a ROW type), its
  // statistics included. Costs a few nanoseconds a column; no column is looked into.
  //
  //   OK                 the frame
  //   InvalidArgument    a rule is broken; the message names part, byte offset and value
  //   ResourceExhausted  the row count is over `limits`
  static absl::StatusOr<V3Frame> Open(vector::TypePtr schema, vector::Buffer bytes,
                                      const page::ReadLimits& limits = {});

  int64_t rows() const;
  const vector::TypePtr& schema() const;
  // Absent: the frame has none (statsLen 0). Decoded at the first call; lives as long as a copy of
  // this frame.
  const std::optional<stats::BatchStats>& stats() const;
  // Bytes of a column's block. `index` is a column's.
  int64_t block_size(int64_t index) const;

  // Decodes column `index`. Its block must have exactly rows() rows and nothing behind it.
  //
  //   OK               the column; it may be a view that shares the ownership of the frame's bytes
  //   OutOfRange       no such column; the message names index and range
  //   otherwise        as BlockReader::Read, naming the column
  absl::StatusOr<vector::ColumnPtr> Load(int64_t index) const;

  // The columns of `projection`, decoded. The batch's schema is that of the columns asked for.
  // Outcomes as Load().
  absl::StatusOr<vector::Batch> Read(const Projection& projection = std::nullopt) const;

  // The same as lazy columns: each is decoded when it is first needed, once, with the outcomes of
  // Load(). They outlive frame and bytes: they share the ownership of owned bytes, and keep a copy
  // of their own block of borrowed ones. A column that is asked for twice is one column.
  //
  //   OK          the batch
  //   OutOfRange  no such column
  absl::StatusOr<vector::Batch> ReadLazy(const Projection& projection = std::nullopt) const;

  // How many blocks have been decoded without error, of this frame and by all of its copies and
  // lazy columns.
  int64_t columns_decoded() const;

 private:
  class Content;
  class BlockCopy;

  explicit V3Frame(std::shared_ptr<const Content> content);

  template <typename Make>
  absl::StatusOr<vector::Batch> Project(const Projection& projection, Make make) const;

  std::shared_ptr<const Content> content_;
};

}  // namespace spillway::frame
