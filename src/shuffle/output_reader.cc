// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/output_reader.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::shuffle {

using vector::Batch;

absl::StatusOr<OutputReader> OutputReader::Open(const OutputPaths& paths, IndexOrder order,
                                                const BlockReadOptions& options,
                                                base::FileSystem& files) {
  SPILLWAY_ASSIGN_OR_RETURN(base::File data,
                            base::File::Open(files, paths.data, base::OpenMode::kRead));
  SPILLWAY_ASSIGN_OR_RETURN(const int64_t data_bytes, data.Size());
  SPILLWAY_ASSIGN_OR_RETURN(const std::string index, base::ReadFile(files, paths.index));
  SPILLWAY_ASSIGN_OR_RETURN(std::vector<int64_t> offsets,
                            base::In(paths.index, DecodeIndex(index, order, data_bytes)));
  return OutputReader(std::move(data), std::move(offsets), options);
}

absl::StatusOr<std::optional<Batch>> OutputReader::Blocks::Next() {
  if (offset_ == output_->offsets_[partition_ + 1]) return std::nullopt;
  const int64_t at = offset_;
  absl::StatusOr<Batch> batch = Read();
  if (!batch.ok()) {
    return base::In(base::Cat(output_->data_.path(), ": partition ", partition_, ": block ", block_,
                              " at byte ", at),
                    batch.status());
  }
  ++block_;
  return *std::move(batch);
}

absl::StatusOr<Batch> OutputReader::Blocks::Read() {
  const int64_t rest = output_->offsets_[partition_ + 1] - offset_;
  std::array<char, BlockHeader::kSize> head;
  const int64_t head_bytes = std::min(rest, BlockHeader::kSize);
  SPILLWAY_RETURN_IF_ERROR(output_->data_.Read(offset_, head.data(), head_bytes));
  SPILLWAY_ASSIGN_OR_RETURN(const BlockHeader header,
                            ReadBlockHeader({head.data(), static_cast<size_t>(head_bytes)}, rest));
  vector::MutableBuffer block(header.block_bytes());
  SPILLWAY_RETURN_IF_ERROR(
      output_->data_.Read(offset_, reinterpret_cast<char*>(block.data()), block.size()));
  offset_ += block.size();
  return ReadBlock(std::move(block).Freeze(), output_->options_);
}

absl::StatusOr<std::vector<PartitionSummary>> VerifyOutput(const OutputReader& output) {
  std::vector<PartitionSummary> summaries;
  vector::TypePtr schema;
  for (int32_t partition = 0; partition < output.partitions(); ++partition) {
    PartitionSummary summary;
    summary.bytes = output.offsets()[partition + 1] - output.offsets()[partition];
    OutputReader::Blocks blocks = output.Read(partition);
    while (true) {
      SPILLWAY_ASSIGN_OR_RETURN(const std::optional<Batch> batch, blocks.Next());
      if (!batch.has_value()) break;
      if (schema == nullptr) schema = batch->schema();
      if (!(*schema == *batch->schema())) {
        return base::Invalid("partition ", partition, ": block ", summary.blocks, " is of ",
                             batch->schema()->ToString(), ", others of ", schema->ToString());
      }
      summary.blocks += 1;
      summary.rows += batch->rows();
    }
    summaries.push_back(summary);
  }
  return summaries;
}

}  // namespace spillway::shuffle
