// SPDX-License-Identifier: Apache-2.0
#include "src/cli/file.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/strings.h"

namespace spillway::cli {
namespace {

using ::testing::HasSubstr;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = base::Cat(::testing::TempDir(), "/",
                        ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }

  std::string Path(std::string_view name) const { return base::Cat(folder_, "/", name); }
  int64_t Entries() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }
  static mode_t Mode(const std::string& path) {
    struct stat status = {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }

 private:
  std::string folder_;
};

TEST_F(FileTest, WhatIsWrittenIsReadWhole) {
  const std::string bytes = std::string(3 << 20, '\0') + "end";
  ASSERT_TRUE(WriteFile(Path("a"), bytes).ok());
  EXPECT_EQ(*ReadFile(Path("a"), 1 << 30), bytes);
  ASSERT_TRUE(WriteFile(Path("a"), "").ok());
  EXPECT_EQ(*ReadFile(Path("a"), 0), "");
}

TEST_F(FileTest, AFileOverTheLimitIsRefused) {
  ASSERT_TRUE(WriteFile(Path("a"), "1234").ok());
  EXPECT_EQ(*ReadFile(Path("a"), 4), "1234");
  const absl::Status over = ReadFile(Path("a"), 3).status();
  EXPECT_EQ(over.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(std::string(over.message()), Path("a") + ": over 3 bytes");
  EXPECT_EQ(ReadFile("/dev/zero", 1000).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(FileTest, ReasonsAreTheSystems) {
  EXPECT_EQ(std::string(ReadFile(Path("none"), 9).status().message()),
            Path("none") + ": No such file or directory");
  EXPECT_THAT(std::string(ReadFile(Path(""), 9).status().message()), HasSubstr("Is a directory"));
  EXPECT_THAT(std::string(WriteFile(Path("none/a"), "").message()),
              HasSubstr("none/a: No such file or directory"));
  EXPECT_THAT(std::string(WriteFile("/dev/full", "x").message()), HasSubstr("No space left"));
}

TEST_F(FileTest, ReplacingKeepsPermissionsAndLeavesNothingBehind) {
  ASSERT_TRUE(WriteFile(Path("a"), "old").ok());
  ASSERT_EQ(::chmod(Path("a").c_str(), 0640), 0);
  ASSERT_TRUE(WriteFile(Path("a"), "new").ok());
  EXPECT_EQ(*ReadFile(Path("a"), 9), "new");
  EXPECT_EQ(Mode(Path("a")), 0640u);
  EXPECT_EQ(Entries(), 1);
}

TEST_F(FileTest, ANewFileHasTheUsualPermissions) {
  const mode_t before = ::umask(027);
  ASSERT_TRUE(WriteFile(Path("a"), "").ok());
  ::umask(before);
  EXPECT_EQ(Mode(Path("a")), 0640u);
}

TEST_F(FileTest, LinksAreFollowedAndDevicesStay) {
  ASSERT_TRUE(WriteFile(Path("a"), "old").ok());
  std::filesystem::create_symlink("a", Path("link"));
  ASSERT_TRUE(WriteFile(Path("link"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_EQ(*ReadFile(Path("a"), 9), "new");
  EXPECT_TRUE(WriteFile("/dev/null", "x").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace spillway::cli
