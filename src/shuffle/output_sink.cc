// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/output_sink.h"

#include <algorithm>
#include <utility>

#include "src/base/check.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/shuffle/temporary_file.h"

namespace spillway::shuffle {
namespace {

absl::Status CheckOptions(int32_t partitions, const OutputOptions& options) {
  if (partitions < 1) return base::Invalid(partitions, " partitions, not 1 or more");
  if (options.paths.data.empty() || options.paths.index.empty()) {
    return base::Invalid("no path for the ", options.paths.data.empty() ? "data" : "index");
  }
  if (options.paths.data == options.paths.index) {
    return base::Invalid("one path for data and index: ", options.paths.data);
  }
  if (options.max_open_files < 2) {
    return base::Invalid("at most ", options.max_open_files, " open files, not 2 or more");
  }
  if (options.buffer_bytes < 0) return base::Invalid("buffers of ", options.buffer_bytes, " bytes");
  return absl::OkStatus();
}

SpillOptions SpillsOf(const OutputOptions& options) {
  const std::string directory = base::DirectoryOf(options.paths.data);
  const size_t slash = options.paths.data.rfind('/');
  return {.layout = options.spill_layout,
          .directories = options.spill_directories.empty() ? std::vector<std::string>{directory}
                                                           : options.spill_directories,
          .stem = options.paths.data.substr(slash == std::string::npos ? 0 : slash + 1),
          .max_open_files = options.max_open_files,
          .buffer_bytes = options.buffer_bytes};
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputSink>> OutputSink::Create(vector::TypePtr schema,
                                                               int32_t partitions,
                                                               OutputOptions options,
                                                               base::FileSystem& files) {
  SPILLWAY_RETURN_IF_ERROR(base::In("shuffle output", CheckOptions(partitions, options)));
  SPILLWAY_ASSIGN_OR_RETURN(
      BlockWriter blocks,
      base::In("shuffle output", BlockWriter::Create(std::move(schema), options.block)));
  return std::unique_ptr<OutputSink>(
      new OutputSink(partitions, std::move(options), std::move(blocks), files));
}

OutputSink::OutputSink(int32_t partitions, OutputOptions options, BlockWriter blocks,
                       base::FileSystem& files)
    : partitions_(partitions),
      options_(std::move(options)),
      blocks_(std::move(blocks)),
      files_(files),
      spills_(SpillStore::Create(files, partitions, SpillsOf(options_))) {}

OutputSink::~OutputSink() { RemoveFiles(); }

absl::Status OutputSink::Append(int32_t partition, const vector::Batch& rows) {
  SPILLWAY_RETURN_IF_ERROR(failure_);
  SPILLWAY_CHECK(partition >= partition_ && partition < partitions_,
                 "partitions exist and ascend within a round");
  partition_ = partition;
  block_.Clear();
  absl::Status status = blocks_.Append(rows, block_);
  if (!status.ok()) return Settle(base::In(base::Cat("partition ", partition), status));
  metrics_.rows += rows.rows();
  metrics_.blocks += block_.size() > 0 ? 1 : 0;
  if (block_.size() > 0) {
    if (data_.has_value()) {
      status = AdvanceTo(partition);
      if (status.ok()) status = data_->Write(block_.list(), block_.size());
    } else {
      status = spills_->Append(partition, block_);
    }
  }
  block_.Clear();
  return Settle(std::move(status));
}

absl::Status OutputSink::EndSpill() {
  SPILLWAY_RETURN_IF_ERROR(failure_);
  SPILLWAY_CHECK(!data_.has_value(), "no spill follows the last round");
  partition_ = 0;
  const absl::Status status = Settle(spills_->EndRound());
  if (status.ok()) Measure();
  return status;
}

absl::Status OutputSink::BeginLastRound() {
  SPILLWAY_RETURN_IF_ERROR(failure_);
  SPILLWAY_CHECK(spills_ != nullptr && !data_.has_value(), "there is one last round");
  partition_ = 0;
  SPILLWAY_RETURN_IF_ERROR(Settle(spills_->EndWriting()));
  absl::StatusOr<base::File> file = CreateTemporary(files_, options_.paths.data);
  if (!file.ok()) return Settle(file.status());
  data_path_ = file->path();
  data_.emplace(*std::move(file), options_.buffer_bytes);
  offsets_.reserve(static_cast<size_t>(partitions_) + 1);
  return absl::OkStatus();
}

absl::Status OutputSink::AdvanceTo(int32_t partition) {
  for (; next_ <= partition; ++next_) {
    offsets_.push_back(data_->bytes());
    SPILLWAY_RETURN_IF_ERROR(spills_->CopyTo(next_, *data_));
  }
  return absl::OkStatus();
}

absl::Status OutputSink::WriteEnd() {
  SPILLWAY_RETURN_IF_ERROR(AdvanceTo(partitions_ - 1));
  offsets_.push_back(data_->bytes());
  SPILLWAY_RETURN_IF_ERROR(data_->Flush());
  if (options_.sync) SPILLWAY_RETURN_IF_ERROR(data_->file().Sync());
  return data_->file().Close();
}

absl::Status OutputSink::Finish() {
  SPILLWAY_RETURN_IF_ERROR(failure_);
  SPILLWAY_CHECK(data_.has_value(), "the last round has begun and not ended");
  SPILLWAY_RETURN_IF_ERROR(Settle(WriteEnd()));
  Measure();
  metrics_.data_bytes = data_->bytes();
  const int64_t index_bytes = static_cast<int64_t>(offsets_.size()) * 8;
  metrics_.bytes_written = metrics_.data_bytes + index_bytes + metrics_.spilled_bytes;
  // Whether it is committed or not, the temporary file is gone then.
  const std::string data = std::exchange(data_path_, {});
  RemoveFiles();
  absl::StatusOr<CommitResult> committed =
      CommitOutput(files_, data, offsets_, options_.paths, options_.index_order, options_.sync);
  if (!committed.ok()) return failure_ = base::In("shuffle output", committed.status());
  offsets_ = std::move(committed->offsets);
  metrics_.existing_output = committed->existing;
  return absl::OkStatus();
}

absl::Status OutputSink::Settle(absl::Status status) {
  if (status.ok()) return status;
  Measure();
  RemoveFiles();
  return failure_ = base::In("shuffle output", status);
}

void OutputSink::RemoveFiles() {
  data_.reset();
  spills_.reset();
  if (data_path_.empty()) return;
  const std::string path = std::exchange(data_path_, {});
  if (!base::Remove(files_, path).ok()) base::Remove(files_, path).IgnoreError();
}

void OutputSink::Measure() {
  metrics_.spilled_bytes = spills_->bytes();
  metrics_.spill_files = spills_->files();
  const int64_t data = data_.has_value() ? data_->resident_bytes() : 0;
  const int64_t resident = data + spills_->resident_bytes() + blocks_.scratch_bytes() +
                           static_cast<int64_t>(offsets_.capacity() * sizeof(int64_t));
  metrics_.resident_bytes = std::max(metrics_.resident_bytes, resident);
}

}  // namespace spillway::shuffle
