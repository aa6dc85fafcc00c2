// SPDX-License-Identifier: Apache-2.0
#pragma once
// A sink of one file a partition, in the layout of record_file.h.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/shuffle/partition_sink.h"
#include "src/vector/batch.h"

namespace spillway::shuffle {

// The bytes of a batch, in whatever format; becomes the payload of one record.
using BatchEncoder = std::function<absl::StatusOr<std::string>(const vector::Batch&)>;

// A partition's file is created by its first Append(), so an empty partition has none, and is open
// during Append() only: any number of partitions needs one descriptor. Files survive the sink only
// after Finish(); a failure of Append() removes them at once.
//
// Statuses name the path and the system's reason:
//   AlreadyExists  a file of that name was there before; it is left alone
//   Internal       the system could not create, write or close a file
//   others         the encoder's
class FileSink final : public PartitionSink {
 public:
  // `directory` exists and is writable.
  FileSink(std::string directory, int32_t partitions, BatchEncoder encode)
      : directory_(std::move(directory)), encode_(std::move(encode)), bytes_(partitions, 0) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override;

  absl::Status Append(int32_t partition, const vector::Batch& rows) override;
  absl::Status EndSpill() override { return absl::OkStatus(); }
  absl::Status Finish() override;

  // DIRECTORY/partition-00042.records
  std::string PathOf(int32_t partition) const;
  // Bytes in the partition's file; 0 if it has none.
  int64_t bytes(int32_t partition) const { return bytes_[partition]; }

 private:
  absl::Status Write(int32_t partition, std::string_view record);
  void RemoveFiles();

  std::string directory_;
  BatchEncoder encode_;
  std::vector<int64_t> bytes_;
  bool finished_ = false;
};

}  // namespace spillway::shuffle
