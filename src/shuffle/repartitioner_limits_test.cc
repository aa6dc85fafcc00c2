// SPDX-License-Identifier: Apache-2.0
// What a writer takes of memory that others want too: limits, neighbours, and what it really holds.

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/memory/counting_pool.h"
#include "src/shuffle/chunk_buffer.h"
#include "src/shuffle/memory_sink.h"
#include "src/shuffle/repartitioner.h"
#include "src/vector/build.h"

namespace spillway::shuffle {
namespace {

using memory::CountingPool;
using vector::Batch;
using vector::BatchOf;
using vector::ColumnPtr;
using vector::Kind;
using vector::Type;

constexpr int64_t kMiB = int64_t{1} << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHeapIsGlibcs = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kHeapIsGlibcs = false;
#else
constexpr bool kHeapIsGlibcs = true;
#endif
#else
constexpr bool kHeapIsGlibcs = true;
#endif

int64_t HeapInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// Drops the rows, counts them, and looks at the heap.
class CountingSink final : public PartitionSink {
 public:
  absl::Status Append(int32_t, const Batch& piece) override {
    rows += piece.rows();
    // Asking malloc takes long.
    if (kHeapIsGlibcs && pieces % 64 == 0) heap = std::max(heap, HeapInUse());
    pieces += 1;
    return absl::OkStatus();
  }
  absl::Status EndSpill() override { return absl::OkStatus(); }
  absl::Status Finish() override { return absl::OkStatus(); }

