// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/task_rules.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "sim/scenario/latency.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

constexpr int64_t kMaxThreads = 100'000;
// Index vectors of the writers that run at the same time, of which the simulator itself holds 16
// bytes each; and partitions of all groups together.
constexpr int64_t kMaxLive = int64_t{1} << 26;
// Bytes that they may charge together, so that no sum of the run overflows.
constexpr __int128 kMaxLiveBytes = __int128{1} << 60;
// Values of all Zipf distributions together: each is a row of a table.
constexpr int64_t kMaxZipfValues = int64_t{1} << 24;
constexpr int64_t kNanosPerMilli = 1'000'000;

// The least or greatest number of chunks of the group's tasks.
int64_t LeastChunks(const TaskGroup& group) {
  const int64_t factor = group.has_size() ? group.size().quantile(0).factor() : 1000;
  return std::max<int64_t>(1, group.chunks() * factor / 1000);
}
int64_t MostChunks(const TaskGroup& group) {
  const auto& points = group.size().quantile();
  const int64_t factor = group.has_size() ? points.Get(points.size() - 1).factor() : 1000;
  return std::max<int64_t>(1, group.chunks() * factor / 1000);
}

absl::Status CheckKeys(const Keys& keys, const std::string& path, const Places& places) {
  if (keys.kind_case() == Keys::KIND_NOT_SET) {
    return places.Refuse(path, "needs constant, sequential, uniform, dealt, zipf, trace or none");
  }
  if (keys.has_uniform() && keys.uniform().low() > keys.uniform().high()) {
    return places.Refuse(path + ".uniform", "low ", keys.uniform().low(), " is above high ",
                         keys.uniform().high());
  }
  return absl::OkStatus();
}

absl::Status CheckArrival(const TaskGroup& group, const Scenario& scenario, const std::string& path,
                          const Places& places) {
  const Arrival& arrival = group.arrival();
  const int64_t end_ms = scenario.bounds().max_virtual_ms();
  const __int128 end_ns = static_cast<__int128>(end_ms) * kNanosPerMilli;
  if (arrival.first_ns() > end_ns) {
    return places.Refuse(path + ".first_ns",
                         "no task of the group can begin: the first arrives "
                         "after the ",
                         end_ms, " ms at which the run would be cut");
  }
  if (arrival.poisson() && arrival.every_ns() == 0) {
    return places.Refuse(path + ".poisson", "needs every_ns, the mean time between two tasks");
  }
  const __int128 last_ns =
      arrival.first_ns() + static_cast<__int128>(arrival.every_ns()) * (group.count() - 1);
  if (!arrival.poisson() && last_ns > end_ns) {
    return places.Refuse(path + ".every_ns", "the last of ", group.count(),
                         " tasks arrives after "
                         "the ",
                         end_ms, " ms at which the run would be cut");
  }
  return absl::OkStatus();
}

// What the writers that run at the same time need.
absl::Status CheckLive(const TaskGroup& group, const Scenario& scenario, const std::string& path,
                       const Places& places) {
  const int64_t slots = scenario.executor().slots() * scenario.executor().count();
  const int64_t live = std::min(slots, group.count()) * group.writers();
  const std::string_view who = group.writers() == 1 ? " tasks" : " writers";
  if (live * group.partitions() > kMaxLive) {
    return places.Refuse(path + ".partitions", live, who, " at a time of ", group.partitions(),
                         " partitions are more than ", kMaxLive, " index vectors");
  }
  const int64_t chunks = MostChunks(group);
  // Amortised growth at most doubles what the indices need, 8 bytes a row.
  __int128 chunk_bytes = group.keys().has_none() ? 0 : 16 * group.rows_per_chunk();
  for (const int64_t bytes : group.buffer_bytes()) chunk_bytes += bytes;
  if (chunk_bytes * chunks * live > kMaxLiveBytes) {
    return places.Refuse(path + ".chunks", live, who, " at a time of ", chunks, " chunks of ",
                         static_cast<int64_t>(chunk_bytes), " bytes are more than 2^60 bytes");
  }
  return absl::OkStatus();
}

absl::Status CheckGroup(const TaskGroup& group, const Scenario& scenario, const std::string& path,
                        const Places& places) {
  SPILLWAY_RETURN_IF_ERROR(CheckKeys(group.keys(), path + ".keys", places));
  SPILLWAY_RETURN_IF_ERROR(CheckLatency(group.think(), path + ".think", places));
  if (group.has_size()) {
    if (const auto size = ToEmpirical(group.size()); !size.ok()) {
      return places.Refuse(path + ".size", base::ToStd(size.status().message()));
    }
  }
  SPILLWAY_RETURN_IF_ERROR(CheckArrival(group, scenario, path + ".arrival", places));
  return CheckLive(group, scenario, path, places);
}

absl::Status CheckThreads(const Scenario& scenario, const Places& places) {
  const int64_t executors = scenario.executor().count();
  int64_t writers = 1;
  for (const TaskGroup& group : scenario.tasks()) writers = std::max(writers, group.writers());
  int64_t holders = 0;
  for (const Holder& holder : scenario.holders()) holders += holder.count();
  const int64_t slots = scenario.executor().slots();
  if (executors * (slots * writers + holders) <= kMaxThreads) return absl::OkStatus();
  return places.Refuse("executor.slots", executors, " executors with ", slots, " slots of ",
                       writers, " writers and ", holders, " holders are more than ", kMaxThreads,
                       " threads");
}

}  // namespace

absl::Status CheckTasks(const Scenario& scenario, const Places& places) {
  SPILLWAY_RETURN_IF_ERROR(CheckThreads(scenario, places));
  __int128 chunks = 0;
  int64_t zipf_values = 0;
  int64_t partitions = 0;
  for (int i = 0; i < scenario.tasks_size(); ++i) {
    const TaskGroup& group = scenario.tasks(i);
    const std::string path = base::Cat("tasks[", i, "]");
    SPILLWAY_RETURN_IF_ERROR(CheckGroup(group, scenario, path, places));
    chunks += static_cast<__int128>(LeastChunks(group)) * group.count() * group.writers();
    partitions += group.partitions();
    if (partitions > kMaxLive) {
      return places.Refuse(path + ".partitions", "the groups up to here have more than ", kMaxLive,
                           " partitions together");
    }
    zipf_values += group.keys().zipf().values();
    if (zipf_values > kMaxZipfValues) {
      return places.Refuse(path + ".keys.zipf.values", "the groups up to here have more than ",
                           kMaxZipfValues, " values together");
    }
  }
  if (chunks > scenario.bounds().max_events()) {
    return places.Refuse("bounds.max_events", "the tasks have more chunks together than the ",
                         scenario.bounds().max_events(),
                         " events after which the run would be cut");
  }
  return absl::OkStatus();
}

}  // namespace spillway::sim
