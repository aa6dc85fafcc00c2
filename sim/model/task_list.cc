// SPDX-License-Identifier: Apache-2.0
#include "sim/model/task_list.h"

#include <algorithm>
#include <string_view>

#include "sim/kernel/exponential.h"
#include "sim/scenario/latency.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

base::Random StreamOf(uint64_t seed, std::string_view what, int group) {
  return base::Random::Stream(seed, base::Cat(what, " of group ", group));
}

}  // namespace

TaskList::Head::Head(const TaskGroup& group, int index, uint64_t seed)
    : arrivals(StreamOf(seed, "arrivals", index)),
      sizes(StreamOf(seed, "sizes", index)),
      stragglers(StreamOf(seed, "stragglers", index)),
      next{.group = &group,
           .group_index = index,
           .arrival = group.arrival().first_ns() * kNanosecond} {}

absl::StatusOr<TaskList> TaskList::Create(const Scenario& scenario) {
  TaskList list;
  for (int i = 0; i < scenario.tasks_size(); ++i) {
    Head& head = list.heads_.emplace_back(scenario.tasks(i), i, scenario.seed());
    if (scenario.tasks(i).has_size()) {
      SPILLWAY_ASSIGN_OR_RETURN(head.size, ToEmpirical(scenario.tasks(i).size()));
    }
    Draw(head);
    list.order_.emplace(head.next.arrival, i);
  }
  return list;
}

void TaskList::Draw(Head& head) {
  const TaskGroup& group = *head.next.group;
  head.next.chunks = group.chunks();
  if (head.size.has_value()) {
    const int64_t chunks = group.chunks() * head.size->Sample(head.sizes) / 1000;
    head.next.chunks = std::max<int64_t>(1, chunks);
  }
  if (group.has_straggler()) {
    const bool slow =
        static_cast<int64_t>(head.stragglers.Below(1000)) < group.straggler().permille();
    head.next.think_factor = slow ? group.straggler().factor() : 1000;
  }
}

bool TaskList::Advance(Head& head) {
  const TaskGroup& group = *head.next.group;
  if (++head.next.ordinal == group.count()) return false;
  head.next.first_chunk += head.next.chunks * group.writers();
  const Duration every = group.arrival().every_ns() * kNanosecond;
  const Duration later =
      group.arrival().poisson() ? SampleExponential(head.arrivals, every) : every;
  head.next.arrival += std::min(later, kEndOfTime - head.next.arrival);
  Draw(head);
  return true;
}

TaskList::Found TaskList::Next(Time now) {
  if (order_.empty()) return {};
  const auto [arrival, index] = order_.top();
  if (arrival > now) return {.arrives = arrival};
  order_.pop();
  Head& head = heads_[index];
  Entry entry = head.next;
  entry.number = number_++;
  if (Advance(head)) order_.emplace(head.next.arrival, index);
  return {.task = entry};
}

}  // namespace spillway::sim
