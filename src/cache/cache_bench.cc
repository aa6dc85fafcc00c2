// SPDX-License-Identifier: Apache-2.0
#include "src/cache/cache_bench.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/cache/bench_phase.h"
#include "src/cache/parallel.h"
#include "src/stats/predicate.h"
#include "src/stats/prune.h"
#include "src/vector/schema_d.h"
#include "src/vector/schema_s.h"

namespace spillway::cache {
namespace {

using vector::Batch;

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of all threads of this process.
double ProcessorSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Mode {
  std::string name;
  Form form = Form::kV3;
  page::EncodingChoice encoding = page::EncodingChoice::kFlatten;
};

struct Table {
  std::string name;
  vector::TypePtr schema;
  int64_t rows;
  std::function<std::vector<BatchSource>()> sources;  // one a partition
  std::vector<Phase> phases;
  std::vector<Mode> modes;
};

const Mode kPreserved = {.name = "V3 preserved", .encoding = page::EncodingChoice::kSmallest};

std::vector<Mode> FormModes() {
  std::vector<Mode> modes;
  for (const Form form : kForms) {
    modes.push_back({.name = std::string(FormName(form)), .form = form});
  }
  return modes;
}

// Contiguous ranges of `rows` rows that `make` makes.
std::vector<BatchSource> Ranges(int64_t rows, const CacheBenchOptions& options,
                                Batch (*make)(int64_t first, int64_t rows)) {
  std::vector<BatchSource> sources;
  for (int64_t p = 0; p < options.partitions; ++p) {
    const int64_t first = rows * p / options.partitions;
    const int64_t end = rows * (p + 1) / options.partitions;
    sources.push_back([make, batch = options.batch, at = first,
                       end]() mutable -> absl::StatusOr<std::optional<Batch>> {
      if (at == end) return std::nullopt;
      const int64_t count = std::min(batch, end - at);
      at += count;
      return make(at - count, count);
    });
  }
  return sources;
}

Table TableS(const CacheBenchOptions& options) {
  const int64_t rows = options.rows;
  return {"s",
          vector::SchemaS(),
          rows,
          [rows, &options] { return Ranges(rows, options, vector::SchemaSBatch); },
          Phases(0, static_cast<int32_t>(rows / 2)),
          FormModes()};
}

Table TableEncoded(const CacheBenchOptions& options) {
  const int64_t rows = options.encoded_rows;
  return {"encoded",
          vector::SchemaD(),
          rows,
          [rows, &options] { return Ranges(rows, options, vector::SchemaDBatch); },
          Phases(1, static_cast<int32_t>(rows / 2)),
          {{.name = "V3 flattened"}, kPreserved}};
}

Table TableDump(const Dump& dump) {
  Table table{"dump", dump.schema, dump.rows, nullptr, DecodePhases(*dump.schema), FormModes()};
  table.modes.push_back(kPreserved);
  table.sources = [&dump] {
    std::vector<BatchSource> sources;
    for (size_t p = 0; p < dump.partitions.size(); ++p) {
      sources.push_back(Replay(dump, static_cast<int64_t>(p)));
    }
    return sources;
  };
  return table;
}

absl::Status CheckOptions(const CacheBenchOptions& options) {
  const auto within = [](std::string_view name, int64_t value, int64_t low,
                         int64_t high) -> absl::Status {
    if (value >= low && value <= high) return absl::OkStatus();
    return base::Invalid(name, " is ", value, ", not within ", low, " and ", high);
  };
  // c12 of schema S is three times the row number, in 32 bits.
  constexpr int64_t kMaxRows = INT32_MAX / 3;
  SPILLWAY_RETURN_IF_ERROR(within("rows", options.rows, 1, kMaxRows));
  SPILLWAY_RETURN_IF_ERROR(within("encoded-rows", options.encoded_rows, 0, kMaxRows));
  SPILLWAY_RETURN_IF_ERROR(within("partitions", options.partitions, 1, 10'000));
  SPILLWAY_RETURN_IF_ERROR(within("batch", options.batch, 1, 1'000'000));
  SPILLWAY_RETURN_IF_ERROR(within("iterations", options.iterations, 3, 1000));
  SPILLWAY_RETURN_IF_ERROR(within("threads", options.threads, 1, 256));
  return within("max-bytes", options.max_bytes, 0, INT64_MAX);
}

// Times steps, and tells how far the whole is.
class Stopwatch {
 public:
  Stopwatch(int64_t iterations, const Progress& progress)
      : iterations_(iterations), progress_(progress) {}

  void Expect(int64_t phases, int64_t weight) { total_ += (iterations_ + 1) * phases * weight; }

  // Runs `step` iterations + 1 times; the first warms up and does not count. `weight`: about how
  // long one takes compared with others.
  template <typename Step>
  absl::Status Repeat(PhaseTimes& times, int64_t weight, Step step) {
    for (int64_t i = 0; i <= iterations_; ++i) {
      const double processor_start = ProcessorSeconds();
      const Clock::time_point start = Clock::now();
      SPILLWAY_RETURN_IF_ERROR(step(i));
      const double seconds = SecondsSince(start);
      const double processor = ProcessorSeconds() - processor_start;
      if (i != 0) {
        times.seconds.push_back(seconds);
        times.processor_seconds += processor;
      }
      done_ += weight;
      if (progress_ != nullptr) progress_(done_, total_);
    }
    return absl::OkStatus();
  }

 private:
  const int64_t iterations_;
  const Progress& progress_;
  int64_t done_ = 0;
  int64_t total_ = 0;
};

class TableBench {
 public:
  static constexpr int64_t kGenerateWeight = 2;
  static constexpr int64_t kBuildWeight = 6;
  static constexpr int64_t kScanWeight = 1;

  TableBench(Table table, const CacheBenchOptions& options, Stopwatch& watch)
      : table_(std::move(table)), options_(options), watch_(watch) {
    const auto modes = static_cast<int64_t>(table_.modes.size());
    watch_.Expect(1, kGenerateWeight);
    watch_.Expect(modes, kBuildWeight);
    watch_.Expect(modes * static_cast<int64_t>(table_.phases.size()), kScanWeight);
  }

  const std::string& name() const { return table_.name; }

  absl::StatusOr<TableTimes> Run() {
    TableTimes times{.name = table_.name, .schema = table_.schema, .rows = table_.rows};
    SPILLWAY_ASSIGN_OR_RETURN(times.generate, Generate());
    for (const Mode& mode : table_.modes) {
      SPILLWAY_ASSIGN_OR_RETURN(ModeTimes one, base::In(mode.name, RunMode(mode)));
      times.modes.push_back(std::move(one));
      for (size_t i = 0; i < times.modes[0].phases.size(); ++i) {
        const PhaseTimes& first = times.modes[0].phases[i];
        if (times.modes.back().phases[i].digest == first.digest) continue;
        return absl::InternalError(base::Cat(
            first.name, ": ", mode.name, " computed another result than ", times.modes[0].name));
      }
    }
    return times;
  }

 private:
  int threads() const { return static_cast<int>(options_.threads); }

  absl::StatusOr<PhaseTimes> Generate() {
    PhaseTimes times{.name = "generate"};
    SPILLWAY_RETURN_IF_ERROR(watch_.Repeat(times, kGenerateWeight, [&](int64_t) {
      const std::vector<BatchSource> sources = table_.sources();
      return ForEach(static_cast<int64_t>(sources.size()), threads(),
                     [&](int64_t p) -> absl::Status {
                       while (true) {
                         absl::StatusOr<std::optional<Batch>> batch = sources[p]();
                         if (!batch.ok())
                           return base::In(base::Cat("partition ", p), batch.status());
                         if (!batch->has_value()) return absl::OkStatus();
                       }
                     });
    }));
    return times;
  }

  absl::StatusOr<ModeTimes> RunMode(const Mode& mode) {
    ModeTimes times{.name = mode.name};
    std::optional<CachedTable> cache;
    SPILLWAY_ASSIGN_OR_RETURN(PhaseTimes build, Build(mode, cache));
    times.phases.push_back(std::move(build));
    times.footprint = cache->footprint();
    SPILLWAY_ASSIGN_OR_RETURN(times.columns, cache->ColumnFootprints());
    for (const Phase& phase : table_.phases) {
      SPILLWAY_ASSIGN_OR_RETURN(PhaseTimes scan, Scan(*cache, phase));
      times.phases.push_back(std::move(scan));
    }
    return times;
  }

  absl::StatusOr<PhaseTimes> Build(const Mode& mode, std::optional<CachedTable>& cache) {
    PhaseTimes times{.name = "build"};
    CacheOptions options{.form = mode.form,
                         .encoding = mode.encoding,
                         .keep_open = options_.keep_open,
                         .threads = threads()};
    if (options_.max_bytes != 0) options.max_bytes = options_.max_bytes;
    SPILLWAY_RETURN_IF_ERROR(watch_.Repeat(times, kBuildWeight, [&](int64_t) -> absl::Status {
      cache.reset();  // one cache at a time
      SPILLWAY_ASSIGN_OR_RETURN(cache,
                                CachedTable::Build(table_.schema, table_.sources(), options));
      return absl::OkStatus();
    }));
    return times;
  }

  absl::StatusOr<PhaseTimes> Scan(const CachedTable& cache, const Phase& phase) {
    PhaseTimes times{.name = phase.name};
    ScanOptions options{.columns = phase.columns, .threads = threads()};
    std::optional<stats::Pruner> pruner;
    if (!phase.where.empty()) {
      SPILLWAY_ASSIGN_OR_RETURN(stats::Predicate predicate,
                                stats::Predicate::Parse(phase.where, table_.schema));
      options.pruner = &pruner.emplace(std::move(predicate));
    }
    SPILLWAY_RETURN_IF_ERROR(watch_.Repeat(times, kScanWeight, [&](int64_t i) -> absl::Status {
      std::vector<PhaseResult> results(cache.partitions());
      const bool verify = i == 0 && phase.verify != nullptr;
      SPILLWAY_ASSIGN_OR_RETURN(
          times.counts, cache.Scan(options, [&](int64_t p, const Batch& batch) -> absl::Status {
            if (verify) return phase.verify(batch, results[p]);
            phase.add(batch, results[p]);
            return absl::OkStatus();
          }));
      if (i != 0 && phase.verify != nullptr) return absl::OkStatus();
      for (size_t p = 1; p < results.size(); ++p) results[0] += results[p];
      const uint64_t digest = results[0].Digest();
      if (i != 0 && digest != times.digest) {
        return absl::InternalError(base::Cat(phase.name, ": two iterations differ"));
      }
      times.digest = digest;
      return absl::OkStatus();
    }));
    return times;
  }

  const Table table_;
  const CacheBenchOptions& options_;
  Stopwatch& watch_;
};

double MemcpyRate() {
  constexpr size_t kBytes = size_t{64} << 20;
  const std::string from(kBytes, 'a');
  std::string to(kBytes, 'b');
  double best = 0;
  for (int i = 0; i < 8; ++i) {
    const Clock::time_point start = Clock::now();
    std::memcpy(to.data(), from.data(), kBytes);
    asm volatile("" : : "r"(to.data()) : "memory");  // the copy is wanted
    best = std::max(best, static_cast<double>(kBytes) / SecondsSince(start));
  }
  return best;
}

int64_t PeakMemory() {
  rusage usage = {};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? int64_t{usage.ru_maxrss} * 1024 : 0;
}

}  // namespace

double PhaseTimes::mean() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
}

double PhaseTimes::deviation() const {
  double squares = 0;
  for (const double one : seconds) squares += (one - mean()) * (one - mean());
  return seconds.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(seconds.size() - 1));
}

double PhaseTimes::best() const { return *std::min_element(seconds.begin(), seconds.end()); }

double PhaseTimes::processor_mean() const {
  return processor_seconds / static_cast<double>(seconds.size());
}

absl::StatusOr<CacheBenchResult> RunCacheBench(const CacheBenchOptions& options,
                                               const Progress& progress) {
  SPILLWAY_RETURN_IF_ERROR(CheckOptions(options));
  CacheBenchResult result{.options = options};
  CacheBenchOptions& used = result.options;
  if (used.encoded_rows == 0) used.encoded_rows = std::min(used.rows, kDefaultEncodedRows);
  Stopwatch watch(used.iterations, progress);
  std::vector<TableBench> tables;
  if (used.dump != nullptr) {
    tables.emplace_back(TableDump(*used.dump), used, watch);
  } else {
    if (used.table_s) tables.emplace_back(TableS(used), used, watch);
    if (used.table_encoded) tables.emplace_back(TableEncoded(used), used, watch);
  }
  result.memcpy_rate = MemcpyRate();
  for (TableBench& table : tables) {
    SPILLWAY_ASSIGN_OR_RETURN(TableTimes times,
                              base::In(base::Cat("table ", table.name()), table.Run()));
    result.tables.push_back(std::move(times));
  }
  result.peak_memory = PeakMemory();
  return result;
}

}  // namespace spillway::cache
