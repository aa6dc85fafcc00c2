// SPDX-License-Identifier: Apache-2.0
// The benchmark at a small size: what it does, not how fast.
#include "src/shuffle/shuffle_bench.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/vector/column.h"

namespace spillway::shuffle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// An empty directory of its own.
std::string Directory(const std::string& name) {
  const std::string path = testing::TempDir() + "/" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directory(path);
  return path;
}

ShuffleBenchOptions Small(std::string directory) {
  return {.memory = {0, 50'000},
          .rows = 3000,
          .partitions = 5,
          .batch = 256,
          .directory = std::move(directory)};
}

TEST(WorkloadTest, RowsAreThoseOfTheirNumbersWhereverABatchBegins) {
  const vector::Batch first = WorkloadRows(Workload::kMix, 0, 5);
  const vector::Batch later = WorkloadRows(Workload::kMix, 3, 2);
  const auto number = [](const vector::Batch& batch, size_t column, int64_t row) {
    return batch.column(column).As<vector::FlatColumn>().Value<int64_t>(row);
  };
  EXPECT_EQ(number(first, 0, 0), static_cast<int64_t>(0xe220a8397b1dcdaf));
  for (size_t column = 0; column < 3; ++column) {
    EXPECT_EQ(number(first, column, 3), number(later, column, 0));
  }
  for (int64_t row = 0; row < 5; ++row) {
    const std::string text(first.column(3).As<vector::StringColumn>().Value(row));
    EXPECT_THAT(text.size(), testing::AllOf(testing::Ge(8u), testing::Le(16u)));
    EXPECT_EQ(text.find_first_not_of("abcdefgh"), std::string::npos) << text;
    EXPECT_LT(number(first, 1, row), 1'000'000);
  }
  EXPECT_EQ(first.column(3).As<vector::StringColumn>().Value(4),
            later.column(3).As<vector::StringColumn>().Value(1));
  EXPECT_EQ(WorkloadRows(Workload::kI64x2, 0, 1).columns().size(), 2u);
}

TEST(ShuffleBenchTest, EveryRunWritesAllRowsAndLeavesNothing) {
  const std::string directory = Directory("shuffle_bench");
  int64_t done = 0;
  int64_t total = 0;
  const auto result = RunShuffleBench(Small(directory), [&](int64_t d, int64_t t) {
    EXPECT_EQ(d, ++done);
    total = t;
  });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(done, total);
  ASSERT_EQ(result->runs.size(), 2u * 3u * 2u);
  for (const ShuffleBenchRun& run : result->runs) {
    EXPECT_EQ(run.output.rows, 3000);
    EXPECT_EQ(run.metrics.spill_count > 0, run.memory != 0);
    EXPECT_EQ(run.output.spilled_bytes > 0, run.memory != 0);
    std::vector<std::string> names;
    double sum = 0;
    for (const ShufflePart& part : run.parts) {
      names.push_back(part.name);
      EXPECT_EQ(part.seconds.size(), 3u);
      EXPECT_LE(part.best(), part.median());
      if (part.name != "whole" && part.name != "memcpy") sum += part.seconds[0];
    }
    EXPECT_THAT(names, ElementsAre("hash", "partition", "interleave", "encode", "write", "whole",
                                   "memcpy"));
    EXPECT_NEAR(sum, run.parts[5].seconds[0], 1e-9) << "parts make the whole";
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory));
}

TEST(ShuffleBenchTest, ReportsHaveARunEach) {
  ShuffleBenchOptions options = Small(Directory("shuffle_bench_reports"));
  options.workloads = {Workload::kI64x2};
  options.codecs = {BlockCodec::kNone, BlockCodec::kLz4};
  const auto result = RunShuffleBench(options, nullptr);
  ASSERT_TRUE(result.ok()) << result.status();
  const std::string text = ShuffleBenchText(*result);
  EXPECT_THAT(text, HasSubstr("3000 rows, 5 partitions, batches of 256 rows"));
  EXPECT_THAT(text, HasSubstr("i64x2, none, unlimited"));
  EXPECT_THAT(text, HasSubstr("i64x2, lz4, 50000 B"));
  const std::string csv = ShuffleBenchCsv(*result);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 4 * 7);
  EXPECT_THAT(csv, HasSubstr("i64x2,none,0,3000,5,whole,"));
  const nlohmann::json json = nlohmann::json::parse(ShuffleBenchJson(*result));
  ASSERT_EQ(json["runs"].size(), 4u);
  EXPECT_EQ(json["runs"][1]["memory"], 50'000);
  EXPECT_GT(json["runs"][1]["ns_a_row"]["whole"]["best"], 0);
  EXPECT_EQ(json["runs"][0]["input_bytes"], 3000 * 16);
}

TEST(ShuffleBenchTest, OptionsOutOfRangeAreRefusedByName) {
  const auto error = [](const ShuffleBenchOptions& options) {
    return std::string(RunShuffleBench(options, nullptr).status().message());
  };
  EXPECT_EQ(error({.rows = 0}), "rows is 0, not within 1 and 1099511627776");
  EXPECT_EQ(error({.partitions = 0}), "partitions is 0, not within 1 and 2147483646");
  EXPECT_EQ(error({.batch = 0}), "batch is 0, not within 1 and 2147483647");
  EXPECT_EQ(error({.iterations = 2}), "iterations is 2, not within 3 and 1000000");
  EXPECT_EQ(error({.memory = {-1}}), "memory is -1, not within 0 and 9223372036854775807");
  EXPECT_THAT(error({.rows = 1, .directory = "/no/such/directory"}),
              HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace spillway::shuffle
