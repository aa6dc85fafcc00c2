// SPDX-License-Identifier: Apache-2.0
// The parts of a shuffle write, each beside a memcpy of the same bytes in the same run.
//   bazel run --config=native //src/shuffle:shuffle_benchmark

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "src/base/random.h"
#include "src/memory/reservation_policy.h"
#include "src/shuffle/interleave.h"
#include "src/shuffle/murmur3.h"
#include "src/shuffle/partition_order.h"
#include "src/shuffle/partitioner.h"
#include "src/vector/build.h"

namespace spillway::shuffle {
namespace {

constexpr int64_t kRows = 8192;
constexpr int32_t kPartitions = 201;

vector::Batch Bigints(int64_t seed = 1) {
  base::Random random = base::Random::Stream(static_cast<uint64_t>(seed), "bigint");
  std::vector<int64_t> values(kRows);
  for (int64_t& value : values) value = static_cast<int64_t>(random.Next());
  return vector::BatchOf(
      {vector::Flat<int64_t>(vector::Type::Scalar(vector::Kind::kBigint), values)});
}

// 8 to 16 bytes each.
vector::Batch Varchars() {
  base::Random random = base::Random::Stream(1, "varchar");
  std::vector<std::optional<std::string>> values;
  for (int64_t row = 0; row < kRows; ++row) {
    std::string value(random.Below(9) + 8, ' ');
    for (char& c : value) c = static_cast<char>('a' + random.Below(8));
    values.push_back(std::move(value));
  }
  return vector::BatchOf({vector::Strings(vector::Type::Scalar(vector::Kind::kVarchar), values)});
}

int64_t Bytes(const vector::Batch& batch) {
  int64_t bytes = 0;
  batch.column(0).VisitBuffers([&](const vector::Buffer& buffer) { bytes += buffer.size(); });
  return bytes;
}

void Report(benchmark::State& state, int64_t bytes) {
  state.SetItemsProcessed(state.iterations() * kRows);
  state.SetBytesProcessed(state.iterations() * bytes);
}

void Memcpy(benchmark::State& state, int64_t bytes) {
  const std::string from(static_cast<size_t>(bytes), 'x');
  std::string to(from.size(), ' ');
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  Report(state, bytes);
}

void Hash(benchmark::State& state, const vector::Batch& batch) {
  std::vector<uint32_t> hashes(kRows, kMurmur3Seed);
  for (auto _ : state) {
    if (!HashColumn(batch.column(0), {}, hashes).ok()) state.SkipWithError("hash");
    benchmark::DoNotOptimize(hashes.data());
  }
  Report(state, Bytes(batch));
}

void HashBigint(benchmark::State& state) { Hash(state, Bigints()); }
void HashBigintMemcpy(benchmark::State& state) { Memcpy(state, Bytes(Bigints())); }
void HashVarchar(benchmark::State& state) { Hash(state, Varchars()); }
void HashVarcharMemcpy(benchmark::State& state) { Memcpy(state, Bytes(Varchars())); }
BENCHMARK(HashBigint);
BENCHMARK(HashBigintMemcpy);
BENCHMARK(HashVarchar);
BENCHMARK(HashVarcharMemcpy);

void Remainder(benchmark::State& state) {
  const PositiveRemainder remainder(kPartitions);
  base::Random random(1);
  std::vector<uint32_t> hashes(kRows);
  for (uint32_t& hash : hashes) hash = static_cast<uint32_t>(random.Next());
  std::vector<uint32_t> out(kRows);
  for (auto _ : state) {
    for (int64_t row = 0; row < kRows; ++row) out[row] = remainder(hashes[row]);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  Report(state, kRows * static_cast<int64_t>(sizeof(uint32_t)));
}
BENCHMARK(Remainder);

void CountingSort(benchmark::State& state) {
  base::Random random(1);
  std::vector<uint32_t> partitions(kRows);
  for (uint32_t& p : partitions) p = static_cast<uint32_t>(random.Below(kPartitions));
  PartitionOrder order;
  for (auto _ : state) {
    order.Sort(partitions, kPartitions);
    benchmark::DoNotOptimize(order.rows().data());
  }
  Report(state, kRows * static_cast<int64_t>(sizeof(uint32_t)));
}
void CountingSortMemcpy(benchmark::State& state) {
  Memcpy(state, kRows * static_cast<int64_t>(sizeof(uint32_t)));
}
BENCHMARK(CountingSort);
BENCHMARK(CountingSortMemcpy);

// A piece of 8192 BIGINTs out of as many batches as the argument says.
void InterleaveBigint(benchmark::State& state) {
  std::vector<vector::Batch> batches;
  for (int64_t i = 0; i < state.range(0); ++i) batches.push_back(Bigints(i));
  std::vector<RowRef> refs;
  base::Random random(7);
  for (int64_t row = 0; row < kRows; ++row) {
    refs.push_back({static_cast<uint32_t>(row * state.range(0) / kRows),
                    static_cast<uint32_t>(random.Below(kRows))});
  }
  const Interleaver interleaver = *Interleaver::Create(batches[0].schema(), batches);
  for (auto _ : state) {
    auto piece = interleaver.Gather(refs);
    benchmark::DoNotOptimize(piece);
  }
  Report(state, kRows * static_cast<int64_t>(sizeof(int64_t)));
}
BENCHMARK(InterleaveBigint)->Arg(1)->Arg(16)->Arg(256);

// The decisions of a task of 256 chunks; items are chunks. Nothing is copied, so nothing beside it.
void PolicyDecisions(benchmark::State& state) {
  constexpr int64_t kChunks = 256;
  for (auto _ : state) {
    auto policy = *memory::ReservationPolicy::Create({.step = state.range(0)});
    for (int64_t chunk = 0; chunk < kChunks; ++chunk) {
      memory::Action next = policy.Grow(98'304);
      while (next.kind == memory::Action::Kind::kRequest) next = policy.Answer(true);
      benchmark::DoNotOptimize(next);
    }
  }
  state.SetItemsProcessed(state.iterations() * kChunks);
}
BENCHMARK(PolicyDecisions)->Arg(0)->Arg(1 << 20);

}  // namespace
}  // namespace spillway::shuffle
