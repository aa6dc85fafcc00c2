// SPDX-License-Identifier: Apache-2.0
// Scans of tables whose bytes or statistics are wrong.
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/status.h"
#include "src/cache/cached_table.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::cache {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using vector::Batch;
using vector::Buffer;

constexpr int64_t kPartitions = 3;
constexpr int64_t kBatches = 4;
constexpr int64_t kRows = 8;

vector::TypePtr T(std::string_view text) { return *vector::Type::Parse(text); }

// Batch `b` of partition `p`: its rows' numbers, and texts. Batch 1 of each partition is empty.
Batch Original(int64_t p, int64_t b) {
  std::vector<int32_t> numbers;
  std::vector<std::optional<std::string>> texts;
  for (int64_t row = 0; row < (b == 1 ? 0 : kRows); ++row) {
    numbers.push_back(static_cast<int32_t>((p * kBatches + b) * kRows + row));
    texts.push_back("row " + std::to_string(numbers.back()));
  }
  return vector::BatchOf({vector::Flat<int32_t>(T("INTEGER"), numbers),
                          vector::Strings(T("VARCHAR"), texts)});
}

const vector::TypePtr& Schema() {
  static const vector::TypePtr& schema = *new vector::TypePtr(Original(0, 0).schema());
  return schema;
}

using Partitions = std::vector<std::vector<CachedBatch>>;

Partitions Cached(Form form) {
  std::vector<BatchSource> sources;
  for (int64_t p = 0; p < kPartitions; ++p) {
    sources.push_back([p, b = int64_t{0}]() mutable -> absl::StatusOr<std::optional<Batch>> {
      if (b == kBatches) return std::nullopt;
      return Original(p, b++);
    });
  }
  const auto table = CachedTable::Build(Schema(), sources, {.form = form});
  EXPECT_TRUE(table.ok()) << table.status();
  Partitions partitions;
  for (int64_t p = 0; p < kPartitions; ++p) partitions.push_back(table->partition(p));
  return partitions;
}

void CutLastByte(CachedBatch& cached) {
  cached.bytes = Buffer::Copy(cached.bytes.view().substr(0, cached.bytes.size() - 1));
}

// Damages the encoding's name of the first column, which leaves every length as it was.
void DamageFirstColumn(CachedBatch& cached) {
  std::string bytes(cached.bytes.view());
  const size_t name = bytes.find("INT_ARRAY");
  ASSERT_NE(name, std::string::npos);
  bytes[name] = 'X';
  cached.bytes = Buffer::Copy(bytes);
}

class ScanFallbackTest : public ::testing::TestWithParam<Form> {
 protected:
  static bool IsV3() { return GetParam() == Form::kV3 || GetParam() == Form::kV3Plain; }

  static CachedTable Adopt(Partitions partitions) {
    auto table = CachedTable::Adopt(Schema(), GetParam(), std::move(partitions));
    EXPECT_TRUE(table.ok()) << table.status();
    return *std::move(table);
  }

  // Every batch must be as it was.
  static absl::StatusOr<ScanCounts> ScanAndCompare(const CachedTable& table, ScanOptions options) {
    return table.Scan(options, [](int64_t p, const Batch& batch) {
      const int32_t first = batch.column(0).As<vector::FlatColumn>().Value<int32_t>(0);
      EXPECT_EQ(first / kRows / kBatches, p);
      EXPECT_EQ(vector::FirstDifference(batch, Original(p, first / kRows % kBatches)),
                std::nullopt);
      return absl::OkStatus();
    });
  }
};

TEST_P(ScanFallbackTest, ATableOfBytesIsScannedLikeOneThatWasBuilt) {
  const CachedTable table = Adopt(Cached(GetParam()));
  EXPECT_EQ(table.batches(), kPartitions * (kBatches - 1));
  EXPECT_EQ(table.rows(), table.batches() * kRows);
  const auto counts = ScanAndCompare(table, {});
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->rows, table.rows());
  EXPECT_EQ(counts->fallbacks, 0);
}

TEST_P(ScanFallbackTest, ABatchThatDoesNotDecodeEndsTheScanWithItsPlace) {
  Partitions partitions = Cached(GetParam());
  CutLastByte(partitions[1][2]);
  const auto counts = ScanAndCompare(Adopt(partitions), {});
  EXPECT_EQ(counts.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(counts.status().message()),
              StartsWith(GetParam() == Form::kLegacy ? "partition 1, batch 3: page: "
                         : GetParam() == Form::kV2   ? "partition 1, batch 3: V2 frame: "
                                                     : "partition 1, batch 3: V3 frame: "));
}

