// SPDX-License-Identifier: Apache-2.0
#pragma once
// The statistics blob of V2 and V3 frames (FORMAT section 5). docs/format/statistics.md.
//
//   numCols u32, then a column:
//   supported u8 | nullCount u32 | count u32 | sizeInBytes u64
//   and if supported: lowerLen u32 | lower | upperLen u32 | upper

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/base/byte_reader.h"
#include "src/stats/column_stats.h"
#include "src/vector/batch.h"

namespace spillway::stats {

// One entry a column.
using BatchStats = std::vector<ColumnStats>;

// Statistics of each column of `batch`.
BatchStats ComputeStats(const vector::Batch& batch, const StatsOptions& options = {});

// Bytes that WriteBlob() writes.
int64_t BlobSize(const BatchStats& stats);

// Writes the blob at `out` and returns its end.
uint8_t* WriteBlob(const BatchStats& stats, uint8_t* out);

// Reads the blob that fills what `in` has left, for the columns of `schema`. Bounds with lower >
// upper occur in blobs of real systems; they are read as they are, and pruning must not trust them.
//
//   OK               one entry a column of `schema`
//   InvalidArgument  another number of columns, a bound whose length is not its type's, a flag that
//                    is not 0 or 1, null counts over the row count, bytes missing or left over
absl::StatusOr<BatchStats> ReadBlob(const vector::Type& schema, base::ByteReader in);

// Whether ReadBlob() takes the blob, with its error if not. Allocates nothing unless it fails: what
// opens many frames looks at few statistics.
absl::Status CheckBlob(const vector::Type& schema, base::ByteReader in);

}  // namespace spillway::stats
