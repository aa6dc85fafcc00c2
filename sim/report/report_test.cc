// SPDX-License-Identifier: Apache-2.0
#include "sim/report/report.h"

#include <set>
#include <string>
#include <string_view>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "sim/report/metrics.h"
#include "sim/scenario/loader.h"

namespace spillway::sim {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kScenario = R"(
name: "two \"quoted\""
executor { slots: 2 }
tasks { count: 2 chunks: 3 partitions: 8 keys { constant: 1 } think { constant_ns: 10 } }
policies { name: "exact" step_bytes: 0 }
policies { name: "step" limit_bytes: 16777216 }
jni { crossing { constant_ns: 1000 } }
published {
  source: "a paper"
  caveat: "Two points."
  figures { policy: "exact" metric: CALLS_PER_TASK value: 4 }
  figures { policy: "step" metric: JNI_NS_PER_TASK value: 2000 }
}
)";

// Two tasks with 3 and 5 requests, and one request each.
Report Example() {
  Report report{.scenario = *ParseScenario(kScenario, "x"), .replay = "./spillway simulate x"};
  PolicyRun exact;
  exact.policy = "exact";
  for (const int requests : {3, 5}) {
    exact.requests.Record(requests);
    exact.jni_time.Record(requests * 1'234'567);
    for (int i = 0; i < requests; ++i) exact.crossing_time.Record(1'234'567);
  }
  exact.stage_time = 10 * kMillisecond;
  exact.monitor_held = kMillisecond;
  PolicyRun step;
  step.policy = "step";
  for (int task = 0; task < 2; ++task) {
    step.requests.Record(1);
    step.jni_time.Record(2'100'000);
    step.crossing_time.Record(2'100'000);
  }
  step.slack.peak = 1'048'575;
  step.stage_time = 8 * kMillisecond;
  report.runs = {exact, step};
  return report;
}

// Every run of spaces as one.
std::string Squeeze(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || !out.ends_with(' ')) out += c;
  }
  return out;
}

TEST(ReportTest, TheHeadSaysWhatRanAndHowToRunItAgain) {
  const std::string text = TextReport(Example());
  EXPECT_THAT(text, testing::StartsWith("simulate two \"quoted\"  seed 42  config "));
  EXPECT_THAT(text, HasSubstr("\n  2 tasks on 2 slots, each 3 chunks x 8,192 rows to 8 partitions, "
                              "constant key 1\n"));
  EXPECT_THAT(text, HasSubstr("\n  pool without a limit; policies exact (step 0), step (step "
                              "1,048,576, limit 16,777,216)\n"));
  EXPECT_THAT(text, HasSubstr("\nreplay: ./spillway simulate x\n"));
}

TEST(ReportTest, PoliciesStandSideBySideWithTheRatio) {
  const std::string text = Squeeze(TextReport(Example()));
  EXPECT_THAT(text, HasSubstr("\n exact step ratio\n"));
  EXPECT_THAT(text, HasSubstr("\n requests 4 1 4.00\n"));
  EXPECT_THAT(text, HasSubstr("\n JNI time, us 4.94 2.10 2.35\n"));
  EXPECT_THAT(text, HasSubstr("\n slack, peak bytes 0 1,048,575 -\n"));
  EXPECT_THAT(text, HasSubstr("\n monitor held, % of the time 10 0 -\n"));
}

TEST(ReportTest, PublishedFiguresStandBesideTheRunWithTheError) {
  const std::string text = Squeeze(TextReport(Example()));
  EXPECT_THAT(text, HasSubstr("beside what was published: a paper\n simulated published error\n"));
  EXPECT_THAT(text, HasSubstr("\n exact: requests 4 4 +0.00 %\n"));
  EXPECT_THAT(text, HasSubstr("\n step: JNI time, us 2.10 2.00 +5.00 %\n"));
  EXPECT_THAT(text, HasSubstr("\n Two points.\n"));
}

