// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cases of spark_pruning.jsonl (README.md) in our types.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "src/stats/blob.h"
#include "src/stats/predicate.pb.h"
#include "src/vector/batch.h"

namespace spillway::golden {

struct PruningCase {
  std::string id;
  std::string sql;
  vector::Batch batch;                    // `values`, under `types`; columns c0, c1
  stats::BatchStats stats;                // by Gluten's rules
  stats::proto::Predicate predicate;      // as written
  stats::proto::Predicate scan;           // `scan_predicates`, joined with AND
  std::vector<int64_t> matches;           // rows
  std::optional<bool> spark_keeps;        // absent: the optimizer left no scan
  std::optional<bool> gluten_keeps;
  bool substr_overread = false;           // Spark's answer rests on bytes behind a buffer
};

// All lines, in order. InvalidArgument naming the line that cannot be read.
absl::StatusOr<std::vector<PruningCase>> ReadPruningCases();

// id -> cause of the lines of unsound.tsv for which Spark's buildFilter loses rows.
absl::StatusOr<std::map<std::string, std::string>> ReadLossyCauses();

}  // namespace spillway::golden
