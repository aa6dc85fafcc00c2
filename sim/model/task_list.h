// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tasks of a stage, handed out in the order in which they arrive.

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/kernel/empirical.h"
#include "sim/kernel/time.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/random.h"

namespace spillway::sim {

// Tasks that arrive at the same time come in the order of the scenario's list, then of their group.
//
// A task's arrival, size and slowness are drawn from streams of its group, each named for its
// purpose, in the order of the group's tasks: a function of the scenario alone, whatever the policy
// and the times at which tasks are taken. Memory is proportional to the number of groups.
class TaskList {
 public:
  struct Entry {
    const TaskGroup* group = nullptr;
    int group_index = 0;      // in the scenario
    int64_t ordinal = 0;      // within the group
    int64_t number = 0;       // within the stage, by arrival
    Time arrival = 0;         // kEndOfTime if it is later than that
    int64_t chunks = 0;       // of each writer, >= 1
    int64_t first_chunk = 0;  // of the first writer: chunks of all writers before it in the group
    int64_t think_factor = 1000;  // on think times, in thousandths
  };

  // What Next() finds.
  struct Found {
    std::optional<Entry> task = std::nullopt;
    // Without a task: when the next one arrives. Absent as well: all are given out.
    std::optional<Time> arrives = std::nullopt;
  };

  // `scenario` outlives the list. Fails only for a scenario that the loader has not accepted.
  static absl::StatusOr<TaskList> Create(const Scenario& scenario);

  // Hands out the first task that has arrived by `now`.
  Found Next(Time now);
  // Whether it has handed out all of them.
  bool empty() const { return order_.empty(); }

 private:
  // A group's next task, and what the ones after it are drawn from.
  struct Head {
    Head(const TaskGroup& group, int index, uint64_t seed);

    base::Random arrivals;
    base::Random sizes;
    base::Random stragglers;
    std::optional<Empirical> size;
    Entry next;
  };

  TaskList() = default;

  // Draws what the group's next task has of its own.
  static void Draw(Head& head);
  // Moves on to the task after it; false if there is none.
  static bool Advance(Head& head);

  using ByArrival = std::pair<Time, int>;  // and the group's index

  std::vector<Head> heads_;
  std::priority_queue<ByArrival, std::vector<ByArrival>, std::greater<>> order_;
  int64_t number_ = 0;
};

}  // namespace spillway::sim
