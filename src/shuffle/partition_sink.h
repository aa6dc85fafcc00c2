// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a shuffle writer's rows go, partition by partition.

#include <cstdint>

#include "absl/status/status.h"
#include "src/vector/batch.h"

namespace spillway::shuffle {

// Calls come from one thread, in rounds. A round is any number of Append(), whose partitions ascend
// (one may come several times), and an end: EndSpill() for each spill. The last round has the rows
// that never were spilled: it begins with BeginLastRound() and ends with Finish(). A round may be
// empty. The rows of a partition are those of its Append() calls in their order, over all rounds.
// After a failure no further call comes.
class PartitionSink {
 public:
  virtual ~PartitionSink() = default;

  // The next rows of `partition`: at least one row, all columns flat, all buffers owned. A sink
  // that fails has consumed none or some of them.
  virtual absl::Status Append(int32_t partition, const vector::Batch& rows) = 0;

  // The round was a spill: its rows must take no memory from now on.
  virtual absl::Status EndSpill() = 0;

  // What follows is the last round: each partition is complete with its Append() calls there. The
  // place to open the final file, and to write it partition by partition.
  virtual absl::Status BeginLastRound() { return absl::OkStatus(); }

  // The last round ends, and with it every partition; those without rows are empty. OK means that
  // the rows are where the sink says that they go.
  virtual absl::Status Finish() = 0;
};

}  // namespace spillway::shuffle
