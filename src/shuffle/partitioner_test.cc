// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/partitioner.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/vector/build.h"

namespace spillway::shuffle {
namespace {

using vector::Kind;
using vector::Type;
using vector::TypePtr;

TypePtr Schema() {
  return Type::Row({"k", "list"}, {Type::Scalar(Kind::kInteger),
                                   Type::Array(Type::Scalar(Kind::kInteger))});
}

uint32_t Pmod(uint32_t hash, int64_t divisor) {
  const int64_t remainder = static_cast<int32_t>(hash) % divisor;
  return static_cast<uint32_t>(remainder < 0 ? remainder + divisor : remainder);
}

TEST(PositiveRemainderTest, IsTheSignedRemainderMovedToZeroAndUp) {
  const auto hash = static_cast<uint32_t>(-559580957);
  EXPECT_EQ(PositiveRemainder(201)(hash), 28u);
  EXPECT_EQ(PositiveRemainder(200)(hash), 43u);
}

TEST(PositiveRemainderTest, HoldsAtTheEndsOfTheRange) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  for (const int32_t divisor : {1, 2, 3, 200, 201, 65'536, kMax - 1, kMax}) {
    for (const uint32_t hash : {0u, 1u, 0x7ffffffeu, 0x7fffffffu, 0x80000000u, 0x80000001u,
                                0xfffffffeu, 0xffffffffu}) {
      EXPECT_EQ(PositiveRemainder(divisor)(hash), Pmod(hash, divisor)) << hash << " " << divisor;
    }
  }
}

RC_GTEST_PROP(PositiveRemainderTest, EqualsTheDivision, (uint32_t hash)) {
  const auto divisor = *rc::gen::inRange<int32_t>(1, std::numeric_limits<int32_t>::max());
  RC_ASSERT(PositiveRemainder(divisor)(hash) == Pmod(hash, divisor));
}

TEST(HashPartitionerTest, AssignsEveryRowByItsKeys) {
  const TypePtr schema = Type::Row({"k"}, {Type::Scalar(Kind::kInteger)});
  const auto partitioner = *HashPartitioner::Create(schema, {0}, 201, HashOptions::Spark());
  const vector::Batch batch(
      schema, 3,
      {vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), {1, std::nullopt, 0})});
  std::vector<uint32_t> out = {9, 9, 9, 9, 9};
  ASSERT_TRUE(partitioner.Assign(batch, out).ok());
  EXPECT_THAT(out, testing::ElementsAre(28, 42, 147));
}

TEST(HashPartitionerTest, OnePartitionTakesAll) {
  const TypePtr schema = Type::Row({"k"}, {Type::Scalar(Kind::kInteger)});
  const auto partitioner = *HashPartitioner::Create(schema, {0}, 1, HashOptions::Spark());
  const vector::Batch batch(
      schema, 2,
      {vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), std::vector<int32_t>{1, -5})});
  std::vector<uint32_t> out;
  ASSERT_TRUE(partitioner.Assign(batch, out).ok());
  EXPECT_THAT(out, testing::ElementsAre(0, 0));
}

TEST(HashPartitionerTest, RefusesWhatItCannotDo) {
  const auto error = [](std::vector<int> keys, int32_t partitions) {
    return HashPartitioner::Create(Schema(), std::move(keys), partitions, HashOptions::Spark())
        .status();
  };
  EXPECT_EQ(error({0}, 0).message(), "hash partitioning: 0 partitions, not 1 or more");
  EXPECT_EQ(error({0}, -201).message(), "hash partitioning: -201 partitions, not 1 or more");
  EXPECT_EQ(error({}, 2).message(), "hash partitioning: no key column");
  EXPECT_EQ(error({2}, 2).message(), "hash partitioning: key column 2 of 2");
  EXPECT_EQ(error({-1}, 2).message(), "hash partitioning: key column -1 of 2");
  EXPECT_EQ(error({1}, 2), absl::UnimplementedError(
                               "hash partitioning: key column 1 `list`: type ARRAY<INTEGER> is "
                               "nested, only scalars can be hashed"));
}

}  // namespace
}  // namespace spillway::shuffle
