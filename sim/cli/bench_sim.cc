// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bench_sim.h"

#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "sim/kernel/bare_load.h"
#include "sim/model/load.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

constexpr int64_t kFewestEvents = 100'000;
constexpr uint64_t kHoldEvents = 10'000'000;

// Of this thread: what else the machine does makes it longer by the caches only.
double ProcessorSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int64_t PeakMemory() {
  rusage usage = {};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? int64_t{usage.ru_maxrss} * 1024 : 0;
}

SimMeasure MM1(uint64_t events) {
  return {.name = base::Cat("kernel, M/M/1, ", events, " events"),
          .unit = "event",
          .prepare = [events]() -> std::function<uint64_t()> {
            return [events, queue = std::make_shared<BareMM1>()] { return queue->Run(events); };
          }};
}

SimMeasure Hold(int pending, uint64_t events) {
  return {.name = base::Cat("kernel, hold model, ", pending, " pending"),
          .unit = "event",
          .prepare = [pending, events]() -> std::function<uint64_t()> {
            const auto hold = std::make_shared<BareHold>(pending);
            hold->Run(4 * static_cast<uint64_t>(pending));  // past the start, when all are new
            return [events, hold] { return hold->Run(events); };
          }};
}

SimMeasure BareDecisions(int64_t decisions) {
  return {.name = "policy decisions, pool and monitor",
          .unit = "decision",
          .prepare = [decisions]() -> std::function<uint64_t()> {
            return [decisions] { return RunBareDecisions(1, decisions).value_or(0); };
          }};
}

// The whole model: a decision of the policy, a call of the pool, an entry into its monitor.
SimMeasure Decisions(std::string_view name, std::string pool, int64_t decisions) {
  return {.name = base::Cat("policy decisions, ", name),
          .unit = "decision",
          .prepare = [pool = std::move(pool), decisions]() -> std::function<uint64_t()> {
            return [pool, decisions] { return RunDecisions(pool, decisions).value_or(0); };
          }};
}

SimMeasure Tasks(std::string_view name, int64_t tasks, int64_t step_bytes) {
  return {.name = base::Cat(tasks, " tasks x 256 chunks, ", name),
          .unit = "chunk",
          .prepare = [tasks, step_bytes]() -> std::function<uint64_t()> {
            return [tasks, step_bytes] { return RunTasks(tasks, step_bytes).value_or(0); };
          }};
}

double PerSecond(const SimTime& time) { return static_cast<double>(time.count) / time.seconds; }
double Nanoseconds(const SimTime& time) {
  return time.seconds * 1e9 / static_cast<double>(time.count);
}

}  // namespace

std::vector<SimMeasure> SimMeasures(const SimBenchOptions& options) {
  const auto most = static_cast<uint64_t>(options.events);
  std::vector<SimMeasure> measures;
  for (uint64_t events = kFewestEvents; events <= most / 10; events *= 10) {
    measures.push_back(MM1(events));
  }
  measures.push_back(MM1(most));
  for (const int pending : {10, 1'000, 100'000}) {
    measures.push_back(Hold(pending, std::min(kHoldEvents, most)));
  }
  // As many units as the kernel's runs have events, up to what the goals are stated for.
  const int64_t decisions = std::min<int64_t>(options.events / 10, 2'000'000);
  const int64_t tasks = std::clamp<int64_t>(options.events / 2560, 1, 10'000);
  measures.push_back(BareDecisions(decisions));
  measures.push_back(Decisions("through JNI", "COUNTING", decisions));
  measures.push_back(Decisions("through JNI and Spark", "GREEDY_UNIFIED", decisions));
  measures.push_back(Tasks("exact", tasks, 0));
  measures.push_back(Tasks("step 1 MiB", tasks, int64_t{1} << 20));
  return measures;
}

absl::StatusOr<SimBenchResult> RunSimBench(const SimBenchOptions& options,
                                           const SimBenchProgress& progress) {
  if (options.events < kFewestEvents) {
    return base::Invalid("--events ", options.events, " is less than ", kFewestEvents);
  }
  if (options.iterations < 1) {
    return base::Invalid("--iterations ", options.iterations, " is less than 1");
  }
  SimBenchResult result{.options = options, .times = {}};
  const std::vector<SimMeasure> measures = SimMeasures(options);
  const auto total = static_cast<int64_t>(measures.size()) * options.iterations;
  int64_t done = 0;
  for (const SimMeasure& measure : measures) {
    SimTime& best = result.times.emplace_back(SimTime{.name = measure.name, .unit = measure.unit});
    for (int64_t i = 0; i < options.iterations; ++i) {
      const std::function<uint64_t()> run = measure.prepare();
      const double begin = ProcessorSeconds();
      const uint64_t count = run();
      const double seconds = ProcessorSeconds() - begin;
      if (i == 0 || seconds < best.seconds) best.seconds = seconds;
      best.count = count;
      progress(++done, total);
    }
  }
  result.peak_memory = PeakMemory();
  return result;
}

std::string SimBenchText(const SimBenchResult& result) {
  std::string out = absl::StrFormat("%-40s %14s %9s %14s\n",
                                    absl::StrFormat("best of %d", result.options.iterations),
                                    "million a s", "ns each", "of");
  for (const SimTime& time : result.times) {
    out += absl::StrFormat("%-40s %14.2f %9.1f %14s\n", time.name, PerSecond(time) / 1e6,
                           Nanoseconds(time), base::Cat(time.unit, "s"));
  }
  return out + absl::StrFormat("peak memory of the process: %.1f MB\n",
                               static_cast<double>(result.peak_memory) / 1e6);
}

std::string SimBenchCsv(const SimBenchResult& result) {
  std::string out = "name,unit,count,best_s\n";
  for (const SimTime& time : result.times) {
    out += absl::StrFormat("\"%s\",%s,%d,%.9f\n", time.name, time.unit, time.count, time.seconds);
  }
  return out;
}

std::string SimBenchJson(const SimBenchResult& result) {
  std::string out =
      absl::StrFormat("{\n  \"iterations\": %d,\n  \"peak_memory\": %d,\n  \"times\": [",
                      result.options.iterations, result.peak_memory);
  for (const SimTime& time : result.times) {
    out += absl::StrFormat(
        "%s\n    {\"name\": \"%s\", \"unit\": \"%s\", \"count\": %d, \"best_s\": %.9f, "
        "\"per_second\": %.0f, \"ns_each\": %.3f}",
        &time == &result.times.front() ? "" : ",", time.name, time.unit, time.count, time.seconds,
        PerSecond(time), Nanoseconds(time));
  }
  return out + "\n  ]\n}\n";
}

}  // namespace spillway::sim
