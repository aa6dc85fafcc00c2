// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/simulate.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace spillway::sim {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Text(const SimulateOptions& options) {
  const auto output = RunSimulate(options);
  EXPECT_TRUE(output.ok()) << output.status();
  if (!output.ok()) return "";
  EXPECT_EQ(output->complaint, "");
  return output->text;
}

std::string Refusal(const SimulateOptions& options) {
  const auto output = RunSimulate(options);
  return output.ok() ? "accepted" : std::string(output.status().message());
}

TEST(SimulateTest, TheDefaultReproducesThePublishedResultAndTheRecordedRun) {
  const std::string text = Text({});
  EXPECT_THAT(text, StartsWith("simulate comet_5387  seed 42  config "));
  EXPECT_THAT(text, HasSubstr("\nreplay: ./spillway simulate comet_5387 --seed 42\n"));
  EXPECT_THAT(text, HasSubstr("  exact: requests                            256             256"));
  EXPECT_THAT(text, HasSubstr("  step 1 MiB: requests                        13              13"));
  EXPECT_THAT(text, HasSubstr("  step 1 MiB: bytes requested         25,198,592      25,198,592"));
  EXPECT_THAT(text, EndsWith("\n1,280 of 1,280 requests of a recorded Comet run reproduced "
                             "(golden/comet_trace/int201_l5_4g_fair_b8192.log)\n"));
}

TEST(SimulateTest, TheSameSeedGivesTheSameBytesAndAnotherSeedOthers) {
  for (const bool json : {false, true}) {
    const SimulateOptions options{.scenario = "small", .seed = 5, .json = json};
    EXPECT_EQ(Text(options), Text(options));
    SimulateOptions other = options;
    other.seed = 6;
    EXPECT_NE(Text(options), Text(other));
  }
}

TEST(SimulateTest, TheNumberOfThreadsDoesNotShow) {
  for (const bool json : {false, true}) {
    SimulateOptions options{.scenario = "rules", .overrides = {"tasks.chunks=20"}, .json = json};
    options.jobs = 1;
    const std::string one = Text(options);
    for (const int64_t jobs : {0, 2, 8}) {
      options.jobs = jobs;
      EXPECT_EQ(Text(options), one) << jobs;
    }
  }
}

TEST(SimulateTest, OfSeveralFailuresTheFirstPolicysIsTold) {
  for (const int64_t jobs : {1, 2, 8}) {
    EXPECT_THAT(
        Refusal({.scenario = "rules", .overrides = {"bounds.max_events=5000"}, .jobs = jobs}),
        HasSubstr(": policy \"exact\": cut after 5000 events"));
  }
}

// The bytes are the same on every compiler and in every build mode: this is where it would show.
TEST(SimulateTest, TheSmallScenarioIsPinned) {
  const std::string text = Text({.scenario = "small"});
  EXPECT_THAT(text, HasSubstr("\n  time, ms                                5.378           5.261"));
  EXPECT_THAT(text, HasSubstr("\n  events                                    867             550"));
}

TEST(SimulateTest, TheReplayCommandHasEverythingThatWasSet) {
  const std::string text = Text({.scenario = "small",
                                 .overrides = {"tasks[0].count=1", "executor.slots=1"},
                                 .policies = {"step 64 KiB"}});
  EXPECT_THAT(text, HasSubstr("\nreplay: ./spillway simulate small --seed 42 --set "
                              "'tasks[0].count=1' --set executor.slots=1 "
                              "--policy 'step 64 KiB'\n"));
  EXPECT_THAT(text, Not(HasSubstr("exact")));
  EXPECT_THAT(text, HasSubstr("\n  1 task on 1 slot, each 40 chunks"));
}

TEST(SimulateTest, FilesAreReadFromWhereTheUserIs) {
  const std::string directory = testing::TempDir();
  std::ofstream(directory + "/mine.textproto") << "name: \"mine\" tasks { count: -1 }";
  setenv("BUILD_WORKING_DIRECTORY", directory.c_str(), 1);
  EXPECT_THAT(Refusal({.scenario = "mine.textproto"}),
              AllOf(HasSubstr("/mine.textproto"), HasSubstr("field `executor`: must be given")));
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_THAT(
      Refusal({.scenario = directory + "/mine.textproto", .overrides = {"executor.slots=1"}}),
      HasSubstr("/mine.textproto:1:22: field `tasks[0].count`: -1 is outside 1 to 1000000"));
}

TEST(SimulateTest, WhatIsNotThereIsNamedWithWhatIs) {
  EXPECT_EQ(Refusal({.scenario = "comet"}),
            "there is no preset \"comet\", but busy, comet_5387, contention, pool_latency, "
            "rules, small");
  EXPECT_EQ(Refusal({.scenario = "./no.textproto"}), "there is no file ./no.textproto");
  EXPECT_EQ(Refusal({.scenario = "small", .policies = {"exakt"}}),
            "--policy exakt: the scenario has \"exact\", \"step 64 KiB\"");
}

TEST(SimulateTest, ARunThatIsCutSaysHowToReplayIt) {
  EXPECT_THAT(Refusal({.scenario = "small", .overrides = {"bounds.max_events=500"}}),
              StartsWith("./spillway simulate small --seed 42 --set bounds.max_events=500: policy "
                         "\"exact\": cut after 500 events"));
}

TEST(SimulateTest, TheListSaysWhatEachPresetShows) {
  const auto list = ListScenarios();
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(*list, StartsWith("busy          A cluster before"));
  EXPECT_THAT(*list, HasSubstr("\ncomet_5387    The benchmark of"));
  EXPECT_THAT(*list, HasSubstr("\nsmall         "));
}

}  // namespace
}  // namespace spillway::sim
