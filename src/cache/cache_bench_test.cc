// SPDX-License-Identifier: Apache-2.0
// The benchmark at a small size: what it computes, not how fast.
#include "src/cache/cache_bench.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/cache/bench_phase.h"

namespace spillway::cache {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const CacheBenchResult& Small() {
  static const CacheBenchResult& result = *new CacheBenchResult([] {
    const auto small = RunCacheBench({.rows = 4000, .partitions = 5, .batch = 128}, nullptr);
    EXPECT_TRUE(small.ok()) << small.status();
    return *small;
  }());
  return result;
}

const PhaseTimes& Find(const TableTimes& table, size_t mode, const std::string& name) {
  for (const PhaseTimes& phase : table.modes[mode].phases) {
    if (phase.name == name) return phase;
  }
  ADD_FAILURE() << name;
  return table.modes[mode].phases[0];
}

TEST(CacheBenchTest, EveryModeComputesTheSameWhateverTheThreads) {
  const auto three = RunCacheBench({.rows = 4000, .partitions = 5, .batch = 128, .threads = 3},
                                   nullptr);
  ASSERT_TRUE(three.ok()) << three.status();
  for (size_t i = 0; i < 2; ++i) {
    const TableTimes& table = Small().tables[i];
    ASSERT_EQ(table.modes.size(), i == 0 ? 4u : 2u);
    for (const char* phase : {"read1", "read4", "readAll", "filter"}) {
      for (size_t mode = 0; mode < table.modes.size(); ++mode) {
        const PhaseTimes& times = Find(table, mode, phase);
        EXPECT_EQ(times.digest, Find(three->tables[i], 0, phase).digest) << phase;
        EXPECT_EQ(times.seconds.size(), 3u);
        EXPECT_NE(times.digest, 0u);
        EXPECT_EQ(times.counts.fallbacks, 0);
      }
    }
  }
}

// A phase that looked at nothing would agree with itself.
TEST(CacheBenchTest, TheResultsAreThoseOfTheRows) {
  PhaseResult read1;
  PhaseResult read4;
  PhaseResult filter;
  for (int64_t i = 0; i < 4000; ++i) {
    read1.sum += i;
    const auto add = [&](size_t what, uint64_t value) { read4.groups[what][i % 1000] += value; };
    add(0, 1);
    add(1, i);
    add(2, std::to_string(i).size());
    add(3, i % 100);
    if (i == 2000) filter.sum += 1 + 2 * i;
  }
  const TableTimes& s = Small().tables[0];
  EXPECT_EQ(Find(s, 0, "read1").digest, read1.Digest());
  EXPECT_EQ(Find(s, 0, "read4").digest, read4.Digest());
  EXPECT_EQ(Find(s, 0, "filter").digest, filter.Digest());
}

TEST(CacheBenchTest, OnlyWhatIsNeededIsDecoded) {
  const TableTimes& s = Small().tables[0];
  const int64_t batches = Find(s, 0, "read1").counts.batches;
  EXPECT_EQ(batches, 5 * 7);
  EXPECT_EQ(Find(s, 0, "read1").counts.columns_decoded, batches * 16);
  EXPECT_EQ(Find(s, 3, "read1").counts.columns_decoded, batches);
  EXPECT_EQ(Find(s, 2, "filter").counts.batches_pruned, 0);
  EXPECT_EQ(Find(s, 1, "filter").counts.batches_pruned, batches - 1);
  EXPECT_EQ(Find(s, 3, "filter").counts.columns_decoded, 2);
}

// The footprint is the point of keeping encodings: half or less, in every column that is encoded.
TEST(CacheBenchTest, PreservedEncodingsTakeAtMostHalf) {
  const auto result = RunCacheBench({.table_s = false, .rows = 8192, .partitions = 2}, nullptr);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->tables.size(), 1u);
  const TableTimes& table = result->tables[0];
  const ModeTimes& flat = table.modes[0];
  const ModeTimes& preserved = table.modes[1];
  EXPECT_LE(preserved.footprint * 2, flat.footprint);
  for (size_t column = 0; column < flat.columns.size(); ++column) {
    const bool is_flat = column == 0 || column == 12;
    if (is_flat) {
      EXPECT_EQ(preserved.columns[column], flat.columns[column]) << column;
    } else {
      EXPECT_LT(preserved.columns[column] * 10, flat.columns[column] * 6) << column;
    }
  }
  for (size_t mode = 0; mode < 2; ++mode) {
    EXPECT_EQ(Find(table, mode, "filter").counts.batches_pruned, 1) << "both have statistics";
  }
}

