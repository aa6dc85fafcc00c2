// SPDX-License-Identifier: Apache-2.0
// Spark 4.1.1's own memory classes against ours, step by step. README.md.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "golden/spark_pools/replay.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace spillway::golden {
namespace {

using nlohmann::json;

const std::vector<json>& Sequences() {
  static const auto* sequences = new std::vector<json>(ReadSparkPools());
  return *sequences;
}

void ExpectAgreement(const json& sequence, const json& ours, size_t index) {
  json recorded = sequence.at("steps").at(index);
  json step = ours.at(index);
  // The words of a failed spill are Spark's there and ours here; both name the consumer.
  if (recorded.value("threw", "") == "org.apache.spark.memory.SparkOutOfMemoryError") {
    const std::string consumer = recorded.at("spills").back().at("consumer");
    EXPECT_NE(step.value("message", "").find(consumer), std::string::npos) << step;
    recorded.erase("message");
    step.erase("message");
  }
  EXPECT_EQ(step, recorded) << sequence.at("name") << " step " << index;
}

TEST(SparkPoolsTest, EveryStepOfEverySequence) {
  std::map<std::string, int> kinds;
  size_t steps = 0;
  for (const json& sequence : Sequences()) {
    ++kinds[sequence.at("kind")];
    const json ours = Replay(sequence, WakeOrder::kRecorded);
    ASSERT_EQ(ours.size(), sequence.at("steps").size());
    for (size_t i = 0; i < ours.size(); ++i) ExpectAgreement(sequence, ours, i);
    steps += ours.size();
  }
  EXPECT_EQ(kinds, (std::map<std::string, int>{
                       {"execution_pool", 90}, {"task_memory_manager", 38}, {"unified", 37}}));
  EXPECT_EQ(steps, 2946u);
}

// The file says so of steps that woke two or more. In two sequences one was served, and another
// that waited too would have been served in its place.
bool OrderMatters(const json& sequence) {
  if (sequence.at("name") == "exec_062" || sequence.at("name") == "exec_104") return true;
  for (const json& step : sequence.at("steps")) {
    if (step.value("order_matters", false)) return true;
  }
  return false;
}

// Spark promises no order among those who were notified, and HotSpot's is not ours.
TEST(SparkPoolsTest, WhereTheOrderDoesNotMatterTheLatestFirstGetTheSame) {
  const auto by_step = [](const json& a, const json& b) {
    return a.at("acquire_step") < b.at("acquire_step");
  };
  int other_order = 0;
  for (json sequence : Sequences()) {
    if (OrderMatters(sequence)) continue;
    json ours = Replay(sequence, WakeOrder::kLatestFirst);
    for (size_t i = 0; i < ours.size(); ++i) {
      json& recorded = sequence.at("steps").at(i);
      if (recorded.contains("woken") && ours[i].contains("woken")) {
        if (recorded["woken"] != ours[i]["woken"]) ++other_order;
        std::sort(recorded["woken"].begin(), recorded["woken"].end(), by_step);
        std::sort(ours[i]["woken"].begin(), ours[i]["woken"].end(), by_step);
      }
      ExpectAgreement(sequence, ours, i);
    }
  }
  EXPECT_GT(other_order, 0);
}

}  // namespace
}  // namespace spillway::golden
