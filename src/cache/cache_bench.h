// SPDX-License-Identifier: Apache-2.0
#pragma once
// The benchmark of the table cache, through the phases of Gluten's published one. docs/cache.md.
//
//   table    schema  modes                                                          read1
//   s        S       the four forms of kForms                                       sum(c0)
//   encoded  D       V3 with statistics: flattened, and with encodings preserved    sum(c1)
//
//   dump     a cache file's, in place of both: the four forms, and V3 with
//            statistics and encodings preserved                            the first column
//
//   generate  makes the table's batches and drops them: what build has to do besides
//   build     makes them and caches them
//   read1     sums one column
//   read4     group by c0 % 1000: sum(c1), sum(length(c2)), avg(c4)
//   readAll   every column
//   filter    c0 = rows / 2, reading c0 and c1; batches are pruned where there are statistics

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "src/cache/cached_table.h"
#include "src/cache/dump.h"

namespace spillway::cache {

struct CacheBenchOptions {
  bool table_s = true;
  bool table_encoded = true;
  int64_t rows = 10'000'000;  // of table s
  int64_t encoded_rows = 0;   // of table encoded; 0: as many, but at most kDefaultEncodedRows
  int64_t partitions = 32;    // contiguous ranges of rows
  int64_t batch = 4096;       // rows of a batch
  int64_t iterations = 3;     // after one warm-up; at least 3
  int64_t threads = 1;
  int64_t max_bytes = 0;      // of a cache; 0: no limit
  bool keep_open = false;     // as CacheOptions
  // Caches this in place of the tables above, in its own batches and partitions; there is no read4
  // and no filter, since they are about schema S.
  std::shared_ptr<const Dump> dump = nullptr;
};

inline constexpr int64_t kDefaultEncodedRows = 2'000'000;

struct PhaseTimes {
  std::string name;
  std::vector<double> seconds = {};  // one an iteration, wall time
  // Of all threads, over all iterations: tells how far a busy machine made the wall time longer.
  double processor_seconds = 0;
  uint64_t digest = 0;     // of the result; the same in every mode
  ScanCounts counts = {};  // of one iteration; zeros for generate and build

  double mean() const;
  double deviation() const;  // standard deviation of the sample
  double best() const;
  double processor_mean() const;
};

// One table, cached in one way.
struct ModeTimes {
  std::string name;
  int64_t footprint = 0;              // bytes
  std::vector<int64_t> columns = {};  // bytes of each; headers and statistics are the rest
  std::vector<PhaseTimes> phases = {};
};

struct TableTimes {
  std::string name;
  vector::TypePtr schema;
  int64_t rows = 0;
  PhaseTimes generate = {};  // without a digest
  std::vector<ModeTimes> modes = {};
};

struct CacheBenchResult {
  CacheBenchOptions options;
  // Bytes a second, copied by one thread from 64 MiB to another 64 MiB; the best of several.
  double memcpy_rate = 0;
  int64_t peak_memory = 0;  // of the process, bytes resident
  std::vector<TableTimes> tables = {};
};

// Told after each step how much of how much is done.
using Progress = std::function<void(int64_t done, int64_t total)>;

// Runs all modes one after the other; no more than one cache exists at a time.
//
//   OK
//   InvalidArgument    an option is out of its range; the message names it
//   ResourceExhausted  a cache needs more than max_bytes
//   Internal           two modes, or two iterations, computed different results
absl::StatusOr<CacheBenchResult> RunCacheBench(const CacheBenchOptions& options,
                                               const Progress& progress);

// A table for people, values for a spreadsheet, or JSON.
std::string CacheBenchText(const CacheBenchResult& result);
std::string CacheBenchCsv(const CacheBenchResult& result);
std::string CacheBenchJson(const CacheBenchResult& result);

}  // namespace spillway::cache
