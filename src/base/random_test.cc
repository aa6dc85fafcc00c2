// SPDX-License-Identifier: Apache-2.0
#include "src/base/random.h"

#include <cstdint>
#include <set>

#include "gtest/gtest.h"

namespace spillway::base {
namespace {

// Published: the first outputs of SplitMix64 from seed 1234567 (Rosetta Code's reference values).
TEST(RandomTest, SplitMix64MatchesPublishedVectors) {
  uint64_t state = 1234567;
  const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                               4593380528125082431u, 16408922859458223821u};
  for (const uint64_t value : expected) {
    EXPECT_EQ(SplitMix64(state), value);
    state += 0x9E3779B97F4A7C15u;
  }
}

// The published state {1, 2, 3, 4} is not reachable through a seed, so version 1's own outputs are
// pinned: a change here is a change of every recorded run.
TEST(RandomTest, VersionOneIsPinned) {
  Random random(42);
  const uint64_t first = random.Next();
  const uint64_t second = random.Next();
  EXPECT_EQ(first, 1546998764402558742u);
  EXPECT_EQ(second, 6990951692964543102u);
  EXPECT_EQ(Random::Stream(42, "jni").Next(), 14666034472902070598u);
}

TEST(RandomTest, StreamsDifferByNameAndSeed) {
  std::set<uint64_t> first;
  for (const char* name : {"", "a", "b", "ab"}) {
    for (uint64_t seed = 0; seed < 16; ++seed) first.insert(Random::Stream(seed, name).Next());
  }
  EXPECT_EQ(first.size(), 64u);
}

TEST(RandomTest, BelowStaysInRangeAndReachesEveryValue) {
  Random random(7);
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.Below(10));
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(*seen.rbegin(), 9u);
  EXPECT_EQ(random.Below(1), 0u);
}

TEST(RandomTest, BetweenTakesTheWholeRange) {
  Random random(7);
  EXPECT_EQ(random.Between(5, 5), 5);
  for (int i = 0; i < 100; ++i) {
    const int64_t value = random.Between(-3, 3);
    EXPECT_GE(value, -3);
    EXPECT_LE(value, 3);
  }
  random.Between(INT64_MIN, INT64_MAX);
}

}  // namespace
}  // namespace spillway::base
