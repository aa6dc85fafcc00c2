// SPDX-License-Identifier: Apache-2.0
#include "src/frame/cache_file.h"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::frame {
namespace {

using ::testing::HasSubstr;
using vector::Batch;
using vector::Buffer;
using vector::Kind;
using vector::Type;

Batch Numbers(int32_t first) {
  return vector::BatchOf(
      {vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), {first, first + 1, first + 2})});
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string FileBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string Error(const absl::Status& status) { return std::string(status.message()); }

struct ReadBack {
  int64_t batches = 0;
  absl::Status status;
};

class CacheFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string name = base::Cat(::testing::TempDir(), "/cacheXXXXXX");
    directory_ = name;
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    path_ = directory_ + "/table.cache";
  }

  void TearDown() override {
    unlink(path_.c_str());
    unlink(partial().c_str());
    rmdir(directory_.c_str());
  }

  std::string partial() const { return path_ + ".partial"; }

  // One batch in each form, each in a partition of its own.
  static std::vector<Envelope> Envelopes() {
    return {*MakeEnvelope(*WriteV3(Numbers(0)), 3, 100, "{}"),
            *MakeEnvelope(*WriteV2(Numbers(10)), 3, 200),
            *MakeEnvelope(*page::WritePage(Numbers(20)), 3, 300)};
  }

  std::string WriteFile() {
    auto writer = CacheFileWriter::Create(path_, Numbers(0).schema());
    EXPECT_TRUE(writer.ok()) << writer.status();
    uint32_t partition = 7;
    for (const Envelope& envelope : Envelopes()) {
      EXPECT_TRUE((*writer)->Append(partition++, envelope).ok());
    }
    EXPECT_TRUE((*writer)->Finish().ok());
    return FileBytes(path_);
  }

  // How many batches `bytes` give, whose values are looked at, and how it ends.
  static ReadBack ReadAll(const std::string& bytes, int64_t step = INT64_MAX) {
    MemorySource source(bytes, step);
    auto reader = CacheFileReader::Open(source);
    if (!reader.ok()) return {0, reader.status()};
    ReadBack out;
    while (true) {
      auto record = reader->Next();
      if (!record.ok()) {
        EXPECT_EQ(reader->Next().status(), record.status()) << "the error stays";
        return {out.batches, record.status()};
      }
      if (!record->has_value()) return out;
      EXPECT_EQ((*record)->partition, 7 + out.batches);
      const auto content = ReadEnvelopeContent(reader->schema(), (*record)->envelope);
      EXPECT_TRUE(content.ok()) << content.status();
      EXPECT_EQ(vector::FirstDifference(content->batch,
                                        Numbers(static_cast<int32_t>(10 * out.batches))),
                std::nullopt);
      ++out.batches;
    }
  }

  std::string directory_;
  std::string path_;
};

TEST_F(CacheFileTest, WhatIsWrittenIsRead) {
  const std::string bytes = WriteFile();
  const ReadBack all = ReadAll(bytes);
  EXPECT_EQ(all.batches, 3);
  EXPECT_TRUE(all.status.ok()) << all.status;
  EXPECT_EQ(ReadAll(bytes, /*step=*/1).batches, 3);
}

TEST_F(CacheFileTest, AFileOnDiskIsReadAsItIs) {
  WriteFile();
  auto source = FileSource::Open(path_);
  ASSERT_TRUE(source.ok()) << source.status();
  auto reader = CacheFileReader::Open(**source);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ(reader->schema()->ToString(), "ROW<c0:INTEGER>");
  const auto record = reader->Next();
  EXPECT_EQ((*record)->envelope.size_in_bytes, 100);
  EXPECT_EQ((*record)->envelope.schema, "{}");
  EXPECT_EQ((*record)->offset, 8 + 8 + 15 + 4);
  EXPECT_THAT(Error(FileSource::Open(directory_ + "/none").status()),
              HasSubstr("No such file or directory"));
}

TEST_F(CacheFileTest, AFileWithoutBatchesIsWhole) {
  auto writer = CacheFileWriter::Create(path_, Numbers(0).schema());
  ASSERT_TRUE((*writer)->Finish().ok());
  const ReadBack all = ReadAll(FileBytes(path_));
  EXPECT_EQ(all.batches, 0);
  EXPECT_TRUE(all.status.ok()) << all.status;
}

