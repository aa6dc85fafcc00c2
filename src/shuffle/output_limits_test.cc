// SPDX-License-Identifier: Apache-2.0
// Comet's own tests of limits and pools (MEMORY section 8), as far as they look at files; those of
// memory alone are in repartitioner_test.cc.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/base/file_system.h"
#include "src/memory/counting_pool.h"
#include "src/shuffle/output_reader.h"
#include "src/shuffle/output_sink.h"
#include "src/shuffle/repartitioner.h"
#include "src/vector/build.h"

namespace spillway::shuffle {
namespace {

using base::FileSystem;
using vector::Batch;

constexpr int64_t kGiB = int64_t{1} << 30;
constexpr int64_t kLimit = 8 << 10;

// The common batch: one VARCHAR column "0", "1", ...
Batch Numbers(int64_t rows) {
  std::vector<std::optional<std::string>> values;
  for (int64_t row = 0; row < rows; ++row) values.push_back(std::to_string(row));
  return vector::BatchOf({vector::Strings(vector::Type::Scalar(vector::Kind::kVarchar), values)});
}

class OutputLimitsTest : public testing::Test {
 protected:
  OutputLimitsTest()
      : directory_(std::filesystem::path(testing::TempDir()) /
                   testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
    options_.paths = {directory_ / "out.data", directory_ / "out.index"};
    options_.block = {.codec = BlockCodec::kZstd, .zstd_level = 1};
    options_.spill_layout = SpillLayout::kFilePerPartition;
  }
  ~OutputLimitsTest() override { std::filesystem::remove_all(directory_); }

  // A writer of chunks of 1024 rows into a fresh output.
  void Open(int32_t partitions, std::optional<int64_t> limit, int64_t capacity = kGiB) {
    const auto schema = Numbers(0).schema();
    writer_.reset();
    pool_ = std::make_unique<memory::CountingPool>(capacity);
    sink_ = *OutputSink::Create(schema, partitions, options_);
    RepartitionerOptions options = {.batch_size = 1024};
    options.policy.limit = limit;
    writer_.emplace(*Repartitioner::Create(
        *HashPartitioner::Create(schema, {0}, partitions, HashOptions::Comet()), options, *pool_,
        *sink_));
  }
  void InsertClones(int count, const Batch& batch) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(writer_->Insert(batch), absl::OkStatus());
  }

  int64_t SpillFileBytes() const {
    int64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      bytes += static_cast<int64_t>(entry.file_size());
    }
    return bytes;
  }

  // The strings of all partitions in order, after Finish().
  std::vector<std::string> FinishAndRead() {
    EXPECT_EQ(writer_->Finish(), absl::OkStatus());
    std::vector<std::string> out;
    const auto output = *OutputReader::Open(options_.paths, IndexOrder::kBigEndian);
    for (int32_t partition = 0; partition < output.partitions(); ++partition) {
      out.push_back("partition");
      OutputReader::Blocks blocks = output.Read(partition);
      for (auto batch = *blocks.Next(); batch.has_value(); batch = *blocks.Next()) {
        for (int64_t row = 0; row < batch->rows(); ++row) {
          out.emplace_back(batch->column(0).As<vector::StringColumn>().Value(row));
        }
      }
    }
    std::filesystem::remove(options_.paths.data);
    return out;
  }

  std::filesystem::path directory_;
  OutputOptions options_;
  std::unique_ptr<memory::CountingPool> pool_;
  std::unique_ptr<OutputSink> sink_;
  std::optional<Repartitioner> writer_;
};

TEST_F(OutputLimitsTest, MaxBufferBytesTriggersSpillWithoutMemoryPressure) {
  Open(4, kLimit);
  InsertClones(20, Numbers(1000));
  EXPECT_GT(writer_->metrics().spill_count, 0);
  EXPECT_GT(writer_->metrics().memory_spilled_bytes, sink_->metrics().spilled_bytes);
  EXPECT_GT(sink_->metrics().spilled_bytes, 0);
  EXPECT_EQ(sink_->metrics().spilled_bytes, SpillFileBytes());
}

TEST_F(OutputLimitsTest, MaxBufferBytesNoneLeavesSpillingToMemoryPressure) {
  Open(4, std::nullopt);
  InsertClones(20, Numbers(1000));
  EXPECT_EQ(writer_->metrics().spill_count, 0);
  EXPECT_EQ(writer_->metrics().memory_spilled_bytes, 0);
  EXPECT_EQ(sink_->metrics().spilled_bytes, 0);
  EXPECT_EQ(SpillFileBytes(), 0);
}

TEST_F(OutputLimitsTest, MemoryPressureSpillAccountsForRejectedReservation) {
  Open(4, std::nullopt, 1);
  InsertClones(1, Numbers(1000));
  EXPECT_GT(writer_->metrics().spill_count, 0);
  EXPECT_GT(writer_->metrics().memory_spilled_bytes, sink_->metrics().spilled_bytes);
  EXPECT_GT(sink_->metrics().spilled_bytes, 0);
}

TEST_F(OutputLimitsTest, MaxBufferBytesPreservesOutput) {
  for (const SpillLayout layout : {SpillLayout::kFilePerPartition, SpillLayout::kOneFile}) {
    options_.spill_layout = layout;
    Open(16, kLimit);
    InsertClones(20, Numbers(1000));
    const std::vector<std::string> limited = FinishAndRead();
    EXPECT_GT(sink_->metrics().spilled_bytes, 0);
    Open(16, std::nullopt);
    InsertClones(20, Numbers(1000));
    EXPECT_EQ(limited, FinishAndRead());
    EXPECT_EQ(limited.size(), 20'000u + 16u);
  }
}

TEST_F(OutputLimitsTest, ShufflePartitionerMemory) {
  Open(2, std::nullopt, 512 << 10);
  InsertClones(1, Numbers(900));
  EXPECT_TRUE(std::filesystem::is_empty(directory_)) << "no file before a spill";
  ASSERT_EQ(writer_->Spill(), absl::OkStatus());
  EXPECT_EQ(base::List(FileSystem::Posix(), directory_.string())->size(), 2u);
  InsertClones(1, Numbers(900));
  EXPECT_EQ(FinishAndRead().size(), 1800u + 2u);
}

}  // namespace
}  // namespace spillway::shuffle
