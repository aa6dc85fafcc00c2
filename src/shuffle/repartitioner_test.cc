// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/repartitioner.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/memory/counting_pool.h"
#include "src/shuffle/memory_sink.h"
#include "src/vector/build.h"

namespace spillway::shuffle {
namespace {

using memory::CountingPool;
using testing::ElementsAre;
using testing::IsEmpty;
using vector::Batch;
using vector::BatchOf;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

constexpr int64_t kGiB = int64_t{1} << 30;

// Passes everything on until it is told to fail.
class FailingSink final : public PartitionSink {
 public:
  absl::Status Append(int32_t, const Batch&) override {
    ++appends;
    appends_of_last_round += appends_of_last_round >= 0 ? 1 : 0;
    return fail_append ? absl::DataLossError("disk full") : absl::OkStatus();
  }
  absl::Status EndSpill() override {
    return fail_spill ? absl::DataLossError("disk slow") : absl::OkStatus();
  }
  absl::Status BeginLastRound() override {
    EXPECT_EQ(appends_of_last_round, -1) << "once";
    appends_of_last_round = 0;
    return fail_last_round ? absl::DataLossError("disk missing") : absl::OkStatus();
  }
  absl::Status Finish() override {
    return fail_finish ? absl::DataLossError("disk gone") : absl::OkStatus();
  }

  bool fail_append = false;
  bool fail_spill = false;
  bool fail_last_round = false;
  bool fail_finish = false;
  int appends = 0;
  int appends_of_last_round = -1;  // -1: it has not begun
};

Batch Ints(const std::vector<int32_t>& values) {
  return BatchOf({vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), values)});
}

Batch Bigints(int64_t rows) {
  std::vector<int64_t> values(rows);
  for (int64_t row = 0; row < rows; ++row) values[row] = row;
  return BatchOf({vector::Flat<int64_t>(Type::Scalar(Kind::kBigint), values)});
}

// MEMORY section 8's common batch: one VARCHAR column "0", "1", ...
Batch Numbers(int64_t rows) {
  std::vector<std::optional<std::string>> values;
  for (int64_t row = 0; row < rows; ++row) values.push_back(std::to_string(row));
  return BatchOf({vector::Strings(Type::Scalar(Kind::kVarchar), values)});
}

int64_t BufferBytes(const Batch& batch) { return WriterAccount(0).ChargeBuffers(batch); }

class RepartitionerTest : public testing::Test {
 protected:
  void Open(const Batch& like, int32_t partitions, const RepartitionerOptions& options,
            memory::Pool& pool, PartitionSink& sink) {
    writer_.emplace(*Repartitioner::Create(
        *HashPartitioner::Create(like.schema(), {0}, partitions, HashOptions::Spark()), options,
        pool, sink,
        [this](int64_t bytes, bool granted) { requests_.push_back(granted ? bytes : -bytes); }));
  }
  void Open(const Batch& like, int32_t partitions, const RepartitionerOptions& options,
            PartitionSink& sink) {
    Open(like, partitions, options, *pool_, sink);
  }
  void Open(const Batch& like, int32_t partitions, const RepartitionerOptions& options,
            int64_t capacity = kGiB) {
    writer_.reset();
    pool_ = std::make_unique<CountingPool>(capacity);
    sink_ = std::make_unique<MemorySink>(partitions);
    Open(like, partitions, options, *sink_);
  }

  void Insert(const Batch& batch) { ASSERT_EQ(writer_->Insert(batch), absl::OkStatus()); }
  void Finish() { ASSERT_EQ(writer_->Finish(), absl::OkStatus()); }

  const RepartitionerMetrics& metrics() const { return writer_->metrics(); }

  // The partition's rows as text, in order, over all pieces.
  static std::vector<std::string> Rows(const MemorySink& sink, int32_t partition) {
    std::vector<std::string> out;
    for (const Batch& piece : sink.pieces(partition)) {
      for (int64_t row = 0; row < piece.rows(); ++row) {
        const vector::Column& column = piece.column(0);
        out.push_back(column.type().is_string()
                          ? std::string(column.As<vector::StringColumn>().Value(row))
                          : std::to_string(column.As<vector::FlatColumn>().Value<int32_t>(row)));
      }
    }
    return out;
  }

  std::unique_ptr<MemorySink> sink_;
  std::unique_ptr<CountingPool> pool_ = std::make_unique<CountingPool>(kGiB);
  std::vector<int64_t> requests_;  // negative: denied
  std::optional<Repartitioner> writer_;
};