TEST(ReportTest, ARecordedRunIsCountedAtTheEnd) {
  Report report = Example();
  report.recorded = RecordedRun{.log = "a/b.log", .requests = 1280, .reproduced = 1279};
  EXPECT_THAT(TextReport(report),
              EndsWith("\n1,279 of 1,280 requests of a recorded Comet run reproduced (a/b.log)\n"));
  EXPECT_THAT(JsonReport(report),
              HasSubstr("{\"log\": \"a/b.log\", \"requests\": 1280, \"reproduced\": 1279}"));
}

TEST(ReportTest, JsonIsUtf8WhateverTheNames) {
  Report report = Example();
  report.runs[0].policy = "\xC3\xA4 \"quoted\"";
  EXPECT_THAT(JsonReport(report), HasSubstr("\"policy\": \"\xC3\xA4 \\\"quoted\\\"\""));
  report.runs[0].policy = "\xC3 cut";
  EXPECT_THAT(JsonReport(report), HasSubstr("\"policy\": \"\\ufffd cut\""));
}

TEST(ReportTest, OtherRulesThanStepsAreNamed) {
  Report report = Example();
  report.scenario.mutable_policies(1)->set_rule(Policy::BLOCKS);
  EXPECT_THAT(TextReport(report), HasSubstr("step (blocks, step 1,048,576, limit "));
  EXPECT_THAT(JsonReport(report), HasSubstr("\"rule\": \"BLOCKS\""));
}

TEST(ReportTest, LinesAreAtMostAHundredColumnsForTwoPolicies) {
  Report report = Example();
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word ";
  report.scenario.mutable_published()->set_caveat(words);
  for (const absl::string_view line : absl::StrSplit(TextReport(report), '\n')) {
    EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(ReportTest, FiguresOfPoliciesThatDidNotRunAreLeftOut) {
  Report report = Example();
  report.runs.pop_back();
  EXPECT_THAT(TextReport(report), Not(HasSubstr("step: JNI time")));
  EXPECT_THAT(TextReport(report), Not(HasSubstr("ratio")));
  EXPECT_THAT(JsonReport(report), Not(HasSubstr("\"policy\": \"step\"")));
}

TEST(ReportTest, JsonParsesAndHoldsEveryMeasure) {
  const std::string json = JsonReport(Example());
  google::protobuf::Struct object;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &object);
  ASSERT_TRUE(status.ok()) << status.message() << json;
  EXPECT_EQ(object.fields().at("scenario").string_value(), "two \"quoted\"");
  const auto& runs = object.fields().at("runs").list_value();
  ASSERT_EQ(runs.values_size(), 2);
  const auto& exact = runs.values(0).struct_value().fields();
  EXPECT_EQ(exact.at("requests").number_value(), 4);
  EXPECT_NEAR(exact.at("jni_ns").number_value(), 4938.268, 1e-6);
  for (const Measure& measure : Measures()) {
    EXPECT_TRUE(exact.contains(std::string(measure.key))) << measure.key;
  }
  const auto& figures =
      object.fields().at("published").struct_value().fields().at("figures").list_value();
  EXPECT_EQ(figures.values(1).struct_value().fields().at("error_percent").number_value(), 5);
}

TEST(ReportTest, EveryPublishedMetricHasAMeasureOfItsOwn) {
  std::set<std::string_view> keys;
  for (int i = Metric_MIN; i <= Metric_MAX; ++i) {
    keys.insert(MeasureOf(static_cast<Metric>(i)).key);
  }
  EXPECT_EQ(keys.size(), static_cast<size_t>(Metric_MAX - Metric_MIN + 1));
}

TEST(ReportTest, KeysAreUnique) {
  std::set<std::string_view> keys;
  for (const Measure& measure : Measures()) keys.insert(measure.key);
  EXPECT_EQ(keys.size(), Measures().size());
}

}  // namespace
}  // namespace spillway::sim
