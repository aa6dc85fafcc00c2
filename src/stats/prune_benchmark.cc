// SPDX-License-Identifier: Apache-2.0
// Speed of one pruning decision:
//
//   bazel run -c opt //src/stats:prune_benchmark
//
// Names say the mode; the counter `skipped` is what all batches' decisions add up to.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/benchmark.h"
#include "src/stats/blob.h"
#include "src/stats/prune.h"
#include "src/vector/build.h"

namespace spillway::stats {
namespace {

using vector::Batch;
using vector::Type;

constexpr std::string_view kFiveTerms =
    "c0 >= 5 and (c1 = 'm' or c2 < 2.5) and c3 is not null and c4 <= TIMESTAMP 9000000";
constexpr int kBatches = 64;

// Statistics of batches of which some are pruned by each term.
std::vector<BatchStats> Statistics(const vector::TypePtr& schema) {
  std::vector<BatchStats> out;
  for (int64_t i = 0; i < kBatches; ++i) {
    const std::vector<vector::ColumnPtr> columns = {
        vector::Flat<int64_t>(schema->children()[0], {i % 7, i % 7 + 1}),
        vector::Strings(schema->children()[1],
                        {std::string(20, static_cast<char>('a' + i % 26)), "zebra"}),
        vector::Flat<double>(schema->children()[2], {static_cast<double>(i % 5), 9.0}),
        vector::Flat<int32_t>(schema->children()[3], {1, 2}),
        vector::Flat<vector::Timestamp>(schema->children()[4], {{i % 11, 0}, {20, 0}})};
    out.push_back(ComputeStats(vector::BatchOf(columns)));
  }
  return out;
}

void BM_FiveTerms(benchmark::State& state, PruneMode mode) {
  const vector::TypePtr schema =
      *Type::Parse("ROW<c0:BIGINT,c1:VARCHAR,c2:DOUBLE,c3:INTEGER,c4:TIMESTAMP>");
  const Pruner pruner(*Predicate::Parse(kFiveTerms, schema), {.mode = mode});
  const std::vector<BatchStats> stats = Statistics(schema);
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(pruner.MaySkip(stats[next], 2));
    next = (next + 1) % kBatches;
  }
  int64_t skipped = 0;
  for (const BatchStats& one : stats) skipped += pruner.MaySkip(one, 2);
  state.counters["skipped"] = static_cast<double>(skipped);
}
BENCHMARK_CAPTURE(BM_FiveTerms, sound, PruneMode::kSound);
BENCHMARK_CAPTURE(BM_FiveTerms, spark, PruneMode::kSparkParity);
BENCHMARK_CAPTURE(BM_FiveTerms, gluten, PruneMode::kGlutenParity);

}  // namespace
}  // namespace spillway::stats

BENCHMARK_MAIN();
