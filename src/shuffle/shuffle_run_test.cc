// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/shuffle_run.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/base/fault_file_system.h"
#include "src/memory/counting_pool.h"
#include "src/shuffle/output_check.h"
#include "src/shuffle/output_reader.h"
#include "src/shuffle/shuffle_report.h"
#include "src/shuffle/workload.h"
#include "src/vector/compare.h"

namespace spillway::shuffle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = ShuffleEvent::Kind;

constexpr int64_t kBatchRows = 1000;

class ShuffleRunTest : public ::testing::Test {
 protected:
  ShuffleRunTest() {
    directory_ = std::filesystem::path(::testing::TempDir()) /
                 ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
    options_.output.paths = {.data = directory_ / "t.data", .index = directory_ / "t.index"};
    options_.writer.batch_size = kBatchRows;
    options_.writer.policy.step = 0;
  }

  static Partitioning Hash(int32_t partitions = 7) {
    return *HashPartitioner::Create(WorkloadRows(Workload::kMix, 0, 0).schema(), {0}, partitions,
                                    HashOptions::Comet());
  }

  // `batches` of kBatchRows.
  static ShuffleInput Rows(int64_t batches) {
    return [batches, at = int64_t{0}]() mutable -> absl::StatusOr<std::optional<vector::Batch>> {
      if (at == batches) return std::nullopt;
      return WorkloadRows(Workload::kMix, kBatchRows * at++, kBatchRows);
    };
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::filesystem::path directory_;
  ShuffleRunOptions options_;
  memory::CountingPool pool_;
};

TEST_F(ShuffleRunTest, WithoutALimitOneRequestAChunkAndOneReleaseAtTheEnd) {
  const auto run = RunShuffle(Rows(3), Hash(), options_, pool_);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->events.size(), 4u);
  for (int64_t chunk = 0; chunk < 3; ++chunk) {
    EXPECT_EQ(run->events[chunk].kind, Kind::kReserve);
    EXPECT_EQ(run->events[chunk].chunk, chunk);
  }
  EXPECT_EQ(run->events[3], (ShuffleEvent{Kind::kRelease, 3, run->events[2].reserved, 0}));
  EXPECT_EQ(run->peak_reserved, run->events[2].reserved);
  EXPECT_EQ(pool_.reserved(), 0);
  EXPECT_EQ(run->writer.spill_count, 0);
  int64_t rows = 0;
  for (const int64_t of_partition : run->rows_of_partition) rows += of_partition;
  EXPECT_EQ(rows, 3 * kBatchRows);
  EXPECT_EQ(run->offsets.size(), 8u);
  EXPECT_EQ(run->offsets.back(), run->output.data_bytes);
  EXPECT_THAT(Files(), ::testing::ElementsAre("t.data", "t.index"));
}

TEST_F(ShuffleRunTest, ALimitSpillsInTheChunkThatReachesIt) {
  options_.writer.policy.limit = 1;
  const auto run = RunShuffle(Rows(2), Hash(), options_, pool_);
  ASSERT_TRUE(run.ok()) << run.status();
  std::vector<std::pair<Kind, int64_t>> events;
  for (const ShuffleEvent& event : run->events) events.emplace_back(event.kind, event.chunk);
  EXPECT_EQ(events, (std::vector<std::pair<Kind, int64_t>>{{Kind::kReserve, 0},
                                                           {Kind::kSpill, 0},
                                                           {Kind::kRelease, 0},
                                                           {Kind::kReserve, 1},
                                                           {Kind::kSpill, 1},
                                                           {Kind::kRelease, 1}}));
  EXPECT_EQ(run->writer.spill_count, 2);
  EXPECT_EQ(run->events[1].bytes + run->events[4].bytes, run->output.spilled_bytes);
}

TEST_F(ShuffleRunTest, ADenialIsAnEventAndEndsInASpill) {
  memory::CountingPool small(1);
  const auto run = RunShuffle(Rows(1), Hash(), options_, small);
  ASSERT_TRUE(run.ok()) << run.status();
  // The exact request is repeated before the spill, as Comet's is.
  ASSERT_GE(run->events.size(), 2u);
  EXPECT_EQ(run->events[0].kind, Kind::kDeny);
  EXPECT_EQ(run->events.back().kind, Kind::kSpill);
  EXPECT_EQ(run->writer.spill_count, 1);
}

TEST_F(ShuffleRunTest, EventsBeyondTheBoundAreCounted) {
  options_.max_events = 2;
  const auto run = RunShuffle(Rows(5), Hash(), options_, pool_);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->events.size(), 2u);
  EXPECT_EQ(run->events_left_out, 4);
  EXPECT_GT(run->peak_reserved, run->events[1].reserved);
}

TEST_F(ShuffleRunTest, NoRowsAreAnOutputOfEmptyPartitions) {
  const auto run = RunShuffle(Rows(0), Hash(3), options_, pool_);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_THAT(run->events, IsEmpty());
  EXPECT_EQ(run->offsets, (std::vector<int64_t>{0, 0, 0, 0}));
}

