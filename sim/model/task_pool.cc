// SPDX-License-Identifier: Apache-2.0
#include "sim/model/task_pool.h"

#include <utility>

#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

namespace spark = memory::spark;

memory::SparkPoolOptions OptionsOf(Machine& machine, int64_t task, Lock& mutex) {
  const Scenario& scenario = machine.scenario();
  const Pool& pool = scenario.pool();
  const bool fair = pool.kind() == Pool::FAIR_UNIFIED;
  Kernel& kernel = machine.kernel();
  return {.kind = fair ? memory::PoolKind::kFairUnified : memory::PoolKind::kGreedyUnified,
          .variant = pool.fixed() ? memory::PoolVariant::kFixed : memory::PoolVariant::kAsIs,
          .rule = pool.fair_rule() == Pool::PER_CONSUMER ? memory::FairRule::kPerConsumer
                                                         : memory::FairRule::kPoolWide,
          .size = pool.has_fair_bytes() ? pool.fair_bytes() : scenario.spark().off_heap_bytes(),
          .task = task,
          .lock = &mutex,
          .clock = [&kernel] { return static_cast<uint64_t>(kernel.now() / kNanosecond); }};
}

}  // namespace

absl::StatusOr<int64_t> PoolBackend::Acquire(int64_t bytes) {
  SPILLWAY_ASSIGN_OR_RETURN(const memory::Grant grant, pool_.TryGrow(bytes));
  return grant.granted ? bytes : 0;
}

TaskPool::TaskPool(Machine& machine, int64_t task)
    : machine_(machine),
      own_lock_(machine.cores(), base::Cat("T of task ", task), machine.monitor_traits()),
      mutex_(machine.cores(), base::Cat("mutex of task ", task), machine.mutex_traits()) {
  std::shared_ptr<memory::SparkBackend> backend;
  if (machine.spark() != nullptr) {
    memory_.emplace(*machine.spark(), own_lock_, task);
    consumer_.emplace(*memory_, machine.scenario().spark().counts_usage()
                                    ? spark::Accounting::kCounted
                                    : spark::Accounting::kUncounted);
    backend = std::make_shared<spark::TaskBackend>(*consumer_);
  } else {
    backend = counting_ = std::make_shared<PoolBackend>(machine.counting());
  }
  pool_.emplace(OptionsOf(machine, task, mutex_), std::move(backend));
}

memory::Monitor* TaskPool::backend_lock() {
  return machine_.scenario().pool().kind() == Pool::NO_LOCK ? nullptr : &machine_.monitor();
}

}  // namespace spillway::sim
