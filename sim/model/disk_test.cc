// SPDX-License-Identifier: Apache-2.0
#include "sim/model/disk.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace spillway::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;

Disk Parsed(const std::string& text) {
  Disk disk;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &disk));
  return disk;
}

// Spills its numbers of bytes one after the other and notes when each was done.
class Writer final : public Process {
 public:
  Writer(Kernel& kernel, Disks& disks, std::vector<int64_t> bytes)
      : Process("writer", 0), kernel_(kernel), disks_(disks), bytes_(std::move(bytes)) {}

  std::vector<Time> done;

 private:
  void Resume() override {
    if (begun_) done.push_back(kernel_.now());
    begun_ = true;
    if (done.size() == bytes_.size()) return kernel_.Finish(*this);
    disks_.Write(*this, bytes_[done.size()]);
  }

  Kernel& kernel_;
  Disks& disks_;
  std::vector<int64_t> bytes_;
  bool begun_ = false;
};

struct Spilled {
  absl::Status status;
  std::vector<std::vector<Time>> done;  // of each writer
  DiskUse use;
  Time end = 0;
};

struct Plan {
  Time start;
  std::vector<int64_t> bytes;
};

Spilled Served(const Disk& disk, const std::vector<Plan>& plans, Kernel::Limits limits = {}) {
  Spilled out;
  Kernel kernel;
  Disks disks(kernel, disk, out.use);
  std::deque<Writer> writers;
  for (const Plan& plan : plans) {
    kernel.Start(writers.emplace_back(kernel, disks, plan.bytes), plan.start);
  }
  out.status = kernel.Run(limits);
  for (const Writer& writer : writers) out.done.push_back(writer.done);
  out.end = kernel.now();
  return out;
}

TEST(DiskTest, WithoutANumberOfDisksNobodyWaits) {
  const Spilled run = Served(Parsed("spill_ns: 3 spill_ns_per_mib: 10"),
                             {{0, {kMiB, 2 * kMiB}}, {0, {kMiB}}, {0, {0}}});
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.done,
              ElementsAre(ElementsAre(13'000, 36'000), ElementsAre(13'000), ElementsAre(3'000)));
  EXPECT_EQ(run.use.time, 13'000 + 23'000 + 13'000 + 3'000);
  EXPECT_EQ(run.use.line.peak(), 0);
}

TEST(DiskTest, WritersOfOneDiskAreServedInTheOrderOfArrival) {
  const Spilled run = Served(Parsed("disks: 1 spill_ns: 10"), {{2, {1, 1}}, {1, {1}}, {3, {1}}});
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.done,
              ElementsAre(ElementsAre(20'001, 40'001), ElementsAre(10'001), ElementsAre(30'001)));
  EXPECT_EQ(run.use.time, 40'000);
  EXPECT_EQ(run.use.line.peak(), 2);
  // Waits in line: 20001 - 2 - 10000, 30001 - 3 - 10000, and 40001 - 20001 - 10000.
  EXPECT_EQ(run.use.line.Area(run.end), 9'999 + 19'998 + 10'000);
}

TEST(DiskTest, SeveralDisksShareOneLine) {
  const Spilled run = Served(Parsed("disks: 2 spill_ns_per_mib: 1"),
                             {{0, {10 * kMiB}}, {0, {4 * kMiB}}, {0, {kMiB}}, {0, {3 * kMiB}}});
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.done, ElementsAre(ElementsAre(10'000), ElementsAre(4'000), ElementsAre(5'000),
                                    ElementsAre(8'000)));
  EXPECT_EQ(run.use.time, 18'000);
}

TEST(DiskTest, WhatBeginsInASlowPeriodTakesLonger) {
  const Disk disk =
      Parsed("disks: 1 spill_ns: 10 slow_every_ns: 100 slow_for_ns: 30 slow_factor: 2500");
  // The first period is from 100 to 130 ns, the second from 200 to 230.
  const Spilled run = Served(
      disk,
      {{0, {1}}, {99'999, {1}}, {129'999, {1}}, {160'000, {1}}, {200'000, {1}}, {230'000, {1}}});
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.done,
              ElementsAre(ElementsAre(10'000), ElementsAre(109'999), ElementsAre(154'999),
                          ElementsAre(170'000), ElementsAre(225'000), ElementsAre(240'000)));
}

// It is the beginning on the disk that counts, not that in line.
TEST(DiskTest, WhoWaitsIntoASlowPeriodIsSlow) {
  const Spilled run =
      Served(Parsed("disks: 1 spill_ns: 60 slow_every_ns: 100 slow_for_ns: 30 slow_factor: 2000"),
             {{50'000, {1}}, {60'000, {1}}});
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.done, ElementsAre(ElementsAre(110'000), ElementsAre(230'000)));
}

TEST(DiskTest, ARunThatIsCutSaysWhoWaitsForADisk) {
  const Spilled run =
      Served(Parsed("disks: 1 spill_ns: 10"), {{0, {1}}, {0, {1}}}, {.until = 5'000});
  EXPECT_EQ(run.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(run.status.message()),
              HasSubstr("writer 0 waits for its spill, of 1 disks 1 at work and 1 spills in line"));
}

TEST(DiskTest, ASpillBeyondTheEndOfTimeIsAFault) {
  for (const char* disks : {"", "disks: 1 "}) {
    const Spilled run = Served(Parsed(std::string(disks) + "spill_ns_per_mib: 1000000000000"),
                               {{1, {1 << 30}}, {1, {INT64_MAX}}});
    EXPECT_EQ(run.status.code(), absl::StatusCode::kOutOfRange) << run.status;
  }
}

}  // namespace
}  // namespace spillway::sim
