// SPDX-License-Identifier: Apache-2.0
#pragma once
// A `.cache` file in memory, partition by partition: a table of somebody's real cache, to be cached
// again in other forms. docs/cache.md.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/cache/cached_table.h"
#include "src/frame/byte_source.h"
#include "src/frame/envelope.h"
#include "src/vector/type.h"

namespace spillway::cache {

struct Dump {
  vector::TypePtr schema;
  // In the order in which the file first names them; the file's numbers may have gaps.
  std::vector<std::vector<frame::Envelope>> partitions = {};
  int64_t batches = 0;
  int64_t rows = 0;
  int64_t bytes = 0;  // of payloads and statistics
};

// Reads a whole file, without a look into its batches.
//
//   OK                 the dump; at least one row
//   InvalidArgument    as frame::CacheFileReader, or the file has no rows
//   ResourceExhausted  more than `max_bytes` of payloads and statistics
//   otherwise          as the source says
absl::StatusOr<Dump> LoadDump(frame::ByteSource& source, int64_t max_bytes);

// The batches of a partition, decoded again by each source. Borrows the dump.
BatchSource Replay(const Dump& dump, int64_t partition);

}  // namespace spillway::cache
