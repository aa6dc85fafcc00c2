// SPDX-License-Identifier: Apache-2.0
#include "src/cli/run.h"

#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/cli/command.h"
#include "src/cli/version.h"

namespace spillway::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct {
  std::string file;
  int64_t seed = 0;
  int runs = 0;
} pour;

const bool registered = [] {
  RegisterCommand({
      .name = "pour",
      .summary = "fill a file",
      .example = "./spillway pour glass --seed 7",
      .options =
          [](CommandLine& line) {
            line.Text("FILE", pour.file, "what to fill").Required();
            line.Integer("-s,--seed", pour.seed, 0, 100, "where chance starts");
          },
      .run =
          [] {
            ++pour.runs;
            if (pour.file == "sea") throw std::bad_alloc();
            return pour.file == "bad" ? kBadInput : kSuccess;
          },
  });
  RegisterCommand({.name = "drain",
                   .summary = "empty it",
                   .example = "./spillway drain",
                   .options = [](CommandLine&) {},
                   .run = [] { return kSuccess; }});
  return true;
}();

class RunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(registered);
    pour = {};
  }

  // The exit code; what was printed is in out() and err().
  int Spillway(const std::vector<std::string>& args) {
    out_.str("");
    err_.str("");
    return cli::Run(args, out_, err_);
  }
  std::string out() const { return out_.str(); }
  std::string err() const { return err_.str(); }

 private:
  std::ostringstream out_, err_;
};

TEST_F(RunTest, ACommandGetsItsArgumentsAndItsCodeIsReturned) {
  EXPECT_EQ(Spillway({"pour", "glass", "--seed", "7"}), kSuccess);
  EXPECT_EQ(pour.file, "glass");
  EXPECT_EQ(pour.seed, 7);
  EXPECT_EQ(Spillway({"pour", "bad"}), kBadInput);
  EXPECT_EQ(pour.runs, 2);
}

TEST_F(RunTest, RunningOutOfMemoryIsAMessageAndNoCrash) {
  EXPECT_EQ(Spillway({"pour", "sea"}), kBadInput);
  EXPECT_EQ(err(), "spillway pour: out of memory\n");
}

TEST_F(RunTest, HelpListsEveryCommandWithItsExample) {
  EXPECT_EQ(Spillway({"--help"}), kSuccess);
  EXPECT_THAT(out(), HasSubstr("  drain  empty it\n         ./spillway drain\n"
                               "  pour   fill a file\n         ./spillway pour glass --seed 7\n"));
  const std::string text = out();
  EXPECT_EQ(Spillway({"-h"}), kSuccess);
  EXPECT_EQ(out(), text);
}

TEST_F(RunTest, HelpOfACommandNamesItsFlagsAndExampleAndDoesNotRunIt) {
  EXPECT_EQ(Spillway({"pour", "--help"}), kSuccess);
  EXPECT_THAT(out(), StartsWith("fill a file"));
  EXPECT_THAT(out(), HasSubstr("Usage: ./spillway pour [OPTIONS] FILE"));
  EXPECT_THAT(out(), HasSubstr("--seed"));
  EXPECT_THAT(out(), HasSubstr("Example: ./spillway pour glass --seed 7"));
  EXPECT_EQ(err(), "");
  EXPECT_EQ(pour.runs, 0);
}

TEST_F(RunTest, VersionAndCommandListAreBare) {
  EXPECT_EQ(Spillway({"--version"}), kSuccess);
  EXPECT_EQ(out(), "spillway " + std::string(kVersion) + "\n");
  EXPECT_EQ(Spillway({"--commands"}), kSuccess);
  EXPECT_EQ(out(), "drain\npour\n");
}

TEST_F(RunTest, WithoutACommandTheHelpGoesToStderr) {
  EXPECT_EQ(Spillway({}), kBadUsage);
  EXPECT_EQ(out(), "");
  EXPECT_THAT(err(), HasSubstr("Usage: ./spillway COMMAND"));
}

TEST_F(RunTest, AnUnknownCommandGetsTheNearestName) {
  EXPECT_EQ(Spillway({"drian"}), kBadUsage);
  EXPECT_EQ(err(),
            "spillway: unknown command `drian`; did you mean `drain`?\n"
            "See `./spillway --help`.\n");
  EXPECT_EQ(Spillway({"help"}), kBadUsage);
  EXPECT_THAT(err(), HasSubstr("unknown command `help`; did you mean `--help`?"));
  EXPECT_EQ(Spillway({"evaporate"}), kBadUsage);
  EXPECT_EQ(err(), "spillway: unknown command `evaporate`\nSee `./spillway --help`.\n");
  EXPECT_EQ(out(), "");
}

TEST_F(RunTest, AnUnknownFlagOfTheToolGetsTheNearestFlag) {
  EXPECT_EQ(Spillway({"--versoin"}), kBadUsage);
  EXPECT_THAT(err(), HasSubstr("unknown flag `--versoin`; did you mean `--version`?"));
}

TEST_F(RunTest, AnUnknownFlagOfACommandGetsTheNearestFlag) {
  EXPECT_EQ(Spillway({"pour", "glass", "--sead=7"}), kBadUsage);
  EXPECT_EQ(err(),
            "spillway pour: unknown flag `--sead`; did you mean `--seed`?\n"
            "See `./spillway pour --help`.\n");
  EXPECT_EQ(pour.runs, 0);
}

TEST_F(RunTest, AnUnknownFlagIsNamedBeforeWhatItLeadsTo) {
  EXPECT_EQ(Spillway({"pour", "glass", "--sead", "7"}), kBadUsage);
  EXPECT_THAT(err(), HasSubstr("unknown flag `--sead`"));
  EXPECT_EQ(Spillway({"pour", "--fiel"}), kBadUsage);
  EXPECT_EQ(err(), "spillway pour: unknown flag `--fiel`\nSee `./spillway pour --help`.\n");
}

TEST_F(RunTest, WrongMissingAndSurplusValuesAreUsageErrors) {
  EXPECT_EQ(Spillway({"pour"}), kBadUsage);
  EXPECT_THAT(err(), StartsWith("spillway pour: FILE is required\n"));
  EXPECT_EQ(Spillway({"pour", "glass", "--seed", "seven"}), kBadUsage);
  EXPECT_THAT(err(), HasSubstr("--seed: `seven` is not a whole number"));
  EXPECT_EQ(Spillway({"pour", "glass", "jug"}), kBadUsage);
  EXPECT_THAT(err(), StartsWith("spillway pour: unexpected argument `jug`\n"));
  EXPECT_EQ(pour.runs, 0);
}

}  // namespace
}  // namespace spillway::cli