  int64_t rows = 0;
  int64_t pieces = 0;
  int64_t heap = 0;
};

Batch Bigints(int64_t first, int64_t rows) {
  std::vector<int64_t> values(rows);
  for (int64_t row = 0; row < rows; ++row) values[row] = first + row;
  return BatchOf({vector::Flat<int64_t>(Type::Scalar(Kind::kBigint), values)});
}

ColumnPtr Texts(int64_t first, int64_t rows, size_t length) {
  std::vector<std::optional<std::string>> values;
  for (int64_t row = 0; row < rows; ++row) {
    std::string text = std::to_string(first + row);
    text.resize(length, '.');
    values.emplace_back(std::move(text));
  }
  return vector::Strings(Type::Scalar(Kind::kVarchar), values);
}

Repartitioner Open(const Batch& like, int32_t partitions, const RepartitionerOptions& options,
                   memory::Pool& pool, PartitionSink& sink) {
  return *Repartitioner::Create(
      *HashPartitioner::Create(like.schema(), {0}, partitions, HashOptions::Spark()), options, pool,
      sink);
}

void Insert(Repartitioner& writer, const Batch& batch) {
  ASSERT_EQ(writer.Insert(batch), absl::OkStatus());
}

// --- Limits of every size. 20 chunks of 1000 BIGINTs; the first is charged 8000 bytes of values
// and 1000 entries of 8 bytes in one partition.

RepartitionerMetrics RunLimited(std::optional<int64_t> limit, int64_t step,
                                std::optional<int64_t> capacity = std::nullopt) {
  CountingPool pool(capacity);
  CountingSink sink;
  Repartitioner writer =
      Open(Bigints(0, 0), 1, {.policy = {.step = step, .limit = limit}}, pool, sink);
  for (int64_t chunk = 0; chunk < 20; ++chunk) Insert(writer, Bigints(1000 * chunk, 1000));
  EXPECT_EQ(writer.Finish(), absl::OkStatus());
  EXPECT_EQ(sink.rows, 20'000);
  return writer.metrics();
}

TEST(RepartitionerLimitsTest, LimitsFromNoneToHugeSpillAfterTheChunkThatReachesThem) {
  for (const int64_t step : {int64_t{0}, int64_t{4096}, kMiB}) {
    EXPECT_EQ(RunLimited(std::nullopt, step).spill_count, 0);
    EXPECT_EQ(RunLimited(0, step).spill_count, 0) << "0 is no limit";
    for (const int64_t limit : {1, 7, 8, 16'000}) {
      EXPECT_EQ(RunLimited(limit, step).spill_count, 20) << limit;
    }
    // The second chunk is charged 8000 and 1000 more entries.
    EXPECT_EQ(RunLimited(16'001, step).spill_count, 10);
    EXPECT_EQ(RunLimited(32'000, step).spill_count, 10);
    EXPECT_EQ(RunLimited(int64_t{1} << 62, step).spill_count, 0);
  }
}

TEST(RepartitionerLimitsTest, ALimitBelowEightMakesTheStepExact) {
  // MEMORY section 2: S = min(step, limit / 8).
  EXPECT_EQ(RunLimited(7, kMiB, 16'000).denials, 0) << "nothing but what is missing is asked for";
  EXPECT_EQ(RunLimited(8, kMiB, 16'000).denials, 0);
}

TEST(RepartitionerLimitsTest, BatchesLargerThanThePoolAreSpilledOneByOne) {
  const RepartitionerMetrics metrics = RunLimited(std::nullopt, kMiB, 1000);
  EXPECT_EQ(metrics.spill_count, 20);
  EXPECT_EQ(metrics.memory_spilled_bytes, 20 * 16'000);
}

TEST(RepartitionerLimitsTest, NoRowsAndOneRowAreWritten) {
  for (const int64_t rows : {0, 1}) {
    CountingPool pool;
    CountingSink sink;
    Repartitioner writer = Open(Bigints(0, 0), 16'000, {.policy = {.limit = 1}}, pool, sink);
    Insert(writer, Bigints(0, rows));
    EXPECT_EQ(writer.Finish(), absl::OkStatus());
    EXPECT_EQ(sink.rows, rows);
    EXPECT_EQ(sink.pieces, rows);
    EXPECT_EQ(writer.metrics().spill_count, rows);
  }
}

TEST(RepartitionerLimitsTest, ManyPartitionsCostNoMorePiecesThanTheyHaveRows) {
  CountingPool pool;
  CountingSink sink;
  Repartitioner writer = Open(Bigints(0, 0), 16'000, {.batch_size = 1000}, pool, sink);
  for (int64_t chunk = 0; chunk < 5; ++chunk) Insert(writer, Bigints(1000 * chunk, 1000));
  EXPECT_EQ(writer.Finish(), absl::OkStatus());
  EXPECT_EQ(sink.rows, 5000);
  EXPECT_LE(sink.pieces, 5000);
  EXPECT_GT(sink.pieces, 4000) << "rows of a partition share a piece";
}

// --- Several writers on one pool: MEMORY section 2, where equivalence of the policies fails.

struct Neighbours {
  int64_t spills_of_second = 0;
  int64_t slack_of_first = 0;
};

Neighbours RunNeighbours(int64_t step) {
  CountingPool pool(kMiB);
  CountingSink sinks[2];
  const RepartitionerOptions options = {.policy = {.step = step}};
  Repartitioner first = Open(Bigints(0, 0), 1, options, pool, sinks[0]);
  Repartitioner second = Open(Bigints(0, 0), 1, options, pool, sinks[1]);
  Insert(first, Bigints(0, 1000));
  for (int64_t chunk = 0; chunk < 10; ++chunk) {
    Insert(second, Bigints(1000 * chunk, 1000));
    // MEMORY 7.2: one ledger, and what it has is what the writers hold.
    EXPECT_EQ(pool.reserved(), first.reserved_bytes() + second.reserved_bytes());
  }
  return {second.metrics().spill_count, first.reserved_bytes() - first.buffered_bytes()};
}

TEST(RepartitionerLimitsTest, SlackDeniesANeighbourWhatTheExactPolicyLeavesFree) {
  const Neighbours exact = RunNeighbours(0);
  EXPECT_EQ(exact.spills_of_second, 0);
  EXPECT_EQ(exact.slack_of_first, 0);
  const Neighbours step = RunNeighbours(kMiB);
  EXPECT_EQ(step.slack_of_first, kMiB - 16'000) << "all that the pool had";
  EXPECT_EQ(step.spills_of_second, 10) << "at each chunk: the retry finds nothing";
}

// --- What is really allocated. MEMORY 7.1, 7.7, 7.16: memory that nobody had reserved.

constexpr int64_t kChunks = 16;
constexpr int64_t kChunkRows = 2048;

struct Workload {
  const char* name;
  int32_t partitions;
  std::vector<Batch> batches;
  bool clones = false;
};

std::vector<Workload> MakeWorkloads() {
  std::vector<Workload> all;
  const auto add = [&](const char* name, int32_t partitions, auto make, bool clones = false) {
    Workload& w = all.emplace_back(Workload{name, partitions, {}, clones});
    for (int64_t i = 0; i < kChunks; ++i) w.batches.push_back(make(kChunkRows * i));
  };
  add("bigint", 201, [](int64_t first) { return Bigints(first, kChunkRows); });
  add("strings", 201, [](int64_t first) {
    return BatchOf({Texts(first, kChunkRows, 20), Texts(first, kChunkRows, 100)});
  });
  add("nearly every row a run", 16'000, [](int64_t first) { return Bigints(first, kChunkRows); });
  add("one partition", 1, [](int64_t first) { return Bigints(first, kChunkRows); });
  const Batch again = BatchOf({Texts(0, kChunkRows, 100)});
  add(
      "one batch again and again", 201, [&](int64_t) { return again; }, true);
  const Batch whole = Bigints(0, kChunks * kChunkRows);
  add("slices of one allocation", 201,
      [&](int64_t first) { return whole.Slice(first, kChunkRows); });
  all.push_back({"one batch of all", 201, {whole}});
  return all;
}

const std::vector<Workload>& Workloads() {
  static const std::vector<Workload> all = MakeWorkloads();
  return all;
}

RepartitionerMetrics RunTask(const Workload& w, CountingPool& pool, CountingSink& sink) {
  Repartitioner writer = Open(w.batches[0], w.partitions,
                              {.batch_size = kChunkRows, .policy = {.step = 0}}, pool, sink);
  for (const Batch& batch : w.batches) Insert(writer, batch);
  EXPECT_EQ(writer.Finish(), absl::OkStatus());
  EXPECT_EQ(sink.rows, kChunks * kChunkRows);
  return writer.metrics();
}

// The aim for large tasks is a tenth and 16 MiB; small ones show what the 16 MiB would hide.
TEST(RepartitionerResidencyTest, NoMoreIsAllocatedThanIsReservedATenthAndScratch) {
  for (const std::optional<int64_t> capacity : {std::optional<int64_t>(), {kMiB / 2}}) {
    for (const Workload& w : Workloads()) {
      SCOPED_TRACE(w.name);
      CountingPool pool(capacity);
      CountingSink sink;
      const int64_t before = HeapInUse();
      const RepartitionerMetrics metrics = RunTask(w, pool, sink);
      // Scratch of a chunk, lists of a partition, and a piece with its ranges.
      const int64_t scratch = kChunkRows * 8 + int64_t{w.partitions} * 32;
      const int64_t piece = kChunkRows * (w.batches[0].columns().size() == 2 ? 128 : 104);
      EXPECT_LE(metrics.peak_resident_unreserved_bytes, pool.peak() / 10 + scratch + piece);
      // The writer's own figure is held against the allocator's. Not in it are the sets of
      // addresses, headers of columns, and malloc's own bytes: up to 24 for a list of runs, and as
      // much again for what the account knows of a partition.
      if (kHeapIsGlibcs && !w.clones) {
        const int64_t overhead = 256 * 1024 + int64_t{w.partitions} * 48;
        EXPECT_LE(sink.heap - before, metrics.peak_resident_bytes * 11 / 10 + overhead);
      }
    }
  }
}

TEST(RepartitionerResidencyTest, ACopyIsMadeOnlyOfWhatWasChargedFor) {
  for (const Workload& w : Workloads()) {
    SCOPED_TRACE(w.name);
    CountingPool pool;
    CountingSink sink;
    const RepartitionerMetrics metrics = RunTask(w, pool, sink);
    if (w.clones) {
      EXPECT_GT(metrics.sorted_chunks, 0);
      EXPECT_LT(metrics.sorted_chunks, kChunks / 2);
    } else {
      EXPECT_EQ(metrics.sorted_chunks, kChunks);
    }
  }
}

// --- The buffer itself, in both forms.

// Values of column 0 of all pieces, a partition each.
std::vector<std::vector<int64_t>> DrainValues(ChunkBuffer& buffer, int32_t partitions,
                                              int64_t piece_rows) {
  std::vector<std::vector<int64_t>> out(partitions);
  const absl::Status drained =
      buffer.Drain(piece_rows, [&](int32_t partition, const Batch& piece, int64_t resident) {
        EXPECT_LE(piece.rows(), piece_rows);
        EXPECT_GT(resident, 0);
        for (int64_t row = 0; row < piece.rows(); ++row) {
          out[partition].push_back(piece.column(0).As<vector::FlatColumn>().Value<int64_t>(row));
        }
        return absl::OkStatus();
      });
  EXPECT_EQ(drained, absl::OkStatus());
  EXPECT_TRUE(buffer.empty());
  return out;
}

TEST(ChunkBufferTest, ChunksOfMoreRowsThanARunCanNumberAreCut) {
  constexpr int64_t kRows = 150'000;
  const Batch chunk = Bigints(0, kRows);
  std::vector<uint32_t> partitions(kRows);
  std::vector<std::vector<int64_t>> expected(3);
  for (int64_t row = 0; row < kRows; ++row) {
    // The first 70,000 rows are one partition's, so that runs are as long as they can be.
    partitions[row] = row < 70'000 ? 1 : static_cast<uint32_t>(row % 3);
    expected[partitions[row]].push_back(row);
  }
  PartitionOrder order;
  order.Sort(partitions, 3);
  for (const int64_t budget : {int64_t{0}, kRows * 8}) {
    ChunkBuffer buffer(chunk.schema(), 3);
    buffer.Add(chunk, partitions, order, budget);
    EXPECT_EQ(buffer.sorted(), budget == 0 ? 0 : 3);
    EXPECT_EQ(DrainValues(buffer, 3, 60'000), expected);
  }
}

TEST(ChunkBufferTest, AFailureEmptiesIt) {
  const Batch chunk = Bigints(0, 10);
  const std::vector<uint32_t> partitions(10, 0);
  PartitionOrder order;
  order.Sort(partitions, 1);
  ChunkBuffer buffer(chunk.schema(), 1);
  buffer.Add(chunk, partitions, order, 1000);
  EXPECT_EQ(buffer.Drain(
                5, [](int32_t, const Batch&, int64_t) { return absl::DataLossError("disk full"); }),
            absl::DataLossError("disk full"));
  EXPECT_TRUE(buffer.empty());
  buffer.Add(chunk, partitions, order, 1000);
  EXPECT_EQ(DrainValues(buffer, 1, 5)[0].size(), 10u);
}

TEST(RepartitionerPartitioningTest, EveryWayOfPartitioningIsTaken) {
  const Batch batch = Bigints(0, 10);
  const auto rows = [&](Partitioning partitioning, const Batch& input) {
    CountingPool pool;
    MemorySink sink(partitioning.partitions());
    auto writer = *Repartitioner::Create(partitioning, {}, pool, sink);
    Insert(writer, input);
    EXPECT_EQ(writer.Finish(), absl::OkStatus());
    std::vector<int64_t> counts;
    for (int32_t p = 0; p < partitioning.partitions(); ++p) {
      counts.push_back(0);
      for (const Batch& piece : sink.pieces(p)) counts.back() += piece.rows();
    }
    return counts;
  };
  using Counts = std::vector<int64_t>;
  const Batch boundaries =
      BatchOf({vector::Flat<int64_t>(Type::Scalar(Kind::kBigint), std::vector<int64_t>{1, 5})});
  EXPECT_EQ(rows(*RangePartitioner::Create(batch.schema(), {{}}, boundaries), batch),
            (Counts{2, 4, 4}));
  EXPECT_EQ(rows(*DealingPartitioner::Create(batch.schema(), 4, 0), batch), (Counts{2, 3, 3, 2}));
  EXPECT_EQ(rows(SinglePartitioner(batch.schema()), batch), (Counts{10}));
  const Batch nothing(Type::Row({}, {}), 7, {});
  EXPECT_EQ(rows(SinglePartitioner(nothing.schema()), nothing), (Counts{7})) << "count(*)";
}

}  // namespace
}  // namespace spillway::shuffle
