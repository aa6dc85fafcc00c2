// SPDX-License-Identifier: Apache-2.0
#include "src/frame/v3.h"

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "src/base/byte_reader.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/frame/magic.h"
#include "src/page/block_writer.h"
#include "src/vector/column_name.h"
#include "src/vector/empty.h"

namespace spillway::frame {
namespace {

using base::ByteReader;
using page::BlockPlan;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::MutableBuffer;
using vector::TypePtr;

constexpr int64_t kUint32 = sizeof(uint32_t);
constexpr int64_t kMaxRows = INT32_MAX;

uint8_t* PutUint32(int64_t value, uint8_t* out) {
  base::Store(out, static_cast<uint32_t>(value));
  return out + kUint32;
}

absl::Status TooLarge(int64_t size) {
  return base::Exhausted("V3 frame: ", size, " bytes, the limit is ", kMaxFrameSize);
}

// Memory for a frame with `block_bytes` bytes of `columns` blocks; refuses what no reader takes.
absl::StatusOr<MutableBuffer> Allocate(int64_t rows, int64_t stats_size, int64_t columns,
                                       int64_t block_bytes) {
  if (rows < 0 || rows > kMaxRows) {
    return base::Exhausted("V3 frame: ", rows, " rows, the limit is ", kMaxRows);
  }
  const int64_t size = (4 + columns) * kUint32 + stats_size + block_bytes;
  if (size > kMaxFrameSize) return TooLarge(size);
  return MutableBuffer(size);
}

// Everything before the first colLen.
uint8_t* PutHead(int64_t rows, const std::optional<stats::BatchStats>& stats, int64_t stats_size,
                 size_t columns, uint8_t* out) {
  out = PutUint32(kMagicV3, out);
  out = PutUint32(stats_size, out);
  if (stats.has_value()) out = stats::WriteBlob(*stats, out);
  out = PutUint32(rows, out);
  return PutUint32(static_cast<int64_t>(columns), out);
}

int64_t StatsSize(const std::optional<stats::BatchStats>& stats) {
  return stats.has_value() ? stats::BlobSize(*stats) : 0;
}

}  // namespace

absl::StatusOr<Buffer> WriteV3(const Batch& batch, const V3WriteOptions& options) {
  std::optional<stats::BatchStats> stats;
  if (options.statistics) stats.emplace();
  std::vector<BlockPlan> plans;
  plans.reserve(batch.columns().size());
  int64_t block_bytes = 0;
  for (size_t i = 0; i < batch.columns().size(); ++i) {
    absl::StatusOr<BlockPlan> plan = BlockPlan::Make(batch.columns()[i]);
    if (!plan.ok()) {
      return base::In("V3 frame", base::In(vector::ColumnName(*batch.schema(), i),
                                           std::move(plan).status()));
    }
    // Statistics are those of the flat column, so that an encoded one has bounds here.
    if (stats.has_value()) stats->push_back(stats::ComputeStats(plan->column()));
    block_bytes += plan->size();
    // Now rather than behind the last column: each that was flattened holds its memory.
    if (block_bytes > kMaxFrameSize) return TooLarge(block_bytes);
    plans.push_back(*std::move(plan));
  }
  const int64_t stats_size = StatsSize(stats);
  SPILLWAY_ASSIGN_OR_RETURN(
      MutableBuffer out,
      Allocate(batch.rows(), stats_size, static_cast<int64_t>(plans.size()), block_bytes));
  uint8_t* at = PutHead(batch.rows(), stats, stats_size, plans.size(), out.data());
  for (const BlockPlan& plan : plans) at = plan.Write(PutUint32(plan.size(), at));
  return std::move(out).Freeze();
}

absl::StatusOr<Buffer> AssembleV3(int64_t rows, const std::optional<stats::BatchStats>& stats,
                                  const std::vector<std::string_view>& blocks) {
  if (stats.has_value() && stats->size() != blocks.size()) {
    return base::Invalid("V3 frame: statistics of ", stats->size(), " columns, ", blocks.size(),
                         " blocks");
  }
  int64_t block_bytes = 0;
  for (const std::string_view block : blocks) block_bytes += static_cast<int64_t>(block.size());
  const int64_t stats_size = StatsSize(stats);
  SPILLWAY_ASSIGN_OR_RETURN(
      MutableBuffer out,
      Allocate(rows, stats_size, static_cast<int64_t>(blocks.size()), block_bytes));
  uint8_t* at = PutHead(rows, stats, stats_size, blocks.size(), out.data());
  for (const std::string_view block : blocks) {
    at = PutUint32(static_cast<int64_t>(block.size()), at);
    if (!block.empty()) std::memcpy(at, block.data(), block.size());
    at += block.size();
  }
  return std::move(out).Freeze();
}

absl::StatusOr<V3Frame> V3Frame::Open(TypePtr schema, Buffer bytes,
                                      const page::ReadLimits& limits) {
  V3Frame frame;
  frame.schema_ = std::move(schema);
  frame.bytes_ = std::move(bytes);
  frame.limits_ = limits;
  SPILLWAY_RETURN_IF_ERROR(base::In("V3 frame", frame.Parse()));
  return frame;
}

absl::Status V3Frame::Parse() {
  ByteReader in(bytes_.view());
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t magic, in.Read<uint32_t>("magic"));
  if (magic != kMagicV3) {
    return in.ErrorAt(0, absl::StrFormat("magic %08x is not %08x", magic, kMagicV3));
  }
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t stats_size, in.Read<uint32_t>("statsLen"));
  SPILLWAY_ASSIGN_OR_RETURN(const ByteReader stats_in, in.Sub(stats_size, "statistics"));

  int64_t at = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t rows, in.Read<uint32_t>("numRows"));
  if (rows > kMaxRows) return in.ErrorAt(at, "numRows ", rows, " is over ", kMaxRows);
  if (rows > limits_.max_rows) {
    return in.At(at, base::Exhausted(rows, " rows, the limit is ", limits_.max_rows));
  }
  rows_ = rows;
  at = in.offset();
  SPILLWAY_ASSIGN_OR_RETURN(const uint32_t columns, in.Read<uint32_t>("numCols"));
  if (columns != schema_->children().size()) {
    return in.ErrorAt(at, "numCols ", columns, ", the schema has ", schema_->children().size());
  }
  if (stats_size != 0) {
    SPILLWAY_ASSIGN_OR_RETURN(stats_, base::In("statistics", stats::ReadBlob(*schema_, stats_in)));
  }
  blocks_.reserve(columns);
  for (size_t i = 0; i < columns; ++i) {
    at = in.offset();
    absl::StatusOr<uint32_t> size = in.Read<uint32_t>("colLen");
    if (!size.ok()) return base::In(vector::ColumnName(*schema_, i), std::move(size).status());
    if (*size == 0 && rows_ != 0) {
      return base::In(vector::ColumnName(*schema_, i),
                      in.ErrorAt(at, "colLen 0 in a frame of ", rows_, " rows"));
    }
    absl::StatusOr<ByteReader> block = in.Sub(*size, "column block");
    if (!block.ok()) return base::In(vector::ColumnName(*schema_, i), std::move(block).status());
    blocks_.push_back(*std::move(block));
  }
  return in.ExpectEnd("last column");
}

