// SPDX-License-Identifier: Apache-2.0
// `spillway inspect` and `check` over cache files. prune_command_test has `prune`.
#include "src/cli/cache_input.h"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/base/strings.h"
#include "src/cli/command.h"
#include "src/cli/command_fixture.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"
#include "src/vector/type.h"

namespace spillway::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A file of a page, a V2 frame and a V3 frame.
class CacheInputTest : public CommandFixture {
 protected:
  void SetUp() override {
    WriteCache(Doubles({}).schema(), {{0, *page::WritePage(Doubles({1, 2, 3})), 3},
                                      {4, *frame::WriteV2(Doubles({3, 4})), 2},
                                      {4, *frame::WriteV3(Doubles({1})), 1}});
  }

  // A copy of the file's bytes after `edit`.
  template <typename Edit>
  std::string Edited(Edit edit) const {
    std::ifstream in(path_, std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    std::string text = bytes.str();
    edit(text);
    const std::string path = path_ + ".edited";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
};

TEST_F(CacheInputTest, InspectListsTheBatches) {
  EXPECT_EQ(Spillway({"inspect", path_}), kSuccess) << err_;
  EXPECT_EQ(out_, base::Cat(path_,
                            ": cache file, ROW<c0:DOUBLE>\n"
                            "  batch 0, byte 34, partition 0: legacy page, 3 rows, 68 bytes\n"
                            "  batch 1, byte 132, partition 4: V2 frame, 2 rows, 105 bytes\n"
                            "  batch 2, byte 271, partition 4: V3 frame, 1 row, 92 bytes\n"
                            "3 batches, 6 rows, 2 partitions, 265 bytes\n"));
  EXPECT_EQ(Spillway({"inspect", path_, "--json"}), kSuccess);
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["batches"].size(), 3u);
  EXPECT_EQ(json["batches"][1]["form"], "V2 frame");
  EXPECT_EQ(json["schema"], "ROW<c0:DOUBLE>");
  EXPECT_TRUE(json["error"].is_null());
}

TEST_F(CacheInputTest, InspectExplainsOneBatchByTheFilesSchema) {
  EXPECT_EQ(Spillway({"inspect", path_, "--batch", "2"}), kSuccess) << err_;
  EXPECT_THAT(out_, StartsWith(base::Cat(path_, ", batch 2: V3 frame, 92 bytes, ROW<c0:DOUBLE>")));
  EXPECT_EQ(Spillway({"inspect", path_, "--batch", "3"}), kBadInput);
  EXPECT_EQ(err_, base::Cat("spillway inspect: ", path_,
                            ": there is no batch 3, the file has 3 batches\n"));
}

TEST_F(CacheInputTest, ACutFileGivesTheBatchesBeforeTheCutAndOneError) {
  const std::string cut = Edited([](std::string& bytes) { bytes.resize(290); });
  EXPECT_EQ(Spillway({"inspect", cut}), kBadInput);
  EXPECT_THAT(out_, HasSubstr("  batch 1, "));
  EXPECT_THAT(out_, HasSubstr("2 batches, 5 rows, 2 partitions"));
  EXPECT_THAT(err_, HasSubstr("byte "));
  EXPECT_EQ(Spillway({"inspect", cut, "--json"}), kBadInput);
  EXPECT_FALSE(nlohmann::json::parse(out_)["error"]["message"].get<std::string>().empty());
}

TEST_F(CacheInputTest, FlagsThatSayNothingAreUsageErrors) {
  EXPECT_EQ(Spillway({"inspect", path_, "--schema", "ROW<a:DOUBLE>"}), kBadUsage);
  const std::string page = Edited(
      [](std::string& bytes) { bytes = std::string(page::WritePage(Doubles({1}))->view()); });
  EXPECT_EQ(Spillway({"inspect", page, "--batch", "0"}), kBadUsage);
  EXPECT_THAT(err_, HasSubstr("is no cache file"));
}

TEST_F(CacheInputTest, CheckReadsEveryBatchByTheFilesSchema) {
  EXPECT_EQ(Spillway({"check", path_}), kSuccess);
  EXPECT_EQ(out_, base::Cat("ok   ", path_,
                            ": cache file, 3 batches, 6 rows, 2 partitions, 265 bytes\n"));
  WriteCache(*vector::Type::Parse("ROW<c0:VARCHAR>"),
             {{0, *frame::WriteV3(Doubles({1}), {.statistics = false}), 1}});
  EXPECT_EQ(Spillway({"check", path_}), kBadInput) << "a DOUBLE is no VARCHAR";
  EXPECT_THAT(out_, StartsWith(base::Cat("bad  ", path_, ": batch 0: ")));
}

}  // namespace
}  // namespace spillway::cli
