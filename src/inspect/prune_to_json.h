// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reports on pruning for programs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "src/inspect/prune_report.h"

namespace spillway::inspect {

struct JudgedBatch {
  std::optional<uint32_t> partition = std::nullopt;  // of a cache file
  PruneReport report;
};

struct PruneRun {
  std::string input;
  std::string where;
  std::string schema;
  stats::PruneOptions options = {};
  std::vector<JudgedBatch> batches = {};
  absl::Status status;  // what ended the run before the input's end
};

// {"input", "where", "schema", "mode", "nan_aware", "error": null or {"message", "byte"},
//  "batches": [{"partition", "form", "rows", "statistics", "skip",
//    "why": {"condition", "verdict", "reason", "skips", "arguments": [...]},
//    "others": [{"mode", "skip", "differences": [{"condition", "why"}]}],
//    "matches": [...], "loses_rows"}]}
// `partition` is there in cache files; `matches` and `loses_rows` if values were looked at.
std::string ToJson(const PruneRun& run);

}  // namespace spillway::inspect
