// SPDX-License-Identifier: Apache-2.0
// Whatever the memory, the rows of each partition and their order stay the same.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/random.h"
#include "src/memory/counting_pool.h"
#include "src/memory/reservation_rule.h"
#include "src/shuffle/memory_sink.h"
#include "src/shuffle/repartitioner.h"
#include "src/vector/build.h"

namespace spillway::shuffle {
namespace {

using vector::Batch;
using vector::ColumnPtr;
using vector::Kind;
using vector::Type;

using PartitionRows = std::vector<std::vector<std::string>>;

// A key with nulls, flat or through a dictionary or constant. RapidCheck draws the shape of a case;
// it would be slow at its rows.
ColumnPtr AnyKey(base::Random& random, int64_t rows) {
  std::vector<std::optional<std::string>> alphabet(5);
  for (auto& value : alphabet) {
    if (random.Below(5) != 0) value = std::string(random.Below(9), 'k');
  }
  const auto& type = Type::Scalar(Kind::kVarchar);
  std::vector<int32_t> ids(rows);
  for (int32_t& id : ids) id = static_cast<int32_t>(random.Below(5));
  switch (random.Below(3)) {
    case 0: {
      std::vector<std::optional<std::string>> values;
      for (const int32_t id : ids) values.push_back(alphabet[static_cast<size_t>(id)]);
      return vector::Strings(type, values);
    }
    case 1: {
      const ColumnPtr id_column = vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), ids);
      return std::make_shared<vector::DictionaryColumn>(
          rows, vector::Validity(), id_column->As<vector::FlatColumn>().values(),
          vector::Strings(type, alphabet));
    }
    default:
      return std::make_shared<vector::ConstantColumn>(vector::Strings(type, {alphabet[0]}), rows);
  }
}

// Each row has its number in the input beside the key.
std::vector<Batch> AnyBatches() {
  base::Random random(*rc::gen::arbitrary<uint64_t>());
  std::vector<Batch> batches;
  int64_t number = 0;
  for (const int rows : *rc::gen::resize(15, rc::gen::container<std::vector<int>>(
                                                 rc::gen::resize(100, rc::gen::inRange(0, 60))))) {
    if (!batches.empty() && random.Below(6) == 0) {
      batches.push_back(batches.back());  // a clone shares its buffers
      continue;
    }
    std::vector<int64_t> numbers(rows);
    for (int64_t& n : numbers) n = number++;
    batches.push_back(vector::BatchOf(
        {AnyKey(random, rows), vector::Flat<int64_t>(Type::Scalar(Kind::kBigint), numbers)}));
  }
  return batches;
}

struct Outcome {
  PartitionRows rows;
  RepartitionerMetrics metrics;
  std::vector<int64_t> spilled_after;  // number of the chunk, counted from 1, for each spill
  int64_t spilled_buffered = 0;        // B, of all spills together
};

// Notes when a spill ends.
class SpillSink final : public PartitionSink {
 public:
  explicit SpillSink(int32_t partitions) : rows_(partitions) {}

  absl::Status Append(int32_t partition, const Batch& rows) override {
    return rows_.Append(partition, rows);
  }
  absl::Status EndSpill() override {
    outcome->spilled_after.push_back(writer->metrics().chunks);
    outcome->spilled_buffered += writer->buffered_bytes();
    return rows_.EndSpill();
  }
  absl::Status Finish() override { return rows_.Finish(); }

  const MemorySink& rows() const { return rows_; }

  const Repartitioner* writer = nullptr;
  Outcome* outcome = nullptr;

 private:
  MemorySink rows_;
};

