// SPDX-License-Identifier: Apache-2.0
// The parts of a shuffle write, each beside a memcpy of the same bytes in the same run.
//   bazel run --config=native //src/shuffle:shuffle_benchmark

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "benchmark/benchmark.h"
#include "src/base/random.h"
#include "src/memory/counting_pool.h"
#include "src/memory/reservation_policy.h"
#include "src/shuffle/chunk_buffer.h"
#include "src/shuffle/murmur3.h"
#include "src/shuffle/partition_order.h"
#include "src/shuffle/partition_sink.h"
#include "src/shuffle/positive_remainder.h"
#include "src/shuffle/repartitioner.h"
#include "src/shuffle/workload.h"
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
    std::memcpy(out.data(), hashes.data(), kRows * sizeof(uint32_t));
    remainder.Apply(out);
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

// What a writer does to rows between their partitions and the sink: chunks are sorted and kept,
// and drained in pieces. As many chunks as the argument says; items are rows.
void Interleave(benchmark::State& state, const std::function<vector::Batch(int64_t)>& make) {
  std::vector<vector::Batch> chunks;
  std::vector<std::vector<uint32_t>> partitions;
  std::vector<PartitionOrder> orders(static_cast<size_t>(state.range(0)));
  base::Random random(7);
  int64_t bytes = 0;
  for (PartitionOrder& order : orders) {
    chunks.push_back(make(static_cast<int64_t>(chunks.size())));
    bytes += Bytes(chunks.back());
    std::vector<uint32_t>& of_row = partitions.emplace_back(kRows);
    for (uint32_t& p : of_row) p = static_cast<uint32_t>(random.Below(kPartitions));
    order.Sort(of_row, kPartitions);
  }
  ChunkBuffer buffer(chunks[0].schema(), kPartitions);
  for (auto _ : state) {
    for (size_t i = 0; i < chunks.size(); ++i) {
      buffer.Add(chunks[i], partitions[i], orders[i], int64_t{1} << 40);
    }
    const absl::Status drained =
        buffer.Drain(kRows, [](int32_t, const vector::Batch& piece, int64_t) {
          benchmark::DoNotOptimize(piece.column(0).rows());
          return absl::OkStatus();
        });
    if (!drained.ok()) state.SkipWithError("drain");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * kRows);
  state.SetBytesProcessed(state.iterations() * bytes);
}

void InterleaveBigint(benchmark::State& state) { Interleave(state, Bigints); }
void InterleaveVarchar(benchmark::State& state) {
  Interleave(state, [](int64_t) { return Varchars(); });
}
BENCHMARK(InterleaveBigint)->Arg(1)->Arg(16)->Arg(256);
BENCHMARK(InterleaveVarchar)->Arg(1)->Arg(16)->Arg(256);

// Copies every byte into memory that is too large for the caches, as a file system in memory would.
class CopyingSink final : public PartitionSink {
 public:
  absl::Status Append(int32_t, const vector::Batch& rows) override {
    for (const vector::ColumnPtr& column : rows.columns()) {
      column->VisitBuffers([&](const vector::Buffer& buffer) {
        const auto size = static_cast<size_t>(buffer.size());
        if (size == 0) return;
        if (at_ + size > memory_.size()) at_ = 0;
        std::memcpy(memory_.data() + at_, buffer.data(), size);
        at_ += size;
      });
    }
    return absl::OkStatus();
  }
  absl::Status EndSpill() override { return absl::OkStatus(); }
  absl::Status Finish() override { return absl::OkStatus(); }

 private:
  std::string memory_ = std::string(size_t{64} << 20, '\0');
  size_t at_ = 0;
};

// Construction, insertion and the writing of all rows, whose number is the first argument, with as
// many MiB of memory as the second one says, or all there is if that is 0. Items are rows.
void WholePath(benchmark::State& state, Workload workload) {
  std::vector<vector::Batch> batches;
  int64_t bytes = 0;
  for (int64_t row = 0; row < state.range(0); row += kRows) {
    batches.push_back(WorkloadRows(workload, row, kRows));
    for (const vector::ColumnPtr& column : batches.back().columns()) {
      column->VisitBuffers([&](const vector::Buffer& buffer) { bytes += buffer.size(); });
    }
  }
  CopyingSink sink;
  RepartitionerMetrics metrics;
  for (auto _ : state) {
    memory::CountingPool pool(state.range(1) == 0 ? std::nullopt
                                                  : std::optional(state.range(1) << 20));
    auto partitioner =
        *HashPartitioner::Create(batches[0].schema(), {0}, kPartitions, HashOptions::Comet());
    auto writer = *Repartitioner::Create(std::move(partitioner), {.batch_size = kRows}, pool, sink);
    for (const vector::Batch& batch : batches) {
      if (!writer.Insert(batch).ok()) state.SkipWithError("insert");
    }
    if (!writer.Finish().ok()) state.SkipWithError("finish");
    metrics = writer.metrics();
  }
  state.SetItemsProcessed(state.iterations() * metrics.rows);
  state.SetBytesProcessed(state.iterations() * bytes);
  state.counters["spills"] = static_cast<double>(metrics.spill_count);
  state.counters["resident_MiB"] = static_cast<double>(metrics.peak_resident_bytes >> 20);
  state.counters["unreserved_MiB"] =
      static_cast<double>(metrics.peak_resident_unreserved_bytes >> 20);
}

void WholePathI64x2(benchmark::State& state) { WholePath(state, Workload::kI64x2); }
void WholePathMix(benchmark::State& state) { WholePath(state, Workload::kMix); }
BENCHMARK(WholePathI64x2)
    ->Args({100'000, 0})
    ->Args({10'000'000, 0})
    ->Args({10'000'000, 64})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(WholePathMix)
    ->Args({100'000, 0})
    ->Args({10'000'000, 0})
    ->Args({10'000'000, 64})
    ->Unit(benchmark::kMillisecond);

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
