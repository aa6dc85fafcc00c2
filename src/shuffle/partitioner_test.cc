// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/shuffle/partitioning.h"
#include "src/vector/build.h"
#include "src/vector/empty.h"

namespace spillway::shuffle {
namespace {

using vector::Kind;
using vector::Type;
using vector::TypePtr;

TypePtr Schema() {
  return Type::Row({"k", "list"},
                   {Type::Scalar(Kind::kInteger), Type::Array(Type::Scalar(Kind::kInteger))});
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
    for (const uint32_t hash :
         {0u, 1u, 0x7ffffffeu, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xfffffffeu, 0xffffffffu}) {
      EXPECT_EQ(PositiveRemainder(divisor)(hash), Pmod(hash, divisor)) << hash << " " << divisor;
    }
  }
}

RC_GTEST_PROP(PositiveRemainderTest, EqualsTheDivisionOneByOneAndAllAtOnce,
              (std::vector<uint32_t> hashes)) {
  const auto divisor = *rc::gen::inRange<int32_t>(1, std::numeric_limits<int32_t>::max());
  for (const uint32_t edge : {0u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) hashes.push_back(edge);
  const PositiveRemainder remainder(divisor);
  std::vector<uint32_t> remainders = hashes;
  remainder.Apply(remainders);
  for (size_t i = 0; i < hashes.size(); ++i) {
    RC_ASSERT(remainder(hashes[i]) == Pmod(hashes[i], divisor));
    RC_ASSERT(remainders[i] == Pmod(hashes[i], divisor));
  }
}

TEST(HashPartitionerTest, AssignsEveryRowByItsKeys) {
  const TypePtr schema = Type::Row({"k"}, {Type::Scalar(Kind::kInteger)});
  const auto partitioner = *HashPartitioner::Create(schema, {0}, 201, HashOptions::Spark());
  const vector::Batch batch(
      schema, 3, {vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), {1, std::nullopt, 0})});
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
  const TypePtr map = Type::Row({"m"}, {*Type::Parse("MAP<DATE,DATE>")});
  EXPECT_EQ(HashPartitioner::Create(map, {0}, 2, HashOptions::Spark()).status(),
            absl::UnimplementedError(
                "hash partitioning: key column 0 `m`: type MAP<DATE,DATE> has no hash, as in "
                "Spark"));
}

std::vector<uint32_t> Assign(Partitioning partitioning, const vector::Batch& batch) {
  std::vector<uint32_t> out = {9};
  EXPECT_EQ(partitioning.Assign(batch, out), absl::OkStatus());
  return out;
}

vector::Batch Integers(const std::vector<std::optional<int32_t>>& a,
                       const std::vector<std::optional<int32_t>>& b) {
  const TypePtr& type = Type::Scalar(Kind::kInteger);
  return vector::BatchOf({vector::Flat<int32_t>(type, a), vector::Flat<int32_t>(type, b)});
}

TEST(RoundRobinTest, CometsHashesTheFirstColumnsOrAll) {
  const vector::Batch batch = Integers({1, 1, 0}, {2, 3, 2});
  const auto round_robin = [&](int columns) {
    return Assign(*HashPartitioner::RoundRobin(batch.schema(), columns, 201, HashOptions::Comet()),
                  batch);
  };
  const auto of_keys = [&](std::vector<int> keys) {
    return Assign(
        *HashPartitioner::Create(batch.schema(), std::move(keys), 201, HashOptions::Comet()),
        batch);
  };
  EXPECT_EQ(round_robin(1), of_keys({0}));
  EXPECT_EQ(round_robin(0), of_keys({0, 1}));
  EXPECT_EQ(round_robin(7), of_keys({0, 1}));
  EXPECT_EQ(HashPartitioner::RoundRobin(batch.schema(), -1, 2, {}).status().message(),
            "round robin: a hash of -1 columns");
}

TEST(RoundRobinTest, SparksDealsRowsOneByOneOverBatches) {
  const vector::Batch batch = Integers({1, 1, 1}, {1, 1, 1});
  auto dealer = *DealingPartitioner::Create(batch.schema(), 5, /*position=*/2);
  std::vector<uint32_t> out;
  ASSERT_TRUE(dealer.Assign(batch, out).ok());
  EXPECT_THAT(out, testing::ElementsAre(3, 4, 0));
  ASSERT_TRUE(dealer.Assign(batch, out).ok());
  EXPECT_THAT(out, testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(DealingPartitioner::Create(batch.schema(), 0, 0).status().message(),
            "round robin: 0 partitions, not 1 or more");
  EXPECT_EQ(DealingPartitioner::Create(batch.schema(), 1, -1).status().message(),
            "round robin: position -1 is negative");
}

TEST(SinglePartitionerTest, HasOnePartitionOfAllRows) {
  const vector::Batch batch = Integers({1, 2}, {1, 2});
  Partitioning single = SinglePartitioner(batch.schema());
  EXPECT_EQ(single.partitions(), 1);
  EXPECT_THAT(Assign(single, batch), testing::ElementsAre(0, 0));
}

TEST(RangePartitionerTest, ABoundaryIsTheLastOfSparksPartitionAndTheFirstOfComets) {
  const vector::Batch batch = Integers({9, 10, 11, 20, 21, std::nullopt}, {0, 0, 0, 0, 0, 0});
  const vector::Batch boundaries =
      vector::BatchOf({vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), {10, 20})});
  const auto assign = [&](BoundarySide side) {
    Partitioning ranges =
        *RangePartitioner::Create(batch.schema(), {{.column = 0}}, boundaries, side);
    EXPECT_EQ(ranges.partitions(), 3);
    return Assign(std::move(ranges), batch);
  };
  EXPECT_THAT(assign(BoundarySide::kBelow), testing::ElementsAre(0, 0, 1, 1, 2, 0));
  EXPECT_THAT(assign(BoundarySide::kAbove), testing::ElementsAre(0, 1, 1, 2, 2, 0));
}

