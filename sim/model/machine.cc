// SPDX-License-Identifier: Apache-2.0
#include "sim/model/machine.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

namespace spark = memory::spark;

LockTraits Times(const MonitorModel& model) {
  return {.spin = model.spin_ns() * kNanosecond,
          .handover = model.handover_ns() * kNanosecond,
          .unpark = model.unpark_ns() * kNanosecond,
          .wake = model.wake_ns() * kNanosecond};
}

LockTraits MonitorTraits(const MonitorModel& model) {
  switch (model.kind()) {
    case MonitorModel::FIFO:
      return LockTraits::Fifo(Times(model));
    case MonitorModel::IDEAL:
      return LockTraits::Ideal();
    case MonitorModel::HOTSPOT:
      break;
  }
  return LockTraits::HotSpot(Times(model));
}

LockTraits MutexTraits(const MonitorModel& model) {
  return model.kind() == MonitorModel::IDEAL ? LockTraits::Ideal()
                                             : LockTraits::Mutex(Times(model));
}

CoreOptions OptionsOf(const Scenario& scenario) {
  const auto& executor = scenario.executor();
  return {.cores = executor.cores(),
          .tick = executor.tick_ns() * kNanosecond,
          .slice = executor.slice_ns() * kNanosecond,
          .switch_time = executor.switch_ns() * kNanosecond};
}

std::optional<int64_t> Capacity(const Pool& pool) {
  if (pool.has_capacity_bytes()) return pool.capacity_bytes();
  return std::nullopt;
}

bool AsksSpark(const Pool& pool) {
  return pool.kind() == Pool::GREEDY_UNIFIED || pool.kind() == Pool::FAIR_UNIFIED;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Machine>> Machine::Create(const Scenario& scenario, int64_t number,
                                                         Kernel& kernel, memory::Pool* pool,
                                                         Exploration* exploration,
                                                         Measures& measures) {
  SPILLWAY_ASSIGN_OR_RETURN(CrossingTimes times, CrossingTimes::Create(scenario.jni()));
  std::unique_ptr<Machine> machine(
      new Machine(scenario, number, kernel, pool, exploration, std::move(times), measures));
  SPILLWAY_RETURN_IF_ERROR(machine->CacheBlocks());
  return machine;
}

Machine::Machine(const Scenario& scenario, int64_t number, Kernel& kernel, memory::Pool* pool,
                 Exploration* exploration, CrossingTimes times, Measures& measures)
    : scenario_(scenario),
      number_(number),
      measures_(measures),
      times_(std::move(times)),
      monitor_(MonitorTraits(scenario.monitor())),
      mutex_(MutexTraits(scenario.monitor())),
      exploration_(exploration),
      cores_(kernel, OptionsOf(scenario)),
      lock_(cores_, AsksSpark(scenario.pool()) ? "U of Spark's memory" : "of the pool", monitor_,
            &measures.run.contended_wait),
      guise_(exploration == nullptr ? lock_ : exploration->Disguise(lock_)),
      time_for_task_(scenario.jni().inside_ns_per_task() * kNanosecond),
      own_pool_(Capacity(scenario.pool())),
      counting_(pool != nullptr ? pool : &own_pool_),
      disks_(kernel, scenario.disk(), measures.disks) {
  if (!AsksSpark(scenario.pool())) return;
  const int64_t total = scenario.spark().off_heap_bytes();
  const auto region = static_cast<int64_t>(static_cast<__int128>(total) *
                                           scenario.spark().storage_permille() / 1000);
  spark_.emplace(guise_,
                 spark::UnifiedMemoryOptions{.off_heap = {.total = total, .storage_region = region},
                                             .missing = scenario.spark().restores_entries()
                                                            ? spark::MissingEntry::kRestored
                                                            : spark::MissingEntry::kFails});
}

absl::Status Machine::CacheBlocks() {
  if (!spark_) return absl::OkStatus();
  spark::UnifiedPool& pool = spark_->pool(spark::MemoryMode::kOffHeap);
  for (int64_t block = 0; block < scenario_.spark().cached_blocks(); ++block) {
    SPILLWAY_ASSIGN_OR_RETURN(const auto caching, pool.Put(base::Cat("block ", block),
                                                           scenario_.spark().cached_block_bytes()));
    if (!caching.stored) {
      return base::Invalid("block ", block, " of ", scenario_.spark().cached_block_bytes(),
                           " bytes has no place in Spark's memory of ", pool.total(), " bytes");
    }
  }
  return absl::OkStatus();
}

Duration Machine::TimeInside(const CrossingTime& time) {
  const Duration inside = time.inside + (lock_.moved() ? time.shared : 0);
  if (!spark_) return inside;
  const auto tasks =
      static_cast<Duration>(spark_->pool(spark::MemoryMode::kOffHeap).tasks().size());
  return inside + std::max<Duration>(0, tasks - 1) * time_for_task_;
}

Duration Machine::EvictionTime(int64_t bytes) const {
  const __int128 nanos =
      scenario_.spark().evict_ns() +
      (static_cast<__int128>(bytes) * scenario_.spark().evict_ns_per_mib() >> 20);
  return static_cast<Duration>(std::min<__int128>(nanos * kNanosecond, kEndOfTime));
}

}  // namespace spillway::sim
