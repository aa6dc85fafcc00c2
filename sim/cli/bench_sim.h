// SPDX-License-Identifier: Apache-2.0
#pragma once
// The simulator's speeds: what `spillway bench sim` prints.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace spillway::sim {

struct SimBenchOptions {
  int64_t events = 100'000'000;  // of the longest run of the kernel, at least 100,000
  int64_t iterations = 3;        // of each measurement; the best counts. At least 1
};

// One thing that is measured.
struct SimMeasure {
  std::string name;
  std::string unit;  // of what is counted, in the singular: `event`
  // Sets up, and returns what is timed: that returns how many units it did.
  std::function<std::function<uint64_t()>()> prepare;
};

// All of them, in the order in which they are run and printed.
std::vector<SimMeasure> SimMeasures(const SimBenchOptions& options);

struct SimTime {
  std::string name;
  std::string unit;
  uint64_t count = 0;
  double seconds = 0;  // of the best run; processor time of the one thread
};

struct SimBenchResult {
  SimBenchOptions options;
  std::vector<SimTime> times;
  int64_t peak_memory = 0;  // of the process, bytes resident
};

// Told after each step how much of how much is done.
using SimBenchProgress = std::function<void(int64_t done, int64_t total)>;

// InvalidArgument if an option is out of its range; the message names it.
absl::StatusOr<SimBenchResult> RunSimBench(const SimBenchOptions& options,
                                           const SimBenchProgress& progress);

// A table for people, values for a spreadsheet, or JSON.
std::string SimBenchText(const SimBenchResult& result);
std::string SimBenchCsv(const SimBenchResult& result);
std::string SimBenchJson(const SimBenchResult& result);

}  // namespace spillway::sim
