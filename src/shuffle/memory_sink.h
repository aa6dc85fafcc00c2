// SPDX-License-Identifier: Apache-2.0
#pragma once
// A sink that keeps everything, for tests and tools.

#include <cstdint>
#include <vector>

#include "src/shuffle/partition_sink.h"
#include "src/vector/batch.h"

namespace spillway::shuffle {

class MemorySink final : public PartitionSink {
 public:
  explicit MemorySink(int32_t partitions) : pieces_(partitions) {}

  absl::Status Append(int32_t partition, const vector::Batch& rows) override {
    pieces_[partition].push_back(rows);
    return absl::OkStatus();
  }
  absl::Status EndSpill() override {
    ++spills_;
    return absl::OkStatus();
  }
  absl::Status Finish() override {
    finished_ = true;
    return absl::OkStatus();
  }

  // What was appended to `partition`, in order.
  const std::vector<vector::Batch>& pieces(int32_t partition) const { return pieces_[partition]; }
  int64_t spills() const { return spills_; }
  bool finished() const { return finished_; }

 private:
  std::vector<std::vector<vector::Batch>> pieces_;
  int64_t spills_ = 0;
  bool finished_ = false;
};

}  // namespace spillway::shuffle
