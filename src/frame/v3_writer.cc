// SPDX-License-Identifier: Apache-2.0
#include "src/frame/v3_writer.h"

#include <cstring>
#include <string>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/frame/magic.h"
#include "src/page/block_writer.h"
#include "src/vector/column_name.h"
#include "src/vector/flatten.h"
#include "src/vector/lazy_column.h"

namespace spillway::frame {
namespace {

using page::BlockPlan;
using stats::BatchStats;
using stats::ColumnStats;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::Encoding;
using vector::Kind;
using vector::MutableBuffer;

constexpr int64_t kUint32 = sizeof(uint32_t);
constexpr int64_t kMaxRows = INT32_MAX;

uint8_t* PutUint32(int64_t value, uint8_t* out) {
  base::Store(out, static_cast<uint32_t>(value));
  return out + kUint32;
}

// Everything before the first colLen.
uint8_t* PutHead(int64_t rows, const std::optional<BatchStats>& stats, int64_t stats_size,
                 size_t columns, uint8_t* out) {
  out = PutUint32(kMagicV3, out);
  out = PutUint32(stats_size, out);
  if (stats.has_value()) out = stats::WriteBlob(*stats, out);
  out = PutUint32(rows, out);
  return PutUint32(static_cast<int64_t>(columns), out);
}

int64_t StatsSize(const std::optional<BatchStats>& stats) {
  return stats.has_value() ? stats::BlobSize(*stats) : 0;
}

// Statistics of the flat form of a column that was planned for writing. What that form takes here
// is given back, but may be no more than `budget`.
absl::StatusOr<ColumnStats> FlatStats(const ColumnPtr& column, bool nan_aware, int64_t budget) {
  stats::StatsOptions options{.bounds = stats::BoundsRule::kBest, .nan_aware = nan_aware};
  const Kind kind = column->type().kind();
  const bool is_float = kind == Kind::kReal || kind == Kind::kDouble;
  if (!is_float || column->encoding() != Encoding::kDictionary) {
    return stats::ComputeStats(*column, options);
  }
  // Of zeros of either sign the first row's is the bound, and an alphabet has another order.
  SPILLWAY_ASSIGN_OR_RETURN(const ColumnPtr flat, vector::Flatten(column, &budget));
  return stats::ComputeStats(*flat, options);
}

}  // namespace

absl::StatusOr<int64_t> V3FrameSize(int64_t rows, int64_t stats_size,
                                    const std::vector<int64_t>& block_sizes) {
  if (rows < 0 || rows > kMaxRows) {
    return base::Exhausted("V3 frame: ", rows, " rows, the limit is ", kMaxRows);
  }
  int64_t size = 4 * kUint32 + stats_size;
  for (size_t i = 0; i < block_sizes.size(); ++i) {
    if (block_sizes[i] > kMaxFrameSize) {
      return base::Exhausted("V3 frame: column ", i, ": block of ", block_sizes[i],
                             " bytes, the limit is ", kMaxFrameSize);
    }
    size += kUint32 + block_sizes[i];
  }
  if (size > kMaxFrameSize) {
    return base::Exhausted("V3 frame: ", size, " bytes, the limit is ", kMaxFrameSize);
  }
  return size;
}

absl::StatusOr<Buffer> WriteV3(const Batch& batch, const V3WriteOptions& options) {
  std::optional<BatchStats> stats;
  if (options.statistics) stats.emplace();
  std::vector<BlockPlan> plans;
  std::vector<int64_t> sizes;
  int64_t budget = options.max_expanded_bytes;
  plans.reserve(batch.columns().size());
  sizes.reserve(batch.columns().size());
  for (size_t i = 0; i < batch.columns().size(); ++i) {
    const auto annotate = [&](absl::Status status) {
      return base::In("V3 frame",
                      base::In(vector::ColumnName(*batch.schema(), i), std::move(status)));
    };
    absl::StatusOr<BlockPlan> plan =
        BlockPlan::Make(batch.columns()[i], options.encoding, &budget);
    if (!plan.ok()) return annotate(std::move(plan).status());
    if (stats.has_value()) {
      absl::StatusOr<ColumnStats> column = FlatStats(plan->column_ptr(), options.nan_aware, budget);
      if (!column.ok()) return annotate(std::move(column).status());
      stats->push_back(*std::move(column));
    }
    sizes.push_back(plan->size());
    plans.push_back(*std::move(plan));
    // Now rather than behind the last column: each that was flattened holds its memory.
    SPILLWAY_RETURN_IF_ERROR(V3FrameSize(batch.rows(), 0, sizes).status());
  }
  const int64_t stats_size = StatsSize(stats);
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t size, V3FrameSize(batch.rows(), stats_size, sizes));
  MutableBuffer out(size);
  uint8_t* at = PutHead(batch.rows(), stats, stats_size, plans.size(), out.data());
  for (const BlockPlan& plan : plans) at = plan.Write(PutUint32(plan.size(), at));
  return std::move(out).Freeze();
}

absl::StatusOr<Buffer> AssembleV3(int64_t rows, const std::optional<BatchStats>& stats,
                                  const std::vector<std::string_view>& blocks) {
  if (stats.has_value() && stats->size() != blocks.size()) {
    return base::Invalid("V3 frame: statistics of ", stats->size(), " columns, ", blocks.size(),
                         " blocks");
  }
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].empty() && rows != 0) {
      return base::Invalid("V3 frame: column ", i, ": an empty block in a frame of ", rows,
                           " rows");
    }
    sizes.push_back(static_cast<int64_t>(blocks[i].size()));
  }
  const int64_t stats_size = StatsSize(stats);
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t size, V3FrameSize(rows, stats_size, sizes));
  MutableBuffer out(size);
  uint8_t* at = PutHead(rows, stats, stats_size, blocks.size(), out.data());
  for (const std::string_view block : blocks) {
    at = PutUint32(static_cast<int64_t>(block.size()), at);
    if (!block.empty()) std::memcpy(at, block.data(), block.size());
    at += block.size();
  }
  return std::move(out).Freeze();
}

}  // namespace spillway::frame
