// SPDX-License-Identifier: Apache-2.0
// Spills, data files, indices and their reader. Faults are in output_fault_test.cc.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/base/fault_file_system.h"
#include "src/base/file_system.h"
#include "src/memory/counting_pool.h"
#include "src/shuffle/index_file.h"
#include "src/shuffle/output_reader.h"
#include "src/shuffle/output_sink.h"
#include "src/shuffle/repartitioner.h"
#include "src/shuffle/spill_ranges.h"
#include "src/shuffle/spill_store.h"
#include "src/vector/build.h"

namespace spillway::shuffle {
namespace {

using base::FaultFileSystem;
using base::FileSystem;
using vector::Batch;
using vector::Kind;
using vector::Type;

constexpr SpillLayout kLayouts[] = {SpillLayout::kOneFile, SpillLayout::kFilePerPartition};

Batch Numbers(const std::vector<int64_t>& values) {
  return vector::BatchOf({vector::Flat<int64_t>(Type::Scalar(Kind::kBigint), values)});
}

class OutputTest : public testing::Test {
 protected:
  OutputTest()
      : directory_(std::filesystem::path(testing::TempDir()) /
                   testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
    options_.paths = {directory_ / "shuffle_0_7_0.data", directory_ / "shuffle_0_7_0.index"};
    options_.block.codec = BlockCodec::kNone;
  }
  ~OutputTest() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<OutputSink> Open(int32_t partitions, FileSystem& files = FileSystem::Posix()) {
    auto sink = OutputSink::Create(Numbers({}).schema(), partitions, options_, files);
    EXPECT_EQ(sink.status(), absl::OkStatus());
    return *std::move(sink);
  }

  // An output without spills, of one block for each element of `values`, all in `partition`.
  std::unique_ptr<OutputSink> Write(int32_t partitions, int32_t partition,
                                    const std::vector<int64_t>& values) {
    auto sink = Open(partitions);
    EXPECT_EQ(sink->BeginLastRound(), absl::OkStatus());
    for (const int64_t value : values) {
      EXPECT_EQ(sink->Append(partition, Numbers({value})), absl::OkStatus());
    }
    EXPECT_EQ(sink->Finish(), absl::OkStatus());
    return sink;
  }

  // Rows of each partition, in order.
  std::vector<std::vector<int64_t>> ReadAll(IndexOrder order = IndexOrder::kBigEndian) {
    std::vector<std::vector<int64_t>> out;
    const auto output = OutputReader::Open(options_.paths, order);
    EXPECT_EQ(output.status(), absl::OkStatus());
    if (!output.ok()) return out;
    for (int32_t partition = 0; partition < output->partitions(); ++partition) {
      auto& rows = out.emplace_back();
      OutputReader::Blocks blocks = output->Read(partition);
      while (true) {
        const auto batch = blocks.Next();
        EXPECT_EQ(batch.status(), absl::OkStatus());
        if (!batch.ok() || !batch->has_value()) break;
        for (int64_t row = 0; row < (*batch)->rows(); ++row) {
          rows.push_back((*batch)->column(0).As<vector::FlatColumn>().Value<int64_t>(row));
        }
      }
    }
    return out;
  }

  std::vector<std::string> Files() const {
    return *base::List(FileSystem::Posix(), directory_.string());
  }
  static std::string Bytes(const std::string& path) {
    return *base::ReadFile(FileSystem::Posix(), path);
  }

