// SPDX-License-Identifier: Apache-2.0
#pragma once
// A JVM with its cores and its memory, which the tasks that run there share.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "sim/kernel/kernel.h"
#include "sim/model/cores.h"
#include "sim/model/crossing_times.h"
#include "sim/model/disk.h"
#include "sim/model/exploration.h"
#include "sim/model/lock.h"
#include "sim/model/measures.h"
#include "sim/scenario/scenario.pb.h"
#include "src/memory/counting_pool.h"
#include "src/memory/monitor.h"
#include "src/memory/pool.h"
#include "src/memory/spark/unified_memory.h"

namespace spillway::sim {

class Machine {
 public:
  // Machine `number` of `scenario`, which the loader has accepted. `pool`, if any, stands in for
  // its own pool of a COUNTING scenario, and `exploration`, if any, varies the schedule. All
  // arguments outlive the machine.
  static absl::StatusOr<std::unique_ptr<Machine>> Create(const Scenario& scenario, int64_t number,
                                                         Kernel& kernel, memory::Pool* pool,
                                                         Exploration* exploration,
                                                         Measures& measures);

  int64_t number() const { return number_; }
  const Scenario& scenario() const { return scenario_; }
  Kernel& kernel() { return cores_.kernel(); }
  Cores& cores() { return cores_; }
  Measures& measures() { return measures_; }
  const CrossingTimes& times() const { return times_; }

  Disks& disks() { return disks_; }

  // U: the one monitor of Spark's memory, or of the counting pool.
  Lock& lock() { return lock_; }
  const Lock& lock() const { return lock_; }
  // The same as calls know it: an exploration may have disguised it.
  memory::Monitor& monitor() { return guise_; }
  const LockTraits& monitor_traits() const { return monitor_; }  // of every Java monitor
  const LockTraits& mutex_traits() const { return mutex_; }      // of native ones

  // Absent where a counting pool is asked.
  memory::spark::UnifiedMemory* spark() { return spark_ ? &*spark_ : nullptr; }
  memory::Pool& counting() { return *counting_; }

  // Null: nobody is held up.
  Exploration* exploration() { return exploration_; }

  // What is spent inside the one monitor, by whoever has just been let in: `time`, more if its
  // owner before was on another core, and more for each other active task.
  Duration TimeInside(const CrossingTime& time);
  // How long evicting `bytes` of cached blocks takes.
  Duration EvictionTime(int64_t bytes) const;

  // What holders and collectors go by: whether tasks still run here.
  void BeginSlot() { ++running_slots_; }
  void EndSlot() { --running_slots_; }
  bool finished() const { return running_slots_ == 0; }

 private:
  Machine(const Scenario& scenario, int64_t number, Kernel& kernel, memory::Pool* pool,
          Exploration* exploration, CrossingTimes times, Measures& measures);

  absl::Status CacheBlocks();

  const Scenario& scenario_;
  const int64_t number_;
  Measures& measures_;
  const CrossingTimes times_;
  const LockTraits monitor_;
  const LockTraits mutex_;
  Exploration* const exploration_;
  Cores cores_;
  Lock lock_;
  memory::Monitor& guise_;
  const Duration time_for_task_;
  memory::CountingPool own_pool_;
  memory::Pool* counting_;
  std::optional<memory::spark::UnifiedMemory> spark_;
  Disks disks_;
  int64_t running_slots_ = 0;
};

}  // namespace spillway::sim
