// SPDX-License-Identifier: Apache-2.0
// The benchmark at a small size: what it computes, not how fast.
#include "src/cache/cache_bench.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace spillway::cache {
namespace {

using ::testing::HasSubstr;

CacheBenchResult Small(int64_t threads) {
  const auto result = RunCacheBench(
      {.rows = 10'000, .partitions = 5, .batch = 128, .iterations = 3, .threads = threads},
      nullptr);
  EXPECT_TRUE(result.ok()) << result.status();
  return *result;
}

const PhaseTimes& Find(const CacheBenchResult& result, size_t form, const std::string& name) {
  for (const PhaseTimes& phase : result.forms[form].phases) {
    if (phase.name == name) return phase;
  }
  ADD_FAILURE() << name;
  return result.forms[form].phases[0];
}

TEST(CacheBenchTest, EveryFormComputesTheSameWhateverTheThreads) {
  const CacheBenchResult one = Small(1);
  const CacheBenchResult three = Small(3);
  ASSERT_EQ(one.forms.size(), 4u);
  for (const char* phase : {"read1", "read4", "readAll", "filter"}) {
    for (size_t form = 0; form < 4; ++form) {
      EXPECT_EQ(Find(one, form, phase).digest, Find(three, 0, phase).digest) << phase;
      EXPECT_EQ(Find(one, form, phase).seconds.size(), 3u);
      EXPECT_NE(Find(one, form, phase).digest, 0u);
    }
  }
}

TEST(CacheBenchTest, OnlyWhatIsNeededIsDecoded) {
  const CacheBenchResult result = Small(1);
  const int64_t batches = Find(result, 0, "read1").counts.batches;
  EXPECT_EQ(batches, 5 * 16);
  EXPECT_EQ(Find(result, 0, "read1").counts.columns_decoded, batches * 16);
  EXPECT_EQ(Find(result, 3, "read1").counts.columns_decoded, batches);
  EXPECT_EQ(Find(result, 2, "filter").counts.batches_pruned, 0);
  EXPECT_EQ(Find(result, 1, "filter").counts.batches_pruned, batches - 1);
  EXPECT_EQ(Find(result, 3, "filter").counts.columns_decoded, 2);
}

TEST(CacheBenchTest, ProgressEndsAtItsTotal) {
  int64_t last = 0;
  int64_t total = 0;
  const auto result = RunCacheBench({.rows = 100, .partitions = 2, .batch = 10, .iterations = 3},
                                    [&](int64_t done, int64_t all) {
                                      EXPECT_EQ(done, last + 1);
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
  EXPECT_EQ(error({.iterations = 2}), "iterations is 2, not within 3 and 1000");
  EXPECT_THAT(error({.batch = 0}), HasSubstr("batch is 0"));
  EXPECT_THAT(error({.partitions = -1}), HasSubstr("partitions is -1"));
  EXPECT_THAT(error({.threads = 0}), HasSubstr("threads is 0"));
}

TEST(CacheBenchTest, ReportsAreWellFormed) {
  const CacheBenchResult result = Small(1);
  const auto json = nlohmann::json::parse(CacheBenchJson(result), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["forms"].size(), 4u);
  EXPECT_EQ(json["forms"][3]["phases"].size(), 6u);
  EXPECT_THAT(CacheBenchText(result), HasSubstr("footprint"));
  const std::string csv = CacheBenchCsv(result);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 4 * 6);
}

}  // namespace
}  // namespace spillway::cache
