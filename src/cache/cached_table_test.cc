// SPDX-License-Identifier: Apache-2.0
#include "src/cache/cached_table.h"

#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/status.h"
#include "src/vector/compare.h"
#include "src/vector/schema_s.h"

namespace spillway::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using vector::Batch;

constexpr int64_t kPartitions = 4;
constexpr int64_t kBatches = 3;
constexpr int64_t kRows = 50;

// Batch b of partition p holds rows [(p * kBatches + b) * kRows, ...) of schema S.
std::vector<BatchSource> Sources() {
  std::vector<BatchSource> sources;
  for (int64_t p = 0; p < kPartitions; ++p) {
    sources.push_back([p, b = int64_t{0}]() mutable -> absl::StatusOr<std::optional<Batch>> {
      if (b == kBatches) return std::nullopt;
      return vector::SchemaSBatch((p * kBatches + b++) * kRows, kRows);
    });
  }
  return sources;
}

CachedTable Build(Form form, int threads = 2) {
  auto table = CachedTable::Build(vector::SchemaS(), Sources(), {.form = form, .threads = threads});
  EXPECT_TRUE(table.ok()) << table.status();
  return *std::move(table);
}

class CachedTableTest : public ::testing::TestWithParam<Form> {
 protected:
  static bool IsV3() { return GetParam() == Form::kV3 || GetParam() == Form::kV3Plain; }
  static bool HasStats() { return GetParam() == Form::kV2 || GetParam() == Form::kV3; }
};

TEST_P(CachedTableTest, EveryBatchComesBackInOrder) {
  for (const int threads : {1, 3}) {
    const CachedTable table = Build(GetParam(), threads);
    EXPECT_EQ(table.rows(), kPartitions * kBatches * kRows);
    EXPECT_EQ(table.batches(), kPartitions * kBatches);
    std::vector<int64_t> next(kPartitions, 0);
    const auto counts = table.Scan({.threads = threads}, [&](int64_t p, const Batch& batch) {
      const Batch expected = vector::SchemaSBatch((p * kBatches + next[p]++) * kRows, kRows);
      EXPECT_EQ(vector::FirstDifference(batch, expected), std::nullopt);
      return absl::OkStatus();
    });
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_EQ(counts->rows, table.rows());
    EXPECT_EQ(counts->columns_decoded, table.batches() * 16);
    EXPECT_THAT(next, ElementsAre(kBatches, kBatches, kBatches, kBatches));
  }
}

TEST_P(CachedTableTest, AProjectionHasItsColumnsInItsOrder) {
  const CachedTable table = Build(GetParam());
  const auto counts =
      table.Scan({.columns = std::vector<int64_t>{4, 0, 4}}, [&](int64_t, const Batch& batch) {
        EXPECT_EQ(batch.schema()->ToString(), "ROW<c4:INTEGER,c0:INTEGER,c4:INTEGER>");
        EXPECT_EQ(batch.columns()[0], batch.columns()[2]);
        return absl::OkStatus();
      });
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->columns_decoded, table.batches() * (IsV3() ? 2 : 16));
  const std::vector<int64_t> sizes = *table.ColumnFootprints();
  EXPECT_EQ(counts->bytes_touched, IsV3() ? sizes[0] + sizes[4] : table.footprint());
}

TEST_P(CachedTableTest, AnEmptyProjectionCountsRows) {
  const CachedTable table = Build(GetParam());
  int64_t rows = 0;
  const auto counts =
      table.Scan({.columns = std::vector<int64_t>{}}, [&](int64_t, const Batch& batch) {
        rows += batch.rows();
        return absl::OkStatus();
      });
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(rows, table.rows());
}

stats::Pruner Prune(std::string_view where) {
  const auto predicate = stats::Predicate::Parse(where, vector::SchemaS());
  EXPECT_TRUE(predicate.ok()) << predicate.status();
  return stats::Pruner(*predicate);
}

TEST_P(CachedTableTest, BatchesArePrunedByTheirStatisticsIfTheyHaveAny) {
  const CachedTable table = Build(GetParam());
  const stats::Pruner pruner = Prune("c0 between 101 and 120 and c2 is not null");
  int64_t batches = 0;
  const auto counts = table.Scan({.pruner = &pruner}, [&](int64_t p, const Batch& batch) {
    ++batches;
    const int32_t first = batch.column(0).As<vector::FlatColumn>().Value<int32_t>(0);
    EXPECT_TRUE(!HasStats() || (p == 0 && first == 100)) << p << ", " << first;
    return absl::OkStatus();
  });
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->batches, table.batches());
  EXPECT_EQ(counts->batches_pruned, HasStats() ? table.batches() - 1 : 0);
  EXPECT_EQ(counts->rows, HasStats() ? kRows : table.rows());
  EXPECT_EQ(batches, counts->batches - counts->batches_pruned);
}

// BUGS 12.108 (apache/gluten 5b8d63e48): an iterator that promised a batch when all were pruned.
TEST_P(CachedTableTest, NothingIsReadIfNothingCanMatch) {
  const CachedTable table = Build(GetParam());
  const stats::Pruner pruner = Prune("c0 < 0 or c3 is null");
  const auto counts =
      table.Scan({.pruner = &pruner}, [&](int64_t, const Batch&) { return absl::OkStatus(); });
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->bytes_touched == 0, HasStats());
  EXPECT_EQ(counts->columns_decoded, HasStats() ? 0 : table.batches() * 16);
}

