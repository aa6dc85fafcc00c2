// SPDX-License-Identifier: Apache-2.0
#pragma once
// The four-way benchmark of the table cache: schema S in each form, through the phases of Gluten's
// published one. docs/cache.md.
//
//   generate  make the table's batches and drop them: what build has to do besides
//   build     make them and cache them
//   read1     sum(c0)
//   read4     group by c0 % 1000: sum(c1), sum(length(c2)), avg(c4)
//   readAll   every column
//   filter    c0 = rows / 2, reading c0 and c1; batches are pruned where there are statistics

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "src/cache/cached_table.h"

namespace spillway::cache {

struct CacheBenchOptions {
  int64_t rows = 10'000'000;
  int64_t partitions = 32;  // contiguous ranges of rows
  int64_t batch = 4096;     // rows of a batch
  int64_t iterations = 3;   // after one warm-up; at least 3
  int64_t threads = 1;
};

struct PhaseTimes {
  std::string name;
  std::vector<double> seconds;  // one an iteration, wall time
  uint64_t digest = 0;          // of the result; the same in every form
  ScanCounts counts;            // of one iteration; zeros for generate and build

  double mean() const;
  double deviation() const;  // standard deviation of the sample
  double best() const;
};

struct FormTimes {
  Form form = Form::kLegacy;
  int64_t footprint = 0;  // bytes
  std::vector<PhaseTimes> phases;
};

struct CacheBenchResult {
  CacheBenchOptions options;
  std::vector<FormTimes> forms;  // in the order of kForms
};

// Told after each step how many of how many are done.
using Progress = std::function<void(int64_t done, int64_t total)>;

// Runs all forms one after the other; no more than one cache exists at a time.
//
//   OK
//   InvalidArgument  an option is out of its range; the message names it
//   Internal         two forms, or two iterations, computed different results
absl::StatusOr<CacheBenchResult> RunCacheBench(const CacheBenchOptions& options,
                                               const Progress& progress);

// A table for people, values for a spreadsheet, or JSON.
std::string CacheBenchText(const CacheBenchResult& result);
std::string CacheBenchCsv(const CacheBenchResult& result);
std::string CacheBenchJson(const CacheBenchResult& result);

}  // namespace spillway::cache
