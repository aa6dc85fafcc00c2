// SPDX-License-Identifier: Apache-2.0
// Combinations of fields that are refused, each with the reason and the place.

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/scenario/loader.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kHead = "name: 'n' executor { slots: 2 }\n";
constexpr std::string_view kTasks =
    "tasks { count: 3 chunks: 4 partitions: 8 keys { none {} } think { constant_ns: 10 } }\n";
constexpr std::string_view kTail = "policies { name: 'p' }\njni { crossing { constant_ns: 1 } }\n";

std::string Good() { return base::Cat(kHead, kTasks, kTail); }

// "accepted", or why not.
std::string Answer(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto scenario = ParseScenario(text, "x", overrides);
  if (scenario.ok()) return "accepted";
  EXPECT_EQ(scenario.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(scenario.status().message());
}

// The same of the good scenario with more at its end, in line 5.
std::string With(std::string_view more, const std::vector<std::string>& overrides = {}) {
  return Answer(base::Cat(Good(), more), overrides);
}

std::string WithSet(const std::vector<std::string>& overrides) { return Answer(Good(), overrides); }

TEST(RulesTest, NumbersThatAreNoneAreRefusedInFilesAndOnTheCommandLine) {
  for (const std::string value :
       {"nan", "inf", "-1", "1e30", "99999999999999999999", "-9223372036854775809"}) {
    for (const std::string field : {"constant_ns: ", "quantile { permille: 0 ns: "}) {
      const std::string latency = base::Cat("{ ", field, value, field[0] == 'q' ? " } }" : " }");
      EXPECT_THAT(
          Answer(
              base::Cat(kHead, kTasks, "policies { name: 'p' }\njni { crossing ", latency, " }\n")),
          AllOf(StartsWith("x:4:"), HasSubstr(field[0] == 'q' ? "ns`: " : "constant_ns`: ")))
          << value;
      EXPECT_THAT(WithSet({"jni.crossing=" + latency}), StartsWith("--set jni.crossing="));
    }
    EXPECT_THAT(With(base::Cat("disk { slow_every_ns: ", value, " }")),
                AllOf(StartsWith("x:5:"), HasSubstr("slow_every_ns`: ")));
    EXPECT_THAT(WithSet({"executor.tick_ns=" + value}), StartsWith("--set executor.tick_ns="));
  }
}

TEST(RulesTest, CrossingsAreGivenOnceAndInOrder) {
  const auto jni = [](std::string_view fields) {
    return Answer(base::Cat(kHead, kTasks, "policies { name: 'p' }\njni {", fields, "}"));
  };
  EXPECT_EQ(jni("gap { gap_ns: 0 crossing { constant_ns: 1 } }"), "accepted");
  EXPECT_EQ(jni(""), "x:4:1: field `jni`: needs crossing or gap");
  EXPECT_EQ(jni("crossing { constant_ns: 1 } gap { gap_ns: 0 crossing { constant_ns: 1 } }"),
            "x:4:1: field `jni`: has crossing or gap, not both");
  EXPECT_EQ(jni("gap { gap_ns: 5 crossing { constant_ns: 1 } }\n"
                "gap { gap_ns: 5 crossing { constant_ns: 1 } }"),
            "x:5:7: field `jni.gap[1].gap_ns`: gaps must ascend (5 then 5)");
  EXPECT_EQ(jni("gap { gap_ns: 5 crossing {} }"),
            "x:4:22: field `jni.gap[0].crossing`: needs constant_ns or quantiles");
  EXPECT_EQ(jni("gap { gap_ns: 5 }"), "x:4:6: field `jni.gap[0].crossing`: must be given");
  EXPECT_EQ(
      jni("crossing { constant_ns: 1 } release_gap { gap_ns: 0 crossing { constant_ns: 1 } }"),
      "x:4:34: field `jni.release_gap[0]`: goes with gap, not with crossing");
  EXPECT_EQ(
      jni("gap { gap_ns: 0 crossing { constant_ns: 1 } } "
          "release_gap { gap_ns: 0 crossing { constant_ns: 1 quantile { permille: 0 ns: 1 } } }"),
      "x:4:76: field `jni.release_gap[0].crossing`: is constant_ns or a list of quantiles, "
      "not both");
}

TEST(RulesTest, WhatThePoolsKindDoesNotAskForIsRefused) {
  EXPECT_EQ(With("pool { kind: FAIR_UNIFIED fair_rule: PER_CONSUMER fair_bytes: 5 } spark {}"),
            "accepted");
  EXPECT_EQ(With("pool { kind: GREEDY_UNIFIED fixed: true }"),
            "x:5:29: field `pool.fixed`: is of the pool's kind FAIR_UNIFIED; nobody asks for it "
            "with GREEDY_UNIFIED");
  EXPECT_THAT(With("pool { fair_rule: POOL_WIDE }"), HasSubstr("`pool.fair_rule`: is of"));
  EXPECT_THAT(With("pool { fair_bytes: 5 }"), HasSubstr("`pool.fair_bytes`: is of"));
  EXPECT_EQ(With("pool { kind: FAIR_UNIFIED fixed: true fair_rule: POOL_WIDE }"),
            "x:5:39: field `pool.fair_rule`: is of the pool as it is; fixed has a rule of its own");
  EXPECT_THAT(With("pool { kind: NO_LOCK capacity_bytes: 5 }"),
              HasSubstr("`pool.capacity_bytes`: is of the pool's kind COUNTING"));
  EXPECT_EQ(With("spark {}"),
            "x:5:1: field `spark`: is of the pool's kind GREEDY_UNIFIED or "
            "FAIR_UNIFIED; nobody asks for it with COUNTING");
  EXPECT_THAT(With("pool { kind: NO_LOCK } holders { name: 'h' min_bytes: 1 max_bytes: 1 "
                   "hold { constant_ns: 1 } idle { constant_ns: 1 } }"),
              AllOf(StartsWith("x:5:24: field `holders[0]`: "), EndsWith("with NO_LOCK")));
}

TEST(RulesTest, MemoryThatNobodyCouldEverGetIsExplained) {
  constexpr std::string_view kGreedy = "pool { kind: GREEDY_UNIFIED } ";
  const auto spark = [&](std::string_view fields) {
    return With(base::Cat(kGreedy, "spark { off_heap_bytes: 1000 ", fields, " }"));
  };
  EXPECT_EQ(spark("cached_blocks: 10 cached_block_bytes: 100"), "accepted");
  EXPECT_EQ(spark("cached_blocks: 11 cached_block_bytes: 100"),
            "x:5:60: field `spark.cached_blocks`: 11 blocks of 100 bytes do not fit into a memory "
            "of 1000 bytes");
  EXPECT_THAT(spark("storage_permille: 1000 cached_blocks: 10 cached_block_bytes: 100"),
              HasSubstr("no task could ever get a byte"));
  EXPECT_EQ(With(base::Cat(kGreedy, "spark { off_heap_bytes: 1152921504606846976 }"),
                 {"executor.count=2"}),
            "x:5:39: field `spark.off_heap_bytes`: 2 executors with 1152921504606846976 bytes each "
            "have more than 2^60 bytes");
  const auto holder = [&](std::string_view bytes, std::string_view times) {
    return With(base::Cat(kGreedy,
                          "spark { off_heap_bytes: 1000 cached_blocks: 3 "
                          "cached_block_bytes: 100 } holders { name: 'h' ",
                          bytes, times, " }"));
  };
  constexpr std::string_view kTimes = " hold { constant_ns: 1 } idle { constant_ns: 0 }";
  EXPECT_EQ(holder("min_bytes: 700 max_bytes: 2000", kTimes), "accepted");
  EXPECT_THAT(holder("min_bytes: 701 max_bytes: 2000", kTimes),
              HasSubstr("`holders[0].min_bytes`: a holder that asks for 701 bytes where tasks can "
                        "have 700 would be granted short for ever"));
  EXPECT_THAT(holder("min_bytes: 6 max_bytes: 5", kTimes),
              HasSubstr("`holders[0].min_bytes`: 6 is above max_bytes, 5"));
  EXPECT_THAT(
      holder("min_bytes: 5 max_bytes: 5", " hold { constant_ns: 0 } idle { constant_ns: 0 }"),
      HasSubstr("`holders[0].hold`: hold and idle are never longer than 0 ns"));
}

TEST(RulesTest, ThreadsAreCountedOverExecutorsSlotsWritersAndHolders) {
  const std::vector<std::string> most = {"executor.count=100", "executor.slots=500",
                                         "tasks.writers=2"};
  EXPECT_EQ(WithSet(most), "accepted");
  std::vector<std::string> more = most;
  more[1] = "executor.slots=501";
  EXPECT_EQ(WithSet(more),
            "--set executor.slots=501: field `executor.slots`: 100 executors with 501 slots of 2 "
            "writers and 0 holders are more than 100000 threads");
  EXPECT_EQ(WithSet({"executor.cores=10000"}), "accepted") << "more cores than threads";
  // The writers of two executors: 2 x 1000 x 64, of which 4 tasks run.
  EXPECT_THAT(WithSet({"executor.count=2", "tasks.count=4", "tasks.writers=64",
                       "tasks.partitions=1000000"}),
              HasSubstr("256 writers at a time of 1000000 partitions are more than"));
  EXPECT_THAT(WithSet({"tasks.size={quantile {permille: 0 factor: 1} "
                       "quantile {permille: 1000 factor: 1000000}}",
                       "tasks.chunks=1000000", "tasks.buffer_bytes=4294967296"}),
              HasSubstr("2 tasks at a time of 1000000000 chunks of 4294967296 bytes"));
}

TEST(RulesTest, SizesNeedAWholeDistribution) {
  EXPECT_EQ(WithSet({"tasks.size={quantile {permille: 0 factor: 5}}"}),
            "--set tasks.size={quantile {permille: 0 factor: 5}}: field `tasks[0].size`: a "
            "distribution needs at least the points 0 and 1000 permille, but has 1");
  EXPECT_THAT(WithSet({"tasks.size={quantile {permille: 0 factor: 5} "
                       "quantile {permille: 1000 factor: 4}}"}),
              EndsWith("factors must not descend (5 then 4)"));
}

TEST(RulesTest, TasksArriveBeforeTheRunIsCut) {
  const std::string bound = "bounds.max_virtual_ms=100";
  EXPECT_EQ(WithSet({bound, "tasks.arrival={first_ns: 100000000}"}), "accepted");
  EXPECT_THAT(WithSet({bound, "tasks.arrival={first_ns: 100000001}"}),
              HasSubstr("`tasks[0].arrival.first_ns`: no task of the group can begin: the first "
                        "arrives after the 100 ms at which the run would be cut"));
  EXPECT_EQ(WithSet({bound, "tasks.arrival={every_ns: 50000000}"}), "accepted");
  EXPECT_THAT(WithSet({bound, "tasks.arrival={every_ns: 50000001}"}),
              HasSubstr("the last of 3 tasks arrives after the 100 ms"));
  EXPECT_THAT(WithSet({"tasks.arrival={poisson: true}"}), EndsWith("poisson`: needs every_ns, the "
                                                                   "mean time between two tasks"));
}

TEST(RulesTest, WhatIsAddedToCrossingsAndCoresIsADistribution) {
  EXPECT_THAT(WithSet({"jni.shared={}"}), EndsWith("`jni.shared`: needs constant_ns or quantiles"));
  const std::string background = "executor.background={every_ns: 1000 burst {constant_ns: 1}}";
  EXPECT_EQ(WithSet({background, "executor.cores=1"}), "accepted");
  EXPECT_THAT(WithSet({background}), HasSubstr("`executor.background`: needs cores"));
  const std::string tick = "executor.tick_ns=1500";
  EXPECT_EQ(WithSet({tick}), "accepted") << "nobody shares a core";
  EXPECT_EQ(WithSet({tick, "executor.switch_ns=1499", "executor.cores=1"}), "accepted");
  EXPECT_THAT(WithSet({tick, "executor.cores=1"}),
              EndsWith("`executor.switch_ns`: 1500 is not below tick_ns, 1500: cores that are "
                       "shared would only switch"));
  EXPECT_THAT(WithSet({"executor.background={every_ns: 1000 burst {}}", "executor.cores=1"}),
              EndsWith("`executor.background.burst`: needs constant_ns or quantiles"));
}

TEST(RulesTest, PausesAndDisksComeToAnEnd) {
  EXPECT_EQ(With("gc { every_ns: 1000 pause { constant_ns: 5000 } }"), "accepted");
  EXPECT_EQ(
      With("gc { every_ns: 1000 pause { constant_ns: 100000000 } }", {"bounds.max_virtual_ms=100"}),
      "x:5:21: field `gc.pause`: never ends: the run would be cut at 100 ms");
  EXPECT_EQ(With("disk { slow_every_ns: 10 slow_for_ns: 9 slow_factor: 2000 }"), "accepted");
  EXPECT_EQ(With("disk { slow_every_ns: 10 slow_for_ns: 10 }"),
            "x:5:26: field `disk.slow_for_ns`: 10 is not below slow_every_ns, 10: the disk would "
            "always be slow");
  EXPECT_THAT(With("disk { slow_for_ns: 10 }"), EndsWith("needs slow_every_ns"));
  EXPECT_THAT(With("disk { slow_factor: 2000 }"), EndsWith("needs slow_every_ns and slow_for_ns"));
}

TEST(RulesTest, TablesOfAllGroupsHaveABoundTogether) {
  const auto groups_of = [](int count, std::string_view partitions, std::string_view keys) {
    std::string groups;
    for (int i = 0; i < count; ++i) {
      groups += base::Cat("tasks { chunks: 1 partitions: ", partitions, " keys { ", keys,
                          " } think { constant_ns: 1 } }\n");
    }
    return groups;
  };
  const std::string groups = groups_of(17, "1", "zipf { values: 1000000 }");
  EXPECT_EQ(Answer(base::Cat(kHead, groups, kTail)),
            "x:18:47: field `tasks[16].keys.zipf.values`: the groups up to here have more than "
            "16777216 values together");
  EXPECT_THAT(Answer(base::Cat(kHead, groups_of(68, "1000000", "none {}"), kTail)),
              HasSubstr("`tasks[67].partitions`: the groups up to here have more than 67108864 "
                        "partitions together"));
}

std::string WriteFile(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

absl::StatusOr<Scenario> Traced(const std::string& path) {
  return ParseScenario(Good(), "x", {"tasks.keys={trace {file: '" + path + "'}}"});
}

TEST(RulesTest, KeysOfAFileAreAPartOfTheScenario) {
  const auto scenario = Traced(WriteFile("keys.txt", "7\n-2147483648\r\n 2147483647\n0"));
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_THAT(scenario->tasks(0).keys().trace().keys(),
              ElementsAre(7, -2147483647 - 1, 2147483647, 0));
  const auto other = Traced(WriteFile("keys.txt", "7\n-2147483648\n2147483647\n1"));
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_NE(ConfigDigest(*scenario), ConfigDigest(*other)) << "the same name, other keys";
}

TEST(RulesTest, KeyFilesAreReadFromWhereTheUserIs) {
  WriteFile("mine.txt", "5\n");
  setenv("BUILD_WORKING_DIRECTORY", testing::TempDir().c_str(), 1);
  const auto scenario = Traced("mine.txt");
  unsetenv("BUILD_WORKING_DIRECTORY");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_THAT(scenario->tasks(0).keys().trace().keys(), ElementsAre(5));
}

TEST(RulesTest, KeyFilesThatAreNoneAreRefusedWithTheLine) {
  const auto refusal = [](const std::string& bytes) {
    return std::string(Traced(WriteFile("bad.txt", bytes)).status().message());
  };
  EXPECT_THAT(refusal("1\nabc\n"), AllOf(HasSubstr("field `tasks[0].keys.trace.file`: "),
                                         EndsWith("/bad.txt:2: \"abc\" is not a 32-bit integer")));
  for (const std::string line : {"2147483648", "-2147483649", "1.5", "nan", "1e3", ""}) {
    EXPECT_THAT(refusal(base::Cat("1\n", line, "\n2\n")),
                EndsWith(base::Cat("/bad.txt:2: \"", line, "\" is not a 32-bit integer")));
  }
  EXPECT_THAT(refusal(std::string(1000, '9')),
              EndsWith(base::Cat(":1: \"", std::string(40, '9'), "...\" is not a 32-bit integer")));
  EXPECT_THAT(refusal(""), EndsWith("/bad.txt is empty or cannot be read"));
  std::string many;
  for (int i = 0; i <= 1'000'000; ++i) many += "1\n";
  EXPECT_THAT(refusal(many), EndsWith("/bad.txt has more than 1000000 keys"));
  EXPECT_THAT(refusal(std::string((size_t{16} << 20) + 1, ' ')),
              EndsWith("/bad.txt has more than 16777216 bytes"));
  EXPECT_THAT(std::string(Traced("/nonexistent/keys").status().message()),
              EndsWith("there is no file /nonexistent/keys"));
  EXPECT_THAT(std::string(Traced("/").status().message()),
              EndsWith("/ is empty or cannot be read"));
}

TEST(RulesTest, ATraceHasAFileOrKeys) {
  EXPECT_EQ(WithSet({"tasks.keys={trace {keys: [1, 2]}}"}), "accepted");
  EXPECT_THAT(WithSet({"tasks.keys={trace {}}"}), EndsWith("trace`: needs a file or keys"));
  EXPECT_THAT(WithSet({"tasks.keys={trace {file: 'x' keys: 1}}"}),
              EndsWith("trace`: has a file or keys, not both"));
}

}  // namespace
}  // namespace spillway::sim
