// SPDX-License-Identifier: Apache-2.0
#include "src/base/file_system.h"

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/base/fault_file_system.h"

namespace spillway::base {
namespace {

using Kind = FileFault::Kind;

class FileSystemTest : public testing::Test {
 protected:
  FileSystemTest()
      : directory_(std::filesystem::path(testing::TempDir()) /
                   testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
  }
  ~FileSystemTest() override { std::filesystem::remove_all(directory_); }

  std::string Path(std::string_view name) const { return (directory_ / name).string(); }

  static std::string Contents(const std::string& path) {
    return ReadFile(FileSystem::Posix(), path).value_or("not readable");
  }

  // Creates a file, writes three pieces and closes it, over `faults`.
  static absl::Status WriteThree(FileSystem& files, const std::string& path) {
    absl::StatusOr<File> file = File::Open(files, path, OpenMode::kCreate);
    if (!file.ok()) return file.status();
    const std::vector<std::string_view> pieces = {"one ", "", "two ", "three"};
    if (absl::Status status = file->Write(pieces); !status.ok()) return status;
    if (absl::Status status = file->Sync(); !status.ok()) return status;
    return file->Close();
  }

  std::filesystem::path directory_;
};

TEST_F(FileSystemTest, FilesAreWrittenAppendedReadRenamedListedAndRemoved) {
  FileSystem& files = FileSystem::Posix();
  ASSERT_EQ(WriteThree(files, Path("a")), absl::OkStatus());
  {
    absl::StatusOr<File> file = File::Open(files, Path("a"), OpenMode::kAppend);
    ASSERT_TRUE(file.ok());
    ASSERT_EQ(file->Write(" four"), absl::OkStatus());
    EXPECT_EQ(*file->Size(), 18);
    EXPECT_EQ(file->Close(), absl::OkStatus());
  }
  ASSERT_EQ(Rename(files, Path("a"), Path("b")), absl::OkStatus());
  ASSERT_EQ(SyncDirectory(files, DirectoryOf(Path("b"))), absl::OkStatus());
  EXPECT_EQ(*List(files, directory_.string()), std::vector<std::string>{"b"});
  EXPECT_EQ(Contents(Path("b")), "one two three four");
  EXPECT_EQ(ReadFile(files, Path("b"), 17).status().code(), absl::StatusCode::kResourceExhausted);
  ASSERT_EQ(Remove(files, Path("b")), absl::OkStatus());
  EXPECT_TRUE(List(files, directory_.string())->empty());
  EXPECT_EQ(Remove(files, Path("b")), absl::OkStatus()) << "what is not there is removed";
}

TEST_F(FileSystemTest, StatusesNameThePathAndTheReason) {
  FileSystem& files = FileSystem::Posix();
  ASSERT_EQ(WriteThree(files, Path("a")), absl::OkStatus());
  EXPECT_EQ(WriteThree(files, Path("a")),
            absl::AlreadyExistsError(Path("a") + ": cannot create: File exists"));
  EXPECT_EQ(Contents(Path("a")), "one two three");
  EXPECT_EQ(File::Open(files, Path("none"), OpenMode::kRead).status(),
            absl::NotFoundError(Path("none") + ": cannot open: No such file or directory"));
  EXPECT_EQ(Rename(files, Path("none"), Path("x")),
            absl::NotFoundError(Path("none") + ": cannot rename to " + Path("x") +
                                ": No such file or directory"));
  EXPECT_EQ(List(files, Path("none")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(SystemError("write", "p", ENOSPC).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(SystemError("open", "p", EMFILE).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(SystemError("write", "p", EIO), absl::InternalError("p: cannot write: "
                                                                "Input/output error"));
}

TEST_F(FileSystemTest, AReadBeyondTheEndIsNoShortRead) {
  FileSystem& files = FileSystem::Posix();
  ASSERT_EQ(WriteThree(files, Path("a")), absl::OkStatus());
  absl::StatusOr<File> file = File::Open(files, Path("a"), OpenMode::kRead);
  ASSERT_TRUE(file.ok());
  char bytes[16];
  EXPECT_EQ(file->Read(4, bytes, 9), absl::OkStatus());
  EXPECT_EQ(std::string_view(bytes, 9), "two three");
  EXPECT_EQ(file->Read(4, bytes, 10),
            absl::DataLossError(Path("a") + ": ends at byte 13, 1 more are expected"));
}

TEST_F(FileSystemTest, ShortWritesGoOnWhereTheyStopped) {
  for (const int64_t bytes : {1, 2, 3, 4, 5, 100}) {
    const std::string path = Path(std::to_string(bytes));
    FaultFileSystem files(FileSystem::Posix(),
                          {{.kind = Kind::kShortWrite, .lasting = true, .bytes = bytes}});
    ASSERT_EQ(WriteThree(files, path), absl::OkStatus()) << bytes;
    EXPECT_EQ(Contents(path), "one two three") << bytes;
    EXPECT_GE(files.calls(FileCall::kWrite), 13 / bytes) << bytes;
  }
}

TEST_F(FileSystemTest, MorePiecesThanTheSystemTakesAreWrittenInSeveralCalls) {
  std::string all;
  for (int i = 0; i < 5000; ++i) all.push_back(static_cast<char>('a' + i % 26));
  std::vector<std::string_view> pieces;
  for (size_t i = 0; i < all.size(); i += 2) pieces.push_back(std::string_view(all).substr(i, 2));
  absl::StatusOr<File> file = File::Open(FileSystem::Posix(), Path("a"), OpenMode::kCreate);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(file->Write(pieces), absl::OkStatus());
  EXPECT_EQ(Contents(Path("a")), all);
}

TEST_F(FileSystemTest, InterruptedCallsAreRepeated) {
  std::vector<FileFault> faults;
  for (size_t call = 0; call < kFileCalls; ++call) {
    faults.push_back({.call = static_cast<FileCall>(call), .number = 0, .error = EINTR});
    faults.push_back({.call = static_cast<FileCall>(call), .number = 1, .error = EINTR});
  }
  FaultFileSystem files(FileSystem::Posix(), faults);
  ASSERT_EQ(WriteThree(files, Path("a")), absl::OkStatus());
  EXPECT_EQ(*ReadFile(files, Path("a")), "one two three");
  EXPECT_EQ(Rename(files, Path("a"), Path("b")), absl::OkStatus());
  EXPECT_EQ(List(files, directory_.string())->size(), 1u);
  EXPECT_EQ(Remove(files, Path("b")), absl::OkStatus());
  EXPECT_EQ(files.failures(), 2 * static_cast<int64_t>(kFileCalls));
  EXPECT_EQ(files.open_handles(), 0);
}

TEST_F(FileSystemTest, EveryFailingCallIsReportedAndNoHandleIsLeft) {
  for (const FileCall call :
       {FileCall::kOpen, FileCall::kWrite, FileCall::kSync, FileCall::kClose}) {
    FaultFileSystem files(FileSystem::Posix(), {{.call = call, .error = EIO}});
    const std::string path = Path(std::to_string(static_cast<int>(call)));
    EXPECT_EQ(WriteThree(files, path).code(), absl::StatusCode::kInternal) << path;
    EXPECT_EQ(files.open_handles(), 0) << path;
    EXPECT_EQ(files.failures(), 1) << path;
  }
}

TEST_F(FileSystemTest, ASlowDiskIsCountedAndNotWaitedFor) {
  constexpr int64_t kHour = 3'600'000'000'000;
  FaultFileSystem files(FileSystem::Posix(),
                        {{.kind = Kind::kSlow, .lasting = true, .nanos = kHour},
                         {.kind = Kind::kSlow, .call = FileCall::kSync, .nanos = kHour}});
  ASSERT_EQ(WriteThree(files, Path("a")), absl::OkStatus());
  EXPECT_EQ(files.delayed_nanos(), 2 * kHour);
  EXPECT_EQ(files.peak_handles(), 1);
}

TEST_F(FileSystemTest, TheDirectoryOfAPath) {
  EXPECT_EQ(DirectoryOf("/a/b/c"), "/a/b");
  EXPECT_EQ(DirectoryOf("/a"), "/");
  EXPECT_EQ(DirectoryOf("a"), ".");
}

}  // namespace
}  // namespace spillway::base
