// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/presets.h"

#include <string>

#include "gtest/gtest.h"
#include "sim/scenario/loader.h"

namespace spillway::sim {
namespace {

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