absl::StatusOr<ColumnPtr> V3Frame::Load(int64_t index) const {
  const auto columns = static_cast<int64_t>(blocks_.size());
  if (index < 0 || index >= columns) {
    return absl::OutOfRangeError(
        base::Cat("V3 frame: column ", index, " of a frame with ", columns, " columns"));
  }
  const TypePtr& type = schema_->children()[index];
  ByteReader in = blocks_[index];
  if (in.at_end()) return vector::EmptyColumn(type);  // colLen 0, which means no rows
  absl::StatusOr<ColumnPtr> column = page::BlockReader(bytes_, in, limits_).Read(type, rows_);
  if (column.ok()) {
    const absl::Status end = in.ExpectEnd("column block");
    if (end.ok()) return column;
    column = end;
  }
  return base::In("V3 frame",
                  base::In(vector::ColumnName(*schema_, index), std::move(column).status()));
}

absl::StatusOr<Batch> V3Frame::Read(const std::optional<std::vector<int64_t>>& projection) const {
  std::vector<int64_t> all;
  if (!projection.has_value()) {
    for (size_t i = 0; i < blocks_.size(); ++i) all.push_back(static_cast<int64_t>(i));
  }
  std::vector<std::string> names;
  std::vector<TypePtr> types;
  std::vector<ColumnPtr> columns;
  for (const int64_t index : projection.has_value() ? *projection : all) {
    SPILLWAY_ASSIGN_OR_RETURN(ColumnPtr column, Load(index));
    names.push_back(schema_->names()[index]);
    types.push_back(schema_->children()[index]);
    columns.push_back(std::move(column));
  }
  return Batch(vector::Type::Row(std::move(names), std::move(types)), rows_, std::move(columns));
}

}  // namespace spillway::frame
