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
#include "src/memory/counting_pool.h"
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

// A key with nulls, flat or through a dictionary or constant, and the row's number in the input.
ColumnPtr AnyKey(int64_t rows) {
  std::vector<std::optional<std::string>> alphabet(5);
  for (auto& value : alphabet) {
    if (*rc::gen::inRange(0, 5) != 0) value = std::string(*rc::gen::inRange<size_t>(0, 9), 'k');
  }
  const auto& type = Type::Scalar(Kind::kVarchar);
  std::vector<int32_t> ids(rows);
  for (int32_t& id : ids) id = *rc::gen::inRange(0, 5);
  switch (*rc::gen::inRange(0, 3)) {
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

std::vector<Batch> AnyBatches() {
  std::vector<Batch> batches;
  int64_t number = 0;
  for (const int rows : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 60))) {
    if (!batches.empty() && *rc::gen::inRange(0, 6) == 0) {
      batches.push_back(batches.back());  // a clone shares its buffers
      continue;
    }
    std::vector<int64_t> numbers(rows);
    for (int64_t& n : numbers) n = number++;
    batches.push_back(vector::BatchOf(
        {AnyKey(rows), vector::Flat<int64_t>(Type::Scalar(Kind::kBigint), numbers)}));
  }
  return batches;
}

struct Outcome {
  PartitionRows rows;
  RepartitionerMetrics metrics;
};

Outcome Run(const std::vector<Batch>& batches, int32_t partitions,
            const RepartitionerOptions& options, std::optional<int64_t> capacity) {
  memory::CountingPool pool(capacity);
  MemorySink sink(partitions);
  Outcome out;
  {
    auto writer = *Repartitioner::Create(
        *HashPartitioner::Create(
            batches.empty() ? *Type::Parse("ROW<c0:VARCHAR,c1:BIGINT>") : batches[0].schema(), {0},
            partitions, HashOptions::Spark()),
        options, pool, sink);
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
  const Outcome free = Run(batches, partitions, {.batch_size = batch_size}, std::nullopt);
  RC_ASSERT(free.metrics.spill_count == 0);

  RepartitionerOptions options = {.batch_size = batch_size};
  options.policy.step = *rc::gen::inRange<int64_t>(0, 3000);
  if (*rc::gen::arbitrary<bool>()) options.policy.limit = *rc::gen::inRange<int64_t>(0, 4000);
  const Outcome tight =
      Run(batches, partitions, options, *rc::gen::inRange<int64_t>(0, 6000));
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

// MEMORY section 2: alone in front of a pool, the exact policy and any step spill alike.
RC_GTEST_PROP(RepartitionerPropertyTest, TheStepDoesNotChangeSpills, ()) {
  const std::vector<Batch> batches = AnyBatches();
  const auto capacity = *rc::gen::inRange<int64_t>(0, 6000);
  RepartitionerOptions options = {.batch_size = *rc::gen::inRange<int32_t>(1, 40)};
  options.policy.step = 0;
  const Outcome exact = Run(batches, 5, options, capacity);
  options.policy.step = *rc::gen::inRange<int64_t>(1, 9000);
  const Outcome stepped = Run(batches, 5, options, capacity);
  RC_ASSERT(stepped.metrics.spill_count == exact.metrics.spill_count);
  RC_ASSERT(stepped.metrics.memory_spilled_bytes == exact.metrics.memory_spilled_bytes);
  RC_ASSERT(stepped.rows == exact.rows);
}

}  // namespace
}  // namespace spillway::shuffle