// Wherever it is cut: all batches before the cut, then one error with the byte of the cut.
TEST_F(CacheFileTest, ACutFileGivesEveryBatchBeforeTheCut) {
  const std::string bytes = WriteFile();
  std::vector<size_t> ends;  // of the records
  size_t at = 8 + 8 + 15 + 4;
  for (int i = 0; i < 3; ++i) {
    at += 12 + base::Load<uint32_t>(bytes.data() + at);
    ends.push_back(at);
  }
  ASSERT_EQ(at + 12, bytes.size());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const ReadBack cut = ReadAll(bytes.substr(0, size));
    int64_t whole = 0;
    for (const size_t end : ends) whole += end <= size ? 1 : 0;
    EXPECT_EQ(cut.batches, whole) << size;
    EXPECT_EQ(base::ByteOffset(cut.status), static_cast<int64_t>(size)) << cut.status;
  }
  EXPECT_EQ(Error(ReadAll(bytes.substr(0, ends[1])).status),
            base::Cat("cache file: record 2: the file ends here, without an end mark, byte ",
                      ends[1]));
}

TEST_F(CacheFileTest, EveryFlippedBitIsSeen) {
  const std::string bytes = WriteFile();
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    const ReadBack read = ReadAll(flipped);
    EXPECT_FALSE(read.status.ok()) << bit;
    EXPECT_TRUE(base::ByteOffset(read.status).has_value()) << read.status;
  }
}

TEST_F(CacheFileTest, DamageIsNamed) {
  const std::string bytes = WriteFile();
  const auto with = [&](size_t at, uint32_t value) {
    std::string out = bytes;
    base::Store(out.data() + at, value);
    return Error(ReadAll(out).status);
  };
  EXPECT_EQ(with(0, 0), "cache file: header: no cache file, which begins with SPWCACHE, byte 0");
  EXPECT_EQ(with(8, 2), "cache file: header: version 2, known is 1, byte 8");
  EXPECT_EQ(with(12, UINT32_MAX),
            "cache file: header: schema of 4294967295 bytes, the limit is 1048576, byte 12");
  EXPECT_THAT(with(16, 0), HasSubstr("cache file: header: checksum "));
  EXPECT_THAT(with(35, UINT32_MAX), HasSubstr("cache file: record 0: envelope of 4294967295"));
  EXPECT_THAT(with(39, 5), HasSubstr("cache file: record 0: checksum "));
  EXPECT_EQ(Error(ReadAll(bytes + "x").status),
            base::Cat("cache file: record 3: bytes left over after the end mark, byte ",
                      bytes.size()));
}

// A dump that is ended early leaves nothing by the final name.
TEST_F(CacheFileTest, TheNameAppearsWithTheWholeFile) {
  auto writer = CacheFileWriter::Create(path_, Numbers(0).schema());
  ASSERT_TRUE((*writer)->Append(7, Envelopes()[0]).ok());
  EXPECT_FALSE(Exists(path_));
  ASSERT_TRUE((*writer)->Flush().ok());
  EXPECT_EQ(ReadAll(FileBytes(partial())).batches, 1) << "a reader sees what was flushed";
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_TRUE(Exists(path_));
  EXPECT_FALSE(Exists(partial()));
  EXPECT_EQ((*writer)->Append(7, Envelopes()[0]).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ((*writer)->Flush().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ((*writer)->Finish().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(CacheFileTest, AnUnfinishedFileIsRemovedAndTheOldOneStays) {
  const std::string old = WriteFile();
  {
    auto writer = CacheFileWriter::Create(path_, Numbers(0).schema());
    ASSERT_TRUE((*writer)->Append(0, Envelopes()[0]).ok());
    ASSERT_TRUE((*writer)->Flush().ok());
    EXPECT_EQ(CacheFileWriter::Create(path_, Numbers(0).schema()).status().code(),
              absl::StatusCode::kAlreadyExists)
        << "two writers of one file";
  }
  EXPECT_FALSE(Exists(partial()));
  EXPECT_EQ(FileBytes(path_), old);
}

TEST_F(CacheFileTest, AnEnvelopeThatIsRefusedChangesNothing) {
  const CacheFileLimits limits{.envelope = {.max_length = 200}};
  auto writer = CacheFileWriter::Create(path_, Numbers(0).schema(), limits);
  Envelope large = Envelopes()[0];
  large.payload = Buffer::Copy(std::string(201, 'x'));
  EXPECT_EQ(Error((*writer)->Append(7, large)),
            "cache file: record 0: envelope: payload of 201 bytes, the limit is 200");
  ASSERT_TRUE((*writer)->Append(7, Envelopes()[0]).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ(ReadAll(FileBytes(path_)).batches, 1);
}

TEST_F(CacheFileTest, AFileThatCannotBeCreatedSaysWhy) {
  EXPECT_THAT(Error(CacheFileWriter::Create(directory_ + "/no/dir", Numbers(0).schema()).status()),
              HasSubstr("cache file: cannot create "));
}

}  // namespace
}  // namespace spillway::frame