Outcome RunTask(const std::vector<Batch>& batches, int32_t partitions,
                const RepartitionerOptions& options, std::optional<int64_t> capacity) {
  memory::CountingPool pool(capacity);
  SpillSink spills(partitions);
  const MemorySink& sink = spills.rows();
  Outcome out;
  {
    auto writer = *Repartitioner::Create(
        *HashPartitioner::Create(
            batches.empty() ? *Type::Parse("ROW<c0:VARCHAR,c1:BIGINT>") : batches[0].schema(), {0},
            partitions, HashOptions::Spark()),
        options, pool, spills);
    spills.writer = &writer;
    spills.outcome = &out;
    for (const Batch& batch : batches) {
      RC_ASSERT(writer.Insert(batch).ok());
      RC_ASSERT(writer.reserved_bytes() == pool.reserved());
      RC_ASSERT(writer.reserved_bytes() >= writer.buffered_bytes());
    }
    RC_ASSERT(writer.Finish().ok());
    out.metrics = writer.metrics();
  }
  RC_ASSERT(pool.reserved() == 0);
  RC_ASSERT(pool.counters().granted_bytes == pool.counters().release_bytes);
  RC_ASSERT(sink.finished());
  RC_ASSERT(sink.spills() == out.metrics.spill_count);
  // MEMORY section 1: what is reported as spilled is what was buffered, less what slices repeat.
  RC_ASSERT(out.metrics.memory_spilled_bytes ==
            out.spilled_buffered - out.metrics.repeated_spill_buffer_bytes);
  for (int32_t partition = 0; partition < partitions; ++partition) {
    auto& rows = out.rows.emplace_back();
    for (const Batch& piece : sink.pieces(partition)) {
      RC_ASSERT(piece.rows() >= 1);
      RC_ASSERT(piece.rows() <= options.batch_size);
      for (int64_t row = 0; row < piece.rows(); ++row) {
        const auto& key = piece.column(0).As<vector::StringColumn>();
        rows.push_back(absl::StrCat(key.IsNull(row) ? "null" : std::string(key.Value(row)), " ",
                                    piece.column(1).As<vector::FlatColumn>().Value<int64_t>(row)));
      }
    }
  }
  return out;
}

RC_GTEST_PROP(RepartitionerPropertyTest, MemoryChangesNeitherRowsNorTheirOrder, ()) {
  const std::vector<Batch> batches = AnyBatches();
  const auto partitions = *rc::gen::inRange<int32_t>(1, 12);
  const auto batch_size = *rc::gen::inRange<int32_t>(1, 40);
  const Outcome free = RunTask(batches, partitions, {.batch_size = batch_size}, std::nullopt);
  RC_ASSERT(free.metrics.spill_count == 0);

  RepartitionerOptions options = {.batch_size = batch_size};
  options.policy.step = *rc::gen::inRange<int64_t>(0, 3000);
  if (*rc::gen::arbitrary<bool>()) options.policy.limit = *rc::gen::inRange<int64_t>(0, 4000);
  const Outcome tight = RunTask(batches, partitions, options, *rc::gen::inRange<int64_t>(0, 6000));
  RC_ASSERT(tight.rows == free.rows);

  int64_t rows = 0;
  for (const Batch& batch : batches) rows += batch.rows();
  int64_t written = 0;
  for (const auto& partition : tight.rows) written += static_cast<int64_t>(partition.size());
  RC_ASSERT(written == rows);
  RC_ASSERT(tight.metrics.rows == rows);
  RC_ASSERT(tight.metrics.chunks == free.metrics.chunks);
  RC_ASSERT(tight.metrics.data_size >= free.metrics.data_size);
}