TEST(CacheBenchTest, FootprintsOfColumnsAddUpToNearlyAll) {
  for (const TableTimes& table : Small().tables) {
    for (const ModeTimes& mode : table.modes) {
      ASSERT_EQ(mode.columns.size(), table.schema->children().size());
      const int64_t sum = std::accumulate(mode.columns.begin(), mode.columns.end(), int64_t{0});
      EXPECT_LT(sum, mode.footprint);
      EXPECT_GT(sum * 10, mode.footprint * 8);
    }
  }
}

TEST(CacheBenchTest, ACeilingEndsTheRunWithItsPlace) {
  const auto result = RunCacheBench({.rows = 4000, .max_bytes = 100'000}, nullptr);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(result.status().message()),
              MatchesRegex("table s: V2 without statistics: partition [0-9]+, batch 0: the cache "
                           "needs [0-9]+ bytes, the limit is 100000"));
}

TEST(CacheBenchTest, TheEncodedTableHasItsOwnRows) {
  EXPECT_EQ(Small().tables[1].rows, 4000);
  const auto result = RunCacheBench({.rows = 100, .encoded_rows = 300, .partitions = 1}, nullptr);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->tables[0].rows, 100);
  EXPECT_EQ(result->tables[1].rows, 300);
}

TEST(CacheBenchTest, ProgressAscendsToItsTotal) {
  int64_t last = 0;
  int64_t total = 0;
  const auto result = RunCacheBench({.rows = 100, .partitions = 2, .batch = 10},
                                    [&](int64_t done, int64_t all) {
                                      EXPECT_GT(done, last);
                                      last = done;
                                      total = all;
                                    });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(last, total);
}

TEST(CacheBenchTest, OptionsOutOfRangeAreNamed) {
  const auto error = [](const CacheBenchOptions& options) {
    return std::string(RunCacheBench(options, nullptr).status().message());
  };
  EXPECT_EQ(error({.rows = 0}), "rows is 0, not within 1 and 715827882");
  EXPECT_EQ(error({.rows = 2'000'000'000}), "rows is 2000000000, not within 1 and 715827882");
  EXPECT_EQ(error({.encoded_rows = -1}), "encoded-rows is -1, not within 0 and 715827882");
  EXPECT_EQ(error({.iterations = 2}), "iterations is 2, not within 3 and 1000");
  EXPECT_THAT(error({.batch = 0}), HasSubstr("batch is 0"));
  EXPECT_THAT(error({.partitions = -1}), HasSubstr("partitions is -1"));
  EXPECT_THAT(error({.threads = 0}), HasSubstr("threads is 0"));
  EXPECT_THAT(error({.max_bytes = -1}), HasSubstr("max-bytes is -1"));
}

TEST(CacheBenchTest, JsonHasEveryModePhaseAndColumn) {
  const auto json = nlohmann::json::parse(CacheBenchJson(Small()), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  ASSERT_EQ(json["tables"].size(), 2u);
  EXPECT_EQ(json["tables"][0]["modes"].size(), 4u);
  EXPECT_EQ(json["tables"][0]["modes"][3]["phases"].size(), 5u);
  EXPECT_TRUE(json["tables"][0]["modes"][3]["phases"][1].contains("cpu_s"));
  EXPECT_EQ(json["tables"][0]["modes"][2]["columns"]["c0"], 35 * 18 + 4000 * 4);
  EXPECT_EQ(json["tables"][1]["modes"][1]["mode"], "V3 preserved");
  EXPECT_EQ(json["tables"][1]["modes"][1]["columns"].size(), 13u);
  EXPECT_GT(json["peak_memory"], 1'000'000);
}

TEST(CacheBenchTest, EveryLineOfTheCsvHasTheFieldsOfItsHead) {
  const std::string csv = CacheBenchCsv(Small());
  std::istringstream lines(csv);
  std::string line;
  int64_t count = 0;
  for (; std::getline(lines, line); ++count) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 15) << line;
  }
  EXPECT_EQ(count, 1 + 4 * (5 + 16 + 2) + 2 * (5 + 13 + 2));
}

TEST(CacheBenchTest, TextNamesEveryColumnAndTheRateToCompareWith) {
  const std::string text = CacheBenchText(Small());
  EXPECT_THAT(text, HasSubstr("c15 DOUBLE"));
  EXPECT_THAT(text, HasSubstr("c10 ROW<kind:VARCHA..."));
  EXPECT_THAT(text, HasSubstr("headers, statistics"));
  EXPECT_THAT(text, HasSubstr("memcpy of 64 MiB"));
}

}  // namespace
}  // namespace spillway::cache
