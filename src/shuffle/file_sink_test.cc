// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/file_sink.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/shuffle/record_file.h"
#include "src/vector/batch.h"

namespace spillway::shuffle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using vector::Batch;

// The payload is the batch's row numbers as text; a batch of 13 rows does not encode.
absl::StatusOr<std::string> RowsAsText(const Batch& batch) {
  if (batch.rows() == 13) return absl::UnimplementedError("13 rows");
  return absl::StrCat("rows=", batch.rows());
}

Batch Rows(int64_t rows) { return Batch(vector::Type::Row({}, {}), rows, {}); }

class FileSinkTest : public testing::Test {
 protected:
  FileSinkTest() : directory_(std::filesystem::path(testing::TempDir()) / Name()) {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
    sink_.emplace(directory_.string(), 3, RowsAsText);
  }
  ~FileSinkTest() override { std::filesystem::remove_all(directory_); }

  static std::string Name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  std::string Contents(int32_t partition) const {
    std::ifstream in(sink_->PathOf(partition), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::filesystem::path directory_;
  std::optional<FileSink> sink_;
};

TEST_F(FileSinkTest, RecordsFollowEachOtherInTheOrderOfAppends) {
  ASSERT_TRUE(sink_->Append(2, Rows(5)).ok());
  ASSERT_TRUE(sink_->Append(0, Rows(1)).ok());
  ASSERT_TRUE(sink_->Append(2, Rows(77)).ok());
  ASSERT_TRUE(sink_->Finish().ok());
  const std::string file = Contents(2);
  EXPECT_EQ(file, std::string("\x06\0\0\0\0\0\0\0rows=5\x07\0\0\0\0\0\0\0rows=77", 29));
  EXPECT_EQ(sink_->bytes(2), 29);
  EXPECT_THAT(*ReadRecords(file), ElementsAre("rows=5", "rows=77"));
}

TEST_F(FileSinkTest, AnEmptyPartitionHasNoFile) {
  ASSERT_TRUE(sink_->Append(1, Rows(5)).ok());
  ASSERT_TRUE(sink_->Finish().ok());
  EXPECT_THAT(Files(), ElementsAre("partition-00001.records"));
  sink_.reset();
  EXPECT_THAT(Files(), ElementsAre("partition-00001.records")) << "finished files stay";
}

TEST_F(FileSinkTest, AnUnfinishedSinkLeavesNoFiles) {
  ASSERT_TRUE(sink_->Append(1, Rows(5)).ok());
  sink_.reset();
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(FileSinkTest, AFailingEncoderRemovesTheFiles) {
  ASSERT_TRUE(sink_->Append(0, Rows(5)).ok());
  EXPECT_EQ(sink_->Append(1, Rows(13)), absl::UnimplementedError("partition 1: 13 rows"));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(FileSinkTest, AFileThatWasThereIsNeitherOverwrittenNorRemoved) {
  std::ofstream(sink_->PathOf(1)) << "mine";
  ASSERT_TRUE(sink_->Append(0, Rows(5)).ok());
  const absl::Status status = sink_->Append(1, Rows(5));
  EXPECT_EQ(status, absl::AlreadyExistsError(absl::StrCat("partition file ", sink_->PathOf(1),
                                                          ": cannot create: File exists")));
  EXPECT_THAT(Files(), ElementsAre("partition-00001.records"));
  EXPECT_EQ(Contents(1), "mine");
}

TEST_F(FileSinkTest, AMissingDirectoryIsNamed) {
  FileSink sink((directory_ / "none").string(), 1, RowsAsText);
  EXPECT_EQ(sink.Append(0, Rows(1)),
            absl::InternalError(absl::StrCat("partition file ", sink.PathOf(0),
                                             ": cannot create: No such file or directory")));
}

// A file that vanishes between two appends stands for every failure in the middle of a partition.
TEST_F(FileSinkTest, AFailureInTheMiddleRemovesEveryFile) {
  ASSERT_TRUE(sink_->Append(0, Rows(1)).ok());
  ASSERT_TRUE(sink_->Append(1, Rows(1)).ok());
  std::filesystem::remove(sink_->PathOf(1));
  EXPECT_EQ(sink_->Append(1, Rows(1)).code(), absl::StatusCode::kInternal);
  EXPECT_THAT(Files(), IsEmpty());
}

TEST(RecordFileTest, EveryTruncationInARecordIsRefusedWithItsByte) {
  std::string file;
  AppendRecord("ab", file);
  AppendRecord("", file);
  AppendRecord("cde", file);
  EXPECT_THAT(*ReadRecords(file), ElementsAre("ab", "", "cde"));
  for (size_t size = 0; size < file.size(); ++size) {
    const bool whole = size == 0 || size == 10 || size == 18;
    EXPECT_EQ(ReadRecords(std::string_view(file).substr(0, size)).ok(), whole) << size;
  }
  EXPECT_EQ(ReadRecords(std::string_view(file).substr(0, 28)).status().message(),
            "partition file: record 2: payload needs 3 bytes, 2 remain, byte 26 of 28");
}

TEST(RecordFileTest, AbsurdLengthsAreRefused) {
  for (const char top : {'\x7f', '\x80', '\xff'}) {
    const std::string file = std::string(7, '\xff') + top;
    EXPECT_FALSE(ReadRecords(file).ok());
  }
}

}  // namespace
}  // namespace spillway::shuffle
