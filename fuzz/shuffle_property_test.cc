// SPDX-License-Identifier: Apache-2.0
// What must hold of a shuffle for rows of every type in every encoding.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/generators/column.h"
#include "fuzz/generators/type.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/random.h"
#include "src/memory/counting_pool.h"
#include "src/shuffle/memory_sink.h"
#include "src/shuffle/repartitioner.h"
#include "src/vector/batch.h"
#include "src/vector/compare.h"
#include "src/vector/concat.h"
#include "src/vector/flatten.h"
#include "src/vector/select.h"

namespace spillway {
namespace {

using vector::Batch;
using vector::ColumnPtr;
using vector::Type;
using vector::TypePtr;

Batch Chosen(const Batch& batch, const std::vector<int32_t>& rows) {
  std::vector<ColumnPtr> columns;
  for (const ColumnPtr& column : batch.columns()) {
    int64_t budget = std::numeric_limits<int64_t>::max();
    columns.push_back(*vector::Select(*column, rows, &budget));
  }
  return Batch(batch.schema(), static_cast<int64_t>(rows.size()), std::move(columns));
}

// The rows of a partition, taken out of each batch by itself.
Batch Expected(const std::vector<Batch>& batches, shuffle::Partitioning partitioning,
               uint32_t partition) {
  std::vector<Batch> parts;
  std::vector<uint32_t> of_row;
  for (const Batch& batch : batches) {
    RC_ASSERT(partitioning.Assign(batch, of_row).ok());
    std::vector<int32_t> rows;
    for (size_t row = 0; row < of_row.size(); ++row) {
      if (of_row[row] == partition) rows.push_back(static_cast<int32_t>(row));
    }
    parts.push_back(Chosen(batch, rows));
  }
  return *vector::Concat(parts);
}

// Flat at every level, and nothing but zeros under nulls: what flattening gives is the same column.
void AssertFlat(const Batch& piece) {
  for (const ColumnPtr& column : piece.columns()) {
    RC_ASSERT(*vector::Flatten(column) == column);
  }
}

// Columns of the same types, each in an encoding of its own, some batches twice.
std::vector<Batch> AnyBatches(base::Random& random, const TypePtr& schema) {
  std::vector<Batch> batches;
  const auto count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i) {
    if (i != 0 && random.Below(4) == 0) {
      batches.push_back(batches.back());
      continue;
    }
    const auto rows = *rc::gen::inRange<int64_t>(0, 120);
    const fuzz::Features features = *fuzz::AnySubset(fuzz::kAllFeatures);
    std::vector<ColumnPtr> columns;
    for (const TypePtr& type : schema->children()) {
      columns.push_back(fuzz::MakeColumn(random, type, rows, features));
    }
    batches.emplace_back(schema, rows, std::move(columns));
  }
  return batches;
}

RC_GTEST_PROP(ShufflePropertyTest, RowsOfEveryTypeArriveInTheirPartitionAndOrder, ()) {
  base::Random random(*rc::gen::arbitrary<uint64_t>());
  std::vector<TypePtr> types = {Type::Scalar(vector::Kind::kBigint)};
  std::vector<std::string> names = {"key"};
  const auto columns = *rc::gen::inRange<size_t>(1, 4);
  while (types.size() <= columns) {
    names.push_back("c" + std::to_string(types.size()));
    types.push_back(*fuzz::AnyType());
  }
  const TypePtr schema = Type::Row(names, types);
  const std::vector<Batch> batches = AnyBatches(random, schema);
  const auto partitions = *rc::gen::inRange<int32_t>(1, 9);
  const shuffle::Partitioning partitioning =
      *shuffle::HashPartitioner::Create(schema, {0}, partitions, {});

  shuffle::RepartitionerOptions options = {.batch_size = *rc::gen::inRange<int32_t>(1, 90)};
  options.policy.step = 0;
  options.policy.limit = *rc::gen::element<int64_t>(0, 0, 1, 2000, 10'000);
  memory::CountingPool pool;
  shuffle::MemorySink sink(partitions);
  {
    auto writer = *shuffle::Repartitioner::Create(partitioning, options, pool, sink);
    for (const Batch& batch : batches) {
      const absl::Status inserted = writer.Insert(batch);
      if (!inserted.ok()) RC_FAIL(std::string(inserted.message()));
    }
    RC_ASSERT(writer.Finish().ok());
  }
  RC_ASSERT(pool.reserved() == 0);
  for (int32_t p = 0; p < partitions; ++p) {
    const Batch expected = Expected(batches, partitioning, static_cast<uint32_t>(p));
    const std::vector<Batch>& pieces = sink.pieces(p);
    if (pieces.empty()) {
      RC_ASSERT(expected.rows() == 0);
      continue;
    }
    for (const Batch& piece : pieces) AssertFlat(piece);
    const std::optional<std::string> difference =
        vector::FirstDifference(*vector::Concat(pieces), expected);
    if (difference.has_value()) RC_FAIL(*difference);
  }
}

}  // namespace
}  // namespace spillway
