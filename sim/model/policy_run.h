// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a run of one policy showed.

#include <cstdint>
#include <string>

#include "sim/kernel/histogram.h"
#include "sim/kernel/time.h"

namespace spillway::sim {

// A level over the whole stage.
struct Level {
  int64_t average = 0;  // weighted by time, rounded down
  int64_t peak = 0;
  __int128 area = 0;  // level x ps: by the stage's time, the average to any digit
};

// Times in ps, memory in bytes. Of all executors together unless it says otherwise, until the last
// task ends; `events` and `ties` are of the whole run.
struct PolicyRun {
  std::string policy;

  // One value a task. With several writers a task's figures are theirs together.
  Histogram requests;         // calls for memory: each kRequest of the policy
  Histogram requested_bytes;  // their sum
  Histogram denied;           // requests that were denied
  Histogram crossings;        // of the JNI boundary, releases included
  Histogram jni_time;         // in crossings, attach and waiting included
  Histogram monitor_wait;     // in line for a monitor or a native mutex
  Histogram spills;
  Histogram task_time;
  Histogram start_delay;  // from a task's arrival until a slot takes it

  // One value a crossing: its time without attach, waiting included.
  Histogram crossing_time;
  // The same of acquires alone; of those whose thread kept its core all along; and of releases. A
  // native mutex counts as a part of the crossing.
  Histogram acquire_time;
  Histogram unswitched_acquire_time;
  Histogram release_time;
  // Of each entry into Spark's monitor that found it taken: how long it took.
  Histogram contended_wait;

  // Sums over all crossings, which 64 bits need not hold: together the time in the boundary.
  struct Breakdown {
    __int128 attach = 0;
    __int128 outside = 0;      // JNI itself
    __int128 bookkeeping = 0;  // inside monitors
    __int128 mutex_wait = 0;   // in line for a native mutex
    __int128 lock_wait = 0;    // in line for monitors, spinning included
    __int128 blocked = 0;      // in Spark's wait() for memory, until notified
    __int128 off_core = 0;     // ready to run, on no core
    __int128 safepoint = 0;    // stopped by a pause
    __int128 evicting = 0;     // cached blocks, under Spark's monitor
  };
  Breakdown breakdown;

  __int128 spilled_bytes = 0;
  __int128 evicted_bytes = 0;
  uint64_t short_grants = 0;       // acquires for which Spark gave less than it was asked for
  uint64_t blocked_acquires = 0;   // that had to wait for memory in Spark
  uint64_t switched_acquires = 0;  // during which the thread lost its core
  uint64_t long_acquires = 0;      // that took more than 1 ms

  Level reserved;               // what the pool, or Spark, has granted to the tasks
  Level slack;                  // reserved and not used, all running tasks together
  int64_t peak_task_slack = 0;  // of one writer
  Level unreserved;             // buffered and not (yet) reserved, all running tasks together
  // Of an executor: the average over all of them, the peak of any.
  Level line;   // threads that want Spark's monitor and have not got it
  Level ready;  // threads that are ready to run and have no core

  Level disk_line;  // spills that wait for a disk

  uint64_t monitor_entries = 0;  // of Spark's monitor, by crossings and holders
  uint64_t contended_entries = 0;
  __int128 monitor_held = 0;
  int64_t cores = 0;       // where each thread has its own, those that ran
  __int128 core_time = 0;  // that threads used
  __int128 disk_time = 0;  // that disks were busy
  uint64_t switches = 0;   // of threads on cores
  uint64_t pauses = 0;
  __int128 paused = 0;
  uint64_t holder_acquires = 0;  // of the holders, and how many got less than they asked for
  uint64_t holder_short_grants = 0;

  Time stage_time = 0;  // from the start of the run to the end of the last task

  uint64_t events = 0;
  uint64_t ties = 0;  // events at the instant of the one before
};

}  // namespace spillway::sim
