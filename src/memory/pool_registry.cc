// SPDX-License-Identifier: Apache-2.0
#include "src/memory/pool_registry.h"

#include <utility>

#include "src/base/status.h"
#include "src/memory/local_pool.h"
#include "src/memory/spark_pool.h"

namespace spillway::memory {

absl::StatusOr<std::shared_ptr<SharedPool>> MakePool(const PoolOptions& options, int64_t task,
                                                     std::shared_ptr<SparkBackend> backend) {
  const std::string_view name = NameOf(options.name);
  if (name.empty()) return base::Invalid("there is no pool of this kind and scope");
  if (options.size < 0) {
    return base::Invalid("pool ", name, " cannot have ", options.size, " bytes");
  }
  const PoolKind kind = options.name.kind;
  if (kind != PoolKind::kGreedyUnified && kind != PoolKind::kFairUnified) {
    return std::make_shared<LocalPool>(kind, options.size, options.variant);
  }
  if (backend == nullptr) return base::Invalid("pool ", name, " needs Spark to ask");
  return std::make_shared<SparkPool>(SparkPoolOptions{.kind = kind,
                                                      .variant = options.variant,
                                                      .rule = options.rule,
                                                      .size = options.size,
                                                      .task = task,
                                                      .log = options.log},
                                     std::move(backend));
}

absl::StatusOr<std::shared_ptr<SharedPool>> PoolRegistry::ForPlan(
    const PoolOptions& options, int64_t task, std::shared_ptr<SparkBackend> backend) {
  if (options.name.scope == PoolScope::kPlan) return MakePool(options, task, std::move(backend));
  const std::lock_guard lock(mutex_);
  if (options.name.scope == PoolScope::kProcess) {
    if (of_process_ != nullptr) return of_process_;
    SPILLWAY_ASSIGN_OR_RETURN(of_process_, MakePool(options, task, std::move(backend)));
    return of_process_;
  }
  if (const auto found = of_tasks_.find(task); found != of_tasks_.end()) {
    if (std::shared_ptr<SharedPool> pool = found->second.lock()) return pool;
  }
  SPILLWAY_ASSIGN_OR_RETURN(std::shared_ptr<SharedPool> pool,
                            MakePool(options, task, std::move(backend)));
  std::erase_if(of_tasks_, [](const auto& entry) { return entry.second.expired(); });
  of_tasks_[task] = pool;
  return pool;
}

}  // namespace spillway::memory
