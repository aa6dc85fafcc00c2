// SPDX-License-Identifier: Apache-2.0
#include "src/cache/cache_bench.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/random.h"
#include "src/base/status.h"
#include "src/cache/parallel.h"
#include "src/stats/predicate.h"
#include "src/stats/prune.h"
#include "src/vector/schema_s.h"

namespace spillway::cache {
namespace {

using vector::Batch;
using vector::Column;
using vector::FlatColumn;
using vector::StringColumn;

constexpr int64_t kGroups = 1000;

// Wrapping sums, so that a result is a function of the rows and not of their order.
template <typename T>
uint64_t SumBits(const Column& column) {
  const uint8_t* values = column.As<FlatColumn>().values().data();
  uint64_t sum = 0;
  for (int64_t row = 0; row < column.rows(); ++row) {
    sum += static_cast<uint64_t>(base::Load<T>(values + row * static_cast<int64_t>(sizeof(T))));
  }
  return sum;
}

uint64_t SumLengths(const Column& column) {
  const auto& strings = column.As<StringColumn>();
  return strings.rows() == 0 ? 0 : strings.End(strings.rows() - 1) - strings.first();
}

uint64_t SumColumn(const Column& column) {
  if (column.type().is_string()) return SumLengths(column);
  return column.type().width() == 4 ? SumBits<int32_t>(column) : SumBits<int64_t>(column);
}

// What a phase computes: one of these a partition, added up at the end.
struct Result {
  uint64_t sum = 0;
  std::array<std::array<uint64_t, 4>, kGroups> groups = {};  // read4: count, c1, c2, c4
};

struct Phase {
  std::string_view name;
  std::optional<std::vector<int64_t>> columns;
  std::string where;  // what batches are pruned by; empty: they are not
  std::function<void(const Batch& batch, Result& result)> add;
};

void AddRead4(const Batch& batch, Result& result) {
  const auto& c0 = batch.column(0).As<FlatColumn>();
  const auto& c1 = batch.column(1).As<FlatColumn>();
  const auto& c2 = batch.column(2).As<StringColumn>();
  const auto& c4 = batch.column(3).As<FlatColumn>();
  int32_t start = c2.first();
  for (int64_t row = 0; row < batch.rows(); ++row) {
    auto& group = result.groups[c0.Value<int32_t>(row) % kGroups];
    const int32_t end = c2.End(row);
    ++group[0];
    group[1] += static_cast<uint64_t>(int64_t{c1.Value<int32_t>(row)});
    group[2] += static_cast<uint64_t>(end - start);
    group[3] += static_cast<uint64_t>(int64_t{c4.Value<int32_t>(row)});
    start = end;
  }
}

std::vector<Phase> Phases(int64_t rows) {
  const auto wanted = static_cast<int32_t>(rows / 2);
  return {
      {"read1", {{0}}, "",
       [](const Batch& batch, Result& result) { result.sum += SumBits<int32_t>(batch.column(0)); }},
      {"read4", {{0, 1, 2, 4}}, "", AddRead4},
      {"readAll", std::nullopt, "",
       [](const Batch& batch, Result& result) {
         for (const vector::ColumnPtr& column : batch.columns()) result.sum += SumColumn(*column);
       }},
      {"filter", {{0, 1}}, base::Cat("c0 = ", wanted),
       [wanted](const Batch& batch, Result& result) {
         const auto& c0 = batch.column(0).As<FlatColumn>();
         const auto& c1 = batch.column(1).As<FlatColumn>();
         for (int64_t row = 0; row < batch.rows(); ++row) {
           if (c0.Value<int32_t>(row) != wanted) continue;
           result.sum += 1 + static_cast<uint64_t>(int64_t{c1.Value<int32_t>(row)}) * 2;
         }
       }},
  };
}

uint64_t Digest(const std::vector<Result>& results) {
  Result total;
  for (const Result& one : results) {
    total.sum += one.sum;
    for (int64_t group = 0; group < kGroups; ++group) {
      for (size_t i = 0; i < 4; ++i) total.groups[group][i] += one.groups[group][i];
    }
  }
  uint64_t digest = base::SplitMix64(total.sum);
  for (const auto& group : total.groups) {
    for (const uint64_t value : group) digest = base::SplitMix64(digest ^ value);
  }
  return digest;
}

std::vector<BatchSource> Sources(const CacheBenchOptions& options) {
  std::vector<BatchSource> sources;
  for (int64_t p = 0; p < options.partitions; ++p) {
    const int64_t first = options.rows * p / options.partitions;
    const int64_t end = options.rows * (p + 1) / options.partitions;
    sources.push_back([at = first, end, batch = options.batch]() mutable
                      -> absl::StatusOr<std::optional<Batch>> {
      if (at == end) return std::nullopt;
      const int64_t rows = std::min(batch, end - at);
      at += rows;
      return vector::SchemaSBatch(at - rows, rows);
    });
  }
  return sources;
}

absl::Status CheckOptions(const CacheBenchOptions& options) {
  const auto within = [](std::string_view name, int64_t value, int64_t low,
                         int64_t high) -> absl::Status {
    if (value >= low && value <= high) return absl::OkStatus();
    return base::Invalid(name, " is ", value, ", not within ", low, " and ", high);
  };
  // c12 is three times the row number, in 32 bits.
  SPILLWAY_RETURN_IF_ERROR(within("rows", options.rows, 1, INT32_MAX / 3));
  SPILLWAY_RETURN_IF_ERROR(within("partitions", options.partitions, 1, 100'000));
  SPILLWAY_RETURN_IF_ERROR(within("batch", options.batch, 1, 1'000'000));
  SPILLWAY_RETURN_IF_ERROR(within("iterations", options.iterations, 3, 1000));
  return within("threads", options.threads, 1, 256);
}

class Bench {
 public:
  Bench(const CacheBenchOptions& options, const Progress& progress)
      : options_(options), progress_(progress), phases_(Phases(options.rows)) {
    const int64_t runs = options.iterations + 1;
    total_ = std::size(kForms) * runs * (2 + static_cast<int64_t>(phases_.size()));
  }

  absl::StatusOr<FormTimes> Run(Form form) {
    FormTimes times;
    times.form = form;
    SPILLWAY_ASSIGN_OR_RETURN(PhaseTimes generate, Generate());
    times.phases.push_back(std::move(generate));
    std::optional<CachedTable> table;
    SPILLWAY_ASSIGN_OR_RETURN(PhaseTimes build, Build(form, table));
    times.phases.push_back(std::move(build));
    times.footprint = table->footprint();
    for (const Phase& phase : phases_) {
      SPILLWAY_ASSIGN_OR_RETURN(PhaseTimes scan, Scan(*table, phase));
      times.phases.push_back(std::move(scan));
    }
    return times;
  }

 private:
  // Times `step` iterations + 1 times; the first warms up and does not count.
  template <typename Step>
  absl::Status Repeat(PhaseTimes& times, Step step) {
    for (int64_t i = 0; i <= options_.iterations; ++i) {
      const auto start = std::chrono::steady_clock::now();
      SPILLWAY_RETURN_IF_ERROR(step(i));
      const auto end = std::chrono::steady_clock::now();
      if (i != 0) times.seconds.push_back(std::chrono::duration<double>(end - start).count());
      if (progress_ != nullptr) progress_(++done_, total_);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<PhaseTimes> Generate() {
    PhaseTimes times{.name = "generate", .seconds = {}, .counts = {}};
    SPILLWAY_RETURN_IF_ERROR(Repeat(times, [&](int64_t) {
      const std::vector<BatchSource> sources = Sources(options_);
      return ForEach(options_.partitions, static_cast<int>(options_.threads), [&](int64_t p) {
        while ((*sources[p]()).has_value()) {
        }
        return absl::OkStatus();
      });
    }));
    return times;
  }

  absl::StatusOr<PhaseTimes> Build(Form form, std::optional<CachedTable>& table) {
    PhaseTimes times{.name = "build", .seconds = {}, .counts = {}};
    SPILLWAY_RETURN_IF_ERROR(Repeat(times, [&](int64_t) -> absl::Status {
      table.reset();  // one cache at a time
      const CacheOptions cache{.form = form, .threads = static_cast<int>(options_.threads)};
      SPILLWAY_ASSIGN_OR_RETURN(
          table, CachedTable::Build(vector::SchemaS(), Sources(options_), cache));
      return absl::OkStatus();
    }));
    return times;
  }

  absl::StatusOr<PhaseTimes> Scan(const CachedTable& table, const Phase& phase) {
    PhaseTimes times{.name = std::string(phase.name), .seconds = {}, .counts = {}};
    ScanOptions scan{.columns = phase.columns, .threads = static_cast<int>(options_.threads)};
    std::optional<stats::Pruner> pruner;
    if (!phase.where.empty()) {
      SPILLWAY_ASSIGN_OR_RETURN(stats::Predicate predicate,
                                stats::Predicate::Parse(phase.where, vector::SchemaS()));
      scan.pruner = &pruner.emplace(std::move(predicate));
    }
    SPILLWAY_RETURN_IF_ERROR(Repeat(times, [&](int64_t iteration) -> absl::Status {
      std::vector<Result> results(table.partitions());
      SPILLWAY_ASSIGN_OR_RETURN(times.counts,
                                table.Scan(scan, [&](int64_t p, const Batch& batch) {
                                  phase.add(batch, results[p]);
                                  return absl::OkStatus();
                                }));
      const uint64_t digest = Digest(results);
      if (iteration != 0 && digest != times.digest) {
        return absl::InternalError(base::Cat(phase.name, ": two iterations differ"));
      }
      times.digest = digest;
      return absl::OkStatus();
    }));
    return times;
  }

  const CacheBenchOptions options_;
  const Progress& progress_;
  const std::vector<Phase> phases_;
  int64_t done_ = 0;
  int64_t total_ = 0;
};

}  // namespace

double PhaseTimes::mean() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) /
         static_cast<double>(seconds.size());
}

double PhaseTimes::deviation() const {
  double squares = 0;
  for (const double one : seconds) squares += (one - mean()) * (one - mean());
  return seconds.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(seconds.size() - 1));
}

double PhaseTimes::best() const { return *std::min_element(seconds.begin(), seconds.end()); }

absl::StatusOr<CacheBenchResult> RunCacheBench(const CacheBenchOptions& options,
                                               const Progress& progress) {
  SPILLWAY_RETURN_IF_ERROR(CheckOptions(options));
  CacheBenchResult result{options, {}};
  Bench bench(options, progress);
  for (const Form form : kForms) {
    absl::StatusOr<FormTimes> times = bench.Run(form);
    if (!times.ok()) return base::In(FormName(form), std::move(times).status());
    result.forms.push_back(*std::move(times));
    for (size_t i = 0; i < result.forms[0].phases.size(); ++i) {
      const PhaseTimes& first = result.forms[0].phases[i];
      if (result.forms.back().phases[i].digest == first.digest) continue;
      return absl::InternalError(base::Cat(first.name, ": ", FormName(form), " computed another ",
                                           "result than ", FormName(kForms[0])));
    }
  }
  return result;
}

}  // namespace spillway::cache
