// SPDX-License-Identifier: Apache-2.0
// The published vectors, one by one, are in golden/murmur3.
#include "src/shuffle/murmur3.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/random.h"
#include "src/vector/build.h"

namespace spillway::shuffle {
namespace {

using testing::Each;
using testing::ElementsAre;
using vector::ColumnPtr;
using vector::Flat;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

std::vector<uint32_t> Hash(const vector::Column& column,
                           const HashOptions& options = HashOptions::Spark()) {
  std::vector<uint32_t> hashes(column.rows(), kMurmur3Seed);
  EXPECT_TRUE(HashColumn(column, options, hashes).ok());
  return hashes;
}

template <typename T>
ColumnPtr Of(Kind kind, std::vector<T> values) {
  return Flat<T>(Type::Scalar(kind), values);
}

ColumnPtr Dictionary(std::vector<int32_t> ids, ColumnPtr alphabet, int64_t null_row) {
  const auto rows = static_cast<int64_t>(ids.size());
  return std::make_shared<vector::DictionaryColumn>(
      rows, vector::BuildValidity(rows, [&](int64_t row) { return row == null_row; }),
      Of<int32_t>(Kind::kInteger, ids)->As<vector::FlatColumn>().values(), std::move(alphabet));
}

TEST(Murmur3Test, NarrowIntegersHashAsInt) {
  const uint32_t one = static_cast<uint32_t>(-559580957);
  const uint32_t minus_one = static_cast<uint32_t>(-1604776387);
  EXPECT_EQ(HashInt(1, kMurmur3Seed), one);
  EXPECT_THAT(Hash(*Of<int8_t>(Kind::kTinyint, {1, -1})), ElementsAre(one, minus_one));
  EXPECT_THAT(Hash(*Of<int16_t>(Kind::kSmallint, {1, -1})), ElementsAre(one, minus_one));
  EXPECT_THAT(Hash(*Of<int32_t>(Kind::kInteger, {1, -1})), ElementsAre(one, minus_one));
  EXPECT_THAT(Hash(*Of<int32_t>(Kind::kDate, {1, -1})), ElementsAre(one, minus_one));
  EXPECT_THAT(Hash(*Of<int32_t>(Kind::kIntervalYearMonth, {1, -1})), ElementsAre(one, minus_one));
  EXPECT_THAT(Hash(*Of<uint8_t>(Kind::kBoolean, {1, 255})), ElementsAre(one, one))
      << "anything but 0 is true";
}

TEST(Murmur3Test, WideIntegersHashAsLong) {
  const uint32_t one = static_cast<uint32_t>(-1712319331);
  EXPECT_EQ(HashLong(1, kMurmur3Seed), one);
  EXPECT_THAT(Hash(*Of<int64_t>(Kind::kBigint, {1})), ElementsAre(one));
  EXPECT_THAT(Hash(*Of<int64_t>(Kind::kIntervalDayTime, {1})), ElementsAre(one));
  EXPECT_THAT(Hash(*Flat<int64_t>(*Type::Decimal(18, 4), std::vector<int64_t>{1})),
              ElementsAre(one));
}

// BUGS 10.89: what compares equal must hash alike.
TEST(Murmur3Test, ZerosAreAlike) {
  EXPECT_THAT(Hash(*Of<float>(Kind::kReal, {-0.0f, 0.0f})), Each(933211791u));
  const auto doubles = Hash(*Of<double>(Kind::kDouble, {-0.0, 0.0}));
  EXPECT_EQ(doubles[0], doubles[1]);
  EXPECT_EQ(doubles[0], HashLong(0, kMurmur3Seed));
}

TEST(Murmur3Test, NansAreAlikeForSparkAndBitsForComet) {
  const auto payload = std::bit_cast<double>(0x7ff8000000012345);
  const auto negative = std::bit_cast<double>(0xfff8000000000000);
  const auto quiet = std::bit_cast<double>(0x7ff8000000000000);
  const ColumnPtr doubles = Of<double>(Kind::kDouble, {quiet, negative, payload});
  EXPECT_THAT(Hash(*doubles), Each(static_cast<uint32_t>(-1281358385)));
  EXPECT_THAT(Hash(*doubles, HashOptions::Comet()),
              ElementsAre(static_cast<uint32_t>(-1281358385), 2805052586u,
                          HashLong(0x7ff8000000012345, kMurmur3Seed)));
  const ColumnPtr floats =
      Of<float>(Kind::kReal, {std::bit_cast<float>(0x7fc00000), std::bit_cast<float>(0xffc00001)});
  EXPECT_THAT(Hash(*floats), Each(static_cast<uint32_t>(-349261430)));
  EXPECT_EQ(Hash(*floats, HashOptions::Comet())[1], HashInt(0xffc00001, kMurmur3Seed));
}

TEST(Murmur3Test, BytesAfterTheLastWordAreSignedWordsOfTheirOwn) {
  EXPECT_EQ(HashBytes("", kMurmur3Seed), 142593372u);
  EXPECT_EQ(HashBytes("\xff", kMurmur3Seed), 1398487324u);
  EXPECT_EQ(HashBytes(std::string("\x80\x00\xff\x7f\xfe", 5), kMurmur3Seed), 3026312637u);
  const ColumnPtr strings =
      vector::Strings(Type::Scalar(Kind::kVarchar), {"abcde", std::nullopt, "", "abcd"});
  const auto expected = ElementsAre(814637928u, 42u, 142593372u, 3898664396u);
  EXPECT_THAT(Hash(*strings), expected);
  EXPECT_EQ(Hash(*strings->Slice(2, 2))[1], 3898664396u) << "a slice starts at its own offset";
}

TEST(Murmur3Test, LongDecimalsHaveTwoNamedForms) {
  __extension__ using Int128 = __int128;
  const TypePtr type = *Type::Decimal(38, 0);
  const auto hash = [&](Int128 value, const HashOptions& options) {
    return Hash(*Flat<Int128>(type, std::vector<Int128>{value}), options)[0];
  };
  // The bytes of java.math.BigInteger.toByteArray.
  const auto spark = [&](std::string bytes) { return HashBytes(bytes, kMurmur3Seed); };
  EXPECT_EQ(hash(0, HashOptions::Spark()), spark(std::string(1, '\0')));
  EXPECT_EQ(hash(127, HashOptions::Spark()), spark("\x7f"));
  EXPECT_EQ(hash(128, HashOptions::Spark()), spark(std::string("\0\x80", 2)));
  EXPECT_EQ(hash(-128, HashOptions::Spark()), spark("\x80"));
  EXPECT_EQ(hash(-129, HashOptions::Spark()), spark("\xff\x7f"));
  const Int128 lowest = Int128{kMin} << 64;
  EXPECT_EQ(hash(lowest, HashOptions::Spark()), spark("\x80" + std::string(15, '\0')));
  EXPECT_EQ(hash(lowest, HashOptions::Comet()), spark(std::string(15, '\0') + "\x80"));
  EXPECT_EQ(hash(-1, HashOptions::Spark()), spark("\xff"));
  EXPECT_EQ(hash(-1, HashOptions::Comet()), spark(std::string(16, '\xff')));
}

TEST(Murmur3Test, TimestampsHashTheirMicrosecondsRoundedDown) {
  const auto timestamps = [](std::vector<vector::Timestamp> values) {
    return Of<vector::Timestamp>(Kind::kTimestamp, std::move(values));
  };
  EXPECT_THAT(Hash(*timestamps({{12, 345678000},
                                {12, 345678999},
                                {-1, 999999999},
                                {9223372036854, 775807999},
                                {-9223372036855, 224192000}})),
              ElementsAre(1402875301u, 1402875301u, HashLong(-1, kMurmur3Seed),
                          HashLong(kMax, kMurmur3Seed), HashLong(kMin, kMurmur3Seed)));
  std::vector<uint32_t> hashes = {1, 2};
  for (const vector::Timestamp& outside :
       {vector::Timestamp{9223372036854, 775808000}, vector::Timestamp{kMax, 0},
        vector::Timestamp{-9223372036855, 224191999}, vector::Timestamp{kMin, 0}}) {
    EXPECT_EQ(HashColumn(*timestamps({{0, 0}, outside}), {}, hashes).message(),
              absl::StrCat("TIMESTAMP at row 1 has ", outside.seconds,
                           " seconds, whose microseconds do not fit 64 bits"));
  }
  EXPECT_THAT(hashes, ElementsAre(1, 2)) << "a failure changes nothing";
}

TEST(Murmur3Test, ANullLeavesTheRunningHash) {
  std::vector<uint32_t> hashes = {1, 2, 3};
  ASSERT_TRUE(
      HashColumn(*Flat<int64_t>(Type::Scalar(Kind::kBigint), {std::nullopt, 5, 6}), {}, hashes)
          .ok());
  EXPECT_THAT(hashes, ElementsAre(1, HashLong(5, 2), HashLong(6, 3)));
  ASSERT_TRUE(HashColumn(*vector::FlatColumn::Unknown(3), {}, hashes).ok());
  EXPECT_EQ(hashes[0], 1u);
}

TEST(Murmur3Test, ColumnsChain) {
  std::vector<uint32_t> hashes = {kMurmur3Seed};
  ASSERT_TRUE(HashColumn(*Of<int32_t>(Kind::kInteger, {1}), {}, hashes).ok());
  ASSERT_TRUE(HashColumn(*Of<int64_t>(Kind::kBigint, {10}), {}, hashes).ok());
  EXPECT_EQ(hashes[0], 1501368522u);
}

TEST(Murmur3Test, WrappersHashAsTheValuesTheyShow) {
  const ColumnPtr alphabet =
      vector::Strings(Type::Scalar(Kind::kVarchar), {"ab", std::nullopt, "abcd"});
  const ColumnPtr once = Dictionary({2, 1, 0, 2}, alphabet, /*null_row=*/3);
  const uint32_t ab = 4197913979u;
  const uint32_t abcd = 3898664396u;
  EXPECT_THAT(Hash(*once), ElementsAre(abcd, 42, ab, 42));
  EXPECT_THAT(Hash(*Dictionary({3, 2, 1, 0}, once, /*null_row=*/-1)),
              ElementsAre(42, ab, 42, abcd));
  EXPECT_THAT(Hash(vector::ConstantColumn(once->Slice(2, 1), 3)), ElementsAre(ab, ab, ab));
  EXPECT_THAT(Hash(vector::ConstantColumn(once->Slice(3, 1), 2)), ElementsAre(42, 42));
  const auto constant = std::make_shared<vector::ConstantColumn>(once->Slice(0, 1), 2);
  EXPECT_THAT(Hash(*Dictionary({1, 0, 1}, constant, /*null_row=*/1)), ElementsAre(abcd, 42, abcd));
}

// ROW<INTEGER, VARCHAR> of {1, "ab"}, a null over {1, "ab"}, {null, "ab"}.
ColumnPtr Rows() {
  const auto children = {Flat<int32_t>(Type::Scalar(Kind::kInteger), {1, 1, std::nullopt}),
                         vector::Strings(Type::Scalar(Kind::kVarchar), {"ab", "ab", "ab"})};
  return std::make_shared<vector::RowColumn>(
      *Type::Parse("ROW<a:INTEGER,b:VARCHAR>"), 3,
      vector::BuildValidity(3, [](int64_t row) { return row == 1; }),
      std::vector<ColumnPtr>(children));
}

TEST(Murmur3Test, FieldsOfARowAreChainedAndANullRowDiffersBetweenSparkAndComet) {
  const uint32_t both = HashBytes("ab", HashInt(1, kMurmur3Seed));
  const uint32_t second = HashBytes("ab", kMurmur3Seed);
  EXPECT_THAT(Hash(*Rows()), ElementsAre(both, 42, second));
  EXPECT_THAT(Hash(*Rows(), HashOptions::Comet()), ElementsAre(both, both, second));
  EXPECT_THAT(Hash(*Dictionary({2, 0, 1, 1}, Rows(), /*null_row=*/2)),
              ElementsAre(second, both, 42, 42))
      << "through a wrapper";
}

TEST(Murmur3Test, ElementsOfAnArrayAreChainedInTheirOrder) {
  const ColumnPtr offsets = Of<int32_t>(Kind::kInteger, {0, 2, 2, 3, 5});
  const vector::ListColumn lists(*Type::Parse("ARRAY<ROW<a:INTEGER,b:VARCHAR>>"), 4,
                                 vector::BuildValidity(4, [](int64_t row) { return row == 2; }),
                                 offsets->As<vector::FlatColumn>().values(),
                                 {Dictionary({0, 2, 0, 1, 0}, Rows(), /*null_row=*/-1)});
  const uint32_t first = HashBytes("ab", HashInt(1, kMurmur3Seed));
  EXPECT_THAT(Hash(lists), ElementsAre(HashBytes("ab", first), 42, 42, first))
      << "null elements, like null rows and no elements, change nothing";
}

TEST(Murmur3Test, ATimestampUnderANullRowIsNotLookedAt) {
  const auto timestamps = Of<vector::Timestamp>(Kind::kTimestamp, {{1, 0}, {kMax, 0}});
  const auto rows = [&](bool null) {
    return vector::RowColumn(
        *Type::Parse("ROW<t:TIMESTAMP>"), 2,
        vector::BuildValidity(2, [&](int64_t row) { return null && row == 1; }), {timestamps});
  };
  EXPECT_THAT(Hash(rows(true)), ElementsAre(HashLong(1'000'000, kMurmur3Seed), 42));
  std::vector<uint32_t> hashes = {1, 2};
  EXPECT_EQ(HashColumn(rows(false), {}, hashes).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(hashes, ElementsAre(1, 2)) << "a failure changes nothing";
}

TEST(Murmur3Test, MapsAreRefusedByName) {
  const auto refused = [](const char* type) { return CheckHashable(**Type::Parse(type)); };
  EXPECT_EQ(refused("ROW<a:ARRAY<MAP<DATE,DATE>>>"),
            absl::UnimplementedError("type MAP<DATE,DATE> has no hash, as in Spark"));
  EXPECT_TRUE(refused("ROW<a:ARRAY<UNKNOWN>>").ok());
}

// Columns of every kind that a kernel has, in pieces that begin and end anywhere.
RC_GTEST_PROP(Murmur3Test, EveryKernelGivesTheSameHashes, ()) {
  const auto rows = *rc::gen::inRange<int64_t>(1, 700);
  base::Random random(*rc::gen::arbitrary<uint64_t>());
  const uint64_t nulls = *rc::gen::element<uint64_t>(0, 1, 128, 256);
  const uint64_t longest = *rc::gen::element<uint64_t>(1, 5, 17, 40, 70);
  std::vector<std::optional<int32_t>> ints;
  std::vector<std::optional<int64_t>> longs;
  std::vector<std::optional<std::string>> strings;
  for (int64_t row = 0; row < rows; ++row) {
    const bool null = random.Below(256) < nulls;
    ints.push_back(null ? std::nullopt : std::optional(static_cast<int32_t>(random.Next())));
    longs.push_back(null ? std::nullopt : std::optional(static_cast<int64_t>(random.Next())));
    std::string text(random.Below(longest), ' ');
    for (char& c : text) c = static_cast<char>(random.Next());
    strings.push_back(null ? std::nullopt : std::optional(std::move(text)));
  }
  const auto first = *rc::gen::inRange<int64_t>(0, rows);
  for (const ColumnPtr& whole : {Flat<int32_t>(Type::Scalar(Kind::kDate), ints),
                                 Flat<int64_t>(Type::Scalar(Kind::kBigint), longs),
                                 vector::Strings(Type::Scalar(Kind::kVarbinary), strings)}) {
    const ColumnPtr column = whole->Slice(first, rows - first);
    std::vector<uint32_t> portable(static_cast<size_t>(column->rows()));
    for (uint32_t& hash : portable) hash = static_cast<uint32_t>(random.Next());
    std::vector<uint32_t> fast = portable;
    RC_ASSERT(HashColumnBy(HashKernel::kPortable, *column, {}, portable).ok());
    if (!HasHashKernel(HashKernel::kAvx2)) return;
    RC_ASSERT(HashColumnBy(HashKernel::kAvx2, *column, {}, fast).ok());
    RC_ASSERT(portable == fast);
  }
}

TEST(Murmur3DeathTest, EveryRowNeedsItsHash) {
  std::vector<uint32_t> hashes(2);
  EXPECT_DEATH(HashColumn(*Of<int32_t>(Kind::kInteger, {1}), {}, hashes).IgnoreError(),
               "one hash a row");
}

}  // namespace
}  // namespace spillway::shuffle
