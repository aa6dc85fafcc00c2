// SPDX-License-Identifier: Apache-2.0
#include "src/memory/reservation_policy.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace spillway::memory {
namespace {

using Kind = Action::Kind;

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

ReservationPolicy Policy(int64_t step, std::optional<int64_t> limit = std::nullopt) {
  return *ReservationPolicy::Create({.step = step, .limit = limit});
}

Action Request(int64_t bytes) { return {Kind::kRequest, bytes}; }
const Action kCovered = {Kind::kCovered};
const Action kSpill = {Kind::kSpill};

// Growth of the 256 chunks of MEMORY section 2's constant workload: 8192 int32 a chunk, and one
// index vector whose capacity doubles.
std::vector<int64_t> ConstantWorkload() {
  std::vector<int64_t> growth(256, 32 * kKiB);
  const std::map<int, int64_t> index_growth = {{1, 64},    {2, 64},    {3, 128},
                                               {5, 256},   {9, 512},   {17, 1024},
                                               {33, 2048}, {65, 4096}, {129, 8192}};
  for (const auto& [chunk, kib] : index_growth) growth[chunk - 1] += kib * kKiB;
  return growth;
}

struct Record {
  std::map<int, std::vector<int64_t>> requests;  // by chunk, from 1
  int64_t calls = 0;
  int64_t granted = 0;
};

// Grants everything.
Record Drive(ReservationPolicy& policy, const std::vector<int64_t>& growth) {
  Record record;
  for (size_t i = 0; i < growth.size(); ++i) {
    for (Action next = policy.Grow(growth[i]); next != kCovered; next = policy.Answer(true)) {
      if (next.kind != Kind::kRequest) ADD_FAILURE() << "spill at chunk " << i + 1;
      record.requests[static_cast<int>(i) + 1].push_back(next.bytes);
      record.calls += 1;
      record.granted += next.bytes;
    }
  }
  return record;
}

TEST(ReservationPolicyTest, AStepOfOneMiBAsksThirteenTimesInsteadOf256) {
  ReservationPolicy policy = Policy(kMiB);
  const Record record = Drive(policy, ConstantWorkload());
  const std::map<int, std::vector<int64_t>> expected = {
      {1, {1024 * kKiB}},   {9, {1024 * kKiB}},   {17, {1024 * kKiB}},  {33, {2080 * kKiB}},
      {34, {1024 * kKiB}},  {65, {4096 * kKiB}},  {66, {1024 * kKiB}},  {98, {1024 * kKiB}},
      {129, {8192 * kKiB}}, {130, {1024 * kKiB}}, {162, {1024 * kKiB}}, {194, {1024 * kKiB}},
      {226, {1024 * kKiB}}};
  EXPECT_EQ(record.requests, expected);
  EXPECT_EQ(record.calls, 13);
  EXPECT_EQ(record.granted, 25'198'592);
  EXPECT_EQ(policy.buffered(), 25'165'824);
  EXPECT_EQ(policy.slack(), 32 * kKiB);
  EXPECT_EQ(policy.Release(), 25'198'592);
}

TEST(ReservationPolicyTest, TheExactPolicyAsksForEveryChunksGrowth) {
  ReservationPolicy policy = Policy(0);
  const std::vector<int64_t> growth = ConstantWorkload();
  const Record record = Drive(policy, growth);
  EXPECT_EQ(record.calls, 256);
  EXPECT_EQ(record.granted, 25'165'824);
  EXPECT_EQ(policy.slack(), 0);
  std::map<int, int64_t> large;
  for (const auto& [chunk, requests] : record.requests) {
    ASSERT_EQ(requests, std::vector<int64_t>{growth[chunk - 1]}) << chunk;
    if (requests[0] != 32 * kKiB) large[chunk] = requests[0] / kKiB;
  }
  const std::map<int, int64_t> nine = {{1, 96},    {2, 96},    {3, 160},
                                       {5, 288},   {9, 544},   {17, 1056},
                                       {33, 2080}, {65, 4128}, {129, 8224}};
  EXPECT_EQ(large, nine);
}

TEST(ReservationPolicyTest, AStepOfAMillionBytesAsksSeventeenTimes) {
  ReservationPolicy policy = Policy(1'000'000);
  EXPECT_EQ(Drive(policy, ConstantWorkload()).calls, 17);
}

TEST(ReservationPolicyTest, ADeniedStepIsRetriedWithTheExactDeficit) {
  ReservationPolicy policy = Policy(kMiB);
  EXPECT_EQ(policy.Grow(100), Request(kMiB));
  EXPECT_EQ(policy.Answer(false), Request(100));
  EXPECT_EQ(policy.reserved(), 0) << "a denial moves nothing";
  EXPECT_EQ(policy.buffered(), 100);
  EXPECT_EQ(policy.Answer(true), kCovered);
  EXPECT_EQ(policy.slack(), 0);
}

TEST(ReservationPolicyTest, ADeniedRetrySpillsAndReleasesOnlyWhatWasGranted) {
  ReservationPolicy policy = Policy(1000);
  EXPECT_EQ(policy.Grow(900), Request(1000));
  EXPECT_EQ(policy.Answer(true), kCovered);
  EXPECT_EQ(policy.Grow(300), Request(1000));
  EXPECT_EQ(policy.Answer(false), Request(200));
  EXPECT_EQ(policy.Answer(false), kSpill);
  EXPECT_EQ(policy.buffered(), 1200) << "the refused chunk is buffered and spills too";
  EXPECT_EQ(policy.Release(), 1000);
  EXPECT_EQ(policy.buffered(), 0);
  EXPECT_EQ(policy.reserved(), 0);
}

TEST(ReservationPolicyTest, ADeniedRequestThatIsTheDeficitIsRepeated) {
  for (const int64_t step : {0, 1, 500}) {
    ReservationPolicy policy = Policy(step);
    EXPECT_EQ(policy.Grow(500), Request(500));
    EXPECT_EQ(policy.Answer(false), Request(500));
    EXPECT_EQ(policy.Answer(false), kSpill);
  }
}

TEST(ReservationPolicyTest, DeficitsAreNotRoundedUpToSteps) {
  ReservationPolicy policy = Policy(1000);
  EXPECT_EQ(policy.Grow(2500), Request(2500));
  EXPECT_EQ(policy.Answer(true), kCovered);
  EXPECT_EQ(policy.slack(), 0);
}

TEST(ReservationPolicyTest, TheStepIsAnEighthOfTheLimitAtMost) {
  EXPECT_EQ(Policy(kMiB).step(), kMiB);
  EXPECT_EQ(Policy(kMiB, 8 * kMiB).step(), kMiB);
  EXPECT_EQ(Policy(kMiB, 8 * kMiB - 1).step(), kMiB - 1);
  EXPECT_EQ(Policy(kMiB, 8).step(), 1);
  EXPECT_EQ(Policy(kMiB, 7).step(), 0) << "below 8 bytes the policy is exact";
  EXPECT_EQ(Policy(kMiB, 1).step(), 0);
}

TEST(ReservationPolicyTest, ALimitOfZeroIsNoLimit) {
  ReservationPolicy policy = Policy(kMiB, 0);
  EXPECT_EQ(policy.step(), kMiB);
  EXPECT_EQ(policy.Grow(10 * kMiB), Request(10 * kMiB));
  EXPECT_EQ(policy.Answer(true), kCovered);
  EXPECT_FALSE(policy.limit_reached());
}

TEST(ReservationPolicyTest, TheLimitIsComparedWithWhatIsBufferedNotReserved) {
  ReservationPolicy policy = Policy(100, 800);
  EXPECT_EQ(policy.Grow(701), Request(701));
  EXPECT_EQ(policy.Answer(true), kCovered);
  EXPECT_EQ(policy.Grow(98), Request(100));
  EXPECT_EQ(policy.Answer(true), kCovered) << "801 reserved, 799 buffered";
  EXPECT_EQ(policy.Grow(1), kSpill) << "covered by slack, no request";
  EXPECT_EQ(policy.Release(), 801);
}

TEST(ReservationPolicyTest, AChunkMayReachTheLimitAfterItsGrant) {
  ReservationPolicy policy = Policy(100, 800);
  EXPECT_EQ(policy.Grow(800), Request(800));
  EXPECT_EQ(policy.Answer(true), kSpill);
  EXPECT_EQ(policy.Release(), 800);
  EXPECT_EQ(policy.Grow(1), Request(100));
}

TEST(ReservationPolicyTest, ZeroGrowthAsksNothingButTestsTheLimit) {
  ReservationPolicy policy = Policy(100, 800);
  EXPECT_EQ(policy.Grow(0), kCovered);
  EXPECT_EQ(policy.Grow(800), Request(800));
  EXPECT_EQ(policy.Answer(true), kSpill);
  EXPECT_EQ(policy.Grow(0), kSpill) << "nobody spilled";
}

TEST(ReservationPolicyTest, ZeroGrowthAsksAgainForWhatIsStillMissing) {
  ReservationPolicy policy = Policy(0);
  policy.Grow(50);
  policy.Answer(false);
  EXPECT_EQ(policy.Answer(false), kSpill);
  EXPECT_EQ(policy.Grow(0), Request(50));
}

// MEMORY section 2: a limit of 8 chunks or less leaves a step no larger than a chunk.
TEST(ReservationPolicyTest, ALimitOfEightChunksSavesNoCall) {
  for (const int64_t step : {int64_t{0}, kMiB}) {
    ReservationPolicy policy = Policy(step, 256 * kKiB);
    int64_t calls = 0;
    for (int chunk = 0; chunk < 256; ++chunk) {
      Action next = policy.Grow(32 * kKiB);
      for (; next.kind == Kind::kRequest; next = policy.Answer(true)) ++calls;
      if (next == kSpill) policy.Release();
    }
    EXPECT_EQ(calls, 256) << step;
  }
}

TEST(ReservationPolicyTest, SumsStopAtTheLargestInteger) {
  ReservationPolicy policy = Policy(kMiB);
  EXPECT_EQ(policy.Grow(kMax - 5), Request(kMax - 5));
  EXPECT_EQ(policy.Answer(true), kCovered);
  EXPECT_EQ(policy.Grow(3), Request(5)) << "a whole step would not fit";
  EXPECT_EQ(policy.Answer(true), kCovered);
  EXPECT_EQ(policy.Grow(kMax), kCovered);
  EXPECT_EQ(policy.buffered(), kMax);
  EXPECT_EQ(policy.Release(), kMax);
}

TEST(ReservationPolicyTest, NegativeOptionsAreRefused) {
  EXPECT_EQ(ReservationPolicy::Create({.step = -1}).status().message(),
            "reservation policy: step is -1 bytes, not 0 or more");
  EXPECT_EQ(ReservationPolicy::Create({.limit = -7}).status().message(),
            "reservation policy: limit is -7 bytes, not 0 or more");
}

TEST(ReservationPolicyDeathTest, CallsOutOfOrderEndTheProcess) {
  ReservationPolicy policy = Policy(10);
  EXPECT_DEATH(policy.Answer(true), "an answer needs a request");
  EXPECT_DEATH(policy.Grow(-1), "growth must not be negative");
  policy.Grow(1);
  EXPECT_DEATH(policy.Grow(1), "the pool's answer must come before the next growth");
  policy.Release();
  EXPECT_DEATH(policy.Answer(true), "an answer needs a request");
}

}  // namespace
}  // namespace spillway::memory
