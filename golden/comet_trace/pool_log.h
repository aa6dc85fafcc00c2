// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the log of Comet's memory pools. README.md has the grammar.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace spillway::golden {

// A call of a task's memory pool by one consumer.
struct PoolEvent {
  enum class Call { kRegister, kUnregister, kGrow, kTryGrow, kShrink };

  int64_t line = 0;  // from 1
  int64_t task = 0;  // Spark's task attempt
  std::string consumer = {};
  int64_t partition = 0;
  Call call = Call::kRegister;
  int64_t bytes = 0;       // kGrow, kTryGrow, kShrink
  bool granted = false;    // kTryGrow
  std::string error = {};  // kTryGrow that was denied: the text after "Err: "
};

// "ShuffleRepartitioner spilling ...", which names no task.
struct SpillEvent {
  int64_t line = 0;
  int64_t bytes = 0;
  int64_t previous_spills = 0;
};

struct PoolLog {
  std::vector<PoolEvent> calls;    // in the order of the log
  std::vector<SpillEvent> spills;  // likewise
  int64_t other_lines = 0;         // of other sources, and empty ones

  // The tasks that made a call.
  std::set<int64_t> Tasks() const;
};

// InvalidArgument with the line's number and text: a line without date, time, level and source, or
// one of the pool or the repartitioner that says something else than the grammar.
absl::StatusOr<PoolLog> ParsePoolLog(std::string_view text);

}  // namespace spillway::golden
