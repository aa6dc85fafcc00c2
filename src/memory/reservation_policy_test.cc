// SPDX-License-Identifier: Apache-2.0
#include "src/memory/reservation_policy.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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
  const std::map<int, int64_t> nine = {{1, 96},    {2, 96},    {3, 160},   {5, 288},   {9, 544},
                                       {17, 1056}, {33, 2080}, {65, 4128}, {129, 8224}};
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

// --- Other rules
// ----------------------------------------------------------------------------------

ReservationPolicy Policy(ReservationRule rule, int64_t step,
                         std::optional<int64_t> limit = std::nullopt) {
  return *ReservationPolicy::Create({.step = step, .limit = limit, .rule = rule});
}

// MEMORY section 2 has the numbers of all but the last.
TEST(ReservationRuleTest, CallsAndBytesOfTheConstantWorkload) {
  struct Case {
    ReservationRule rule;
    int64_t step;
    int64_t calls;
    int64_t granted;
  };
  for (const Case& c : {Case{ReservationRule::kStep, kMiB, 13, 25'198'592},
                        Case{ReservationRule::kRoundUp, kMiB, 10, 25'165'824},
                        Case{ReservationRule::kMultiple, kMiB, 10, 25'165'824},
                        Case{ReservationRule::kDeficitPlusStep, kMiB, 10, 25'296'896},
                        Case{ReservationRule::kBlocks, kGlutenBlock, 3, 25'165'824},
                        Case{ReservationRule::kVeloxQuantum, 0, 7, 25'165'824},
                        Case{ReservationRule::kAdaptive, kMiB, 13, 25'198'592}}) {
    ReservationPolicy policy = Policy(c.rule, c.step);
    const Record record = Drive(policy, ConstantWorkload());
    EXPECT_EQ(record.calls, c.calls) << RuleName(c.rule);
    EXPECT_EQ(record.granted, c.granted) << RuleName(c.rule);
  }
}

TEST(ReservationRuleTest, WithoutAStepAllButVeloxsAreExact) {
  for (const char* name : {"step", "round_up", "multiple", "deficit_plus_step", "blocks"}) {
    ReservationPolicy policy = Policy(*ParseRule(name), 0);
    EXPECT_EQ(policy.Grow(12'345), Request(12'345)) << name;
  }
  EXPECT_EQ(Policy(ReservationRule::kVeloxQuantum, 0).Grow(1), Request(kMiB));
}

TEST(ReservationRuleTest, VeloxRoundsMoreCoarselyAsItGrows) {
  const auto request = [](int64_t growth) {
    return Policy(ReservationRule::kVeloxQuantum, 0).Grow(growth).bytes;
  };
  EXPECT_EQ(request(16 * kMiB - 1), 16 * kMiB);
  EXPECT_EQ(request(16 * kMiB + 1), 20 * kMiB);
  EXPECT_EQ(request(64 * kMiB - 1), 64 * kMiB);
  EXPECT_EQ(request(64 * kMiB + 1), 72 * kMiB);
}

TEST(ReservationRuleTest, RulesThatKeepAGridDoNotRetry) {
  for (const char* name : {"multiple", "blocks", "velox_quantum"}) {
    ReservationPolicy policy = Policy(*ParseRule(name), kMiB);
    EXPECT_EQ(policy.Grow(100), Request(kMiB)) << name;
    EXPECT_EQ(policy.Answer(false), kSpill) << name;
  }
  for (const char* name : {"step", "round_up", "deficit_plus_step", "adaptive"}) {
    ReservationPolicy policy = Policy(*ParseRule(name), kMiB);
    EXPECT_EQ(policy.Grow(100).kind, Kind::kRequest) << name;
    EXPECT_EQ(policy.Answer(false), Request(100)) << name;
  }
}

// After an exact retry R is no multiple: one of the two rules comes back to one, the other does
// not.
TEST(ReservationRuleTest, RoundingUpTheDeficitIsNotRoundingUpTheReservation) {
  ReservationPolicy policy = Policy(ReservationRule::kRoundUp, 1000);
  EXPECT_EQ(policy.Grow(300), Request(1000));
  EXPECT_EQ(policy.Answer(false), Request(300));
  EXPECT_EQ(policy.Answer(true), kCovered);
  EXPECT_EQ(policy.Grow(1), Request(1000));
  EXPECT_EQ(policy.Answer(true), kCovered);
  EXPECT_EQ(policy.reserved(), 1300);
}

TEST(ReservationRuleTest, BlocksFallWithWhatIsBufferedAndOthersStay) {
  ReservationPolicy blocks = Policy(ReservationRule::kBlocks, 1000);
  EXPECT_EQ(blocks.Grow(2500), Request(3000));
  EXPECT_EQ(blocks.Answer(true), kCovered);
  EXPECT_EQ(blocks.Shrink(499), 0);
  EXPECT_EQ(blocks.Shrink(1), 1000);
  EXPECT_EQ(blocks.reserved(), 2000);
  EXPECT_EQ(blocks.Shrink(2000), 2000);
  ReservationPolicy velox = Policy(ReservationRule::kVeloxQuantum, 0);
  EXPECT_EQ(velox.Grow(17 * kMiB), Request(20 * kMiB));
  EXPECT_EQ(velox.Answer(true), kCovered);
  EXPECT_EQ(velox.Shrink(2 * kMiB), 5 * kMiB) << "15 MiB is a multiple of 1 MiB";
  ReservationPolicy step = Policy(ReservationRule::kStep, 1000);
  EXPECT_EQ(step.Grow(2500), Request(2500));
  EXPECT_EQ(step.Answer(true), kCovered);
  EXPECT_EQ(step.Shrink(2500), 0);
  EXPECT_EQ(step.Release(), 2500);
}