  std::filesystem::path directory_;
  OutputOptions options_;
};

TEST_F(OutputTest, SpilledRowsStandBeforeThoseFromMemoryInEachPartition) {
  for (const SpillLayout layout : kLayouts) {
    options_.spill_layout = layout;
    auto sink = Open(4);
    ASSERT_EQ(sink->Append(0, Numbers({1, 2})), absl::OkStatus());
    ASSERT_EQ(sink->Append(2, Numbers({3})), absl::OkStatus());
    ASSERT_EQ(sink->Append(2, Numbers({4})), absl::OkStatus());
    ASSERT_EQ(sink->EndSpill(), absl::OkStatus());
    ASSERT_EQ(sink->EndSpill(), absl::OkStatus()) << "a spill of nothing";
    ASSERT_EQ(sink->Append(1, Numbers({5})), absl::OkStatus());
    ASSERT_EQ(sink->Append(2, Numbers({6})), absl::OkStatus());
    ASSERT_EQ(sink->EndSpill(), absl::OkStatus());
    ASSERT_EQ(sink->BeginLastRound(), absl::OkStatus());
    ASSERT_EQ(sink->Append(2, Numbers({7})), absl::OkStatus());
    ASSERT_EQ(sink->Append(2, Numbers({8})), absl::OkStatus());
    ASSERT_EQ(sink->Finish(), absl::OkStatus());
    const std::vector<std::vector<int64_t>> expected = {{1, 2}, {5}, {3, 4, 6, 7, 8}, {}};
    EXPECT_EQ(ReadAll(), expected);
    EXPECT_EQ(Files(), (std::vector<std::string>{"shuffle_0_7_0.data", "shuffle_0_7_0.index"}));

    const OutputMetrics& metrics = sink->metrics();
    EXPECT_EQ(metrics.rows, 8);
    EXPECT_EQ(metrics.blocks, 7);
    EXPECT_EQ(metrics.data_bytes, static_cast<int64_t>(Bytes(options_.paths.data).size()));
    EXPECT_EQ(metrics.spill_files, layout == SpillLayout::kOneFile ? 1 : 3);
    EXPECT_EQ(metrics.bytes_written, metrics.data_bytes + 40 + metrics.spilled_bytes);
    EXPECT_EQ(sink->offsets().size(), 5u);
    EXPECT_FALSE(metrics.existing_output);
    std::filesystem::remove(options_.paths.index);
  }
}

// datafusion-comet#1437: a metric of 16 TB for 5.6 GiB, since it was the reservation.
TEST_F(OutputTest, SpilledBytesAreTheBytesOfTheSpillFilesWhateverWasReserved) {
  for (const SpillLayout layout : kLayouts) {
    options_.spill_layout = layout;
    auto sink = Open(3);
    for (int round = 0; round < 3; ++round) {
      for (int32_t partition = 0; partition < 3; ++partition) {
        ASSERT_EQ(sink->Append(partition, Numbers({1, 2, 3})), absl::OkStatus());
      }
      ASSERT_EQ(sink->EndSpill(), absl::OkStatus());
      int64_t sum = 0;
      for (const std::string& file : Files()) {
        EXPECT_NE(file.find(".spill"), std::string::npos) << file;
        sum += static_cast<int64_t>(std::filesystem::file_size(directory_ / file));
      }
      EXPECT_EQ(sink->metrics().spilled_bytes, sum) << "after each spill";
    }
    EXPECT_GT(sink->metrics().spilled_bytes, 0);
    sink.reset();
    EXPECT_TRUE(Files().empty()) << "a sink that never finished leaves nothing";

    // A row that keeps 1 GiB alive: what the writer holds is charged, and is not what it spills.
    vector::MutableBuffer values(8, int64_t{1} << 30);
    values.data()[0] = 1;
    const Batch row(
        Numbers({}).schema(), 1,
        {std::make_shared<vector::FlatColumn>(Type::Scalar(Kind::kBigint), 1, vector::Validity(),
                                              std::move(values).Freeze())});
    sink = Open(3);
    memory::CountingPool pool;
    auto writer =
        *Repartitioner::Create(*HashPartitioner::Create(row.schema(), {0}, 3, HashOptions::Comet()),
                               {.policy = {.limit = 1}}, pool, *sink);
    ASSERT_EQ(writer.Insert(row), absl::OkStatus());
    EXPECT_GT(writer.metrics().memory_spilled_bytes, int64_t{1} << 30) << "the metric as it was";
    EXPECT_LT(sink->metrics().spilled_bytes, 1000);
  }
}

// datafusion-comet#1436: over 10,000 files, one for each spill of each partition.
TEST_F(OutputTest, SpillsOfAPartitionShareAFile) {
  constexpr int kRounds = 40;
  const auto spill = [&](int rounds, int64_t stores) {
    int64_t created = 0;
    for (int64_t store = 0; store < stores; ++store) {
      auto sink = Open(5);
      for (int round = 0; round < rounds; ++round) {
        for (int32_t partition = 0; partition < 5; ++partition) {
          EXPECT_EQ(sink->Append(partition, Numbers({round})), absl::OkStatus());
        }
        EXPECT_EQ(sink->EndSpill(), absl::OkStatus());
      }
      created += sink->metrics().spill_files;
      EXPECT_EQ(Files().size(), static_cast<size_t>(sink->metrics().spill_files));
    }
    return created;
  };
  options_.spill_layout = SpillLayout::kFilePerPartition;
  EXPECT_EQ(spill(1, kRounds), 5 * kRounds) << "as it was: new files for each spill";
  EXPECT_EQ(spill(kRounds, 1), 5);
  options_.spill_layout = SpillLayout::kOneFile;
  EXPECT_EQ(spill(kRounds, 1), 1);
}

// datafusion-comet#3859: too many open files at 1000 partitions.
TEST_F(OutputTest, ManyPartitionsNeedAsManyDescriptorsAsAllowed) {
  for (const SpillLayout layout : kLayouts) {
    for (const int32_t allowed : {2, 3, 20, 1000}) {
      options_.spill_layout = layout;
      options_.max_open_files = allowed;
      FaultFileSystem files(FileSystem::Posix());
      auto sink = Open(300, files);
      for (int round = 0; round < 2; ++round) {
        for (int32_t partition = 0; partition < 300; ++partition) {
          ASSERT_EQ(sink->Append(partition, Numbers({partition, round})), absl::OkStatus());
        }
        ASSERT_EQ(sink->EndSpill(), absl::OkStatus());
      }
      ASSERT_EQ(sink->BeginLastRound(), absl::OkStatus());
      ASSERT_EQ(sink->Finish(), absl::OkStatus());
      EXPECT_LE(files.peak_handles(), allowed);
      if (layout == SpillLayout::kFilePerPartition && allowed == 1000) {
        EXPECT_EQ(files.peak_handles(), 300) << "as it was: a descriptor for each partition";
      }
      EXPECT_EQ(files.open_handles(), 0);
      const auto output = *OutputReader::Open(options_.paths, IndexOrder::kBigEndian);
      const Batch last = **output.Read(299).Next();
      EXPECT_EQ(last.column(0).As<vector::FlatColumn>().Value<int64_t>(1), 0);
      std::filesystem::remove(options_.paths.index);
    }
  }
}

// datafusion-comet#6009: about 22 MB a task of uncharged spill ranges.
TEST_F(OutputTest, SixteenThousandPartitionsOverManyRoundsTakeLittleMemory) {
  constexpr int32_t kPartitions = 16'000;
  constexpr int kRounds = 90;
  int64_t bytes = 0;
  std::vector<SpillRanges> rounds(kRounds);
  for (SpillRanges& round : rounds) {
    for (int32_t partition = 0; partition < kPartitions; ++partition) {
      round.Append(partition, 1000);
      round.Append(partition, partition);
    }
    round.Seal();
    bytes += round.resident_bytes();
  }
  EXPECT_LE(bytes, int64_t{kPartitions} * kRounds * 4)
      << "a sixteenth of two 64-bit numbers and up";

  auto sink = Open(kPartitions);
  for (const int32_t stride : {4, 12}) {
    for (int32_t partition = 0; partition < kPartitions; partition += stride) {
      ASSERT_EQ(sink->Append(partition, Numbers({partition})), absl::OkStatus());
    }
    ASSERT_EQ(sink->EndSpill(), absl::OkStatus());
  }
  ASSERT_EQ(sink->BeginLastRound(), absl::OkStatus());
  ASSERT_EQ(sink->Finish(), absl::OkStatus());
  EXPECT_LT(sink->metrics().resident_bytes, 4 << 20);
  const auto output = *OutputReader::Open(options_.paths, IndexOrder::kBigEndian);
  ASSERT_EQ(output.partitions(), kPartitions);
  for (const int32_t partition : {0, 1, 4, 12, 15'996, 15'999}) {
    int64_t blocks = 0;
    for (OutputReader::Blocks read = output.Read(partition); (*read.Next()).has_value();) ++blocks;
    EXPECT_EQ(blocks, (partition % 4 == 0 ? 1 : 0) + (partition % 12 == 0 ? 1 : 0)) << partition;
  }
}

TEST_F(OutputTest, BuffersOfAnySizeMakeTheSameFiles) {
  std::string data;
  for (const SpillLayout layout : kLayouts) {
    for (const int64_t buffer : {0, 1, 100, 4096, 1 << 20}) {
      options_.spill_layout = layout;
      options_.buffer_bytes = buffer;
      auto sink = Open(3);
      for (int round = 0; round < 3; ++round) {
        if (round == 2) {
          ASSERT_EQ(sink->BeginLastRound(), absl::OkStatus());
        }
        for (int32_t partition = 0; partition < 3; ++partition) {
          std::vector<int64_t> rows(static_cast<size_t>(partition) * 2000 + 1, round);
          ASSERT_EQ(sink->Append(partition, Numbers(rows)), absl::OkStatus());
        }
        if (round < 2) {
          ASSERT_EQ(sink->EndSpill(), absl::OkStatus());
        }
      }
      ASSERT_EQ(sink->Finish(), absl::OkStatus());
      const std::string bytes = Bytes(options_.paths.data);
      if (data.empty()) data = bytes;
      EXPECT_TRUE(bytes == data) << buffer;
      std::filesystem::remove(options_.paths.index);
    }
  }
}

TEST_F(OutputTest, SpillFilesTakeTurnsAmongDirectories) {
  options_.spill_layout = SpillLayout::kFilePerPartition;
  for (const char* name : {"a", "b", "c"}) {
    std::filesystem::create_directory(directory_ / name);
    options_.spill_directories.push_back(directory_ / name);
  }
  auto sink = Open(6);
  for (int32_t partition = 0; partition < 6; ++partition) {
    ASSERT_EQ(sink->Append(partition, Numbers({partition})), absl::OkStatus());
  }
  for (const std::string& directory : options_.spill_directories) {
    EXPECT_EQ(base::List(FileSystem::Posix(), directory)->size(), 2u) << directory;
  }
  options_.spill_layout = SpillLayout::kOneFile;
  std::vector<std::unique_ptr<OutputSink>> sinks;
  for (int task = 0; task < 3; ++task) {
    sinks.push_back(Open(6));
    ASSERT_EQ(sinks.back()->Append(0, Numbers({1})), absl::OkStatus());
  }
  for (const std::string& directory : options_.spill_directories) {
    EXPECT_EQ(base::List(FileSystem::Posix(), directory)->size(), 3u) << directory;
  }
}

TEST_F(OutputTest, AnOutputThatStandsThereWins) {
  const auto write = [&](int64_t value) { return Write(2, 1, {value})->metrics().existing_output; };
  EXPECT_FALSE(write(1));
  EXPECT_TRUE(write(2));
  EXPECT_EQ(ReadAll()[1], std::vector<int64_t>{1});
  EXPECT_EQ(Files().size(), 2u);
  // What does not fit together is no output: a longer data file, another number of partitions.
  std::ofstream(options_.paths.data, std::ios::app) << "x";
  EXPECT_FALSE(write(3));
  EXPECT_EQ(ReadAll()[1], std::vector<int64_t>{3});
  std::filesystem::remove(options_.paths.data);
  EXPECT_FALSE(write(4));
  std::ofstream(options_.paths.index)
      << EncodeIndex(std::vector<int64_t>{0, 0, 0, 0}, IndexOrder::kBigEndian);
  EXPECT_FALSE(write(5));
  EXPECT_EQ(ReadAll()[1], std::vector<int64_t>{5});
}

TEST_F(OutputTest, IndicesHaveTheOrderThatWasAskedFor) {
  for (const IndexOrder order : {IndexOrder::kLittleEndian, IndexOrder::kBigEndian}) {
    options_.index_order = order;
    options_.sync = true;
    Write(2, 0, {1});
    EXPECT_EQ(ReadAll(order)[0], std::vector<int64_t>{1});
    const bool big = order == IndexOrder::kBigEndian;
    const auto other = OutputReader::Open(options_.paths,
                                          big ? IndexOrder::kLittleEndian : IndexOrder::kBigEndian);
    EXPECT_EQ(other.status().message(), options_.paths.index + ": shuffle index: in " +
                                            (big ? "big" : "little") + "-endian order, " +
                                            (big ? "little" : "big") + "-endian is expected");
    std::filesystem::remove(options_.paths.index);
  }
}

TEST_F(OutputTest, ABlockThatDoesNotTileItsPartitionIsNamed) {
  const auto sink = Write(2, 0, {1, 2});
  // The index now ends the partition one byte early.
  std::vector<int64_t> offsets = sink->offsets();
  offsets[1] -= 1;
  std::ofstream(options_.paths.index) << EncodeIndex(offsets, IndexOrder::kBigEndian);
  const auto output = *OutputReader::Open(options_.paths, IndexOrder::kBigEndian);
  OutputReader::Blocks blocks = output.Read(0);
  EXPECT_TRUE(blocks.Next().ok());
  const int64_t block = offsets[2] / 2;
  EXPECT_EQ(
      blocks.Next().status(),
      absl::InvalidArgumentError(options_.paths.data + ": partition 0: block 1 at byte " +
                                 std::to_string(block) + ": a block of " + std::to_string(block) +
                                 " bytes, " + std::to_string(block - 1) + " remain"));
  EXPECT_EQ(VerifyOutput(output).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(OutputTest, CallsOutOfOrderEndTheProcess) {
  auto sink = Open(2);
  ASSERT_EQ(sink->Append(1, Numbers({1})), absl::OkStatus());
  EXPECT_DEATH(sink->Append(0, Numbers({1})).IgnoreError(), "partitions exist and ascend");
  EXPECT_DEATH(sink->Append(2, Numbers({1})).IgnoreError(), "partitions exist and ascend");
  EXPECT_DEATH(sink->Finish().IgnoreError(), "the last round has begun");
}

TEST_F(OutputTest, OptionsOutOfRangeAreRefused) {
  const auto create = [&](int32_t partitions, const OutputOptions& options) {
    const absl::Status status =
        OutputSink::Create(Numbers({}).schema(), partitions, options).status();
    return std::string(status.message());
  };
  EXPECT_EQ(create(0, options_), "shuffle output: 0 partitions, not 1 or more");
  OutputOptions options = options_;
  options.max_open_files = 1;
  EXPECT_EQ(create(1, options), "shuffle output: at most 1 open files, not 2 or more");
  options = options_;
  options.paths.index = options.paths.data;
  EXPECT_EQ(create(1, options),
            "shuffle output: one path for data and index: " + options.paths.data);
  options = options_;
  options.buffer_bytes = -1;
  EXPECT_EQ(create(1, options), "shuffle output: buffers of -1 bytes");
  EXPECT_EQ(*ParseSpillLayout("one_file"), SpillLayout::kOneFile);
  EXPECT_EQ(ParseSpillLayout("one_fle").status().message(),
            "unknown spill layout `one_fle`; did you mean one_file?");
}

}  // namespace
}  // namespace spillway::shuffle