// MEMORY section 2: alone in front of a pool of a fixed size, policies that retry exactly spill
// after the same chunks as the exact one, and others never later than it for the first time.
RC_GTEST_PROP(RepartitionerPropertyTest, PoliciesThatRetryExactlySpillAfterTheSameChunks, ()) {
  const std::vector<Batch> batches = AnyBatches();
  const auto capacity = *rc::gen::inRange<int64_t>(0, 6000);
  RepartitionerOptions options = {.batch_size = *rc::gen::inRange<int32_t>(1, 40)};
  options.policy.step = 0;
  const Outcome exact = RunTask(batches, 5, options, capacity);
  options.policy.step = *rc::gen::inRange<int64_t>(1, 9000);
  options.policy.rule =
      *rc::gen::element(memory::ReservationRule::kStep, memory::ReservationRule::kRoundUp,
                        memory::ReservationRule::kMultiple,
                        memory::ReservationRule::kDeficitPlusStep, memory::ReservationRule::kBlocks,
                        memory::ReservationRule::kVeloxQuantum, memory::ReservationRule::kAdaptive);
  const Outcome other = RunTask(batches, 5, options, capacity);
  RC_ASSERT(other.rows == exact.rows);
  if (memory::RetriesExactly(options.policy.rule)) {
    RC_ASSERT(other.spilled_after == exact.spilled_after);
    RC_ASSERT(other.metrics.memory_spilled_bytes == exact.metrics.memory_spilled_bytes);
  } else if (!exact.spilled_after.empty()) {
    RC_ASSERT(!other.spilled_after.empty());
    RC_ASSERT(other.spilled_after[0] <= exact.spilled_after[0]);
  }
}

RC_GTEST_PROP(RepartitionerPropertyTest, ALimitSpillsAfterTheSameChunksWhateverTheStep, ()) {
  const std::vector<Batch> batches = AnyBatches();
  RepartitionerOptions options = {.batch_size = *rc::gen::inRange<int32_t>(1, 40)};
  options.policy.limit = *rc::gen::element<int64_t>(0, 1, 7, 8, 100, 1000, 3000, 1 << 30);
  options.policy.step = 0;
  const Outcome exact = RunTask(batches, 5, options, std::nullopt);
  options.policy.step = *rc::gen::element<int64_t>(64, 1 << 20);
  options.policy.rule =
      *rc::gen::element(memory::ReservationRule::kStep, memory::ReservationRule::kAdaptive);
  const Outcome other = RunTask(batches, 5, options, std::nullopt);
  RC_ASSERT(other.spilled_after == exact.spilled_after);
  RC_ASSERT(other.rows == exact.rows);
}

// How many spills the rules that cannot retry need for one task, recorded with the test's result.
TEST(RepartitionerSpillsTest, RulesThatCannotRetrySpillMore) {
  std::vector<Batch> batches;
  for (int64_t chunk = 0; chunk < 50; ++chunk) {
    std::vector<int64_t> numbers(1000, chunk);
    batches.push_back(vector::BatchOf(
        {vector::Strings(Type::Scalar(Kind::kVarchar),
                         std::vector<std::optional<std::string>>(1000, std::to_string(chunk))),
         vector::Flat<int64_t>(Type::Scalar(Kind::kBigint), numbers)}));
  }
  const auto spills = [&](memory::ReservationRule rule, int64_t capacity) {
    const RepartitionerOptions options = {.policy = {.step = 100'000, .rule = rule}};
    return RunTask(batches, 3, options, capacity).metrics.spill_count;
  };
  using memory::ReservationRule;
  for (const int64_t capacity : {150'000, 400'000, 1'000'000}) {
    const int64_t exact =
        RunTask(batches, 3, {.policy = {.step = 0}}, capacity).metrics.spill_count;
    EXPECT_EQ(spills(ReservationRule::kStep, capacity), exact);
    EXPECT_EQ(spills(ReservationRule::kAdaptive, capacity), exact);
    for (const auto rule : {ReservationRule::kMultiple, ReservationRule::kBlocks}) {
      const std::string name =
          absl::StrCat(std::string(memory::RuleName(rule)), "_", capacity, "_spills_of_", exact);
      RecordProperty(name, std::to_string(spills(rule, capacity)));
      EXPECT_GE(spills(rule, capacity), exact);
    }
  }
  EXPECT_GT(spills(ReservationRule::kMultiple, 150'000), spills(ReservationRule::kStep, 150'000))
      << "of 150,000 bytes it can use 100,000";
}

}  // namespace
}  // namespace spillway::shuffle