TEST(ReservationRuleTest, AdaptiveTriesADeniedStepAgainAfterOneTwoFourRequests) {
  ReservationPolicy policy = Policy(ReservationRule::kAdaptive, 1000);
  std::string steps;
  for (int chunk = 0; chunk < 20; ++chunk) {
    Action next = policy.Grow(10);
    steps += next.bytes == 1000 ? 'S' : '.';
    if (next.bytes == 1000) next = policy.Answer(false);
    EXPECT_EQ(next, Request(10));
    EXPECT_EQ(policy.Answer(true), kCovered);
  }
  EXPECT_EQ(steps, "S.S..S....S........S");
}

TEST(ReservationRuleTest, AGrantedStepEndsTheBackOff) {
  ReservationPolicy policy = Policy(ReservationRule::kAdaptive, 1000);
  const auto grow = [&](int64_t growth, bool step) {
    Action next = policy.Grow(growth);
    const int64_t asked = next.bytes;
    if (!step && asked == 1000) next = policy.Answer(false);
    EXPECT_EQ(policy.Answer(true), kCovered);
    return asked;
  };
  EXPECT_EQ(grow(10, false), 1000);
  EXPECT_EQ(grow(10, false), 10);
  EXPECT_EQ(grow(10, false), 1000);
  EXPECT_EQ(grow(10, false), 10);
  EXPECT_EQ(grow(10, false), 10);
  EXPECT_EQ(grow(10, true), 1000);
  EXPECT_EQ(grow(1000, false), 1000) << "denied again, for the first time";
  EXPECT_EQ(grow(10, false), 10);
  EXPECT_EQ(grow(10, false), 1000);
}

TEST(ReservationRuleTest, AdaptiveDoesNotRepeatAnExactRequest) {
  ReservationPolicy policy = Policy(ReservationRule::kAdaptive, 1000);
  EXPECT_EQ(policy.Grow(1000), Request(1000));
  EXPECT_EQ(policy.Answer(false), kSpill);
}

TEST(ReservationRuleTest, AdaptiveReservesNothingPastTheLimit) {
  ReservationPolicy policy = Policy(ReservationRule::kAdaptive, 1000, 8000);
  EXPECT_EQ(policy.Grow(7500), Request(7500));
  EXPECT_EQ(policy.Answer(true), kCovered);
  EXPECT_EQ(policy.Grow(100), Request(500)) << "a step would pass the limit by 500";
  EXPECT_EQ(policy.Answer(true), kCovered);
  EXPECT_EQ(policy.Grow(400), kSpill);
  EXPECT_EQ(policy.Release(), 8000);
  EXPECT_EQ(policy.Grow(9000), kSpill) << "it spills whatever the answer would be";
  EXPECT_EQ(policy.Release(), 0);
}

TEST(ReservationRuleTest, OnlyAdaptiveYieldsItsSlack) {
  for (const char* name : {"step", "round_up", "multiple", "deficit_plus_step", "blocks",
                           "velox_quantum", "adaptive"}) {
    ReservationPolicy policy = Policy(*ParseRule(name), 1000);
    policy.Grow(100);
    policy.Answer(true);
    const int64_t slack = policy.slack();
    ASSERT_GT(slack, 0) << name;
    const bool adaptive = policy.rule() == ReservationRule::kAdaptive;
    EXPECT_EQ(policy.Yield(), adaptive ? slack : 0) << name;
    EXPECT_EQ(policy.slack(), adaptive ? 0 : slack) << name;
  }
  ReservationPolicy policy = Policy(ReservationRule::kAdaptive, 1000);
  policy.Grow(100);
  policy.Answer(true);
  EXPECT_EQ(policy.Yield(), 900);
  EXPECT_EQ(policy.Yield(), 0);
  EXPECT_EQ(policy.Grow(10), Request(10)) << "no step is taken from those who wait";
}

TEST(ReservationRuleTest, SumsStopAtTheLargestNumberOfBytes) {
  for (const char* name : {"step", "round_up", "multiple", "deficit_plus_step", "blocks",
                           "velox_quantum", "adaptive"}) {
    ReservationPolicy policy = Policy(*ParseRule(name), kMiB);
    EXPECT_EQ(
        policy.Grow(kMax - 1),
        Request(name == std::string_view("step") || name == std::string_view("adaptive") ? kMax - 1
                                                                                         : kMax))
        << name;
    policy.Answer(true);
    policy.Grow(kMax);
    policy.Release();
  }
}

TEST(ReservationRuleTest, NamesAreReadAndMistypedOnesGetTheNearest) {
  for (const char* name : {"step", "round_up", "multiple", "deficit_plus_step", "blocks",
                           "velox_quantum", "adaptive"}) {
    ASSERT_TRUE(ParseRule(name).ok()) << name;
    EXPECT_EQ(RuleName(*ParseRule(name)), name);
  }
  EXPECT_EQ(ParseRule("adaptiv").status().message(),
            "`adaptiv` is no reservation rule; did you mean `adaptive`?");
  EXPECT_EQ(ParseRule("greedy").status().message(), "`greedy` is no reservation rule");
}

}  // namespace
}  // namespace spillway::memory
