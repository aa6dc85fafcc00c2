// SPDX-License-Identifier: Apache-2.0
// What it costs to get memory and give it back, one thread, nothing short.
//   bazel run --config=native //src/memory/spark:pool_benchmark

#include <memory>
#include <mutex>

#include "benchmark/benchmark.h"
#include "src/memory/local_pool.h"
#include "src/memory/spark/pool_calls.h"
#include "src/memory/spark/task_backend.h"
#include "src/memory/spark/task_memory.h"
#include "src/memory/spark/unified_memory.h"
#include "src/memory/spark_pool.h"
#include "src/memory/thread_monitor.h"

namespace spillway::memory::spark {
namespace {

constexpr int64_t kBytes = 32 << 10;

struct Executor {
  UnifiedMemoryOptions Options() {
    UnifiedMemoryOptions options;
    options.off_heap = {.total = int64_t{1} << 30, .storage_region = int64_t{1} << 29};
    return options;
  }

  ThreadMonitor u{"U"};
  ThreadMonitor t{"T"};
  UnifiedMemory memory{u, Options()};
  TaskMemory task{memory, t, 1};
  CometConsumer comet{task};
};

// For comparison: the two locks of an acquire and the one of a release, as std::mutex.
void ThreeMutexes(benchmark::State& state) {
  std::mutex t;
  std::mutex u;
  for (auto _ : state) {
    {
      const std::lock_guard outer(t);
      const std::lock_guard inner(u);
      benchmark::ClobberMemory();
    }
    const std::lock_guard inner(u);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(ThreeMutexes);

void SparkPair(benchmark::State& state) {
  Executor executor;
  TaskBackend backend(executor.comet);
  for (auto _ : state) {
    benchmark::DoNotOptimize(backend.Acquire(kBytes));
    benchmark::DoNotOptimize(backend.Release(kBytes));
  }
}
BENCHMARK(SparkPair);

void UnifiedPair(benchmark::State& state, PoolKind kind, PoolVariant variant) {
  Executor executor;
  SparkPool pool({.kind = kind, .variant = variant, .size = int64_t{1} << 30},
                 std::make_shared<TaskBackend>(executor.comet));
  const auto consumer = pool.Register("writer", true);
  for (auto _ : state) {
    benchmark::DoNotOptimize(consumer->TryGrow(kBytes));
    benchmark::DoNotOptimize(consumer->Shrink(kBytes));
  }
}
BENCHMARK_CAPTURE(UnifiedPair, fair_fixed, PoolKind::kFairUnified, PoolVariant::kFixed);
BENCHMARK_CAPTURE(UnifiedPair, fair_as_is, PoolKind::kFairUnified, PoolVariant::kAsIs);
BENCHMARK_CAPTURE(UnifiedPair, greedy, PoolKind::kGreedyUnified, PoolVariant::kFixed);

void LocalPair(benchmark::State& state) {
  LocalPool pool(PoolKind::kFairSpill, int64_t{1} << 30, PoolVariant::kFixed);
  const auto consumer = pool.Register("writer", true);
  for (auto _ : state) {
    benchmark::DoNotOptimize(consumer->TryGrow(kBytes));
    benchmark::DoNotOptimize(consumer->Shrink(kBytes));
  }
}
BENCHMARK(LocalPair);

}  // namespace
}  // namespace spillway::memory::spark