TEST_F(RepartitionerTest, RowsGoToTheirPartitionsInOrder) {
  // Hashes of 1 and 0 modulo 201: 28 and 147.
  Open(Ints({}), 201, {.batch_size = 2});
  Insert(Ints({1, 0, 1}));
  Insert(Ints({0, 1}));
  Finish();
  EXPECT_THAT(Rows(*sink_, 28), ElementsAre("1", "1", "1"));
  EXPECT_THAT(Rows(*sink_, 147), ElementsAre("0", "0"));
  EXPECT_THAT(Rows(*sink_, 0), IsEmpty());
  EXPECT_TRUE(sink_->finished());
  EXPECT_EQ(sink_->pieces(28).size(), 2u) << "pieces of batch_size rows at most";
  EXPECT_EQ(metrics().input_batches, 2);
  EXPECT_EQ(metrics().chunks, 3);
  EXPECT_EQ(metrics().rows, 5);
}

TEST_F(RepartitionerTest, TheReservationIsReleasedOnceAtTheEnd) {
  Open(Ints({}), 4, {});
  Insert(Ints({1, 2, 3}));
  Finish();
  EXPECT_EQ(pool_->reserved(), 1 << 20) << "finishing frees nothing";
  EXPECT_EQ(writer_->pinned_allocations(), 0);
  writer_.reset();
  EXPECT_EQ(pool_->reserved(), 0);
  EXPECT_EQ(pool_->counters().release_calls, 1u);
}

TEST_F(RepartitionerTest, AChunkIsChargedForBuffersAndIndices) {
  Open(Ints({}), 1, {.policy = {.step = 0}});
  Insert(Ints({1, 2, 3}));  // 12 B, capacity 0 -> 4
  Insert(Ints({1, 2}));     // 8 B, 4 -> 8
  Insert(Ints({}));         // an empty batch is no chunk
  const Batch shared = Ints({1});
  Insert(shared);  // 4 B
  Insert(shared);  // nothing new: no request at all
  EXPECT_THAT(requests_, ElementsAre(12 + 32, 8 + 32, 4));
  EXPECT_EQ(metrics().data_size, 24);
  EXPECT_EQ(metrics().input_batches, 5);
  EXPECT_EQ(metrics().chunks, 4);
}

TEST_F(RepartitionerTest, ADeniedStepIsRetriedExactlyAndThenSpills) {
  Open(Ints({}), 1, {.policy = {.step = 1000}}, /*capacity=*/100);
  Insert(Ints({1, 2, 3, 4}));  // 16 + 32
  EXPECT_THAT(requests_, ElementsAre(-1000, 48));
  Insert(Ints({5, 6, 7, 8}));  // 16 + 32
  EXPECT_THAT(requests_, ElementsAre(-1000, 48, -1000, 48));
  Insert(Ints({9}));  // 4 + 64
  EXPECT_THAT(requests_, ElementsAre(-1000, 48, -1000, 48, -1000, -68));
  EXPECT_EQ(metrics().requests, 6);
  EXPECT_EQ(metrics().denials, 4);
  EXPECT_EQ(metrics().spill_count, 1);
  EXPECT_EQ(metrics().memory_spilled_bytes, 96 + 68) << "the refused growth spills as well";
  EXPECT_EQ(pool_->reserved(), 0);
  EXPECT_EQ(writer_->buffered_bytes(), 0);
  EXPECT_THAT(Rows(*sink_, 0), ElementsAre("1", "2", "3", "4", "5", "6", "7", "8", "9"));
  Insert(Ints({1}));
  EXPECT_EQ(requests_.back(), 4 + 32) << "index vectors start empty after a spill";
}

TEST_F(RepartitionerTest, AnExplicitSpillIsCountedOnlyWithSomethingBuffered) {
  Open(Numbers(0), 2, {});
  EXPECT_TRUE(writer_->Spill().ok());
  EXPECT_EQ(metrics().spill_count, 0);
  Insert(Numbers(900));
  EXPECT_THAT(sink_->pieces(0), IsEmpty());
  EXPECT_TRUE(writer_->Spill().ok());
  EXPECT_EQ(metrics().spill_count, 1);
  EXPECT_EQ(pool_->reserved(), 0);
  EXPECT_FALSE(sink_->pieces(0).empty());
  EXPECT_FALSE(sink_->pieces(1).empty());
  Insert(Numbers(900));
  Finish();
  EXPECT_EQ(Rows(*sink_, 0).size() + Rows(*sink_, 1).size(), 1800u);
}

// The cases of Comet's own tests, MEMORY section 8.

