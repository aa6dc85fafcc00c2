// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batches one after the other, whatever they come from.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "src/vector/batch.h"
#include "src/vector/type.h"

namespace spillway::cli {

struct BatchSource {
  vector::TypePtr schema;
  // The next batch; nothing behind the last.
  std::function<absl::StatusOr<std::optional<vector::Batch>>()> next;
  // How much of it has been read, of how much, in a unit of the source's; the latter is positive.
  std::function<int64_t()> done;
  int64_t total = 1;
};

// What `input` names:
//
//   gen:NAME:ROWS       generated rows, in batches of `batch_rows` > 0: i64x2 and mix
//                       (src/shuffle/workload.h), s (schema S), d (schema D, encoded columns)
//   a cache file        its batches as they were cached, all partitions in the file's order
//   *.textproto, .json  the neutral form of one batch
//
//   OK
//   InvalidArgument  no such generator or number of rows, or nothing of these
//   otherwise        as the readers say. Messages begin with `input`
absl::StatusOr<BatchSource> OpenBatchSource(const std::string& input, int64_t batch_rows);

}  // namespace spillway::cli