TEST_P(ScanFallbackTest, ABatchThatDoesNotDecodeIsMadeAnewAndCounted) {
  Partitions partitions = Cached(GetParam());
  CutLastByte(partitions[1][2]);
  DamageFirstColumn(partitions[2][0]);
  partitions[2][1].bytes = Buffer();
  const CachedTable table = Adopt(partitions);
  for (const int threads : {1, 4}) {
    std::vector<std::string> lines;
    frame::FallbackLog log([&](std::string_view line) { lines.emplace_back(line); });
    std::atomic<int64_t> places = 0;
    ScanOptions options{.log = &log, .threads = threads};
    options.recompute = [&](int64_t p, int64_t b) -> absl::StatusOr<Batch> {
      places += 100 * p + b;
      return Original(p, b);
    };
    const auto counts = ScanAndCompare(table, options);
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_EQ(counts->fallbacks, 3);
    EXPECT_EQ(counts->rows, table.rows());
    EXPECT_EQ(counts->columns_decoded, (table.batches() - 3) * 2) << "of cached bytes";
    EXPECT_EQ(places, 103 + 200 + 202) << "as numbered by the source, empty batches included";
    EXPECT_EQ(log.count(), 3);
    ASSERT_EQ(lines.size(), 3u);
    if (threads == 1) {
      EXPECT_THAT(lines[0], StartsWith("a batch falls back: partition 1, batch 3: "));
    }
  }
}

TEST_P(ScanFallbackTest, AProjectionOfWhatIsMadeAnewIsThatOfTheScan) {
  Partitions partitions = Cached(GetParam());
  CutLastByte(partitions[0][0]);
  ScanOptions options{.columns = std::vector<int64_t>{1, 0, 1}};
  options.recompute = Original;
  const auto counts = Adopt(partitions).Scan(options, [](int64_t, const Batch& batch) {
    EXPECT_EQ(batch.schema()->ToString(), "ROW<c1:VARCHAR,c0:INTEGER,c1:VARCHAR>");
    return absl::OkStatus();
  });
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->fallbacks, 1);
}

// What nobody reads may be damaged, where columns can be told apart.
TEST_P(ScanFallbackTest, AColumnNobodyReadsMayBeDamagedInV3) {
  Partitions partitions = Cached(GetParam());
  for (auto& partition : partitions) {
    for (CachedBatch& cached : partition) DamageFirstColumn(cached);
  }
  const CachedTable table = Adopt(partitions);
  const auto scan = [&](std::vector<int64_t> columns) {
    return table.Scan({.columns = columns}, [](int64_t, const Batch&) { return absl::OkStatus(); });
  };
  if (!IsV3()) {
    EXPECT_THAT(std::string(scan({1}).status().message()), HasSubstr("checksum"));
    return;
  }
  EXPECT_TRUE(scan({1}).ok()) << scan({1}).status();
  EXPECT_TRUE(scan({}).ok());
  EXPECT_THAT(std::string(scan({1, 0}).status().message()),
              StartsWith("partition 0, batch 0: V3 frame: column 0 `c0` INTEGER: "));
}

TEST_P(ScanFallbackTest, BytesOfAnotherRowCountDoNotCount) {
  Partitions partitions = Cached(GetParam());
  partitions[0][1].rows = kRows - 1;
  const CachedTable table = Adopt(partitions);
  EXPECT_EQ(ScanAndCompare(table, {}).status().message(),
            "partition 0, batch 2: bytes of 8 rows, not 7");
}

TEST_P(ScanFallbackTest, WhatIsMadeAnewMustBeTheSameBatch) {
  Partitions partitions = Cached(GetParam());
  CutLastByte(partitions[0][0]);
  const CachedTable table = Adopt(partitions);
  const auto error = [&](absl::StatusOr<Batch> batch) {
    const ScanOptions options{.recompute = [&](int64_t, int64_t) { return batch; }};
    return std::string(ScanAndCompare(table, options).status().message());
  };
  EXPECT_EQ(error(Original(0, 1)), "partition 0, batch 0: made anew: 0 rows, not 8");
  EXPECT_EQ(error(vector::BatchOf({Original(0, 0).columns()[0]})),
            "partition 0, batch 0: made anew: columns ROW<c0:INTEGER>, not "
            "ROW<c0:INTEGER,c1:VARCHAR>");
  EXPECT_EQ(error(base::Invalid("the file is gone")),
            "partition 0, batch 0: made anew: the file is gone");
}

