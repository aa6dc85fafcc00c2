// SPDX-License-Identifier: Apache-2.0
#include "sim/report/metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/kernel/histogram.h"
#include "sim/kernel/time.h"

namespace spillway::sim {
namespace {

using Part = Measure::Part;

Fraction Sum(const Histogram& values) { return {static_cast<__int128>(values.sum()), 1}; }

// `sum` by the number of `values`; 0 of none.
Fraction By(__int128 sum, uint64_t count) {
  return {sum, static_cast<__int128>(std::max<uint64_t>(1, count))};
}

Fraction Mean(const Histogram& values) {
  return By(static_cast<__int128>(values.sum()), values.count());
}

Fraction InNanos(Fraction picos) { return {picos.numerator, picos.denominator * kNanosecond}; }

Fraction PerTask(__int128 sum, const PolicyRun& run) {
  return InNanos(By(sum, run.requests.count()));
}

constexpr std::array kMeasures = {
    Measure{Part::kTask, "requests", "requests", 2, 1,
            [](const PolicyRun& run) { return Mean(run.requests); }},
    Measure{Part::kTask, "bytes requested", "requested_bytes", 0, 1,
            [](const PolicyRun& run) { return Mean(run.requested_bytes); }},
    Measure{Part::kTask, "requests denied", "denied", 2, 1,
            [](const PolicyRun& run) { return Mean(run.denied); }},
    Measure{Part::kTask, "JNI crossings", "crossings", 2, 1,
            [](const PolicyRun& run) { return Mean(run.crossings); }},
    Measure{Part::kTask, "JNI time, us", "jni_ns", 2, 1000,
            [](const PolicyRun& run) { return InNanos(Mean(run.jni_time)); }},
    Measure{Part::kTask, "  attaching the thread, us", "attach_ns", 2, 1000,
            [](const PolicyRun& run) { return PerTask(run.breakdown.attach, run); }},
    Measure{Part::kTask, "  outside the monitor, us", "outside_ns", 2, 1000,
            [](const PolicyRun& run) { return PerTask(run.breakdown.outside, run); }},
    Measure{Part::kTask, "  inside the monitor, us", "inside_ns", 2, 1000,
            [](const PolicyRun& run) { return PerTask(run.breakdown.bookkeeping, run); }},
    Measure{Part::kTask, "  waiting for it, us", "monitor_wait_ns", 2, 1000,
            [](const PolicyRun& run) { return InNanos(Mean(run.monitor_wait)); }},
    Measure{Part::kTask, "spills", "spills", 2, 1,
            [](const PolicyRun& run) { return Mean(run.spills); }},
    Measure{Part::kTask, "task time, ms", "task_ns", 3, 1'000'000,
            [](const PolicyRun& run) { return InNanos(Mean(run.task_time)); }},

    Measure{Part::kCrossing, "mean with attaching, us", "crossing_with_attach_mean_ns", 3, 1000,
            [](const PolicyRun& run) {
              return InNanos(By(static_cast<__int128>(run.jni_time.sum()),
                                run.crossing_time.count()));
            }},
    Measure{Part::kCrossing, "mean, us", "crossing_mean_ns", 3, 1000,
            [](const PolicyRun& run) { return InNanos(Mean(run.crossing_time)); }},
    Measure{Part::kCrossing, "p50, us", "crossing_p50_ns", 3, 1000,
            [](const PolicyRun& run) { return InNanos({run.crossing_time.Quantile(500), 1}); }},
    Measure{Part::kCrossing, "p90, us", "crossing_p90_ns", 3, 1000,
            [](const PolicyRun& run) { return InNanos({run.crossing_time.Quantile(900), 1}); }},
    Measure{Part::kCrossing, "max, us", "crossing_max_ns", 3, 1000,
            [](const PolicyRun& run) { return InNanos({run.crossing_time.max(), 1}); }},

    Measure{Part::kStage, "time, ms", "stage_ns", 3, 1'000'000,
            [](const PolicyRun& run) { return InNanos({run.stage_time, 1}); }},
    Measure{Part::kStage, "monitor held, % of the time", "monitor_held_percent", 3, 1,
            [](const PolicyRun& run) {
              return Fraction{static_cast<__int128>(run.monitor_held) * 100,
                              std::max<Time>(1, run.stage_time)};
            }},
    Measure{Part::kStage, "monitor entries that waited", "contended_entries", 0, 1,
            [](const PolicyRun& run) { return Fraction{run.contended_entries, 1}; }},
    Measure{Part::kStage, "reserved, peak bytes", "reserved_peak_bytes", 0, 1,
            [](const PolicyRun& run) { return Fraction{run.reserved.peak, 1}; }},
    Measure{Part::kStage, "reserved, average bytes", "reserved_average_bytes", 0, 1,
            [](const PolicyRun& run) { return Fraction{run.reserved.average, 1}; }},
    Measure{Part::kStage, "slack, peak bytes", "slack_peak_bytes", 0, 1,
            [](const PolicyRun& run) { return Fraction{run.slack.peak, 1}; }},
    Measure{Part::kStage, "slack, average bytes", "slack_average_bytes", 0, 1,
            [](const PolicyRun& run) { return Fraction{run.slack.average, 1}; }},
    Measure{Part::kStage, "slack of one task, peak bytes", "task_slack_peak_bytes", 0, 1,
            [](const PolicyRun& run) { return Fraction{run.peak_task_slack, 1}; }},
    Measure{Part::kStage, "spills, all tasks", "spills_total", 0, 1,
            [](const PolicyRun& run) { return Sum(run.spills); }},
    Measure{Part::kStage, "bytes spilled, all tasks", "spilled_bytes_total", 0, 1,
            [](const PolicyRun& run) { return Fraction{run.spilled_bytes, 1}; }},
    Measure{Part::kStage, "events", "events", 0, 1,
            [](const PolicyRun& run) { return Fraction{run.events, 1}; }},
    Measure{Part::kStage, "events at a common instant", "ties", 0, 1,
            [](const PolicyRun& run) { return Fraction{run.ties, 1}; }},
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

const Measure& MeasureOf(Metric metric) {
  return *std::find_if(kMeasures.begin(), kMeasures.end(), [&](const Measure& measure) {
    return measure.key == KeyOf(metric);
  });
}

}  // namespace spillway::sim
