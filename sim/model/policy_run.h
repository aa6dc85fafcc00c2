// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a run of one policy showed.

#include <cstdint>
#include <string>

#include "sim/kernel/histogram.h"
#include "sim/kernel/time.h"

namespace spillway::sim {

// Times in ps, memory in bytes.
struct PolicyRun {
  std::string policy;

  // One value a task.
  Histogram requests;         // calls for memory: each kRequest of the policy
  Histogram requested_bytes;  // their sum
  Histogram denied;           // requests that were denied
  Histogram crossings;        // of the JNI boundary, releases included
  Histogram jni_time;         // in crossings, attach and waiting included
  Histogram monitor_wait;     // in line for the pool's monitor
  Histogram spills;
  Histogram task_time;

  // One value a crossing: its time without attach, waiting included.
  Histogram crossing_time;

  // Sums over all tasks, which 64 bits need not hold.
  __int128 spilled_bytes = 0;
  __int128 attach_time = 0;
  __int128 outside_time = 0;      // JNI itself
  __int128 bookkeeping_time = 0;  // inside the monitor

  int64_t peak_reserved = 0;
  int64_t average_reserved = 0;   // over the stage
  int64_t peak_slack = 0;         // reserved and not used, all running tasks together
  int64_t average_slack = 0;
  int64_t peak_task_slack = 0;    // of one task
  uint64_t contended_entries = 0;  // of the monitor
  Duration monitor_held = 0;
  Time stage_time = 0;  // from the start of the first task to the end of the last

  uint64_t events = 0;
  uint64_t ties = 0;  // events at the instant of the one before
};

}  // namespace spillway::sim