TEST_P(CachedTableTest, TheFootprintIsMadeOfTheColumns) {
  const CachedTable table = Build(GetParam());
  const auto columns = table.ColumnFootprints();
  ASSERT_TRUE(columns.ok()) << columns.status();
  ASSERT_EQ(columns->size(), 16u);
  const int64_t sum = std::accumulate(columns->begin(), columns->end(), int64_t{0});
  EXPECT_GT(sum, table.rows() * 100);
  EXPECT_LT(sum, table.footprint());
  // Name, row count and flag of 18 bytes, and four bytes a row.
  EXPECT_EQ((*columns)[0], table.batches() * 18 + table.rows() * 4);
}

TEST_P(CachedTableTest, FramesThatStayOpenAreScannedAlike) {
  const CachedTable fresh = Build(GetParam());
  auto open = CachedTable::Build(vector::SchemaS(), Sources(),
                                 {.form = GetParam(), .keep_open = true, .threads = 2});
  ASSERT_TRUE(open.ok()) << open.status();
  EXPECT_EQ(open->partition(1)[2].frame.has_value(), IsV3());
  EXPECT_EQ(open->footprint(), fresh.footprint());
  const stats::Pruner pruner = Prune("c0 >= 100");
  const auto scan = [&](const CachedTable& table) {
    std::vector<std::vector<std::string>> rows(kPartitions);
    const auto counts = table.Scan(
        {.columns = std::vector<int64_t>{3, 0}, .pruner = &pruner, .threads = 3},
        [&](int64_t p, const Batch& batch) {
          for (const auto& column : batch.columns()) {
            rows[p].push_back(vector::ValueToString(*column, 7));
          }
          return absl::OkStatus();
        });
    EXPECT_TRUE(counts.ok()) << counts.status();
    return std::tuple(rows, counts->bytes_touched, counts->columns_decoded);
  };
  EXPECT_EQ(scan(*open), scan(fresh));
  EXPECT_EQ(scan(*open), scan(fresh)) << "again";
}

TEST_P(CachedTableTest, ManyScansMayRunAtTheSameTime) {
  constexpr int kScans = 16;
  for (const bool keep_open : {false, true}) {
    const auto table = CachedTable::Build(vector::SchemaS(), Sources(),
                                          {.form = GetParam(), .keep_open = keep_open});
    ASSERT_TRUE(table.ok()) << table.status();
    const stats::Pruner pruner = Prune("c0 >= 100");
    std::atomic<int64_t> sum = 0;
    std::vector<std::thread> threads;
    for (int scan = 0; scan < kScans; ++scan) {
      threads.emplace_back([&, scan] {
        const ScanOptions options{.columns = std::vector<int64_t>{scan, 0},
                                  .pruner = &pruner,
                                  .threads = 1 + scan % 3};
        const auto counts = table->Scan(options, [&](int64_t, const Batch& batch) {
          for (int64_t row = 0; row < batch.rows(); ++row) {
            const auto c0 = batch.column(1).As<vector::FlatColumn>().Value<int32_t>(row);
            if (c0 >= 100) sum += c0;
          }
          return absl::OkStatus();
        });
        EXPECT_TRUE(counts.ok()) << counts.status();
      });
    }
    for (std::thread& thread : threads) thread.join();
    const int64_t rows = table->rows();
    EXPECT_EQ(sum, kScans * (rows * (rows - 1) / 2 - 4950));
  }
}

TEST_P(CachedTableTest, ACeilingIsRefusedCleanly) {
  const auto table = CachedTable::Build(
      vector::SchemaS(), Sources(), {.form = GetParam(), .max_bytes = 30000, .threads = 2});
  EXPECT_EQ(table.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(table.status().message()), HasSubstr("bytes, the limit is 30000"));
}

INSTANTIATE_TEST_SUITE_P(Forms, CachedTableTest, ::testing::ValuesIn(kForms),
                         [](const auto& info) {
                           return std::string(info.param == Form::kLegacy    ? "Legacy"
                                              : info.param == Form::kV2      ? "V2"
                                              : info.param == Form::kV3Plain ? "V3Plain"
                                                                             : "V3");
                         });

TEST(CachedTableErrorTest, AFailureOfASourceNamesItsPlace) {
  std::vector<BatchSource> sources = Sources();
  sources[1] = []() -> absl::StatusOr<std::optional<Batch>> { return base::Invalid("no more"); };
  const auto table = CachedTable::Build(vector::SchemaS(), sources, {});
  EXPECT_EQ(table.status().message(), "partition 1, batch 0: no more");
}

TEST(CachedTableErrorTest, AColumnOutsideTheTableIsRefused) {
  const auto counts = Build(Form::kV3).Scan({.columns = std::vector<int64_t>{16}},
                                            [](int64_t, const Batch&) { return absl::OkStatus(); });
  EXPECT_EQ(counts.status().message(), "column 16 of a table with 16 columns");
}

TEST(CachedTableErrorTest, AFailureOfTheConsumerEndsTheScan) {
  std::atomic<int> calls = 0;
  const auto counts = Build(Form::kV3).Scan({.threads = 1}, [&](int64_t, const Batch&) {
    ++calls;
    return base::Invalid("enough");
  });
  EXPECT_EQ(counts.status().message(), "partition 0, batch 0: enough");
  EXPECT_EQ(calls, 1);
}

TEST(CachedTableErrorTest, BatchesWithoutRowsAreDropped) {
  bool done = false;
  const std::vector<BatchSource> sources = {[&]() -> absl::StatusOr<std::optional<Batch>> {
    if (std::exchange(done, true)) return std::nullopt;
    return vector::SchemaSBatch(0, 0);
  }};
  const auto table = CachedTable::Build(vector::SchemaS(), sources, {});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->batches(), 0);
}

}  // namespace
}  // namespace spillway::cache
