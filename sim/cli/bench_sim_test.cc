// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bench_sim.h"

#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

using ::testing::HasSubstr;

TEST(BenchSimTest, RunsAreTenTimesAsLongOneAfterTheOtherUpToWhatIsAskedFor) {
  std::vector<std::string> names;
  for (const SimMeasure& measure : SimMeasures({.events = 1'000'000'000})) {
    names.push_back(measure.name);
  }
  EXPECT_THAT(names,
              testing::ElementsAre(
                  "kernel, M/M/1, 100000 events", "kernel, M/M/1, 1000000 events",
                  "kernel, M/M/1, 10000000 events", "kernel, M/M/1, 100000000 events",
                  "kernel, M/M/1, 1000000000 events", "kernel, hold model, 10 pending",
                  "kernel, hold model, 1000 pending", "kernel, hold model, 100000 pending",
                  "policy decisions, pool and monitor", "policy decisions, through JNI",
                  "policy decisions, through JNI and Spark", "10000 tasks x 256 chunks, exact",
                  "10000 tasks x 256 chunks, step 1 MiB"));
  EXPECT_EQ(SimMeasures({.events = 250'000}).front().name, "kernel, M/M/1, 250000 events");
}

TEST(BenchSimTest, EachMeasureDoesAsMuchAsItSaysAndIsPrintedInEveryForm) {
  int64_t steps = 0;
  const auto result =
      RunSimBench({.events = 100'000, .iterations = 2}, [&](int64_t done, int64_t total) {
        EXPECT_EQ(done, ++steps);
        EXPECT_EQ(total, 18);
      });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(steps, 18);
  ASSERT_EQ(result->times.size(), 9u);
  const auto json = nlohmann::json::parse(SimBenchJson(*result));
  for (size_t i = 0; i < result->times.size(); ++i) {
    const SimTime& time = result->times[i];
    EXPECT_EQ(time.count, time.unit == "event"      ? 100'000u
                          : time.unit == "decision" ? 10'000u
                                                    : 39u * 256);
    EXPECT_GT(result->times[i].seconds, 0);
    EXPECT_EQ(json["times"][i]["name"], result->times[i].name);
    EXPECT_EQ(json["times"][i]["count"], time.count);
    EXPECT_THAT(SimBenchText(*result), HasSubstr(result->times[i].name));
    EXPECT_THAT(SimBenchCsv(*result),
                HasSubstr(base::Cat("\n\"", time.name, "\",", time.unit, ",", time.count, ",")));
  }
  EXPECT_GT(json["peak_memory"], 1'000'000);
}

TEST(BenchSimTest, OptionsOutOfRangeAreNamed) {
  const auto message = [](const SimBenchOptions& options) {
    return std::string(RunSimBench(options, nullptr).status().message());
  };
  EXPECT_EQ(message({.events = 99'999}), "--events 99999 is less than 100000");
  EXPECT_EQ(message({.iterations = 0}), "--iterations 0 is less than 1");
}

}  // namespace
}  // namespace spillway::sim
