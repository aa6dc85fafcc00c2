// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/loader.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/scenario/presets.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kGood = R"(name: "good"
executor { slots: 2 }
tasks {
  count: 3
  chunks: 4
  partitions: 8
  keys { constant: 1 }
  buffer_bytes: [100, 20]
  think { constant_ns: 10 }
}
policies { name: "exact" step_bytes: 0 }
jni { crossing { constant_ns: 1000 } }
)";

// kGood with the first `from` replaced.
std::string With(std::string_view from, std::string_view to) {
  std::string text(kGood);
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string Refusal(std::string_view text, const std::vector<std::string>& overrides = {}) {
  const auto scenario = ParseScenario(text, "x.textproto", overrides);
  if (scenario.ok()) return "accepted";
  EXPECT_EQ(scenario.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(scenario.status().message());
}

TEST(LoaderTest, FieldsLeftOutHaveTheirDefaults) {
  const auto scenario = ParseScenario(kGood, "x.textproto");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(scenario->seed(), 42u);
  EXPECT_EQ(scenario->tasks(0).rows_per_chunk(), 8192);
  EXPECT_EQ(scenario->bounds().max_events(), 1'000'000'000);
  EXPECT_FALSE(scenario->pool().has_capacity_bytes());
}

TEST(LoaderTest, UnknownFieldIsRefusedWithItsPlace) {
  EXPECT_EQ(Refusal(With("count", "counts")),
            "x.textproto:4:3: Message type \"spillway.sim.TaskGroup\" has no field named "
            "\"counts\".");
}

TEST(LoaderTest, WrongTypeIsRefusedWithPlaceAndField) {
  EXPECT_EQ(Refusal(With("count: 3", "count: \"three\"")),
            "x.textproto:4:10: field `count`: Expected integer, got: \"three\"");
  EXPECT_THAT(Refusal(With("slots: 2", "slots: 2.5")),
              AllOf(StartsWith("x.textproto:2:19: "), HasSubstr("field `slots`")));
  EXPECT_THAT(Refusal("seed: -1\n"), AllOf(StartsWith("x.textproto:1:7: "), HasSubstr("`seed`")));
  EXPECT_THAT(Refusal(With("count: 3", "count: 99999999999999999999")),
              AllOf(StartsWith("x.textproto:4:10: "), HasSubstr("`count`")));
}

TEST(LoaderTest, NegativeAndAbsurdNumbersAreRefusedWithPlaceAndField) {
  EXPECT_EQ(Refusal(With("count: 3", "count: -3")),
            "x.textproto:4:3: field `tasks[0].count`: -3 is outside 1 to 1000000");
  EXPECT_EQ(Refusal(With("slots: 2", "slots: 0")),
            "x.textproto:2:12: field `executor.slots`: 0 is outside 1 to 10000");
  EXPECT_EQ(Refusal(With("chunks: 4", "chunks: 1000001")),
            "x.textproto:5:3: field `tasks[0].chunks`: 1000001 is outside 1 to 1000000");
  EXPECT_EQ(Refusal(With("[100, 20]", "[100, -20]")),
            "x.textproto:8:3: field `tasks[0].buffer_bytes[1]`: -20 is outside 0 to 4294967296");
  EXPECT_EQ(Refusal(With("constant_ns: 1000 ", "constant_ns: -1 ")),
            "x.textproto:12:18: field `jni.crossing.constant_ns`: -1 is outside 0 to "
            "1000000000000");
}

TEST(LoaderTest, AnEmptyTaskListIsRefused) {
  EXPECT_EQ(Refusal("name: \"n\" executor { slots: 1 }"),
            "x.textproto: field `tasks`: needs at least one");
}

TEST(LoaderTest, WhatIsNeededAndMissingIsRefusedAtTheMessageAround) {
  EXPECT_EQ(Refusal(With("  chunks: 4\n", "")),
            "x.textproto:3:1: field `tasks[0].chunks`: must be given");
  EXPECT_EQ(Refusal(With("executor { slots: 2 }", "executor {}")),
            "x.textproto:2:1: field `executor.slots`: must be given");
  EXPECT_EQ(Refusal(""), "x.textproto: field `name`: must be given");
}

TEST(LoaderTest, CombinationsThatMakeNoSenseAreExplained) {
  EXPECT_EQ(Refusal(With("constant: 1", "")),
            "x.textproto:7:3: field `tasks[0].keys`: needs constant, sequential, uniform, dealt, "
            "zipf, trace or none");
  EXPECT_EQ(Refusal(With("constant: 1", "uniform { low: 5 high: 4 }")),
            "x.textproto:7:10: field `tasks[0].keys.uniform`: low 5 is above high 4");
  EXPECT_EQ(Refusal(With("constant_ns: 10 ", "")),
            "x.textproto:9:3: field `tasks[0].think`: needs constant_ns or quantiles");
  EXPECT_THAT(Refusal(With("constant_ns: 10 ", "quantile { permille: 5 ns: 1 }")),
              HasSubstr("x.textproto:9:3: field `tasks[0].think`: a distribution needs"));
  EXPECT_EQ(Refusal(base::Cat(kGood, "policies { name: \"exact\" }")),
            "x.textproto:13:12: field `policies[1].name`: two policies are called \"exact\"");
  EXPECT_EQ(Refusal(base::Cat(kGood, "bounds { max_events: 11 }")),
            "x.textproto:13:10: field `bounds.max_events`: the tasks have more chunks together "
            "than the 11 events after which the run would be cut");
  EXPECT_THAT(Refusal(With("partitions: 8", "partitions: 1000000"),
                      {"executor.slots=100", "tasks.count=100"}),
              HasSubstr("100 tasks at a time of 1000000 partitions are more than"));
  EXPECT_THAT(Refusal(With("[100, 20]", "4294967296"),
                      {"executor.slots=10000", "tasks.count=100000", "tasks.chunks=100000"}),
              HasSubstr("more than 2^60 bytes"));
  EXPECT_EQ(
      Refusal(base::Cat(kGood,
                        "published { source: \"s\" figures { policy: \"no\" metric: CALLS_PER_TASK "
                        "value: 1 } }")),
      "x.textproto:13:35: field `published.figures[0].policy`: no policy is called \"no\"");
}

TEST(LoaderTest, OverridesReplaceWhatTheFileSays) {
  const auto scenario = ParseScenario(
      kGood, "x.textproto",
      {"seed=7", "tasks[0].count=9", "tasks.buffer_bytes=[1, 2, 3]", "pool.capacity_bytes=5000",
       "name=two words", "tasks.keys={uniform {high: 3}}", "jni.attach=THREAD"});
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(scenario->seed(), 7u);
  EXPECT_EQ(scenario->tasks(0).count(), 9);
  EXPECT_THAT(scenario->tasks(0).buffer_bytes(), ::testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(scenario->pool().capacity_bytes(), 5000);
  EXPECT_EQ(scenario->name(), "two words");
  EXPECT_EQ(scenario->tasks(0).keys().uniform().high(), 3);
  EXPECT_EQ(scenario->jni().attach(), Jni::THREAD);
}

TEST(LoaderTest, TextWithoutQuotesIsTakenAsItStands) {
  for (const std::string name : {"a\"b", "a\\nb", "it's", "x: 5"}) {
    const auto scenario = ParseScenario(kGood, "x.textproto", {"name=" + name});
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    EXPECT_EQ(scenario->name(), name);
  }
}

TEST(LoaderTest, BadOverridesAreRefusedWithTheWholeAssignment) {
  const auto refusal = [](const char* assignment) { return Refusal(kGood, {assignment}); };
  EXPECT_EQ(refusal("seed"), "--set seed: this is not FIELD=VALUE");
  EXPECT_THAT(refusal("sed=1"), HasSubstr("--set sed=1: there is no field `sed` here, but name, "));
  EXPECT_EQ(refusal("tasks[0].count=5 chunks: 3"),
            "--set tasks[0].count=5 chunks: 3: this sets `chunks` too; one --set sets one field");
  EXPECT_EQ(refusal("seed.x=1"), "--set seed.x=1: field `seed` is a value and has no fields");
  EXPECT_EQ(refusal("tasks[1].count=1"),
            "--set tasks[1].count=1: field `tasks` has 1 elements, so there is no [1]");
  EXPECT_EQ(refusal("executor[0].slots=1"),
            "--set executor[0].slots=1: field `executor` is not a list");
  EXPECT_EQ(refusal("tasks[x].count=1"),
            "--set tasks[x].count=1: `tasks[x]` is not a field with an index, as `tasks[0]` is");
  EXPECT_EQ(refusal("tasks[0].count=many"),
            "--set tasks[0].count=many: Expected integer, got: many");
  EXPECT_EQ(refusal("tasks[0].count=-1"),
            "--set tasks[0].count=-1: field `tasks[0].count`: -1 is outside 1 to 1000000");
  EXPECT_EQ(refusal("tasks[0].buffer_bytes=[5, -1]"),
            "--set tasks[0].buffer_bytes=[5, -1]: field `tasks[0].buffer_bytes[1]`: -1 is outside "
            "0 to 4294967296");
}

TEST(LoaderTest, DigestIsOfTheConfigurationAndNotOfTheSeed) {
  const auto digest = [](const std::vector<std::string>& overrides) {
    return ConfigDigest(*ParseScenario(kGood, "x", overrides));
  };
  EXPECT_EQ(digest({}), digest({"seed=9"}));
  EXPECT_NE(digest({}), digest({"tasks.count=4"}));
  EXPECT_EQ(digest({}).size(), 8u);
}

TEST(LoaderTest, FilesThatCannotBeReadAreNotFound) {
  EXPECT_EQ(LoadScenario("/nonexistent/x.textproto").status().message(),
            "there is no file /nonexistent/x.textproto");
  EXPECT_EQ(LoadScenario("/").status().code(), absl::StatusCode::kNotFound);
}

TEST(LoaderTest, EveryTruncationIsRefusedOrAScenario) {
  for (size_t size = 0; size < kGood.size(); ++size) {
    const auto scenario = ParseScenario(kGood.substr(0, size), "x");
    if (!scenario.ok()) {
      EXPECT_EQ(scenario.status().code(), absl::StatusCode::kInvalidArgument);
    }
  }
}

TEST(PresetsTest, AllAreScenariosNamedAsTheirFiles) {
  const auto paths = PresetPaths();
  ASSERT_TRUE(paths.ok()) << paths.status();
  EXPECT_GE(paths->size(), 3u);
  for (const std::string& path : *paths) {
    const auto scenario = LoadScenario(path);
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    EXPECT_EQ(scenario->name(), PresetName(path));
    EXPECT_FALSE(scenario->about().empty());
  }
}

TEST(PresetsTest, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_TRUE(PresetPath("comet_5387").ok());
  EXPECT_EQ(PresetPath("comet").status().message(),
            "there is no preset \"comet\", but busy, comet_5387, contention, pool_latency, "
            "rules, small");
}

}  // namespace
}  // namespace spillway::sim
