// SPDX-License-Identifier: Apache-2.0
#include "src/cli/command.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace spillway::cli {
namespace {

Command Named(std::string name) {
  return {.name = std::move(name),
          .summary = "does nothing",
          .example = "./spillway nothing",
          .options = [](CommandLine&) {},
          .run = [] { return kSuccess; }};
}

TEST(CommandTest, TheListIsSortedByNameWhateverTheOrderOfRegistration) {
  RegisterCommand(Named("zip"));
  RegisterCommand(Named("add"));
  ASSERT_EQ(Commands().size(), 2);
  EXPECT_EQ(Commands()[0]->name, "add");
  EXPECT_EQ(Commands()[1]->name, "zip");
}

TEST(CommandDeathTest, ANameIsTakenOnce) {
  const auto register_twice = [] {
    RegisterCommand(Named("once"));
    RegisterCommand(Named("once"));
  };
  EXPECT_DEATH(register_twice(), "command `once` is registered twice");
}

TEST(CommandDeathTest, AnExampleIsRequired) {
  Command command = Named("bare");
  command.example.clear();
  EXPECT_DEATH(RegisterCommand(command), "command `bare` is registered with an empty field");
}

}  // namespace
}  // namespace spillway::cli
