// SPDX-License-Identifier: Apache-2.0
#include "sim/model/chunk_keys.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace spillway::sim {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TaskGroup Group(const std::string& text) {
  TaskGroup group;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &group));
  return group;
}

// The first `chunks` chunks of the group's task `ordinal`.
std::vector<std::vector<uint32_t>> Chunks(const TaskGroup& group, int chunks, int64_t ordinal = 0,
                                          uint64_t seed = 1) {
  auto keys = ChunkKeys::Create(group, ordinal, base::Random(seed));
  EXPECT_TRUE(keys.ok()) << keys.status();
  std::vector<std::vector<uint32_t>> out;
  for (int i = 0; i < chunks; ++i) {
    const auto rows = keys->Next();
    EXPECT_TRUE(rows.ok());
    out.emplace_back(rows->begin(), rows->end());
    EXPECT_EQ(std::accumulate(out.back().begin(), out.back().end(), int64_t{0}),
              group.rows_per_chunk());
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

TEST(ChunkKeysTest, SequentialKeysGoOnFromTaskToTask) {
  const TaskGroup two = Group("chunks: 1 rows_per_chunk: 64 partitions: 7 keys { sequential {} }");
  const TaskGroup later = Group(
      "chunks: 1 rows_per_chunk: 64 partitions: 7 keys { sequential { first: 128 } }");
  EXPECT_EQ(Chunks(two, 1, /*ordinal=*/2), Chunks(later, 1));
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
  const TaskGroup least = Group(
      "chunks: 1 rows_per_chunk: 1 partitions: 1000 keys { constant: -2147483648 }");
  EXPECT_EQ(Chunks(group, 2)[1], Chunks(least, 1)[0]);
}

TEST(ChunkKeysTest, UniformKeysAreAFunctionOfTheStream) {
  const TaskGroup group = Group("chunks: 2 partitions: 16 keys { uniform { high: 100000 } }");
  EXPECT_EQ(Chunks(group, 2, 0, 5), Chunks(group, 2, 0, 5));
  EXPECT_NE(Chunks(group, 2, 0, 5), Chunks(group, 2, 0, 6));
  const auto chunks = Chunks(group, 1);
  for (const uint32_t rows : chunks[0]) EXPECT_NEAR(rows, 512, 150);
}

}  // namespace
}  // namespace spillway::sim
