// SPDX-License-Identifier: Apache-2.0
#include "sim/runfiles/runfiles.h"

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace spillway::sim {
namespace {

TEST(RunfilesTest, DataOfTheProgramIsFound) {
  const auto path = Runfile("sim/runfiles/runfiles_test.cc");
  ASSERT_TRUE(path.ok()) << path.status();
  std::string line;
  EXPECT_TRUE(std::getline(std::ifstream(*path), line));
  EXPECT_EQ(line, "// SPDX-License-Identifier: Apache-2.0");
}

TEST(RunfilesTest, WhatIsMissingIsNotFound) {
  EXPECT_THAT(std::string(Runfile("sim/nothing").status().message()),
              testing::StartsWith("sim/nothing is not among the runfiles of "));
}

}  // namespace
}  // namespace spillway::sim
