// SPDX-License-Identifier: Apache-2.0
#include "sim/model/chunk_keys.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "sim/model/zipf.h"

namespace spillway::sim {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TaskGroup Group(const std::string& text) {
  TaskGroup group;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &group));
  return group;
}

// The first `chunks` chunks of a writer after `first_chunk` of others, a number a partition.
std::vector<std::vector<uint32_t>> Chunks(const TaskGroup& group, int chunks,
                                          int64_t first_chunk = 0, uint64_t seed = 1) {
  auto keys = GroupKeys::Create(group);
  EXPECT_TRUE(keys.ok()) << keys.status();
  ChunkKeys writer(*keys, first_chunk, base::Random(seed));
  std::vector<std::vector<uint32_t>> out;
  for (int i = 0; i < chunks; ++i) {
    const auto touched = writer.Next();
    EXPECT_TRUE(touched.ok());
    std::vector<uint32_t>& rows = out.emplace_back(group.partitions());
    for (const shuffle::PartitionRows& some : *touched) {
      EXPECT_GT(some.rows, 0u);
      EXPECT_EQ(rows[some.partition], 0u) << "given twice";
      rows[some.partition] = some.rows;
    }
    EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), int64_t{0}),
              group.keys().has_none() ? 0 : group.rows_per_chunk());
  }
  return out;
}

// Published with the benchmark's arithmetic: the hash of INTEGER 1 falls to 28 of 201.
TEST(ChunkKeysTest, AConstantKeyPutsEveryRowIntoOnePartition) {
  const TaskGroup group = Group("chunks: 2 partitions: 201 keys { constant: 1 }");
  for (const std::vector<uint32_t>& rows : Chunks(group, 2)) {
    EXPECT_EQ(rows.size(), 201u);
    EXPECT_EQ(rows[28], 8192u);
  }
}

TEST(ChunkKeysTest, DealtRowsGoOnFromChunkToChunk) {
  const TaskGroup group = Group("chunks: 3 rows_per_chunk: 5 partitions: 3 keys { dealt {} }");
  EXPECT_THAT(Chunks(group, 3),
              ElementsAre(ElementsAre(2, 2, 1), ElementsAre(2, 1, 2), ElementsAre(1, 2, 2)));
}

TEST(ChunkKeysTest, FewerRowsThanPartitionsAreDealtToSome) {
  const TaskGroup group = Group("chunks: 2 rows_per_chunk: 2 partitions: 3 keys { dealt {} }");
  EXPECT_THAT(Chunks(group, 2), ElementsAre(ElementsAre(1, 1, 0), ElementsAre(1, 0, 1)));
}

TEST(ChunkKeysTest, NoKeysAreNoRows) {
  EXPECT_THAT(Chunks(Group("chunks: 1 partitions: 2 keys { none {} }"), 1),
              ElementsAre(ElementsAre(0, 0)));
}

TEST(ChunkKeysTest, SequentialKeysGoOnFromWriterToWriter) {
  const TaskGroup two = Group("chunks: 1 rows_per_chunk: 64 partitions: 7 keys { sequential {} }");
  const TaskGroup later =
      Group("chunks: 1 rows_per_chunk: 64 partitions: 7 keys { sequential { first: 128 } }");
  EXPECT_EQ(Chunks(two, 1, /*first_chunk=*/2), Chunks(later, 1));
  EXPECT_NE(Chunks(two, 1, 0), Chunks(two, 1, 1));
}

TEST(ChunkKeysTest, ModulusRepeatsTheKeys) {
  const TaskGroup group = Group(
      "chunks: 4 rows_per_chunk: 30 partitions: 7 keys { sequential { first: -1 modulus: 10 } }");
  const auto chunks = Chunks(group, 4);
  EXPECT_THAT(chunks, Each(chunks[0]));
  for (const uint32_t rows : chunks[0]) EXPECT_EQ(rows % 3, 0u);
}

TEST(ChunkKeysTest, SequentialKeysWrapAtTheEndOfTheInteger) {
  const TaskGroup group = Group(
      "chunks: 2 rows_per_chunk: 1 partitions: 1000 keys { sequential { first: 2147483647 } }");
  const TaskGroup least =
      Group("chunks: 1 rows_per_chunk: 1 partitions: 1000 keys { constant: -2147483648 }");
  EXPECT_EQ(Chunks(group, 2)[1], Chunks(least, 1)[0]);
}

TEST(ChunkKeysTest, UniformKeysAreAFunctionOfTheStream) {
  const TaskGroup group = Group("chunks: 2 partitions: 16 keys { uniform { high: 100000 } }");
  EXPECT_EQ(Chunks(group, 2, 0, 5), Chunks(group, 2, 0, 5));
  EXPECT_NE(Chunks(group, 2, 0, 5), Chunks(group, 2, 0, 6));
  const auto chunks = Chunks(group, 1);
  for (const uint32_t rows : chunks[0]) EXPECT_NEAR(rows, 512, 150);
}

// More rows than are hashed at once.
TEST(ChunkKeysTest, LongChunksAreTheShortOnesTogether) {
  const TaskGroup whole =
      Group("chunks: 1 rows_per_chunk: 200000 partitions: 5 keys { sequential {} }");
  const TaskGroup parts =
      Group("chunks: 100 rows_per_chunk: 2000 partitions: 5 keys { sequential {} }");
  std::vector<uint32_t> sum(5);
  for (const auto& rows : Chunks(parts, 100)) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += rows[i];
  }
  EXPECT_EQ(Chunks(whole, 1)[0], sum);
}

