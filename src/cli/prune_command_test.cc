// SPDX-License-Identifier: Apache-2.0
// `spillway prune` over cache files; prune_command_test.sh has the rest.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/strings.h"
#include "src/cli/command.h"
#include "src/cli/command_fixture.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"

namespace spillway::cli {
namespace {

using vector::Batch;
using vector::Type;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A file of three batches, a V3 frame, a V2 frame and a V3 frame without statistics.
class PruneCommandTest : public CommandFixture {
 protected:
  void SetUp() override {
    WriteCache(Doubles({}).schema(),
               {{0, *frame::WriteV3(Doubles({1, 2, kNan})), 3},
                {0, *frame::WriteV2(Doubles({3, 4})), 2},
                {5, *frame::WriteV3(Doubles({1}), {.statistics = false}), 1}});
  }

  int Prune(std::vector<std::string> args) {
    args.insert(args.begin(), {"prune", "--stats", path_});
    return Spillway(args);
  }
};

TEST_F(PruneCommandTest, DecidesBatchByBatchAndSumsUp) {
  EXPECT_EQ(Prune({"--where", "c0 > 2.5"}), kSuccess) << err_;
  EXPECT_EQ(out_, path_ +
                      ": cache file, ROW<c0:DOUBLE>\n"
                      "batch 0, partition 0: V3 frame, 3 rows\n"
                      "sound reads\n"
                      "  c0 > 2.5: may be true (c0: 1 to 2, 0 of 3 null)\n"
                      "spark skips\n"
                      "  c0 > 2.5: a NaN is above every bound\n"
                      "gluten skips\n"
                      "  c0 > 2.5: a NaN is above every bound\n"
                      "batch 1, partition 0: V2 frame, 2 rows\n"
                      "sound reads\n"
                      "  c0 > 2.5: never false (c0: 3 to 4, 0 of 2 null)\n"
                      "batch 2, partition 5: V3 frame, 1 row, no statistics\n"
                      "sound reads\n"
                      "  c0 > 2.5: may be true (c0: no statistics)\n"
                      "3 batches: sound skips 0, spark skips 1, gluten skips 1\n");
  EXPECT_EQ(err_, "");
}

TEST_F(PruneCommandTest, LostRowsFailTheWholeFile) {
  EXPECT_EQ(Prune({"--where", "c0 > 2.5", "--mode", "gluten", "--check"}), kBadInput);
  EXPECT_NE(out_.find("LOST ROWS: gluten skips the batch, and 1 row of it matches\n"),
            std::string::npos);
  EXPECT_NE(out_.find("gluten skips 1; LOST ROWS in 1 batch\n"), std::string::npos) << out_;
  EXPECT_EQ(Prune({"--where", "c0 > 2.5", "--check"}), kSuccess);
}

// All batches before the cut, then the error.
TEST_F(PruneCommandTest, ACutFileGivesTheBatchesBeforeTheCut) {
  std::ifstream in(path_, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes.substr(0, bytes.size() - 30);
  EXPECT_EQ(Prune({"--where", "c0 > 2.5"}), kBadInput);
  EXPECT_NE(out_.find("2 batches: sound skips 0"), std::string::npos) << out_;
  EXPECT_NE(err_.find(path_ + ": cache file: record 2: "), std::string::npos) << err_;
  EXPECT_EQ(Prune({"--where", "c0 > 2.5", "--json"}), kBadInput);
  EXPECT_NE(out_.find("\"message\": \"cache file: record 2: "), std::string::npos) << out_;
}

TEST_F(PruneCommandTest, TheSchemaIsTheFiles) {
  EXPECT_EQ(Prune({"--where", "c0 > 2.5", "--schema", "ROW<a:INTEGER>"}), kBadUsage);
  EXPECT_NE(err_.find("--schema says nothing about a cache file"), std::string::npos) << err_;
  EXPECT_EQ(Prune({"--where", "a > 2"}), kBadUsage);
  EXPECT_EQ(err_,
            "spillway prune: --where: unknown column `a`, byte 0 of 5\n"
            "  a > 2\n"
            "  ^\n"
            "See `./spillway prune --help`.\n");
}

}  // namespace
}  // namespace spillway::cli