TEST(RangePartitionerTest, KeysHaveDirectionsAndPlacesForNulls) {
  // Descending with nulls first, then ascending with nulls last.
  const std::vector<SortKey> keys = {{.column = 1, .ascending = false, .nulls_first = true},
                                     {.column = 0, .ascending = true, .nulls_first = false}};
  const vector::Batch batch =
      Integers({5, 5, 6, 7, std::nullopt, 5}, {std::nullopt, 3, 2, 2, 2, 1});
  // The column of the first key comes first.
  const vector::Batch boundaries = Integers({3, 2, 2}, {5, 6, std::nullopt});
  const auto ranges = *RangePartitioner::Create(batch.schema(), keys, boundaries);
  EXPECT_THAT(Assign(ranges, batch), testing::ElementsAre(0, 0, 1, 2, 2, 3));
}

TEST(RangePartitionerTest, ValuesCompareAsInSpark) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto assign = [](const vector::ColumnPtr& rows, const vector::ColumnPtr& boundaries) {
    const vector::Batch batch = vector::BatchOf({rows});
    return Assign(*RangePartitioner::Create(batch.schema(), {{}}, vector::BatchOf({boundaries})),
                  batch);
  };
  const TypePtr& real = Type::Scalar(Kind::kDouble);
  EXPECT_THAT(assign(vector::Flat<double>(real, std::vector<double>{-1, -0.0, 0, infinity, -nan}),
                     vector::Flat<double>(real, std::vector<double>{-0.0, infinity})),
              testing::ElementsAre(0, 0, 0, 1, 2));
  const TypePtr& text = Type::Scalar(Kind::kVarchar);
  EXPECT_THAT(assign(vector::Strings(text, {"", "a", "a\xff", "b"}), vector::Strings(text, {"a"})),
              testing::ElementsAre(0, 0, 1, 1));
  const TypePtr& boolean = Type::Scalar(Kind::kBoolean);
  EXPECT_THAT(assign(vector::Flat<uint8_t>(boolean, std::vector<uint8_t>{0, 1, 255}),
                     vector::Flat<uint8_t>(boolean, std::vector<uint8_t>{0, 7})),
              testing::ElementsAre(0, 1, 1));
  const TypePtr& time = Type::Scalar(Kind::kTimestamp);
  EXPECT_THAT(assign(vector::Flat<vector::Timestamp>(
                         time, std::vector<vector::Timestamp>{{-1, 9}, {0, 1}, {0, 2}}),
                     vector::Flat<vector::Timestamp>(time, std::vector<vector::Timestamp>{{0, 1}})),
              testing::ElementsAre(0, 0, 1));
}

RC_GTEST_PROP(RangePartitionerTest, EqualsCountingTheSmallerBoundaries, ()) {
  const auto number = rc::gen::inRange<int64_t>(-20, 20);
  const auto rows = *rc::gen::container<std::vector<int64_t>>(number);
  const auto sorted = *rc::gen::container<std::set<int64_t>>(number);
  const TypePtr& type = Type::Scalar(Kind::kBigint);
  const vector::Batch batch = vector::BatchOf({vector::Flat<int64_t>(type, rows)});
  const vector::Batch boundaries = vector::BatchOf(
      {vector::Flat<int64_t>(type, std::vector<int64_t>(sorted.begin(), sorted.end()))});
  const std::vector<uint32_t> out =
      Assign(*RangePartitioner::Create(batch.schema(), {{}}, boundaries), batch);
  for (size_t row = 0; row < rows.size(); ++row) {
    const auto smaller = std::distance(sorted.begin(), sorted.lower_bound(rows[row]));
    RC_ASSERT(out[row] == static_cast<uint32_t>(smaller));
  }
}

TEST(RangePartitionerTest, RefusesWhatItCannotDo) {
  const auto error = [](std::vector<SortKey> keys, const vector::Batch& boundaries) {
    return std::string(
        RangePartitioner::Create(Schema(), std::move(keys), boundaries).status().message());
  };
  const auto integers = [](const std::vector<std::optional<int32_t>>& values) {
    return vector::BatchOf({vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), values)});
  };
  EXPECT_EQ(error({}, integers({})), "range partitioning: no key column");
  EXPECT_EQ(error({{}, {}}, integers({})),
            "range partitioning: boundaries of 1 columns for 2 keys");
  EXPECT_EQ(error({{.column = 2}}, integers({})), "range partitioning: key column 2 of 2");
  EXPECT_EQ(error({{}}, integers({1, 2, 2})),
            "range partitioning: boundary 2 is not greater than the one before");
  EXPECT_EQ(error({{}}, integers({1, std::nullopt})),
            "range partitioning: boundary 1 is not greater than the one before");
  EXPECT_EQ(error({{.column = 1}}, integers({})),
            "range partitioning: key column 1 `list`: boundaries are INTEGER, rows "
            "ARRAY<INTEGER>");
  EXPECT_EQ(
      error({{.column = 1}},
            vector::BatchOf({vector::EmptyColumn(Type::Array(Type::Scalar(Kind::kInteger)))})),
      "range partitioning: key column 1 `list`: type ARRAY<INTEGER> cannot be ordered here");
}

}  // namespace
}  // namespace spillway::shuffle
