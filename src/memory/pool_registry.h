// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which pool a plan gets: made by options, and shared in the scope that its name says.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/memory/pool_kind.h"
#include "src/memory/shared_pool.h"
#include "src/memory/spark_backend.h"

namespace spillway::memory {

struct PoolOptions {
  PoolName name;
  PoolVariant variant = PoolVariant::kFixed;
  FairRule rule = FairRule::kPoolWide;  // of fair_unified as it is
  // Bytes, >= 0; ignored by unbounded and greedy_unified. Of one task for pools of plans and tasks,
  // but for fair_unified, which divides what the whole executor has.
  int64_t size = 0;
  std::function<void(std::string_view)> log = nullptr;  // see SparkPoolOptions
};

// A pool that nobody else has. `backend` is needed by the unified pools, and unused by others.
//
//   InvalidArgument   a negative size, a unified pool without backend, a pool that has no name
absl::StatusOr<std::shared_ptr<SharedPool>> MakePool(const PoolOptions& options, int64_t task,
                                                     std::shared_ptr<SparkBackend> backend);

// The pools of a process. Thread-safe.
class PoolRegistry {
 public:
  // The pool of a plan of task attempt `task`: a new one, or the one that the first plan of the
  // task made and some plan of it still has, or the one that the first plan of all made. A pool
  // that is there already stays as it was made, backend and size included, whatever is asked for
  // now. Outcomes as MakePool().
  absl::StatusOr<std::shared_ptr<SharedPool>> ForPlan(const PoolOptions& options, int64_t task,
                                                      std::shared_ptr<SparkBackend> backend);

 private:
  std::mutex mutex_;
  std::map<int64_t, std::weak_ptr<SharedPool>> of_tasks_;
  std::shared_ptr<SharedPool> of_process_;
};

}  // namespace spillway::memory