TEST_P(ScanFallbackTest, WarningsAreCappedAndAllAreCounted) {
  Partitions partitions = Cached(GetParam());
  for (auto& partition : partitions) {
    for (CachedBatch& cached : partition) CutLastByte(cached);
  }
  std::vector<std::string> lines;
  frame::FallbackLog log([&](std::string_view line) { lines.emplace_back(line); },
                         /*max_warnings=*/2);
  ScanOptions options{.log = &log, .threads = 3};
  options.recompute = Original;
  const auto counts = ScanAndCompare(Adopt(partitions), options);
  ASSERT_TRUE(counts.ok()) << counts.status();
  log.Finish();
  EXPECT_EQ(counts->fallbacks, 9);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[2], "9 batches fell back, 7 of them not shown");
}

// Whatever statistics say, a scan ends, and what is read is right.
TEST_P(ScanFallbackTest, StatisticsThatContradictTheDataCrashNothing) {
  const auto where = *stats::Predicate::Parse("c0 = 3 and c1 >= 'row'", Schema());
  const stats::Pruner pruners[] = {
      stats::Pruner(where),
      stats::Pruner(where, {.mode = stats::PruneMode::kSparkParity}),
      stats::Pruner(where, {.mode = stats::PruneMode::kGlutenParity}),
  };
  const std::vector<std::optional<stats::Bounds>> bounds = {
      std::nullopt,
      stats::Bounds{"", ""},
      stats::Bounds{"x", "a longer upper bound than any integer has"},
      stats::Bounds{std::string("\x09\0\0\0", 4), std::string("\x01\0\0\0", 4)},
      stats::Bounds{std::string(300, '\xff'), std::string(300, '\0')},
  };
  for (const auto& first : bounds) {
    for (const auto& second : bounds) {
      for (const uint32_t count : {0u, 7u, 8u, UINT32_MAX}) {
        Partitions partitions = Cached(GetParam());
        for (auto& partition : partitions) {
          for (CachedBatch& cached : partition) {
            cached.stats = stats::BatchStats{{.null_count = count, .count = 8, .bounds = first},
                                             {.null_count = 0, .count = count, .bounds = second}};
          }
        }
        for (const stats::Pruner& pruner : pruners) {
          const auto counts = ScanAndCompare(Adopt(partitions), {.pruner = &pruner});
          ASSERT_TRUE(counts.ok()) << counts.status();
          EXPECT_EQ(counts->rows, (counts->batches - counts->batches_pruned) * kRows);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, ScanFallbackTest, ::testing::ValuesIn(kForms),
                         [](const auto& info) {
                           return std::string(info.param == Form::kLegacy    ? "Legacy"
                                              : info.param == Form::kV2      ? "V2"
                                              : info.param == Form::kV3Plain ? "V3Plain"
                                                                             : "V3");
                         });

TEST(ScanTest, StatisticsOfFewerColumnsLeaveTheOthersUnknown) {
  Partitions partitions = Cached(Form::kV3);
  for (CachedBatch& cached : partitions[0]) cached.stats->resize(1);
  for (CachedBatch& cached : partitions[1]) cached.stats->clear();
  const CachedTable table = *CachedTable::Adopt(Schema(), Form::kV3, partitions);
  const stats::Pruner pruner(*stats::Predicate::Parse("c1 = 'none'", Schema()));
  const auto counts =
      table.Scan({.pruner = &pruner}, [](int64_t, const Batch&) { return absl::OkStatus(); });
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->batches_pruned, 3) << "those of partition 2";
}

TEST(ScanTest, APredicateOverAnotherSchemaIsRefused) {
  const CachedTable table = *CachedTable::Adopt(Schema(), Form::kV3, Cached(Form::kV3));
  const stats::Pruner pruner(*stats::Predicate::Parse("a = 1", T("ROW<a:INTEGER>")));
  const auto counts =
      table.Scan({.pruner = &pruner}, [](int64_t, const Batch&) { return absl::OkStatus(); });
  EXPECT_EQ(counts.status().message(),
            "a predicate over ROW<a:INTEGER> for a table of ROW<c0:INTEGER,c1:VARCHAR>");
}

TEST(ScanTest, ABatchWithoutRowsIsNotAdopted) {
  Partitions partitions = Cached(Form::kV3);
  partitions[1][1].rows = 0;
  EXPECT_EQ(CachedTable::Adopt(Schema(), Form::kV3, partitions).status().message(),
            "partition 1, batch 2: a cached batch of 0 rows");
}

}  // namespace
}  // namespace spillway::cache
