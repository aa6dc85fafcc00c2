// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/combinations.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "sim/scenario/latency.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

// What the simulator itself has to hold for the tasks that run at the same time, about 1.5 GiB of
// each: an index vector a partition and every allocation charged (24 bytes), the rows of a chunk
// (12 bytes).
constexpr int64_t kMaxLive = int64_t{1} << 26;
constexpr int64_t kMaxLiveRows = int64_t{1} << 27;
// Bytes that they may charge together, so that no sum of the run overflows.
constexpr __int128 kMaxLiveBytes = __int128{1} << 60;

absl::Status CheckLatency(const Latency& latency, const std::string& path, const Places& places) {
  const auto distribution = ToEmpirical(latency);
  if (distribution.ok()) return absl::OkStatus();
  return places.Refuse(path, distribution.status().message());
}

absl::Status CheckKeys(const Keys& keys, const std::string& path, const Places& places) {
  if (keys.kind_case() == Keys::KIND_NOT_SET) {
    return places.Refuse(path, "needs constant, sequential, uniform or dealt");
  }
  if (keys.has_uniform() && keys.uniform().low() > keys.uniform().high()) {
    return places.Refuse(path + ".uniform", "low ", keys.uniform().low(), " is above high ",
                         keys.uniform().high());
  }
  return absl::OkStatus();
}

absl::Status CheckTasks(const Scenario& scenario, const Places& places) {
  __int128 chunks = 0;
  for (int i = 0; i < scenario.tasks_size(); ++i) {
    const TaskGroup& group = scenario.tasks(i);
    const std::string path = base::Cat("tasks[", i, "]");
    SPILLWAY_RETURN_IF_ERROR(CheckKeys(group.keys(), path + ".keys", places));
    SPILLWAY_RETURN_IF_ERROR(CheckLatency(group.think(), path + ".think", places));
    const int64_t live = std::min(scenario.executor().slots(), group.count());
    if (live * group.partitions() > kMaxLive) {
      return places.Refuse(path + ".partitions", live, " tasks at a time of ", group.partitions(),
                           " partitions are more than ", kMaxLive, " index vectors");
    }
    if (live * group.rows_per_chunk() > kMaxLiveRows) {
      return places.Refuse(path + ".rows_per_chunk", live, " tasks at a time with chunks of ",
                           group.rows_per_chunk(), " rows are more than ", kMaxLiveRows, " rows");
    }
    // Amortised growth at most doubles what the indices need, 8 bytes a row.
    __int128 chunk_bytes = 16 * group.rows_per_chunk();
    for (const int64_t bytes : group.buffer_bytes()) chunk_bytes += bytes;
    if (chunk_bytes * group.chunks() * live > kMaxLiveBytes) {
      return places.Refuse(path + ".chunks", live, " tasks at a time of ", group.chunks(),
                           " chunks of ", static_cast<int64_t>(chunk_bytes),
                           " bytes are more than 2^60 bytes");
    }
    if (live * group.chunks() * group.buffer_bytes_size() > kMaxLive) {
      return places.Refuse(path + ".chunks", live, " tasks at a time of ", group.chunks(),
                           " chunks with ", group.buffer_bytes_size(),
                           " allocations each are more than ", kMaxLive, " allocations");
    }
    chunks += static_cast<__int128>(group.chunks()) * group.count();
  }
  if (chunks > scenario.bounds().max_events()) {
    return places.Refuse("bounds.max_events", "the tasks have more chunks together than the ",
                         scenario.bounds().max_events(),
                         " events after which the run would be cut");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckCombinations(const Scenario& scenario, const Places& places) {
  SPILLWAY_RETURN_IF_ERROR(CheckTasks(scenario, places));
  SPILLWAY_RETURN_IF_ERROR(CheckLatency(scenario.jni().crossing(), "jni.crossing", places));
  std::set<std::string> names;
  for (int i = 0; i < scenario.policies_size(); ++i) {
    if (!names.insert(scenario.policies(i).name()).second) {
      return places.Refuse(base::Cat("policies[", i, "].name"), "two policies are called \"",
                           scenario.policies(i).name(), "\"");
    }
  }
  for (int i = 0; i < scenario.published().figures_size(); ++i) {
    const std::string& policy = scenario.published().figures(i).policy();
    if (!names.contains(policy)) {
      return places.Refuse(base::Cat("published.figures[", i, "].policy"), "no policy is called \"",
                           policy, "\"");
    }
  }
  return absl::OkStatus();
}

}  // namespace spillway::sim
