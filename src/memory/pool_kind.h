// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pools that spark.comet.exec.memoryPool can name: what they do, and who shares one.

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace spillway::memory {

enum class PoolKind : uint8_t {
  kGreedy,         // first come, first served, up to a size
  kFairSpill,      // those that can spill get equal shares of what the others leave
  kUnbounded,      // everything is granted
  kGreedyUnified,  // Spark is asked for everything
  kFairUnified,    // Spark is asked for what is within a share
};

enum class PoolScope : uint8_t {
  kPlan,     // each plan has its own
  kTask,     // the plans of a task attempt share one
  kProcess,  // all share one, of the size that the first asked for
};

struct PoolName {
  PoolKind kind = PoolKind::kFairUnified;
  PoolScope scope = PoolScope::kTask;

  bool operator==(const PoolName&) const = default;
};

// "greedy", "fair_spill" and "unbounded" of plans; "greedy_task_shared", "fair_spill_task_shared";
// "greedy_global", "fair_spill_global"; "greedy_unified", "fair_unified" of tasks.
//
// InvalidArgument, with the nearest name, if there is no such pool.
absl::StatusOr<PoolName> ParsePoolName(std::string_view text);

// Empty for pairs that have no name, such as an unbounded pool of a task.
std::string_view NameOf(const PoolName& name);

// What is known to be wrong with the real pools, or not. docs/memory/pools.md has the list.
enum class PoolVariant : uint8_t {
  kAsIs,   // "as_is"
  kFixed,  // "fixed"
};

absl::StatusOr<PoolVariant> ParsePoolVariant(std::string_view text);

// What kFairUnified compares with a share in its kAsIs variant: pool size / registered consumers.
enum class FairRule : uint8_t {
  kPoolWide,     // "pool_wide": what all consumers hold together, since DataFusion 53
  kPerConsumer,  // "per_consumer": what the asking one holds, as Comet 1.2.0
};

absl::StatusOr<FairRule> ParseFairRule(std::string_view text);

}  // namespace spillway::memory
