// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/memory_rules.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "sim/scenario/latency.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

// Of all executors together, so that no sum of the run overflows.
constexpr __int128 kMaxBytes = __int128{1} << 60;

// What tasks and holders can get at most: cached blocks within storage's own region stay.
int64_t ForExecution(const Spark& spark) {
  const auto region = static_cast<int64_t>(static_cast<__int128>(spark.off_heap_bytes()) *
                                           spark.storage_permille() / 1000);
  const int64_t cached = spark.cached_blocks() * spark.cached_block_bytes();
  return spark.off_heap_bytes() - std::min(cached, region);
}

absl::Status CheckPool(const Scenario& scenario, const Places& places) {
  const Pool& pool = scenario.pool();
  const std::string kind = Pool::Kind_Name(pool.kind());
  const auto only_of = [&](std::string_view field, std::string_view kinds) {
    return places.Refuse(field, "is of the pool's kind ", kinds, "; nobody asks for it with ",
                         kind);
  };
  if (pool.has_capacity_bytes() && pool.kind() != Pool::COUNTING) {
    return only_of("pool.capacity_bytes", "COUNTING");
  }
  if (pool.kind() != Pool::FAIR_UNIFIED) {
    if (pool.has_fixed()) return only_of("pool.fixed", "FAIR_UNIFIED");
    if (pool.has_fair_rule()) return only_of("pool.fair_rule", "FAIR_UNIFIED");
    if (pool.has_fair_bytes()) return only_of("pool.fair_bytes", "FAIR_UNIFIED");
  }
  if (pool.fixed() && pool.has_fair_rule()) {
    return places.Refuse("pool.fair_rule", "is of the pool as it is; fixed has a rule of its own");
  }
  if (pool.kind() == Pool::COUNTING || pool.kind() == Pool::NO_LOCK) {
    if (scenario.has_spark()) return only_of("spark", "GREEDY_UNIFIED or FAIR_UNIFIED");
    if (scenario.holders_size() > 0) {
      return only_of("holders[0]", "GREEDY_UNIFIED or FAIR_UNIFIED");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSpark(const Scenario& scenario, const Places& places) {
  const Spark& spark = scenario.spark();
  const int64_t executors = scenario.executor().count();
  if (static_cast<__int128>(executors) * spark.off_heap_bytes() > kMaxBytes) {
    return places.Refuse("spark.off_heap_bytes", executors, " executors with ",
                         spark.off_heap_bytes(), " bytes each have more than 2^60 bytes");
  }
  const int64_t cached = spark.cached_blocks() * spark.cached_block_bytes();
  if (cached > spark.off_heap_bytes()) {
    return places.Refuse("spark.cached_blocks", spark.cached_blocks(), " blocks of ",
                         spark.cached_block_bytes(), " bytes do not fit into a memory of ",
                         spark.off_heap_bytes(), " bytes");
  }
  if (ForExecution(spark) == 0) {
    return places.Refuse("spark.storage_permille",
                         "no task could ever get a byte: cached blocks "
                         "fill storage's own region, which is all of the memory");
  }
  return absl::OkStatus();
}

absl::Status CheckHolders(const Scenario& scenario, const Places& places) {
  const int64_t most = ForExecution(scenario.spark());
  for (int i = 0; i < scenario.holders_size(); ++i) {
    const Holder& holder = scenario.holders(i);
    const std::string path = base::Cat("holders[", i, "]");
    if (holder.min_bytes() > holder.max_bytes()) {
      return places.Refuse(path + ".min_bytes", holder.min_bytes(), " is above max_bytes, ",
                           holder.max_bytes());
    }
    if (holder.min_bytes() > most) {
      return places.Refuse(path + ".min_bytes", "a holder that asks for ", holder.min_bytes(),
                           " bytes where tasks can have ", most,
                           " would be granted short for ever");
    }
    SPILLWAY_RETURN_IF_ERROR(CheckLatency(holder.hold(), path + ".hold", places));
    SPILLWAY_RETURN_IF_ERROR(CheckLatency(holder.idle(), path + ".idle", places));
    // Its rounds take no time and, where they do not end with the tasks, no end.
    if (LongestNanos(holder.hold()) == 0 && LongestNanos(holder.idle()) == 0) {
      return places.Refuse(path + ".hold",
                           "hold and idle are never longer than 0 ns: the holder "
                           "would ask without end");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckMemory(const Scenario& scenario, const Places& places) {
  SPILLWAY_RETURN_IF_ERROR(CheckPool(scenario, places));
  SPILLWAY_RETURN_IF_ERROR(CheckSpark(scenario, places));
  return CheckHolders(scenario, places);
}

}  // namespace spillway::sim
