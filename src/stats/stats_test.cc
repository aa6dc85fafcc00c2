// SPDX-License-Identifier: Apache-2.0
// FORMAT section 5, rule by rule: what is computed, written and refused.
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/little_endian.h"
#include "src/stats/blob.h"
#include "src/stats/column_stats.h"
#include "src/vector/build.h"

namespace spillway::stats {
namespace {

using vector::ColumnPtr;
using vector::Kind;
using vector::Timestamp;
using vector::Type;
using vector::TypePtr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TypePtr T(std::string_view text) { return *Type::Parse(text); }

template <typename V>
std::optional<std::pair<V, V>> BoundsOf(const ColumnPtr& column) {
  const ColumnStats stats = ComputeStats(*column);
  if (!stats.bounds.has_value()) return std::nullopt;
  EXPECT_EQ(stats.bounds->lower.size(), sizeof(V));
  EXPECT_EQ(stats.bounds->upper.size(), sizeof(V));
  return std::pair(base::Load<V>(stats.bounds->lower.data()),
                   base::Load<V>(stats.bounds->upper.data()));
}

TEST(ColumnStatsTest, CountIsAllRowsNullsIncluded) {
  const ColumnStats stats =
      ComputeStats(*vector::Flat<int32_t>(T("INTEGER"), {5, std::nullopt, 3}));
  EXPECT_EQ(stats.count, 3u);
  EXPECT_EQ(stats.null_count, 1u);
  EXPECT_EQ(stats.size_in_bytes, 0u);
}

TEST(ColumnStatsTest, OrderedTypesHaveTheirOwnWidth) {
  EXPECT_EQ(BoundsOf<int8_t>(vector::Flat<int8_t>(T("TINYINT"), {3, -128, std::nullopt})),
            std::pair(int8_t{-128}, int8_t{3}));
  EXPECT_EQ(BoundsOf<int16_t>(vector::Flat<int16_t>(T("SMALLINT"), {3, -5})),
            std::pair(int16_t{-5}, int16_t{3}));
  EXPECT_EQ(BoundsOf<int32_t>(vector::Flat<int32_t>(T("DATE"), {7})), std::pair(7, 7));
  EXPECT_EQ(BoundsOf<int64_t>(vector::Flat<int64_t>(T("DECIMAL(5, 2)"), {-7, 9})),
            std::pair(int64_t{-7}, int64_t{9}));
}

TEST(ColumnStatsTest, BoundsAreAsWideAsTheirType) {
  const std::vector<std::pair<int, std::vector<std::string>>> widths = {
      {1, {"BOOLEAN", "TINYINT"}},
      {2, {"SMALLINT"}},
      {4, {"INTEGER", "DATE", "INTERVAL YEAR TO MONTH", "REAL"}},
      {8, {"BIGINT", "DECIMAL(18, 2)", "INTERVAL DAY TO SECOND", "DOUBLE", "TIMESTAMP"}},
      {16, {"DECIMAL(19, 2)"}},
      {-1, {"VARCHAR"}},
      {0, {"VARCHAR COLLATE UTF8_LCASE", "VARBINARY", "HUGEINT", "UNKNOWN", "ARRAY<DATE>",
           "MAP<DATE,DATE>", "ROW<a:DATE>"}}};
  for (const auto& [width, types] : widths) {
    for (const std::string& type : types) EXPECT_EQ(BoundWidth(*T(type)), width) << type;
  }
}

// In a page a long decimal is sign-magnitude, in the blob two's complement.
TEST(ColumnStatsTest, LongDecimalBoundsAreTwosComplement) {
  const ColumnStats stats = ComputeStats(*vector::Flat<__int128>(T("DECIMAL(20, 0)"), {-1, 2}));
  EXPECT_EQ(stats.bounds->lower, std::string(16, '\xFF'));
  EXPECT_EQ(stats.bounds->upper, "\x02" + std::string(15, '\0'));
}

// BUGS 12.111 (apache/gluten#12092).
TEST(ColumnStatsTest, BooleanBoundsAreZeroOrOne) {
  EXPECT_EQ(BoundsOf<uint8_t>(vector::Flat<uint8_t>(T("BOOLEAN"), {5, std::nullopt, 0})),
            std::pair(uint8_t{0}, uint8_t{1}));
  EXPECT_EQ(BoundsOf<uint8_t>(vector::Flat<uint8_t>(T("BOOLEAN"), {9})),
            std::pair(uint8_t{1}, uint8_t{1}));
}

// BUGS 10.82 and 10.88: a NaN first pins both bounds; stopping at it under-counts nulls.
TEST(ColumnStatsTest, NanIsSkippedForBoundsAndCountedAsNonNull) {
  const ColumnPtr column =
      vector::Flat<double>(T("DOUBLE"), {kNan, 1.0, std::nullopt, kNan, std::nullopt, 2.0});
  EXPECT_EQ(ComputeStats(*column).null_count, 2u);
  EXPECT_EQ(BoundsOf<double>(column), std::pair(1.0, 2.0));
}

TEST(ColumnStatsTest, AllNanAndAllNullHaveNoBounds) {
  EXPECT_FALSE(ComputeStats(*vector::Flat<double>(T("DOUBLE"), {kNan, kNan})).bounds.has_value());
  const ColumnStats nulls = ComputeStats(
      *vector::Flat<int32_t>(T("INTEGER"), {std::nullopt, std::nullopt}));
  EXPECT_FALSE(nulls.bounds.has_value());
  EXPECT_EQ(nulls.null_count, 2u);
  EXPECT_FALSE(ComputeStats(*vector::Flat<int32_t>(T("INTEGER"), std::vector<int32_t>{}))
                   .bounds.has_value());
}

// BUGS 10.86: of zeros that compare equal the first stays.
TEST(ColumnStatsTest, InfinitiesZerosAndSubnormalsAreOrdinary) {
  EXPECT_EQ(BoundsOf<double>(vector::Flat<double>(T("DOUBLE"), {1.0, -kInfinity, kInfinity})),
            std::pair(-kInfinity, kInfinity));
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(BoundsOf<float>(vector::Flat<float>(T("REAL"), {tiny})), std::pair(tiny, tiny));
  const auto zeros = BoundsOf<double>(vector::Flat<double>(T("DOUBLE"), {-0.0, 0.0}));
  EXPECT_TRUE(std::signbit(zeros->first));
  EXPECT_TRUE(std::signbit(zeros->second));
}

// BUGS 9.79 (apache/gluten 660cf15aa): a floored upper bound dropped rows.
TEST(ColumnStatsTest, TimestampsRoundDownBelowAndUpAbove) {
  const auto bounds = [](Timestamp value) {
    return BoundsOf<int64_t>(vector::Flat<Timestamp>(T("TIMESTAMP"), {value}));
  };
  EXPECT_EQ(bounds({0, 999'500}), std::pair(int64_t{999}, int64_t{1000}));
  EXPECT_EQ(bounds({0, 1'000}), std::pair(int64_t{1}, int64_t{1}));
  // BUGS 9.78 (velox#16324): one nanosecond before the epoch is in microsecond -1.
  EXPECT_EQ(bounds({-1, 999'999'999}), std::pair(int64_t{-1}, int64_t{0}));
}

// BUGS 9.76, 9.77 and 9.80: int64 microseconds at their ends.
TEST(ColumnStatsTest, TimestampsAtTheEndsSaturateOrHaveNoBounds) {
  const auto bounds = [](Timestamp value) {
    return BoundsOf<int64_t>(vector::Flat<Timestamp>(T("TIMESTAMP"), {value}));
  };
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  // INT64_MAX us = 9223372036854 s + 775807 us.
  EXPECT_EQ(bounds({9223372036854, 775'807'500}), std::pair(kMax, kMax));
  EXPECT_EQ(bounds({9223372036854, 775'806'500}), std::pair(kMax - 1, kMax));
  EXPECT_EQ(bounds({9223372036854, 775'808'000}), std::nullopt);
  EXPECT_EQ(bounds({kMax, 0}), std::nullopt);
  EXPECT_EQ(bounds({-9223372036855, 224'192'000}), std::pair(kMin, kMin));
  EXPECT_EQ(bounds({-9223372036855, 224'191'999}), std::nullopt);
}

std::optional<Bounds> StringBounds(const std::vector<std::optional<std::string>>& values) {
  return ComputeStats(*vector::Strings(T("VARCHAR"), values)).bounds;
}

// BUGS 11.99: '\xc2' > 'z'.
TEST(ColumnStatsTest, StringsOrderByUnsignedBytes) {
  EXPECT_EQ(StringBounds({"z", "\xC2", std::nullopt, "a"}), (Bounds{"a", "\xC2"}));
  EXPECT_EQ(StringBounds({"", "a"}), (Bounds{"", "a"}));
}

// BUGS 11.90, 11.92, 11.93.
TEST(ColumnStatsTest, LongStringsAreCutTo256BytesAndTheUpperBoundCarries) {
  const std::string a(255, 'a');
  EXPECT_EQ(StringBounds({std::string(256, 'm')}),
            (Bounds{std::string(256, 'm'), std::string(256, 'm')}));
  EXPECT_EQ(StringBounds({a + "bc"}), (Bounds{a + "b", a + "c"}));
  EXPECT_EQ(StringBounds({a + "\xFFz"}),
            (Bounds{a + "\xFF", std::string(254, 'a') + "b" + std::string(1, '\0')}));
  // A cut inside a UTF-8 character: bounds are bytes.
  EXPECT_EQ(StringBounds({a + "\xE2\x80\xA2"}), (Bounds{a + "\xE2", a + "\xE3"}));
}

TEST(ColumnStatsTest, ACarryOutOfTheFirstByteLeavesNoBounds) {
  EXPECT_EQ(StringBounds({std::string(257, '\xFF')}), std::nullopt);
  EXPECT_TRUE(StringBounds({std::string(256, '\xFF')}).has_value());
}

// BUGS 11.96 (apache/gluten#12112); 1.10 (apache/gluten#12176): nulls are counted all the same.
TEST(ColumnStatsTest, CollatedStringsBinaryAndUnknownHaveNoBoundsButCountNulls) {
  const ColumnStats collated =
      ComputeStats(*vector::Strings(Type::Collated("UTF8_LCASE"), {"b", std::nullopt}));
  EXPECT_FALSE(collated.bounds.has_value());
  EXPECT_EQ(collated.null_count, 1u);
  const ColumnStats binary =
      ComputeStats(*vector::Strings(T("VARBINARY"), {"x", std::nullopt}));
  EXPECT_FALSE(binary.bounds.has_value());
  EXPECT_EQ(binary.null_count, 1u);
  EXPECT_EQ(ComputeStats(*vector::FlatColumn::Unknown(4)).null_count, 4u);
}

// BUGS 2.22: V2 gives no bounds for encoded columns, but right counts.
TEST(ColumnStatsTest, EncodedColumnsHaveNoBoundsButCountNulls) {
  const ColumnPtr value = vector::Flat<int32_t>(T("INTEGER"), {std::nullopt});
  const ColumnStats stats = ComputeStats(vector::ConstantColumn(value, 7));
  EXPECT_FALSE(stats.bounds.has_value());
  EXPECT_EQ(stats.null_count, 7u);
  EXPECT_EQ(stats.count, 7u);
}

// --- Our options --------------------------------------------------------------------------------

constexpr StatsOptions kBest{.bounds = BoundsRule::kBest};
constexpr StatsOptions kNanAware{.nan_aware = true};

ColumnPtr Dictionary(const std::vector<int32_t>& ids, ColumnPtr alphabet, int64_t null_row = -1) {
  const auto rows = static_cast<int64_t>(ids.size());
  return std::make_shared<vector::DictionaryColumn>(
      rows, vector::BuildValidity(rows, [&](int64_t row) { return row == null_row; }),
      vector::Flat<int32_t>(T("INTEGER"), ids)->As<vector::FlatColumn>().values(),
      std::move(alphabet));
}

std::optional<std::pair<int32_t, int32_t>> BestInts(const ColumnPtr& column) {
  const std::optional<Bounds> bounds = ComputeStats(*column, kBest).bounds;
  if (!bounds.has_value()) return std::nullopt;
  return std::pair(base::Load<int32_t>(bounds->lower.data()),
                   base::Load<int32_t>(bounds->upper.data()));
}

ColumnPtr Ints(const std::vector<std::optional<int32_t>>& values) {
  return vector::Flat<int32_t>(T("INTEGER"), values);
}

TEST(BestBoundsTest, DictionariesHaveTheBoundsOfTheEntriesThatRowsUse) {
  const ColumnPtr alphabet = Ints({-100, 5, std::nullopt, 7, 900});
  EXPECT_EQ(BestInts(Dictionary({3, 1, 2, 1}, alphabet)), std::pair(5, 7));
  // What stands under a null of the wrapper is not used.
  EXPECT_EQ(BestInts(Dictionary({3, 4, 1}, alphabet, /*null_row=*/1)), std::pair(5, 7));
  EXPECT_EQ(BestInts(Dictionary({2, 2}, alphabet)), std::nullopt);
  EXPECT_EQ(ComputeStats(*Dictionary({3, 1}, alphabet)).bounds, std::nullopt);
}

TEST(BestBoundsTest, ConstantsHaveTheirValueAsBothBounds) {
  EXPECT_EQ(BestInts(std::make_shared<vector::ConstantColumn>(Ints({4}), 9)), std::pair(4, 4));
  EXPECT_EQ(BestInts(std::make_shared<vector::ConstantColumn>(Ints({4}), 0)), std::nullopt);
  EXPECT_EQ(BestInts(std::make_shared<vector::ConstantColumn>(Ints({std::nullopt}), 9)),
            std::nullopt);
}

TEST(BestBoundsTest, StackedWrappersAreLookedThrough) {
  const ColumnPtr inner = Dictionary({2, 0, 1}, Ints({1, 2, 3}));
  EXPECT_EQ(BestInts(Dictionary({1, 1, 0}, inner)), std::pair(1, 3));
  EXPECT_EQ(BestInts(Dictionary({0, 0}, std::make_shared<vector::ConstantColumn>(
                                            Dictionary({1}, Ints({8, 6})), 3))),
            std::pair(6, 6));
  // No row shows anything of the constant.
  EXPECT_EQ(BestInts(Dictionary({0}, std::make_shared<vector::ConstantColumn>(Ints({8}), 3), 0)),
            std::nullopt);
}

TEST(BestBoundsTest, EqualFlattenedBounds) {
  const ColumnPtr strings = vector::Strings(T("VARCHAR"), {"b", std::string(300, 'z'), "a"});
  EXPECT_EQ(ComputeStats(*Dictionary({0, 1, 0}, strings), kBest),
            ComputeStats(*vector::Strings(T("VARCHAR"), {"b", std::string(300, 'z'), "b"})));
}

TEST(NanAwareTest, ANanIsTheUpperBoundAndOfNothingElseBoth) {
  const auto bounds = [](const std::vector<std::optional<double>>& values) {
    return ComputeStats(*vector::Flat<double>(T("DOUBLE"), values), kNanAware).bounds;
  };
  const auto at = [](const std::string& bytes) { return base::Load<double>(bytes.data()); };
  const auto mixed = bounds({kNan, 1.0, std::nullopt, 2.0});
  EXPECT_EQ(at(mixed->lower), 1.0);
  EXPECT_TRUE(std::isnan(at(mixed->upper)));
  const auto only = bounds({kNan, std::nullopt});
  EXPECT_TRUE(std::isnan(at(only->lower)));
  EXPECT_TRUE(std::isnan(at(only->upper)));
  EXPECT_EQ(at(bounds({1.0, kInfinity})->upper), kInfinity);
  EXPECT_FALSE(bounds({std::nullopt}).has_value());
}

TEST(NanAwareTest, ANanThatNoRowUsesDoesNotCount) {
  const ColumnPtr alphabet = vector::Flat<float>(T("REAL"), {NAN, 1.5f});
  const StatsOptions both{.bounds = BoundsRule::kBest, .nan_aware = true};
  EXPECT_EQ(base::Load<float>(ComputeStats(*Dictionary({1}, alphabet), both).bounds->upper.data()),
            1.5f);
  EXPECT_TRUE(std::isnan(base::Load<float>(
      ComputeStats(*Dictionary({1, 0}, alphabet), both).bounds->upper.data())));
}

// --- The blob -----------------------------------------------------------------------------------

std::string Blob(const BatchStats& stats) {
  std::string out(BlobSize(stats), '\0');
  EXPECT_EQ(WriteBlob(stats, reinterpret_cast<uint8_t*>(out.data())),
            reinterpret_cast<uint8_t*>(out.data()) + out.size());
  return out;
}

std::string Error(std::string_view schema, const std::string& bytes) {
  return std::string(ReadBlob(*T(schema), base::ByteReader(bytes)).status().message());
}

const BatchStats kOneInt = {
    ColumnStats{1, 3, 0, Bounds{std::string(4, '\1'), std::string(4, '\2')}}};

TEST(BlobTest, ReadsWhatItWrites) {
  const BatchStats stats = {kOneInt[0], ColumnStats{2, 3, 0, std::nullopt},
                            ColumnStats{0, 3, 77, Bounds{"", std::string(256, 'x')}}};
  const std::string blob = Blob(stats);
  const auto read = ReadBlob(*T("ROW<a:INTEGER,b:ARRAY<DATE>,c:VARCHAR>"), base::ByteReader(blob));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, stats);
}

// BUGS 12.110: lower > upper occurs, and is read.
TEST(BlobTest, InvertedBoundsAreRead) {
  const BatchStats inverted = {
      ColumnStats{0, 3, 0, Bounds{std::string(4, '\2'), std::string(4, '\1')}}};
  EXPECT_TRUE(ReadBlob(*T("ROW<a:INTEGER>"), base::ByteReader(Blob(inverted))).ok());
}

// BUGS 15.138 (apache/gluten#12224).
TEST(BlobTest, AnotherNumberOfColumnsIsRefused) {
  EXPECT_EQ(Error("ROW<>", Blob(kOneInt)),
            "statistics of 1 columns, the schema has 0, byte 0 of 37");
  EXPECT_EQ(Error("ROW<a:INTEGER,b:INTEGER>", Blob(kOneInt)),
            "statistics of 1 columns, the schema has 2, byte 0 of 37");
}

// BUGS 11.97 and 11.98: unchecked bound lengths.
TEST(BlobTest, BoundsOfAnotherLengthThanTheTypesAreRefused) {
  EXPECT_EQ(Error("ROW<a:BIGINT>", Blob(kOneInt)),
            "column 0 `a` BIGINT: lower bound of 4 bytes, BIGINT has 8, byte 21 of 37");
  const BatchStats long_bound = {ColumnStats{0, 1, 0, Bounds{"a", std::string(257, 'b')}}};
  EXPECT_EQ(Error("ROW<a:VARCHAR>", Blob(long_bound)),
            "column 0 `a` VARCHAR: upper bound of 257 bytes, VARCHAR has at most 256, "
            "byte 26 of 287");
}

TEST(BlobTest, BoundsOfATypeWithoutBoundsAreRefused) {
  EXPECT_EQ(Error("ROW<a:VARBINARY>", Blob(kOneInt)),
            "column 0 `a` VARBINARY: bounds for VARBINARY, which has none, byte 4 of 37");
}

TEST(BlobTest, MoreNullsThanRowsAreRefused) {
  const BatchStats stats = {ColumnStats{4, 3, 0, std::nullopt}};
  EXPECT_EQ(Error("ROW<a:INTEGER>", Blob(stats)),
            "column 0 `a` INTEGER: nullCount 4 is over the row count 3, byte 5 of 21");
}

TEST(BlobTest, AFlagOtherThanZeroOrOneIsRefused) {
  std::string blob = Blob(kOneInt);
  blob[4] = 2;
  EXPECT_EQ(Error("ROW<a:INTEGER>", blob),
            "column 0 `a` INTEGER: supported byte 2 is not 0 or 1, byte 4 of 37");
}

TEST(BlobTest, EveryTruncationAndATrailingByteAreRefused) {
  const std::string blob = Blob(kOneInt);
  for (size_t size = 0; size < blob.size(); ++size) {
    EXPECT_NE(Error("ROW<a:INTEGER>", blob.substr(0, size)), "") << size;
  }
  EXPECT_EQ(Error("ROW<a:INTEGER>", blob + "x"),
            "1 bytes left over after the statistics, byte 37 of 38");
}

TEST(BlobTest, CheckingAgreesWithReadingOnDamagedBlobs) {
  const vector::TypePtr schema = T("ROW<a:INTEGER,b:ARRAY<DATE>,c:VARCHAR>");
  const std::string blob = Blob(
      {kOneInt[0], ColumnStats{2, 3, 0, std::nullopt}, ColumnStats{0, 3, 77, Bounds{"", "x"}}});
  const auto agree = [&](const std::string& bytes) {
    EXPECT_EQ(CheckBlob(*schema, base::ByteReader(bytes)),
              ReadBlob(*schema, base::ByteReader(bytes)).status());
  };
  agree(blob);
  agree(blob + "x");
  for (size_t size = 0; size < blob.size(); ++size) agree(blob.substr(0, size));
  for (size_t bit = 0; bit < 8 * blob.size(); ++bit) {
    std::string flipped = blob;
    flipped[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    agree(flipped);
  }
}

}  // namespace
}  // namespace spillway::stats