TEST_F(ShuffleRunTest, AFailingInputLeavesNoFileAndNoReservation) {
  auto rows = Rows(2);
  const auto failing = [&]() -> absl::StatusOr<std::optional<vector::Batch>> {
    auto batch = rows();
    if (batch.ok() && !batch->has_value()) return absl::DataLossError("the rest is gone");
    return batch;
  };
  options_.writer.policy.limit = 1;
  const auto run = RunShuffle(failing, Hash(), options_, pool_);
  EXPECT_EQ(run.status().message(), "the rest is gone");
  EXPECT_EQ(pool_.reserved(), 0);
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ShuffleRunTest, AFullDiskLeavesNoFileAndNoReservation) {
  base::FaultFileSystem full(base::FileSystem::Posix(),
                             {{.call = base::FileCall::kWrite, .lasting = true, .error = ENOSPC}});
  const auto run = RunShuffle(Rows(2), Hash(), options_, pool_, full);
  EXPECT_THAT(run.status().message(), HasSubstr("No space left on device"));
  EXPECT_EQ(pool_.reserved(), 0);
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ShuffleRunTest, TheCheckFindsRowsThatAreMissingMovedOrInAnotherPlace) {
  const auto verify = [&](const std::vector<int64_t>& written, const Partitioning& partitioning) {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
    const auto input = [&,
                        at = size_t{0}]() mutable -> absl::StatusOr<std::optional<vector::Batch>> {
      if (at == written.size()) return std::nullopt;
      return WorkloadRows(Workload::kMix, written[at++], 1);
    };
    ShuffleRunOptions unchecked = options_;
    unchecked.check = false;
    const auto run = RunShuffle(input, partitioning, unchecked, pool_);
    EXPECT_TRUE(run.ok()) << run.status();
    EXPECT_THAT(run->rows_of_partition, IsEmpty());
    OutputCheck check(SinglePartitioner(WorkloadRows(Workload::kMix, 0, 0).schema()));
    for (const int64_t row : {1, 2, 3}) {
      EXPECT_TRUE(check.Expect(WorkloadRows(Workload::kMix, row, 1)).ok());
    }
    return check.Verify(*OutputReader::Open(options_.output.paths, options_.output.index_order));
  };
  const Partitioning single = SinglePartitioner(WorkloadRows(Workload::kMix, 0, 0).schema());
  EXPECT_TRUE(verify({1, 2, 3}, single).ok());
  EXPECT_EQ(verify({1, 2}, single).message(), "partition 0: 2 rows were written, 3 went in");
  EXPECT_EQ(verify({1, 2, 3, 3}, single).message(), "partition 0: 4 rows were written, 3 went in");
  EXPECT_EQ(verify({1, 3, 2}, single).message(),
            "partition 0: its 3 rows are not those that went in, or not in order");
  EXPECT_EQ(verify({1, 2, 4}, single).message(),
            "partition 0: its 3 rows are not those that went in, or not in order");
  EXPECT_EQ(verify({1, 2, 3}, Hash(2)).message(), "the output has 2 partitions, not 1");
}

TEST_F(ShuffleRunTest, ReportsHaveTheFiguresOfTheRun) {
  options_.writer.policy.limit = 1;
  const auto run = RunShuffle(Rows(2), Hash(), options_, pool_);
  ASSERT_TRUE(run.ok()) << run.status();
  const ShuffleSetting setting{
      .input = "in", .partitioning = "p", .pool = "o", .policy = "y", .output = "files"};
  const std::string text = ShuffleText(setting, options_, *run, 4);
  EXPECT_THAT(text, HasSubstr("2,000"));
  EXPECT_THAT(text, HasSubstr("           0  spill"));
  EXPECT_THAT(text, HasSubstr("  and 2 more\n"));
  EXPECT_THAT(text, HasSubstr("read back: 2,000 rows, each once, in its partition, in order\n"));
  EXPECT_THAT(ShuffleText(setting, options_, *run, 0), ::testing::Not(HasSubstr("timeline")));

  const auto json = nlohmann::json::parse(ShuffleJson(setting, options_, *run));
  EXPECT_EQ(json["rows"], 2000);
  EXPECT_EQ(json["spill_count"], 2);
  EXPECT_EQ(json["events"].size(), 6u);
  EXPECT_EQ(json["events"][1]["event"], "spill");
  EXPECT_EQ(json["rows_of_partition"].size(), 7u);
  EXPECT_EQ(json["offsets"].back(), run->output.data_bytes);
}

// golden/comet/README.md's first rows, worked out apart from this code.
TEST(WorkloadTest, RowsAreFunctionsOfTheirNumber) {
  const vector::Batch two = WorkloadRows(Workload::kMix, 0, 2);
  EXPECT_EQ(two.column(0).As<vector::FlatColumn>().Value<uint64_t>(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(two.column(1).As<vector::FlatColumn>().Value<int64_t>(0), 822'465);
  EXPECT_EQ(two.column(2).As<vector::FlatColumn>().Value<double>(0), 0.5911897341980794);
  EXPECT_EQ(two.column(3).As<vector::StringColumn>().Value(0), "hbgaagggeed");
  const vector::Batch later = WorkloadRows(Workload::kMix, 1, 1);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(vector::ValueToString(two.column(i), 1), vector::ValueToString(later.column(i), 0));
  }
  EXPECT_EQ(WorkloadRows(Workload::kI64x2, 0, 1).columns().size(), 2u);
}

}  // namespace
}  // namespace spillway::shuffle
