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

TEST(ReportTest, RowsThatSayNothingInTheScenarioAreLeftOut) {
  Report report = Example();
  const std::string plain = TextReport(report);
  for (const std::string row :
       {"evict", "cores", "core", "pause", "short grants", "mutex", "disk", "holders", "arrival"}) {
    EXPECT_THAT(plain, Not(HasSubstr(row)));
  }
  EXPECT_THAT(plain, HasSubstr("\n  spills ")) << "a policy has a limit";
  report.scenario.mutable_policies(1)->clear_limit_bytes();
  EXPECT_THAT(TextReport(report), Not(HasSubstr("spills")));
  report.scenario.mutable_pool()->set_kind(Pool::FAIR_UNIFIED);
  report.scenario.mutable_spark()->set_cached_blocks(5);
  report.scenario.mutable_executor()->set_cores(1);
  report.scenario.mutable_gc()->set_every_ns(5000);
  report.scenario.mutable_disk()->set_disks(1);
  report.scenario.mutable_tasks(0)->mutable_arrival()->set_every_ns(5);
  report.scenario.add_holders()->set_name("h");
  const std::string all = TextReport(report);
  for (const std::string row :
       {"bytes evicted", "evicting blocks", "cores used", "ready on no core", "pauses",
        "short grants", "waiting for the mutex", "line for disks", "holders' acquires",
        "from arrival to start", "acquires that blocked", "unreserved, peak bytes"}) {
    EXPECT_THAT(all, HasSubstr("  " + row));
  }
  report.scenario.mutable_pool()->set_fixed(true);
  EXPECT_THAT(TextReport(report), Not(HasSubstr("mutex")));
}

TEST(ReportTest, TimeInTheBoundaryIsBrokenDownInTimeAndInPercent) {
  Report report = Example();
  report.scenario.mutable_pool()->set_kind(Pool::GREEDY_UNIFIED);
  report.runs[0].breakdown = {.outside = 3 * kMicrosecond, .blocked = 5 * kMicrosecond};
  report.runs[1].breakdown = {.outside = 1 * kMicrosecond, .lock_wait = 2 * kMicrosecond};
  const std::string text = Squeeze(TextReport(report));
  EXPECT_THAT(text, HasSubstr("\n outside the monitor, us 1.50 0.50 3.00\n"));
  EXPECT_THAT(text, HasSubstr("\n blocked in Spark's wait, us 2.50 0.00 -\n"));
  EXPECT_THAT(text, HasSubstr("\ntime in the boundary, % of it\n"));
  EXPECT_THAT(text, HasSubstr("\n outside the monitor 37.5 33.3 1.13\n"));
  EXPECT_THAT(text, HasSubstr("\n waiting for it 0 66.7 -\n"));
  EXPECT_THAT(JsonReport(report), HasSubstr("\"lock_wait_percent\": 66.667"));
}

TEST(ReportTest, SharesOfTheTimeAreOverAllExecutorsAndCores) {
  Report report = Example();
  report.scenario.mutable_executor()->set_count(5);
  report.scenario.mutable_executor()->set_cores(2);
  report.runs[0].cores = 10;
  report.runs[0].core_time = 40 * kMillisecond;
  const std::string text = Squeeze(TextReport(report));
  EXPECT_THAT(text, HasSubstr("\n monitor held, % of the time 2 0 -\n"));
  EXPECT_THAT(text, HasSubstr("\n cores used, % of the time 40 0 -\n"));
}

// A line of less than one on average is not nothing.
TEST(ReportTest, AveragesOfLinesHaveDecimals) {
  Report report = Example();
  report.runs[0].line.area = report.runs[0].stage_time / 16;
  report.runs[1].line.area = report.runs[1].stage_time * 3;
  EXPECT_THAT(Squeeze(TextReport(report)), HasSubstr("\n line for it, average 0.063 3 0.02\n"));
  EXPECT_THAT(JsonReport(report), HasSubstr("\"line_average\": 0.063"));
}

TEST(ReportTest, TheHeadKnowsAllKindsOfPoolsAndKeys) {
  Report report = Example();
  TaskGroup& group = *report.scenario.mutable_tasks(0);
  report.scenario.mutable_executor()->set_count(3);
  report.scenario.mutable_executor()->set_cores(1);
  group.set_writers(4);
  group.mutable_keys()->mutable_zipf()->set_values(1000);
  report.scenario.mutable_pool()->set_kind(Pool::FAIR_UNIFIED);
  report.scenario.mutable_pool()->set_fixed(true);
  const std::string text = Squeeze(TextReport(report));
  EXPECT_THAT(text, HasSubstr("\n 2 tasks on 3 executors with 2 slots and 1 core, each 4 writers x "
                              "3 chunks x 8,192 rows to 8"));
  EXPECT_THAT(text, HasSubstr("Zipf keys from 1 to 1,000, exponent 1.000"));
  EXPECT_THAT(text, HasSubstr("\n pool fair_unified (fixed) of Spark's 68,719,476,736 bytes; "));
  group.set_writers(1);
  group.mutable_keys()->mutable_none();
  group.mutable_size();
  report.scenario.mutable_pool()->set_kind(Pool::NO_LOCK);
  const std::string other = TextReport(report);
  EXPECT_THAT(other, HasSubstr("3 chunks (by a factor drawn) without rows\n"));
  EXPECT_THAT(other, HasSubstr("\n  pool without a lock; "));
  group.mutable_keys()->mutable_trace()->add_keys(1);
  EXPECT_THAT(TextReport(report), HasSubstr("without a lock; "));
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
  report.scenario.mutable_tasks(0)->mutable_keys()->mutable_zipf();
  report.scenario.mutable_tasks(0)->set_writers(64);
  report.scenario.mutable_executor()->set_count(1000);
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
  const auto& all = exact.at("distributions").struct_value().fields();
  EXPECT_EQ(all.size(), Distributions().size());
  const auto& jni = all.at("jni_ns").struct_value().fields();
  EXPECT_EQ(jni.at("count").number_value(), 2);
  EXPECT_NEAR(jni.at("mean").number_value(), 4938.268, 1e-6);
  EXPECT_NEAR(jni.at("max").number_value(), 6172.835, 1e-6);
  for (const char* quantile : {"p50", "p90", "p99", "p99_9"}) EXPECT_TRUE(jni.contains(quantile));
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
  keys.clear();
  for (const Distribution& distribution : Distributions()) keys.insert(distribution.key);
  EXPECT_EQ(keys.size(), Distributions().size());
}

}  // namespace
}  // namespace spillway::sim
