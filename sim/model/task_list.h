// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tasks of a stage, handed out in the order of the scenario.

#include <cstdint>
#include <optional>

#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

class TaskList {
 public:
  struct Entry {
    const TaskGroup* group = nullptr;
    int group_index = 0;  // in the scenario
    int64_t ordinal = 0;  // within the group
    int64_t number = 0;   // within the stage
  };

  // `scenario` outlives the list.
  explicit TaskList(const Scenario& scenario) : scenario_(scenario) {}

  // Absent when all are given out.
  std::optional<Entry> Next() {
    if (group_ == scenario_.tasks_size()) return std::nullopt;
    const Entry entry{&scenario_.tasks(group_), group_, ordinal_, number_++};
    if (++ordinal_ == entry.group->count()) {
      ++group_;
      ordinal_ = 0;
    }
    return entry;
  }

 private:
  const Scenario& scenario_;
  int group_ = 0;
  int64_t ordinal_ = 0;
  int64_t number_ = 0;
};

}  // namespace spillway::sim
