// SPDX-License-Identifier: Apache-2.0
#include "src/cli/batch_source.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/cli/command.h"
#include "src/cli/command_fixture.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"

namespace spillway::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class BatchSourceTest : public CommandFixture {
 protected:
  // Rows of each batch; then, if it failed, what was said.
  std::vector<int64_t> RowsOf(const std::string& input, int64_t batch_rows = 4) {
    error_.clear();
    std::vector<int64_t> rows;
    const auto source = OpenBatchSource(input, batch_rows);
    if (!source.ok()) {
      error_ = std::string(source.status().message());
      return rows;
    }
    while (true) {
      const auto batch = source->next();
      if (!batch.ok()) error_ = std::string(batch.status().message());
      if (!batch.ok() || !batch->has_value()) break;
      EXPECT_TRUE((*batch)->schema() == source->schema || *(*batch)->schema() == *source->schema);
      rows.push_back((*batch)->rows());
      EXPECT_LE(source->done(), source->total);
    }
    return rows;
  }

  std::string Write(std::string_view name, std::string_view text) {
    const std::string path = ::testing::TempDir() + "/" + std::string(name);
    std::ofstream(path) << text;
    return path;
  }

  void WriteTwoForms() {
    const vector::Batch two = Doubles({1, 2});
    const vector::Batch three = Doubles({3, 4, 5});
    WriteCache(two.schema(), {{.partition = 0, .bytes = *frame::WriteV3(two), .rows = 2},
                              {.partition = 1, .bytes = *frame::WriteV2(three), .rows = 3}});
  }

  std::string error_;
};

constexpr std::string_view kFive = R"(schema: "ROW<k:BIGINT,s:VARCHAR>"
rows: 5
columns { flat { integers: [5, -7, 0, 9, 3] } }
columns { flat { strings: "a" strings: "b" strings: "c" strings: "d" strings: "e" } }
)";

TEST_F(BatchSourceTest, GeneratorsMakeTheRowsThatTheyAreAskedFor) {
  for (const char* name : {"i64x2", "mix", "s", "d"}) {
    EXPECT_THAT(RowsOf(std::string("gen:") + name + ":10"), ElementsAre(4, 4, 2)) << name;
    EXPECT_THAT(RowsOf(std::string("gen:") + name + ":0"), ElementsAre()) << name;
    EXPECT_EQ(error_, "");
  }
}

TEST_F(BatchSourceTest, SpecsThatMakeNoSenseAreExplained) {
  RowsOf("gen:i64x3:10");
  EXPECT_EQ(error_, "gen:i64x3:10: `i64x3` is no generator; did you mean `i64x2`?");
  RowsOf("gen:xyz:10");
  EXPECT_EQ(error_, "gen:xyz:10: `xyz` is no generator; i64x2, mix, s and d are");
  RowsOf("gen:mix");
  EXPECT_EQ(error_, "gen:mix: how many rows? `gen:mix:1000000` has a million");
  RowsOf("gen:d:9999999999");
  EXPECT_THAT(error_, StartsWith("gen:d:9999999999: rows: "));
  RowsOf("gen:mix:1e6");
  EXPECT_THAT(error_, HasSubstr("rows: "));
}

TEST_F(BatchSourceTest, ACacheFileGivesItsBatchesOfEveryForm) {
  WriteTwoForms();
  EXPECT_THAT(RowsOf(path_), ElementsAre(2, 3));
  EXPECT_EQ(error_, "");
}

TEST_F(BatchSourceTest, ACutCacheFileGivesWhatIsWholeAndThenThePlace) {
  WriteTwoForms();
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 20);
  EXPECT_THAT(RowsOf(path_), ElementsAre(2));
  EXPECT_THAT(error_, AllOf(StartsWith(path_), HasSubstr("byte")));
}

TEST_F(BatchSourceTest, ANeutralFileIsOneBatch) {
  EXPECT_THAT(RowsOf(Write("five.textproto", kFive)), ElementsAre(5));
  EXPECT_EQ(error_, "");
  EXPECT_THAT(RowsOf(Write("bad.textproto", "rows: x")), ElementsAre());
  EXPECT_THAT(error_, HasSubstr("bad.textproto:1:"));
}

TEST_F(BatchSourceTest, OtherFilesAreRefused) {
  RowsOf(Write("some.page", "bytes"));
  EXPECT_THAT(error_, EndsWith("some.page: neither a cache file nor named *.textproto or *.json; a "
                               "page or frame becomes one of these with `spillway convert`"));
  RowsOf("nothing/here");
  EXPECT_THAT(error_, HasSubstr("nothing/here"));
}

TEST_F(BatchSourceTest, ShuffleTakesCacheFilesAndRanges) {
  WriteTwoForms();
  ASSERT_EQ(Spillway({"shuffle", path_, "--partitions", "3", "--json"}), kSuccess) << err_;
  EXPECT_EQ(nlohmann::json::parse(out_)["rows"], 5);

  const std::string bounds = Write("bounds.textproto", R"(schema: "ROW<k:BIGINT>"
rows: 2
columns { flat { integers: [0, 5] } }
)");
  const std::string five = Write("five.textproto", kFive);
  ASSERT_EQ(Spillway({"shuffle", five, "--by", "range", "--boundaries", bounds, "--json"}),
            kSuccess)
      << err_;
  EXPECT_EQ(nlohmann::json::parse(out_)["rows_of_partition"], (std::vector<int>{2, 2, 1}));
  EXPECT_EQ(nlohmann::json::parse(out_)["partitioning"], "range (k) into 3 partitions");
  EXPECT_EQ(Spillway({"shuffle", five, "--by", "range", "--keys", "s", "--boundaries", bounds}),
            kBadUsage);
  EXPECT_THAT(err_, HasSubstr("BIGINT"));
}

TEST_F(BatchSourceTest, ShuffleOfADamagedInputLeavesNothing) {
  WriteTwoForms();
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 20);
  const std::string out = ::testing::TempDir() + "/damaged";
  // What a run does not say stays as the run before it in this process said.
  EXPECT_EQ(
      Spillway({"shuffle", path_, "--by", "hash", "--keys", "c0", "--limit", "1", "--out", out}),
      kBadInput);
  EXPECT_THAT(err_, StartsWith("spillway shuffle: " + path_));
  for (const auto& entry : std::filesystem::directory_iterator(::testing::TempDir())) {
    EXPECT_THAT(entry.path().filename().string(), ::testing::Not(HasSubstr("damaged")));
  }
}

}  // namespace
}  // namespace spillway::cli
