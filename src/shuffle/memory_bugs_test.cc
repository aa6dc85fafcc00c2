// SPDX-License-Identifier: Apache-2.0
// Public issues about the memory of shuffle writers, docs/bugs.md: as it was, and as it is here.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/memory/counting_pool.h"
#include "src/memory/reservation_policy.h"
#include "src/shuffle/memory_sink.h"
#include "src/shuffle/repartitioner.h"
#include "src/shuffle/writer_account.h"
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
constexpr int64_t kRows = 2048;

// The rows of one task in `batches` through a writer, under the exact policy unless another one is
// given.
class Task {
 public:
  Task(const Batch& like, int32_t partitions, std::optional<int64_t> capacity,
       const memory::PolicyOptions& policy = {.step = 0})
      : pool(capacity),
        sink(partitions),
        writer(*Repartitioner::Create(
            *HashPartitioner::Create(like.schema(), {0}, partitions, HashOptions::Spark()),
            {.batch_size = kRows, .policy = policy}, pool, sink)) {}

  void Insert(const Batch& batch) { ASSERT_EQ(writer.Insert(batch), absl::OkStatus()); }

  CountingPool pool;
  MemorySink sink;
  Repartitioner writer;
};

ColumnPtr Bigints(int64_t first, int64_t rows) {
  std::vector<int64_t> values(rows);
  for (int64_t row = 0; row < rows; ++row) values[row] = first + row;
  return vector::Flat<int64_t>(Type::Scalar(Kind::kBigint), values);
}

Batch Texts(const std::vector<std::optional<std::string>>& values) {
  return BatchOf({vector::Strings(Type::Scalar(Kind::kVarchar), values)});
}

bool Granted(CountingPool& pool, int64_t bytes) { return pool.TryGrow(bytes)->granted; }

// M1: comet#887.
TEST(MemoryBugsTest, ABatchForEveryPartitionIsReservedBeforeThereIsARow) {
  constexpr int32_t kPartitions = 200;
  const Batch batch = BatchOf({Bigints(0, kRows), Bigints(7, kRows)});
  CountingPool as_it_was(4 * kMiB);
  EXPECT_FALSE(Granted(as_it_was, kPartitions * kRows * 16)) << "for a batch of 32 KiB";

  Task task(batch, kPartitions, 4 * kMiB);
  task.Insert(batch);
  EXPECT_EQ(task.writer.metrics().spill_count, 0);
  EXPECT_GE(task.pool.reserved(), task.writer.resident_bytes() - kPartitions * 64 - kRows * 8);
  EXPECT_LE(task.pool.reserved(), 4 * kRows * 16);
}

// M2: comet#1448.
TEST(MemoryBugsTest, MemoryThatIsReservedTwiceSpillsEarly) {
  constexpr int64_t kChunks = 20;
  const int64_t capacity = 2 * kChunks * kRows * 16;
  CountingPool as_it_was(capacity);
  WriterAccount account(1);
  int64_t denied_at = 0;
  std::vector<Batch> chunks;
  for (int64_t i = 0; i < kChunks && denied_at == 0; ++i) {
    chunks.push_back(BatchOf({Bigints(i * kRows, kRows)}));
    const int64_t growth =
        account.ChargeBuffers(chunks.back()) + account.ChargeIndices(std::vector<uint32_t>{kRows});
    // Once where the rows are buffered, once more where they are partitioned.
    if (!Granted(as_it_was, growth) || !Granted(as_it_was, growth)) denied_at = i;
  }
  EXPECT_GT(denied_at, 0);

  Task task(BatchOf({Bigints(0, 0)}), 1, capacity);
  for (int64_t i = 0; i < kChunks; ++i) task.Insert(BatchOf({Bigints(i * kRows, kRows)}));
  EXPECT_EQ(task.writer.metrics().spill_count, 0);
  EXPECT_EQ(task.pool.reserved(), task.writer.buffered_bytes()) << "one ledger";
}

// M7: comet#3821.
TEST(MemoryBugsTest, OutputThatIsGatheredAsAWholeDoublesWhatIsResident) {
  constexpr int64_t kChunks = 20;
  Task task(BatchOf({Bigints(0, 0)}), 16, std::nullopt);
  int64_t buffers = 0;
  for (int64_t i = 0; i < kChunks; ++i) {
    const Batch chunk = BatchOf({Bigints(i * kRows, kRows)});
    buffers += WriterAccount(0).ChargeBuffers(chunk);
    task.Insert(chunk);
  }
  const int64_t reserved = task.pool.reserved();
  ASSERT_EQ(task.writer.Finish(), absl::OkStatus());
  int64_t output = 0;
  for (int32_t p = 0; p < 16; ++p) {
    for (const Batch& piece : task.sink.pieces(p)) {
      output += WriterAccount(0).ChargeBuffers(piece);
    }
  }
  EXPECT_EQ(output, buffers);
  EXPECT_GT(reserved + output, reserved * 5 / 4) << "as it was: all of it beside what is buffered";
  EXPECT_LE(task.writer.metrics().peak_resident_bytes, reserved * 11 / 10);
}

