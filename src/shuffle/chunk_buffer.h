// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a shuffle writer keeps its rows between two spills, in an order in which they can be
// written without a cache miss a row. docs/memory/repartitioner.md.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "src/shuffle/column_gather.h"
#include "src/shuffle/partition_order.h"
#include "src/vector/batch.h"
#include "src/vector/type.h"

namespace spillway::shuffle {

// Chunks are kept in one of two forms:
//
//   sorted  a copy whose rows stand in the order of their partitions, each partition's side by
//           side; the chunk itself is let go
//   as is   the chunk, sharing its buffers, and 2 bytes a row that say the order
//
// and the rows of a partition in a chunk are a run, of which 8 bytes are kept. Runs are copied to
// the output one after the other, which is a move of many values for sorted chunks and a look-up a
// row for the others.
class ChunkBuffer {
 public:
  // `partitions` >= 0; batches of `schema`.
  ChunkBuffer(vector::TypePtr schema, int32_t partitions)
      : schema_(std::move(schema)), runs_(partitions) {}

  // Keeps `chunk`, which has nothing lazy and nothing borrowed. `order` is that of its rows by
  // `partition_of_row`. Sorted, if the copy takes `budget` bytes at most, else as it is. Constants
  // and dictionaries stay what they are in both; a copy has ids of its own and the same alphabet.
  void Add(const vector::Batch& chunk, std::span<const uint32_t> partition_of_row,
           const PartitionOrder& order, int64_t budget);

  bool empty() const { return segments_.empty(); }

  // Bytes that are allocated for what is kept: each allocation as a whole, however many chunks look
  // into it, orders, runs.
  int64_t resident_bytes() const;
  // Chunks kept sorted, in this buffer's whole life; one of more than 65,536 rows counts more
  // often.
  int64_t sorted() const { return sorted_; }

  // `piece`: rows of `partition`, flat, of new buffers. `resident`: bytes of this buffer, the piece
  // included.
  using Visitor =
      std::function<absl::Status(int32_t partition, const vector::Batch& piece, int64_t resident)>;

  // Gives everything to `visit` in pieces of at most `piece_rows` >= 1 rows, partitions in
  // ascending order and the rows of each in the order they came in, and is empty then, whatever
  // happens. Fails as Interleaver::Gather() or `visit` does.
  absl::Status Drain(int64_t piece_rows, const Visitor& visit);

  void Clear();

 private:
  // Rows [start, start + last] of the segment's order are one partition's.
  struct Run {
    uint32_t segment;
    uint16_t start;
    uint16_t last;
  };
  // Rows that a run can number. Larger chunks are cut.
  static constexpr int64_t kSegmentRows = int64_t{1} << 16;

  void AddSegment(const vector::Batch& rows, const PartitionOrder& order, int64_t* budget);
  bool AddSorted(const vector::Batch& rows, const PartitionOrder& order, int64_t* budget);
  void Hold(const vector::Batch& rows);
  // Appends the rows of `run` from its `from`-th on, `most` at most, and returns their number.
  int64_t AppendRanges(const Run& run, int64_t from, int64_t most,
                       std::vector<RowRange>& ranges) const;

  vector::TypePtr schema_;
  std::vector<vector::Batch> segments_;
  std::vector<std::vector<uint16_t>> orders_;  // of each segment; empty: sorted
  std::vector<std::vector<Run>> runs_;         // by partition
  int64_t order_bytes_ = 0;
  int64_t run_bytes_ = 0;
  absl::flat_hash_set<const uint8_t*> held_;  // allocations
  int64_t held_bytes_ = 0;
  int64_t sorted_ = 0;
};

}  // namespace spillway::shuffle
