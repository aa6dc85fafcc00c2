// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a shuffle writer's rows go, partition by partition.

#include <cstdint>

#include "absl/status/status.h"
#include "src/vector/batch.h"

namespace spillway::shuffle {

// Calls come from one thread. For each partition: any number of Append(), also of partitions in
// between, then one Finish(). After a failure no further call comes.
class PartitionSink {
 public:
  virtual ~PartitionSink() = default;

  // The next rows of `partition`: at least one row, all columns flat, all buffers owned. A sink
  // that fails has consumed none or some of them.
  virtual absl::Status Append(int32_t partition, const vector::Batch& rows) = 0;

  // `partition` is complete; it may be empty. Partitions finish in ascending order.
  virtual absl::Status Finish(int32_t partition) = 0;
};

}  // namespace spillway::shuffle
