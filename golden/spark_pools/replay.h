// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the recorded sequences of README.md on the pools of this library.

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

namespace spillway::golden {

// The objects of spark_pools.jsonl.gz.
std::vector<nlohmann::json> ReadSparkPools();

// In which order those who wait are let in after a notification.
enum class WakeOrder {
  kRecorded,     // as the sequence says, then the rest, latest first
  kLatestFirst,  // by when they began to wait
};

// The steps of `sequence` as this library takes them: what was asked is copied, and everything that
// came of it is ours. Whether an order matters is copied too.
nlohmann::json Replay(const nlohmann::json& sequence, WakeOrder order);

}  // namespace spillway::golden
