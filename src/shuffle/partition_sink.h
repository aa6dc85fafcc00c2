// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a shuffle writer's rows go, partition by partition.

#include <cstdint>

#include "absl/status/status.h"
#include "src/vector/batch.h"

namespace spillway::shuffle {

// Calls come from one thread, in rounds. A round is any number of Append(), whose partitions ascend
// (one may come several times), and an end: EndSpill() for each spill, then Finish(), once, for the
// rows that never were spilled. A round may be empty. The rows of a partition are those of its
// Append() calls in their order, over all rounds. After a failure no further call comes.
class PartitionSink {
 public:
  virtual ~PartitionSink() = default;

  // The next rows of `partition`: at least one row, all columns flat, all buffers owned. A sink
  // that fails has consumed none or some of them.
  virtual absl::Status Append(int32_t partition, const vector::Batch& rows) = 0;

  // The round was a spill: its rows must take no memory from now on.
  virtual absl::Status EndSpill() = 0;

  // The last round ends, and with it every partition; those without rows are empty. OK means that
  // the rows are where the sink says that they go.
  virtual absl::Status Finish() = 0;
};

}  // namespace spillway::shuffle