TEST_F(RepartitionerTest, ALimitSpillsWithoutMemoryPressure) {
  for (const bool limited : {true, false}) {
    Open(Numbers(0), 4,
         {.batch_size = 1024,
          .policy = {.limit = limited ? std::optional<int64_t>(8192) : std::nullopt}});
    const Batch batch = Numbers(1000);
    for (int i = 0; i < 20; ++i) Insert(batch);
    Finish();
    EXPECT_EQ(metrics().spill_count > 0, limited);
    EXPECT_EQ(metrics().memory_spilled_bytes > 0, limited);
  }
}

TEST_F(RepartitionerTest, ARejectedReservationCountsAsSpilledMemory) {
  Open(Numbers(0), 4, {.batch_size = 1024}, /*capacity=*/1);
  const Batch batch = Numbers(1000);
  Insert(batch);
  EXPECT_EQ(metrics().spill_count, 1);
  EXPECT_GT(metrics().memory_spilled_bytes, BufferBytes(batch));
}

TEST_F(RepartitionerTest, ALimitPreservesTheOutput) {
  std::vector<std::vector<std::string>> expected;
  for (const std::optional<int64_t> limit : {std::optional<int64_t>(), {int64_t{8192}}}) {
    Open(Numbers(0), 16, {.batch_size = 1024, .policy = {.limit = limit}});
    for (int i = 0; i < 20; ++i) Insert(Numbers(1000));
    Finish();
    std::vector<std::vector<std::string>> rows;
    size_t total = 0;
    for (int32_t partition = 0; partition < 16; ++partition) {
      rows.push_back(Rows(*sink_, partition));
      total += rows.back().size();
    }
    EXPECT_EQ(total, 20'000u);
    if (expected.empty()) expected = rows;
    EXPECT_EQ(rows, expected);
  }
}

TEST_F(RepartitionerTest, SlicesThatSpillReportTheirSharedBufferOnceAnInput) {
  const Batch batch = Bigints(16'384);
  struct Case {
    int64_t capacity;
    std::optional<int64_t> limit;
  };
  for (const Case& c : {Case{512 << 10, 8192}, Case{1, std::nullopt}}) {
    Open(batch, 2, {.batch_size = 1024, .policy = {.limit = c.limit}}, c.capacity);
    Insert(batch);
    const int64_t once = metrics().memory_spilled_bytes;
    EXPECT_EQ(metrics().spill_count, 16);
    EXPECT_GT(once, BufferBytes(batch));
    EXPECT_LE(once, BufferBytes(batch) + 16 * batch.rows());
    EXPECT_EQ(metrics().data_size, 16 * BufferBytes(batch)) << "charged again after each spill";
    Insert(batch);
    EXPECT_EQ(metrics().memory_spilled_bytes, 2 * once);
  }
}

TEST_F(RepartitionerTest, SlicesAreChargedOnceWhileTheyAreBuffered) {
  const Batch batch = Bigints(16'384);
  Open(batch, 2, {.batch_size = 1024}, /*capacity=*/512 << 10);
  Insert(batch);
  EXPECT_EQ(metrics().data_size, BufferBytes(batch));
  EXPECT_EQ(metrics().spill_count, 0);
  EXPECT_GT(metrics().denials, 0) << "the pool is smaller than a step: retries alone";
}

TEST_F(RepartitionerTest, SmallBatchesShareOneStep) {
  Open(Numbers(0), 4, {.batch_size = 1024});
  for (int i = 0; i < 40; ++i) Insert(Numbers(100));
  EXPECT_LE(requests_.size(), 4u);
}

TEST_F(RepartitionerTest, AStepOfZeroReservesPerBatch) {
  Open(Numbers(0), 4, {.batch_size = 1024, .policy = {.step = 0}});
  for (int i = 0; i < 40; ++i) Insert(Numbers(100));
  EXPECT_EQ(requests_.size(), 40u);
}

// Comet #5461: 96 bytes stayed reserved, and pinned buffers stayed pinned, when a spill's writer
// failed.
TEST_F(RepartitionerTest, AFailedSpillLeavesNothingReservedOrPinned) {
  FailingSink sink;
  Open(Bigints(0), 2, {.batch_size = 2}, sink);
  Insert(Bigints(4));
  sink.fail_append = true;
  const absl::Status failure = absl::DataLossError("repartitioner: disk full");
  EXPECT_EQ(writer_->Spill(), failure);
  EXPECT_EQ(pool_->reserved(), 0);
  EXPECT_EQ(writer_->reserved_bytes(), 0);
  EXPECT_EQ(writer_->buffered_bytes(), 0);
  EXPECT_EQ(writer_->pinned_allocations(), 0);
  EXPECT_EQ(metrics().spill_count, 1) << "a failed attempt keeps its metrics";
  sink.fail_append = false;
  EXPECT_EQ(writer_->Insert(Bigints(1)), failure) << "rows are lost, there is no going on";
  EXPECT_EQ(writer_->Finish(), failure);
  EXPECT_EQ(sink.appends, 1);
}

TEST_F(RepartitionerTest, ASinkThatFailsDuringInsertOrFinishLeavesNothingEither) {
  for (bool FailingSink::*const fault :
       {&FailingSink::fail_append, &FailingSink::fail_spill, &FailingSink::fail_last_round,
        &FailingSink::fail_finish}) {
    const bool at_end =
        fault == &FailingSink::fail_last_round || fault == &FailingSink::fail_finish;
    FailingSink sink;
    Open(Bigints(0), 2, {.policy = {.limit = at_end ? kGiB : 1}}, sink);
    sink.*fault = true;
    absl::Status status = writer_->Insert(Bigints(4));
    if (at_end) status = writer_->Finish();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(pool_->reserved(), 0);
    EXPECT_EQ(writer_->pinned_allocations(), 0);
  }
}

TEST_F(RepartitionerTest, TheSinkIsToldBeforeTheRowsThatNeverWereSpilled) {
  FailingSink sink;
  Open(Bigints(0), 1, {.batch_size = 2}, sink);
  Insert(Bigints(4));
  ASSERT_EQ(writer_->Spill(), absl::OkStatus());
  EXPECT_EQ(sink.appends, 2);
  EXPECT_EQ(sink.appends_of_last_round, -1);
  Insert(Bigints(2));
  Finish();
  EXPECT_EQ(sink.appends_of_last_round, 1);
}

TEST_F(RepartitionerTest, AFaultOfThePoolIsAFailure) {
  class BrokenPool final : public memory::Pool {
    absl::StatusOr<memory::Grant> TryGrow(int64_t) override {
      return absl::UnavailableError("the executor is gone");
    }
    absl::Status Shrink(int64_t) override { return absl::OkStatus(); }
    int64_t reserved() const override { return 0; }
  } pool;
  MemorySink sink(2);
  Open(Bigints(0), 2, {}, pool, sink);
  EXPECT_EQ(writer_->Insert(Bigints(4)),
            absl::UnavailableError("repartitioner: the executor is gone"));
  EXPECT_EQ(writer_->pinned_allocations(), 0);
}

TEST_F(RepartitionerTest, AKeyThatDoesNotHashIsAFailure) {
  const Batch batch = BatchOf({vector::Flat<vector::Timestamp>(
      Type::Scalar(Kind::kTimestamp),
      std::vector<vector::Timestamp>{{std::numeric_limits<int64_t>::max(), 0}})});
  Open(batch, 2, {});
  EXPECT_EQ(writer_->Insert(batch).message(),
            "repartitioner: key column 0 `c0`: TIMESTAMP at row 0 has 9223372036854775807 seconds, "
            "whose microseconds do not fit 64 bits");
}

TEST_F(RepartitionerTest, InputThatItCannotKeepIsRefusedAndChangesNothing) {
  Open(Ints({}), 2, {});
  EXPECT_EQ(writer_->Insert(Bigints(1)).message(),
            "repartitioner: a batch of ROW<c0:BIGINT> for ROW<c0:INTEGER>");
  const std::string bytes(8, '\1');
  const Batch borrowed = BatchOf({std::make_shared<vector::FlatColumn>(
      Type::Scalar(Kind::kInteger), 2, vector::Validity(), vector::Buffer::Borrow(bytes))});
  EXPECT_EQ(writer_->Insert(borrowed).message(),
            "repartitioner: column 0 `c0` has borrowed bytes, which may be gone when it spills");
  Insert(Ints({1}));
  Finish();
  EXPECT_EQ(writer_->Insert(Ints({1})).message(), "repartitioner: insert after finish");
  EXPECT_EQ(writer_->Finish().message(), "repartitioner: finished twice");
}

TEST_F(RepartitionerTest, OptionsThatMakeNoSenseAreRefused) {
  MemorySink sink(2);
  const auto error = [&](const char* schema, const RepartitionerOptions& options) {
    const TypePtr type = *Type::Parse(schema);
    return std::string(
        Repartitioner::Create(*HashPartitioner::Create(type, {0}, 2, HashOptions::Spark()), options,
                              *pool_, sink)
            .status()
            .message());
  };
  EXPECT_EQ(error("ROW<k:INTEGER>", {.batch_size = 0}), "repartitioner: batch size is 0 rows");
  EXPECT_EQ(error("ROW<k:INTEGER>", {.policy = {.step = -1}}),
            "reservation policy: step is -1 bytes, not 0 or more");
}

}  // namespace
}  // namespace spillway::shuffle
