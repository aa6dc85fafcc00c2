// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/chunk_buffer.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "src/base/status.h"
#include "src/shuffle/interleave.h"
#include "src/vector/select.h"

namespace spillway::shuffle {

using vector::Batch;

void ChunkBuffer::Add(const Batch& chunk, std::span<const uint32_t> partition_of_row,
                      const PartitionOrder& order, int64_t budget) {
  if (chunk.rows() <= kSegmentRows) return AddSegment(chunk, order, &budget);
  PartitionOrder part;
  for (int64_t row = 0; row < chunk.rows(); row += kSegmentRows) {
    const int64_t rows = std::min(kSegmentRows, chunk.rows() - row);
    part.Sort(partition_of_row.subspan(static_cast<size_t>(row), static_cast<size_t>(rows)),
              static_cast<int32_t>(runs_.size()));
    AddSegment(chunk.Slice(row, rows), part, &budget);
  }
}

void ChunkBuffer::AddSegment(const Batch& rows, const PartitionOrder& order, int64_t* budget) {
  const auto segment = static_cast<uint32_t>(segments_.size());
  if (AddSorted(rows, order, budget)) {
    ++sorted_;
    orders_.emplace_back();
  } else {
    Hold(rows);
    orders_.emplace_back(order.rows().begin(), order.rows().end());
    order_bytes_ += static_cast<int64_t>(orders_.back().size() * sizeof(uint16_t));
  }
  for (size_t partition = 0; partition < runs_.size(); ++partition) {
    const uint32_t count = order.counts()[partition];
    if (count == 0) continue;
    std::vector<Run>& runs = runs_[partition];
    const size_t before = runs.capacity();
    runs.push_back({segment, static_cast<uint16_t>(order.starts()[partition]),
                    static_cast<uint16_t>(count - 1)});
    run_bytes_ += static_cast<int64_t>((runs.capacity() - before) * sizeof(Run));
  }
}

bool ChunkBuffer::AddSorted(const Batch& rows, const PartitionOrder& order, int64_t* budget) {
  if (*budget <= 0) return false;
  int64_t left = *budget;
  std::vector<vector::ColumnPtr> columns;
  columns.reserve(rows.columns().size());
  for (const vector::ColumnPtr& column : rows.columns()) {
    absl::StatusOr<vector::ColumnPtr> sorted = vector::Select(*column, order.rows(), &left);
    if (!sorted.ok()) return false;
    columns.push_back(*std::move(sorted));
  }
  *budget = left;
  Hold(Batch(schema_, rows.rows(), std::move(columns)));
  return true;
}

void ChunkBuffer::Hold(const Batch& rows) {
  for (const vector::ColumnPtr& column : rows.columns()) {
    column->VisitBuffers([&](const vector::Buffer& buffer) {
      const vector::Allocation& allocation = buffer.allocation();
      if (allocation.address == nullptr || !held_.insert(allocation.address).second) return;
      held_bytes_ += allocation.capacity;
    });
  }
  segments_.push_back(rows);
}

int64_t ChunkBuffer::resident_bytes() const {
  const size_t lists = segments_.capacity() * sizeof(Batch) +
                       orders_.capacity() * sizeof(orders_[0]) + runs_.size() * sizeof(runs_[0]);
  return held_bytes_ + order_bytes_ + run_bytes_ + static_cast<int64_t>(lists);
}

int64_t ChunkBuffer::AppendRanges(const Run& run, int64_t from, int64_t most,
                                  std::vector<RowRange>& ranges) const {
  const int64_t rows = std::min(int64_t{run.last} + 1 - from, most);
  const std::vector<uint16_t>& order = orders_[run.segment];
  const auto first = static_cast<uint32_t>(run.start + from);
  if (order.empty()) {
    ranges.push_back({run.segment, first, static_cast<uint32_t>(rows)});
    return rows;
  }
  for (uint32_t i = first; i < first + rows; ++i) {
    const uint32_t row = order[i];
    if (i != first && ranges.back().row + ranges.back().rows == row) {
      ranges.back().rows += 1;
    } else {
      ranges.push_back({run.segment, row, 1});
    }
  }
  return rows;
}

absl::Status ChunkBuffer::Drain(int64_t piece_rows, const Visitor& visit) {
  const auto write = [&]() -> absl::Status {
    const Interleaver interleaver(schema_, segments_);
    std::vector<RowRange> ranges;
    for (size_t partition = 0; partition < runs_.size(); ++partition) {
      const std::vector<Run> runs = std::exchange(runs_[partition], {});
      auto run = runs.begin();
      for (int64_t from = 0; run != runs.end();) {
        ranges.clear();
        int64_t rows = 0;
        while (run != runs.end() && rows < piece_rows) {
          const int64_t taken = AppendRanges(*run, from, piece_rows - rows, ranges);
          rows += taken;
          from += taken;
          if (from <= run->last) break;
          from = 0;
          ++run;
        }
        SPILLWAY_ASSIGN_OR_RETURN(const Batch piece, interleaver.Gather(ranges));
        int64_t resident =
            resident_bytes() + static_cast<int64_t>(ranges.capacity() * sizeof(RowRange));
        for (const vector::ColumnPtr& column : piece.columns()) {
          column->VisitBuffers(
              [&](const vector::Buffer& buffer) { resident += buffer.allocation().capacity; });
        }
        SPILLWAY_RETURN_IF_ERROR(visit(static_cast<int32_t>(partition), piece, resident));
      }
      run_bytes_ -= static_cast<int64_t>(runs.capacity() * sizeof(Run));
    }
    return absl::OkStatus();
  };
  const absl::Status written = write();
  Clear();
  return written;
}

void ChunkBuffer::Clear() {
  segments_.clear();
  orders_.clear();
  for (std::vector<Run>& runs : runs_) runs = {};
  held_.clear();
  order_bytes_ = run_bytes_ = held_bytes_ = 0;
}

}  // namespace spillway::shuffle
