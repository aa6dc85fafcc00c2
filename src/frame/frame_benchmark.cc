// SPDX-License-Identifier: Apache-2.0
// What it costs to write a V3 frame, to open it and to touch one of its columns:
//
//   bazel run -c opt //src/frame:frame_benchmark
//
// Opening: names say operation / columns / with statistics. It grows by a few nanoseconds a column,
// whatever the columns hold; reading one column is one opening and one decode.
//
// Writing schema S, 4,096 rows: names say with statistics / how many frames are kept. With one, the
// next is written where the last one was, in the cache; with 128, as a table that is being cached
// does, to memory that is cold, though mapped.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "src/base/strings.h"
#include "src/base/yardstick.h"
#include "src/frame/v3.h"
#include "src/vector/schema_s.h"

namespace spillway::frame {
namespace {

using vector::Batch;
using vector::Buffer;

// Schema S, over and over, 512 rows.
Batch Wide(int64_t columns) {
  const Batch batch = vector::SchemaSBatch(0, 512);
  std::vector<std::string> names;
  std::vector<vector::TypePtr> types;
  std::vector<vector::ColumnPtr> all;
  for (int64_t i = 0; i < columns; ++i) {
    all.push_back(batch.columns()[i % 16]);
    names.push_back(base::Cat("c", i));
    types.push_back(all.back()->type_ptr());
  }
  return Batch(vector::Type::Row(std::move(names), std::move(types)), batch.rows(),
               std::move(all));
}

struct Input {
  vector::TypePtr schema;
  Buffer bytes;
};

Input Frame(const benchmark::State& state) {
  const Batch batch = Wide(state.range(0));
  return {batch.schema(), *WriteV3(batch, {.statistics = state.range(1) != 0})};
}

void Open(benchmark::State& state) {
  const Input input = Frame(state);
  for (auto _ : state) {
    auto frame = V3Frame::Open(input.schema, input.bytes);
    benchmark::DoNotOptimize(frame);
  }
}
BENCHMARK(Open)->Args({16, 0})->Args({16, 1})->Args({1000, 0})->Args({1000, 1});

void OpenAndReadOneLazyColumn(benchmark::State& state) {
  const Input input = Frame(state);
  const Projection last = std::vector<int64_t>{state.range(0) - 1};
  for (auto _ : state) {
    const auto frame = V3Frame::Open(input.schema, input.bytes);
    auto batch = frame->ReadLazy(last);
    benchmark::DoNotOptimize(batch);
  }
}
BENCHMARK(OpenAndReadOneLazyColumn)->Args({16, 1})->Args({1000, 1});

void OpenAndDecodeOneColumn(benchmark::State& state) {
  const Input input = Frame(state);
  for (auto _ : state) {
    const auto frame = V3Frame::Open(input.schema, input.bytes);
    auto column = frame->Load(state.range(0) - 1);
    benchmark::DoNotOptimize(column);
  }
}
BENCHMARK(OpenAndDecodeOneColumn)->Args({16, 1})->Args({1000, 1});

void ReadStatistics(benchmark::State& state) {
  const Input input = Frame(state);
  for (auto _ : state) {
    const auto frame = V3Frame::Open(input.schema, input.bytes);
    benchmark::DoNotOptimize(frame->stats());
  }
}
BENCHMARK(ReadStatistics)->Args({16, 1})->Args({1000, 1});

void Write(benchmark::State& state) {
  const Batch batch = vector::SchemaSBatch(0, 4096);
  const V3WriteOptions options = {.statistics = state.range(0) != 0};
  std::vector<Buffer> kept(state.range(1), *WriteV3(batch, options));
  const Buffer first = kept[0];
  size_t next = 0;
  base::RunBeside(state, first.view(), [&] {
    kept[next] = *WriteV3(batch, options);
    next = (next + 1) % kept.size();
  });
}
BENCHMARK(Write)
    ->ArgNames({"statistics", "kept"})
    ->Args({0, 1})
    ->Args({1, 1})
    ->Args({0, 128})
    ->Args({1, 128});

}  // namespace
}  // namespace spillway::frame

int main(int argc, char** argv) {
  spillway::base::KeepFreedMemory();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