// Partitions of 1000 tell these keys apart.
TEST(ChunkKeysTest, ATraceComesAgainAndEachWriterStartsWithItsFirstKey) {
  const TaskGroup trace =
      Group("chunks: 9 rows_per_chunk: 2 partitions: 1000 keys { trace { keys: [3, 4, 5] } }");
  const TaskGroup turning =
      Group("chunks: 9 rows_per_chunk: 2 partitions: 1000 keys { sequential { first: 3 } }");
  const auto constant = [](int key) {
    return Chunks(Group("chunks: 1 rows_per_chunk: 1 partitions: 1000 keys { constant: " +
                        std::to_string(key) + " }"),
                  1)[0];
  };
  const auto chunks = Chunks(trace, 9);
  EXPECT_EQ(chunks[0], Chunks(turning, 1)[0]);
  const std::vector<uint32_t> three = constant(3), five = constant(5);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(chunks[1][i], five[i] + three[i]);
  for (int i = 3; i < 9; ++i) EXPECT_EQ(chunks[i], chunks[i - 3]);
  EXPECT_EQ(Chunks(trace, 9, /*first_chunk=*/1), chunks);
}

// So long that not all of its chunks are remembered: the second time is as the first.
TEST(ChunkKeysTest, ATraceThatIsTooLongToRememberComesAgainAsWell) {
  TaskGroup group = Group("chunks: 1 rows_per_chunk: 1 partitions: 7 keys { trace {} }");
  for (int i = 0; i < 70'001; ++i) group.mutable_keys()->mutable_trace()->add_keys(i % 9973 * 31);
  auto keys = GroupKeys::Create(group);
  ASSERT_TRUE(keys.ok()) << keys.status();
  ChunkKeys writer(*keys, 0, base::Random(1));
  std::vector<int32_t> partitions;
  for (int i = 0; i < 2 * 70'001; ++i) partitions.push_back(writer.Next()->front().partition);
  EXPECT_TRUE(
      std::equal(partitions.begin(), partitions.begin() + 70'001, partitions.begin() + 70'001));
}

TEST(ChunkKeysTest, ZipfKeysAreAFunctionOfTheStreamAndFallWhereTheirHashesDo) {
  const TaskGroup group = Group("chunks: 2 partitions: 1000 keys { zipf { values: 3 } }");
  EXPECT_EQ(Chunks(group, 2, 0, 5), Chunks(group, 2, 0, 5));
  EXPECT_NE(Chunks(group, 2, 0, 5), Chunks(group, 2, 0, 6));
  const auto rows = Chunks(group, 1)[0];
  for (const int key : {1, 2, 3}) {
    const auto where = Chunks(Group("chunks: 1 rows_per_chunk: 1 partitions: 1000 keys { "
                                    "constant: " +
                                    std::to_string(key) + " }"),
                              1)[0];
    const auto partition = std::find(where.begin(), where.end(), 1u) - where.begin();
    // 6 of 11, 3 of 11 and 2 of 11.
    EXPECT_NEAR(rows[partition], 8192 * 6 / key / 11, 200) << key;
  }
}

// The sum over values of (drawn - expected)^2 / expected has the mean n - 1 and the variance
// 2 (n - 1); this seed is no worse than 4 standard deviations for any exponent.
TEST(ZipfTest, DrawsHaveTheExactProbabilities) {
  constexpr int kValues = 100;
  constexpr int kDraws = 200'000;
  for (const int permille : {0, 1, 500, 1000, 1500, 2000}) {
    std::vector<double> weight(kValues);
    for (int k = 1; k <= kValues; ++k) weight[k - 1] = std::pow(k, -permille / 1000.0);
    const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
    std::vector<int> drawn(kValues);
    const Zipf zipf(kValues, permille);
    base::Random random(5387);
    for (int i = 0; i < kDraws; ++i) ++drawn.at(zipf.Sample(random) - 1);
    double chi_square = 0;
    for (int k = 0; k < kValues; ++k) {
      const double expected = kDraws * weight[k] / sum;
      chi_square += (drawn[k] - expected) * (drawn[k] - expected) / expected;
    }
    EXPECT_LT(chi_square, 99 + 4 * std::sqrt(2 * 99.0)) << permille;
    EXPECT_GT(chi_square, 99 - 4 * std::sqrt(2 * 99.0)) << permille << ": too good to be random";
  }
}

// Pinned, so that another compiler that draws otherwise is found.
TEST(ZipfTest, ASeedGivesTheSameNumbersEverywhere) {
  const Zipf zipf(1'000'000, 750);
  base::Random random(1);
  std::vector<int32_t> drawn;
  for (int i = 0; i < 6; ++i) drawn.push_back(zipf.Sample(random));
  EXPECT_THAT(drawn, ElementsAre(255557, 81000, 117674, 27680, 247619, 775));
}

TEST(ZipfTest, WhatIsTooRareIsNeverDrawn) {
  const Zipf steep(1'000'000, 10'000);
  base::Random random(1);
  for (int i = 0; i < 100'000; ++i) EXPECT_LE(steep.Sample(random), 19) << "20^-10 < 2^-43";
  const Zipf one(1, 1000);
  EXPECT_EQ(one.Sample(random), 1);
}

}  // namespace
}  // namespace spillway::sim
