// SPDX-License-Identifier: Apache-2.0
#include "sim/report/metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/kernel/time.h"

namespace spillway::sim {
namespace {

using Part = Measure::Part;
using In = const Scenario&;
using Of = const PolicyRun&;

__int128 SumOf(const Histogram& values) { return static_cast<__int128>(values.sum()); }

Fraction Whole(__int128 value) { return {value, 1}; }

// `sum` by the number of `values`; 0 of none.
Fraction By(__int128 sum, uint64_t count) {
  return {sum, static_cast<__int128>(std::max<uint64_t>(1, count))};
}

Fraction Mean(const Histogram& values) { return By(SumOf(values), values.count()); }

Fraction At(const Histogram& values, int permille) { return Whole(values.Quantile(permille)); }

Fraction InNanos(Fraction picos) { return {picos.numerator, picos.denominator * kNanosecond}; }

Fraction PerTask(__int128 sum, const PolicyRun& run) {
  return InNanos(By(sum, run.requests.count()));
}

// To a thousandth, so that the fraction stays short.
Fraction Percent(__int128 part, __int128 whole) {
  if (whole == 0) return Whole(0);
  return {(200'000 * part + whole) / (2 * whole), 1000};
}

// Of a level of a few, to a thousandth.
Fraction Average(const Level& level, const PolicyRun& run) {
  const __int128 time = std::max<Time>(1, run.stage_time);
  return {(2'000 * level.area + time) / (2 * time), 1000};
}

Fraction PercentOfBoundary(__int128 part, const PolicyRun& run) {
  const PolicyRun::Breakdown& all = run.breakdown;
  return Percent(part, all.attach + all.outside + all.bookkeeping + all.mutex_wait + all.lock_wait +
                           all.blocked + all.off_core + all.safepoint + all.evicting);
}

// The stage's time, once for each executor.
__int128 ExecutorTime(In scenario, Of run) {
  return static_cast<__int128>(run.stage_time) * scenario.executor().count();
}

// In which scenarios a measure says something.
bool Always(In) { return true; }
bool Never(In) { return false; }
bool AsksSpark(In scenario) {
  const Pool::Kind kind = scenario.pool().kind();
  return kind == Pool::GREEDY_UNIFIED || kind == Pool::FAIR_UNIFIED;
}
bool HasMonitor(In scenario) { return scenario.pool().kind() != Pool::NO_LOCK; }
bool HasMutex(In scenario) {
  return scenario.pool().kind() == Pool::FAIR_UNIFIED && !scenario.pool().fixed();
}
bool MayDeny(In scenario) { return scenario.pool().has_capacity_bytes() || AsksSpark(scenario); }
bool MaySpill(In scenario) {
  return MayDeny(scenario) ||
         std::any_of(scenario.policies().begin(), scenario.policies().end(),
                     [](const Policy& policy) { return policy.limit_bytes() > 0; });
}
bool Attaches(In scenario) { return scenario.jni().attach_ns() > 0; }
bool HasArrivals(In scenario) {
  return std::any_of(scenario.tasks().begin(), scenario.tasks().end(),
                     [](const TaskGroup& group) { return group.has_arrival(); });
}
bool HasCores(In scenario) { return scenario.executor().cores() > 0; }
bool HasPauses(In scenario) { return scenario.has_gc(); }
bool CanBeLong(In scenario) {
  return HasCores(scenario) || HasPauses(scenario) || AsksSpark(scenario);
}
bool Evicts(In scenario) { return scenario.spark().cached_blocks() > 0; }
bool HasHolders(In scenario) { return scenario.holders_size() > 0; }
bool HasDisks(In scenario) { return MaySpill(scenario) && scenario.disk().disks() > 0; }
bool HasDiskTime(In scenario) {
  return MaySpill(scenario) &&
         (scenario.disk().spill_ns() > 0 || scenario.disk().spill_ns_per_mib() > 0);
}

constexpr std::array kMeasures = {
    Measure{Part::kTask, "requests", "requests", 2, 1, Always,
            [](In, Of run) { return Mean(run.requests); }},
    Measure{Part::kTask, "bytes requested", "requested_bytes", 0, 1, Always,
            [](In, Of run) { return Mean(run.requested_bytes); }},
    Measure{Part::kTask, "requests denied", "denied", 2, 1, MayDeny,
            [](In, Of run) { return Mean(run.denied); }},
    Measure{Part::kTask, "JNI crossings", "crossings", 2, 1, Always,
            [](In, Of run) { return Mean(run.crossings); }},
    Measure{Part::kTask, "JNI time, us", "jni_ns", 2, 1000, Always,
            [](In, Of run) { return InNanos(Mean(run.jni_time)); }},
    Measure{Part::kTask, "  attaching the thread, us", "attach_ns", 2, 1000, Attaches,
            [](In, Of run) { return PerTask(run.breakdown.attach, run); }},
    Measure{Part::kTask, "  outside the monitor, us", "outside_ns", 2, 1000, Always,
            [](In, Of run) { return PerTask(run.breakdown.outside, run); }},
    Measure{Part::kTask, "  inside the monitor, us", "inside_ns", 2, 1000, HasMonitor,
            [](In, Of run) { return PerTask(run.breakdown.bookkeeping, run); }},
    Measure{Part::kTask, "  waiting for it, us", "lock_wait_ns", 2, 1000, HasMonitor,
            [](In, Of run) { return PerTask(run.breakdown.lock_wait, run); }},
    Measure{Part::kTask, "  waiting for the mutex, us", "mutex_wait_ns", 2, 1000, HasMutex,
            [](In, Of run) { return PerTask(run.breakdown.mutex_wait, run); }},
    Measure{Part::kTask, "  blocked in Spark's wait, us", "blocked_ns", 2, 1000, AsksSpark,
            [](In, Of run) { return PerTask(run.breakdown.blocked, run); }},
    Measure{Part::kTask, "  ready, on no core, us", "off_core_ns", 2, 1000, HasCores,
            [](In, Of run) { return PerTask(run.breakdown.off_core, run); }},
    Measure{Part::kTask, "  stopped by pauses, us", "safepoint_ns", 2, 1000, HasPauses,
            [](In, Of run) { return PerTask(run.breakdown.safepoint, run); }},
    Measure{Part::kTask, "  evicting blocks, us", "evicting_ns", 2, 1000, Evicts,
            [](In, Of run) { return PerTask(run.breakdown.evicting, run); }},
    Measure{Part::kTask, "in line for locks, us", "monitor_wait_ns", 2, 1000, Never,
            [](In, Of run) { return InNanos(Mean(run.monitor_wait)); }},
    Measure{Part::kTask, "spills", "spills", 2, 1, MaySpill,
            [](In, Of run) { return Mean(run.spills); }},
    Measure{Part::kTask, "from arrival to start, ms", "start_delay_ns", 3, 1'000'000, HasArrivals,
            [](In, Of run) { return InNanos(Mean(run.start_delay)); }},
    Measure{Part::kTask, "task time, ms", "task_ns", 3, 1'000'000, Always,
            [](In, Of run) { return InNanos(Mean(run.task_time)); }},

    Measure{Part::kBoundary, "attaching the thread", "attach_percent", 1, 1, Attaches,
            [](In, Of run) { return PercentOfBoundary(run.breakdown.attach, run); }},
    Measure{Part::kBoundary, "outside the monitor", "outside_percent", 1, 1, Always,
            [](In, Of run) { return PercentOfBoundary(run.breakdown.outside, run); }},
    Measure{Part::kBoundary, "inside the monitor", "inside_percent", 1, 1, HasMonitor,
            [](In, Of run) { return PercentOfBoundary(run.breakdown.bookkeeping, run); }},
    Measure{Part::kBoundary, "waiting for it", "lock_wait_percent", 1, 1, HasMonitor,
            [](In, Of run) { return PercentOfBoundary(run.breakdown.lock_wait, run); }},
    Measure{Part::kBoundary, "waiting for the mutex", "mutex_wait_percent", 1, 1, HasMutex,
            [](In, Of run) { return PercentOfBoundary(run.breakdown.mutex_wait, run); }},
    Measure{Part::kBoundary, "blocked in Spark's wait", "blocked_percent", 1, 1, AsksSpark,
            [](In, Of run) { return PercentOfBoundary(run.breakdown.blocked, run); }},
    Measure{Part::kBoundary, "ready, on no core", "off_core_percent", 1, 1, HasCores,
            [](In, Of run) { return PercentOfBoundary(run.breakdown.off_core, run); }},
    Measure{Part::kBoundary, "stopped by pauses", "safepoint_percent", 1, 1, HasPauses,
            [](In, Of run) { return PercentOfBoundary(run.breakdown.safepoint, run); }},
    Measure{Part::kBoundary, "evicting blocks", "evicting_percent", 1, 1, Evicts,
            [](In, Of run) { return PercentOfBoundary(run.breakdown.evicting, run); }},

    Measure{Part::kCrossing, "mean with attaching, us", "crossing_with_attach_mean_ns", 3, 1000,
            Always,
            [](In, Of run) { return InNanos(By(SumOf(run.jni_time), run.crossing_time.count())); }},
    Measure{Part::kCrossing, "mean, us", "crossing_mean_ns", 3, 1000, Always,
            [](In, Of run) { return InNanos(Mean(run.crossing_time)); }},
    Measure{Part::kCrossing, "p50, us", "crossing_p50_ns", 3, 1000, Always,
            [](In, Of run) { return InNanos(At(run.crossing_time, 500)); }},
    Measure{Part::kCrossing, "p90, us", "crossing_p90_ns", 3, 1000, Always,
            [](In, Of run) { return InNanos(At(run.crossing_time, 900)); }},
    Measure{Part::kCrossing, "p99, us", "crossing_p99_ns", 3, 1000, Always,
            [](In, Of run) { return InNanos(At(run.crossing_time, 990)); }},
    Measure{Part::kCrossing, "p99.9, us", "crossing_p99_9_ns", 3, 1000, Always,
            [](In, Of run) { return InNanos(At(run.crossing_time, 999)); }},
    Measure{Part::kCrossing, "max, us", "crossing_max_ns", 3, 1000, Always,
            [](In, Of run) { return InNanos(Whole(run.crossing_time.max())); }},
    Measure{Part::kCrossing, "acquires, mean, us", "acquire_mean_ns", 3, 1000, Always,
            [](In, Of run) { return InNanos(Mean(run.acquire_time)); }},
    Measure{Part::kCrossing, "  on one core all along, p50", "unswitched_acquire_p50_ns", 3, 1000,
            HasCores, [](In, Of run) { return InNanos(At(run.unswitched_acquire_time, 500)); }},
    Measure{Part::kCrossing, "  on one core all along, mean", "unswitched_acquire_mean_ns", 3, 1000,
            HasCores, [](In, Of run) { return InNanos(Mean(run.unswitched_acquire_time)); }},
    Measure{Part::kCrossing, "releases, mean, us", "release_mean_ns", 3, 1000, Always,
            [](In, Of run) { return InNanos(Mean(run.release_time)); }},
    Measure{Part::kCrossing, "waits for the monitor, mean", "contended_wait_mean_ns", 3, 1000,
            HasMonitor, [](In, Of run) { return InNanos(Mean(run.contended_wait)); }},

    Measure{Part::kStage, "time, ms", "stage_ns", 3, 1'000'000, Always,
            [](In, Of run) { return InNanos(Whole(run.stage_time)); }},
    Measure{
        Part::kStage, "monitor held, % of the time", "monitor_held_percent", 3, 1, HasMonitor,
        [](In scenario, Of run) { return Percent(run.monitor_held, ExecutorTime(scenario, run)); }},
    Measure{Part::kStage, "monitor entries", "monitor_entries", 0, 1, HasMonitor,
            [](In, Of run) { return Whole(run.monitor_entries); }},
    Measure{Part::kStage, "  that waited", "contended_entries", 0, 1, HasMonitor,
            [](In, Of run) { return Whole(run.contended_entries); }},
    Measure{Part::kStage, "line for it, peak", "line_peak", 0, 1, HasMonitor,
            [](In, Of run) { return Whole(run.line.peak); }},
    Measure{Part::kStage, "line for it, average", "line_average", 3, 1, HasMonitor,
            [](In, Of run) { return Average(run.line, run); }},
    Measure{Part::kStage, "cores used, % of the time", "core_percent", 3, 1, HasCores,
            [](In, Of run) {
              return Percent(run.core_time, static_cast<__int128>(run.stage_time) * run.cores);
            }},
    Measure{Part::kStage, "switches of threads", "switches", 0, 1, HasCores,
            [](In, Of run) { return Whole(run.switches); }},
    Measure{Part::kStage, "ready on no core, peak", "ready_peak", 0, 1, HasCores,
            [](In, Of run) { return Whole(run.ready.peak); }},
    Measure{Part::kStage, "ready on no core, average", "ready_average", 3, 1, HasCores,
            [](In, Of run) { return Average(run.ready, run); }},
    Measure{Part::kStage, "acquires that lost their core", "switched_acquires", 0, 1, HasCores,
            [](In, Of run) { return Whole(run.switched_acquires); }},
    Measure{Part::kStage, "acquires over 1 ms", "long_acquires", 0, 1, CanBeLong,
            [](In, Of run) { return Whole(run.long_acquires); }},
    Measure{Part::kStage, "short grants", "short_grants", 0, 1, AsksSpark,
            [](In, Of run) { return Whole(run.short_grants); }},
    Measure{Part::kStage, "acquires that blocked", "blocked_acquires", 0, 1, AsksSpark,
            [](In, Of run) { return Whole(run.blocked_acquires); }},
    Measure{Part::kStage, "bytes evicted", "evicted_bytes", 0, 1, Evicts,
            [](In, Of run) { return Whole(run.evicted_bytes); }},
    Measure{Part::kStage, "holders' acquires", "holder_acquires", 0, 1, HasHolders,
            [](In, Of run) { return Whole(run.holder_acquires); }},
    Measure{Part::kStage, "  granted short", "holder_short_grants", 0, 1, HasHolders,
            [](In, Of run) { return Whole(run.holder_short_grants); }},
    Measure{Part::kStage, "reserved, peak bytes", "reserved_peak_bytes", 0, 1, Always,
            [](In, Of run) { return Whole(run.reserved.peak); }},
    Measure{Part::kStage, "reserved, average bytes", "reserved_average_bytes", 0, 1, Always,
            [](In, Of run) { return Whole(run.reserved.average); }},
    Measure{Part::kStage, "slack, peak bytes", "slack_peak_bytes", 0, 1, Always,
            [](In, Of run) { return Whole(run.slack.peak); }},
    Measure{Part::kStage, "slack, average bytes", "slack_average_bytes", 0, 1, Always,
            [](In, Of run) { return Whole(run.slack.average); }},
    Measure{Part::kStage, "slack of a writer, peak bytes", "task_slack_peak_bytes", 0, 1, Always,
            [](In, Of run) { return Whole(run.peak_task_slack); }},
    Measure{Part::kStage, "unreserved, peak bytes", "unreserved_peak_bytes", 0, 1, Always,
            [](In, Of run) { return Whole(run.unreserved.peak); }},
    Measure{Part::kStage, "unreserved, average bytes", "unreserved_average_bytes", 0, 1, Never,
            [](In, Of run) { return Whole(run.unreserved.average); }},
    Measure{Part::kStage, "spills, all tasks", "spills_total", 0, 1, MaySpill,
            [](In, Of run) { return Whole(SumOf(run.spills)); }},
    Measure{Part::kStage, "bytes spilled, all tasks", "spilled_bytes_total", 0, 1, MaySpill,
            [](In, Of run) { return Whole(run.spilled_bytes); }},
    Measure{Part::kStage, "disks at work, ms", "disk_ns", 3, 1'000'000, HasDiskTime,
            [](In, Of run) { return InNanos(Whole(run.disk_time)); }},
    Measure{Part::kStage, "line for disks, peak", "disk_line_peak", 0, 1, HasDisks,
            [](In, Of run) { return Whole(run.disk_line.peak); }},
    Measure{Part::kStage, "line for disks, average", "disk_line_average", 3, 1, HasDisks,
            [](In, Of run) { return Average(run.disk_line, run); }},
    Measure{Part::kStage, "pauses", "pauses", 0, 1, HasPauses,
            [](In, Of run) { return Whole(run.pauses); }},
    Measure{Part::kStage, "paused, % of the time", "paused_percent", 3, 1, HasPauses,
            [](In scenario, Of run) { return Percent(run.paused, ExecutorTime(scenario, run)); }},
    Measure{Part::kStage, "events", "events", 0, 1, Always,
            [](In, Of run) { return Whole(run.events); }},
    Measure{Part::kStage, "events at a common instant", "ties", 0, 1, Always,
            [](In, Of run) { return Whole(run.ties); }},
};

constexpr std::array kDistributions = {
    Distribution{"requests", 1, &PolicyRun::requests},
    Distribution{"requested_bytes", 1, &PolicyRun::requested_bytes},
    Distribution{"denied", 1, &PolicyRun::denied},
    Distribution{"crossings", 1, &PolicyRun::crossings},
    Distribution{"jni_ns", kNanosecond, &PolicyRun::jni_time},
    Distribution{"monitor_wait_ns", kNanosecond, &PolicyRun::monitor_wait},
    Distribution{"spills", 1, &PolicyRun::spills},
    Distribution{"task_ns", kNanosecond, &PolicyRun::task_time},
    Distribution{"start_delay_ns", kNanosecond, &PolicyRun::start_delay},
    Distribution{"crossing_ns", kNanosecond, &PolicyRun::crossing_time},
    Distribution{"acquire_ns", kNanosecond, &PolicyRun::acquire_time},
    Distribution{"unswitched_acquire_ns", kNanosecond, &PolicyRun::unswitched_acquire_time},
    Distribution{"release_ns", kNanosecond, &PolicyRun::release_time},
    Distribution{"contended_wait_ns", kNanosecond, &PolicyRun::contended_wait},
};

std::string_view KeyOf(Metric metric) {
  switch (metric) {
    case CALLS_PER_TASK:
      return "requests";
    case BYTES_PER_TASK:
      return "requested_bytes";
    case JNI_NS_PER_TASK:
      return "jni_ns";
    case CALL_MEAN_NS:
      return "crossing_with_attach_mean_ns";
    case CALL_P50_NS:
      return "crossing_p50_ns";
    case CALL_P90_NS:
      return "crossing_p90_ns";
    case CALL_MAX_NS:
      return "crossing_max_ns";
  }
  return "";
}

}  // namespace

std::span<const Measure> Measures() { return kMeasures; }

std::span<const Distribution> Distributions() { return kDistributions; }

const Measure& MeasureOf(Metric metric) {
  return *std::find_if(kMeasures.begin(), kMeasures.end(),
                       [&](const Measure& measure) { return measure.key == KeyOf(metric); });
}

}  // namespace spillway::sim