// M16: comet#5568.
TEST(MemoryBugsTest, WhatIsClearedAndNotFreedStaysUnchargedBetweenSpills) {
  std::vector<uint64_t> as_it_was(20 * kRows);
  as_it_was.clear();
  EXPECT_EQ(as_it_was.capacity() * sizeof(as_it_was[0]), 20u * kRows * 8);

  Task task(BatchOf({Bigints(0, 0)}), 16, std::nullopt);
  for (int64_t i = 0; i < 20; ++i) task.Insert(BatchOf({Bigints(i * kRows, kRows)}));
  EXPECT_GT(task.writer.resident_bytes(), 20 * kRows * 8);
  ASSERT_EQ(task.writer.Spill(), absl::OkStatus());
  EXPECT_EQ(task.pool.reserved(), 0);
  // Partitions and row numbers of a chunk; counts, starts and lists of a partition.
  EXPECT_LE(task.writer.resident_bytes(), kRows * 8 + 16 * 64 + 4096);
}

// M18: comet#5907.
TEST(MemoryBugsTest, AnArrayOfPointersIsAsLongAsThereAreRowsNotBytes) {
  const Batch batch = Texts({std::string(kMiB, 'x'), std::string(10, 'y')});
  const int64_t data = WriterAccount(0).ChargeBuffers(batch);
  CountingPool as_it_was(data + kMiB / 2);
  EXPECT_TRUE(Granted(as_it_was, data));
  EXPECT_FALSE(Granted(as_it_was, data)) << "as much again for the pointers";

  Task task(batch, 1, data + kMiB / 2);
  task.Insert(batch);
  EXPECT_EQ(task.pool.counters().requested_bytes, static_cast<uint64_t>(data + 4 * 8));
  EXPECT_EQ(task.writer.metrics().spill_count, 0);
}

// M19: datafusion#13377 and #22862.
TEST(MemoryBugsTest, SlicesThatCountTheirSharedBufferEachExhaustThePool) {
  constexpr int64_t kSlices = 16;
  const Batch whole = BatchOf({Bigints(0, kSlices * kRows)});
  const int64_t buffer = kSlices * kRows * 8;
  CountingPool as_it_was(4 * buffer);
  int64_t counted = 0;
  for (int64_t i = 0; i < kSlices; ++i) {
    const Batch slice = whole.Slice(i * kRows, kRows);
    if (Granted(as_it_was, WriterAccount(0).ChargeBuffers(slice))) ++counted;
  }
  EXPECT_EQ(counted, 4) << "of 16 slices of what is there once";

  Task task(whole, 1, 4 * buffer);
  for (int64_t i = 0; i < kSlices; ++i) task.Insert(whole.Slice(i * kRows, kRows));
  EXPECT_EQ(task.writer.metrics().data_size, buffer);
  EXPECT_EQ(task.writer.metrics().denials, 0);
}

// M20: datafusion#17315.
TEST(MemoryBugsTest, ASliceOfStringsHoldsAllTheirBytes) {
  const Batch batch = Texts(std::vector<std::optional<std::string>>(1000, std::string(50, 'x')));
  const Batch slice = batch.Slice(10, 5);
  const int64_t as_it_was = slice.column(0).As<vector::StringColumn>().ends().size();
  EXPECT_EQ(as_it_was, 5 * 4) << "what points to the bytes, without them";

  Task task(batch, 1, std::nullopt);
  task.Insert(slice);
  EXPECT_EQ(task.pool.reserved(), 1000 * 50 + 1000 * 4 + 5 * 8);
  task.Insert(batch.Slice(500, 3));
  EXPECT_EQ(task.pool.reserved(), 1000 * 50 + 1000 * 4 + 10 * 8) << "entries only: max(2 x 5, 8)";
}

// M22: gluten#3148.
TEST(MemoryBugsTest, BlocksHideWhatASmallSpillReleases) {
  auto as_it_was = *memory::ReservationPolicy::Create(
      {.step = memory::kGlutenBlock, .rule = memory::ReservationRule::kBlocks});
  ASSERT_EQ(as_it_was.Grow(kMiB).bytes, memory::kGlutenBlock);
  as_it_was.Answer(true);
  EXPECT_EQ(as_it_was.Shrink(kMiB / 2), 0) << "half of it is spilled, and nothing comes back";

  Task task(BatchOf({Bigints(0, 0)}), 4, 8 * kMiB, {.step = 8 * kMiB});
  task.Insert(BatchOf({Bigints(0, 10)}));
  EXPECT_EQ(task.pool.reserved(), 8 * kMiB);
  ASSERT_EQ(task.writer.Spill(), absl::OkStatus());
  EXPECT_EQ(task.pool.reserved(), 0) << "less than a step was spilled, all of it comes back";
}

}  // namespace
}  // namespace spillway::shuffle
