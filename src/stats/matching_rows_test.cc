// SPDX-License-Identifier: Apache-2.0
// Spark's order, equality and null logic, row by row.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "src/stats/like.h"
#include "src/stats/lower_case.h"
#include "src/stats/matching_rows.h"
#include "src/stats/spark_characters.h"
#include "src/stats/spark_order.h"
#include "src/vector/build.h"
#include "src/vector/lazy_column.h"

namespace spillway::stats {
namespace {

using vector::Batch;
using vector::ColumnPtr;
using vector::Type;
using vector::TypePtr;
using Rows = std::vector<int64_t>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TypePtr T(std::string_view text) { return *Type::Parse(text); }

Rows Match(const std::vector<ColumnPtr>& columns, std::string_view text) {
  const Batch batch = vector::BatchOf(columns);
  const auto predicate = Predicate::Parse(text, batch.schema());
  EXPECT_TRUE(predicate.ok()) << predicate.status();
  const auto rows = MatchingRows(*predicate, batch);
  EXPECT_TRUE(rows.ok()) << rows.status();
  return rows.ok() ? *rows : Rows{-1};
}

ColumnPtr Ints(const std::vector<std::optional<int32_t>>& values) {
  return vector::Flat<int32_t>(T("INTEGER"), values);
}
ColumnPtr Doubles(const std::vector<std::optional<double>>& values) {
  return vector::Flat<double>(T("DOUBLE"), values);
}
ColumnPtr Texts(const std::vector<std::optional<std::string>>& values,
                std::string_view type = "VARCHAR") {
  return vector::Strings(T(type), values);
}

TEST(MatchingRowsTest, NullsAreNeitherTrueNorFalse) {
  const ColumnPtr c = Ints({1, std::nullopt, 5});
  EXPECT_EQ(Match({c}, "c0 = 1"), (Rows{0}));
  EXPECT_EQ(Match({c}, "not (c0 = 1)"), (Rows{2}));
  EXPECT_EQ(Match({c}, "c0 != 1"), (Rows{2}));
  EXPECT_EQ(Match({c}, "c0 = 1 or c0 is null"), (Rows{0, 1}));
  EXPECT_EQ(Match({c}, "not (c0 <=> 1)"), (Rows{1, 2}));
  EXPECT_EQ(Match({c}, "c0 <=> null"), (Rows{1}));
  EXPECT_EQ(Match({c}, "c0 = null or c0 != null"), (Rows{}));
  EXPECT_EQ(Match({c}, "null"), (Rows{}));
  EXPECT_EQ(Match({c}, "null or true"), (Rows{0, 1, 2}));
  EXPECT_EQ(Match({c}, "not (null and c0 = 1)"), (Rows{2}));
}

TEST(MatchingRowsTest, InWithNullsNeverSaysNo) {
  const ColumnPtr c = Ints({1, std::nullopt, 5});
  EXPECT_EQ(Match({c}, "c0 in (1, null)"), (Rows{0}));
  EXPECT_EQ(Match({c}, "c0 not in (1, null)"), (Rows{}));
  EXPECT_EQ(Match({c}, "c0 not in (1)"), (Rows{2}));
  EXPECT_EQ(Match({c}, "c0 in ()"), (Rows{}));
  EXPECT_EQ(Match({c}, "c0 not in ()"), (Rows{0, 1, 2}));
  EXPECT_EQ(Match({c}, "in_set(c0, 5, 6)"), (Rows{2}));
}

TEST(MatchingRowsTest, NanIsGreatestAndEqualsItself) {
  const ColumnPtr c = Doubles({1.0, kNan, kInfinity, std::nullopt});
  EXPECT_EQ(Match({c}, "c0 > Infinity"), (Rows{1}));
  EXPECT_EQ(Match({c}, "c0 = NaN"), (Rows{1}));
  EXPECT_EQ(Match({c}, "c0 >= NaN"), (Rows{1}));
  EXPECT_EQ(Match({c}, "c0 < NaN"), (Rows{0, 2}));
  EXPECT_EQ(Match({c}, "c0 in (NaN, 1)"), (Rows{0, 1}));
  EXPECT_EQ(Match({c}, "is_nan(c0)"), (Rows{1}));
  EXPECT_EQ(Match({c}, "not is_nan(c0)"), (Rows{0, 2, 3}));
  const ColumnPtr zeros = vector::Flat<float>(T("REAL"), {-0.0f, 0.0f});
  EXPECT_EQ(Match({zeros}, "c0 = 0"), (Rows{0, 1}));
  EXPECT_EQ(Match({zeros}, "c0 < 0.0"), (Rows{}));
}

TEST(MatchingRowsTest, NumbersCompareExactlyAndBesideDoublesAsDoubles) {
  const ColumnPtr big = vector::Flat<int64_t>(T("BIGINT"), {9007199254740993});
  EXPECT_EQ(Match({big}, "c0 = 9007199254740992"), (Rows{}));
  EXPECT_EQ(Match({big}, "c0 = DOUBLE 9007199254740992"), (Rows{0}));
  EXPECT_EQ(Match({Ints({92, 93})}, "c0 < 92.5"), (Rows{0}));
  const ColumnPtr decimals = vector::Flat<int64_t>(T("DECIMAL(10, 2)"), {-27, -28});
  EXPECT_EQ(Match({decimals}, "c0 > -0.275"), (Rows{0}));
  // 38 digits against a scale that 128 bits cannot hold at once.
  const ColumnPtr wide = vector::Flat<__int128>(
      T("DECIMAL(38, 0)"), {static_cast<__int128>(1) << 126, -(static_cast<__int128>(1) << 126)});
  EXPECT_EQ(Match({wide}, "c0 > DECIMAL(38, 38) 0.5"), (Rows{0}));
  EXPECT_EQ(Match({wide}, "c0 < DECIMAL(38, 38) 0.5"), (Rows{1}));
  const ColumnPtr real = vector::Flat<float>(T("REAL"), {0.1f});
  EXPECT_EQ(Match({real}, "c0 = 0.1"), (Rows{0}));
  EXPECT_EQ(Match({real}, "c0 > DOUBLE 0.1"), (Rows{0}));
}

TEST(SparkOrderTest, DecimalsRoundToDoubleOnce) {
  EXPECT_EQ(ToDouble(5, 1), 0.5);
  EXPECT_EQ(ToDouble(9007199254740993, 0), 9007199254740992.0);
  EXPECT_EQ(ToDouble((static_cast<__int128>(1) << 100) + 1, 0), 0x1p100);
  EXPECT_EQ(ToDouble(-1, 38), -1e-38);
}

TEST(MatchingRowsTest, ADateIsItsMidnightBesideATimestamp) {
  const ColumnPtr days = vector::Flat<int32_t>(T("DATE"), {-1, 0});
  const ColumnPtr times = vector::Flat<vector::Timestamp>(T("TIMESTAMP"), {{-86400, 1}, {0, 0}});
  EXPECT_EQ(Match({days, times}, "c0 < c1"), (Rows{0}));
  EXPECT_EQ(Match({days, times}, "c0 = c1"), (Rows{1}));
  EXPECT_EQ(Match({times}, "c0 >= DATE '1970-01-01'"), (Rows{1}));
  EXPECT_EQ(Match({days}, "c0 in (DATE 0, TIMESTAMP '1969-12-31')"), (Rows{0, 1}));
  // Nanoseconds under a literal's microseconds count.
  EXPECT_EQ(Match({times}, "c0 > TIMESTAMP '1969-12-31'"), (Rows{0, 1}));
}

TEST(MatchingRowsTest, StringsCompareByUnsignedBytes) {
  const ColumnPtr c = Texts({"z", "\xC2", "a", std::nullopt});
  EXPECT_EQ(Match({c}, "c0 > 'z'"), (Rows{1}));
  EXPECT_EQ(Match({c}, "starts_with(c0, x'c2')"), (Rows{1}));
  EXPECT_EQ(Match({c}, "starts_with(c0, '')"), (Rows{0, 1, 2}));
  EXPECT_EQ(Match({c}, "starts_with(c0, null)"), (Rows{}));
  EXPECT_EQ(Match({Texts({"banana"})}, "ends_with(c0, 'na') and contains(c0, 'nan')"), (Rows{0}));
  EXPECT_EQ(Match({Texts({"na"})}, "ends_with(c0, 'banana')"), (Rows{}));
  EXPECT_EQ(Match({Texts({"a"}, "VARBINARY")}, "c0 >= x'61'"), (Rows{0}));
}

TEST(MatchingRowsTest, ALowerCaseCollationComparesLowerCase) {
  const ColumnPtr c = Texts({"Zoo",
                             "\xC3\x89"
                             "cole",
                             "b", std::nullopt},
                            "VARCHAR COLLATE UTF8_LCASE");
  EXPECT_EQ(Match({c}, "c0 = '\xC3\xA9" "COLE'"), (Rows{1}));
  EXPECT_EQ(Match({c}, "c0 >= 'B'"), (Rows{0, 1, 2}));
  EXPECT_EQ(Match({c}, "c0 in ('zoo', 'B')"), (Rows{0, 2}));
  EXPECT_EQ(Match({c}, "starts_with(c0, 'zO') or c0 like '\xC3\xA9%'"), (Rows{0, 1}));
}

TEST(LowerCaseTest, CharactersOfOneAndMoreBytes) {
  EXPECT_EQ(LowerCase("AZaz09_"), "azaz09_");
  EXPECT_EQ(LowerCase("\xC3\x80\xC3\x97\xC4\x80"),
            "\xC3\xA0\xC3\x97\xC4\x81");                          // A-grave, x, A-macron
  EXPECT_EQ(LowerCase("\xC4\xB0"), "i\xCC\x87");                  // dotted capital I
  EXPECT_EQ(LowerCase("\xCE\xA3\xCF\x82"), "\xCF\x83\xCF\x83");  // capital and final sigma
  EXPECT_EQ(LowerCase("\xF0\x90\x90\x80"), "\xF0\x90\x90\xA8");  // Deseret
  EXPECT_EQ(LowerCase("a\xC3"), "a\xEF\xBF\xBD");
}

TEST(SparkCharactersTest, FirstBytesAloneCount) {
  for (const std::string_view text : {"A", "\xC3\xA9", "\xE2\x80\xA2", "\xF0\x9F\x90\x8D"}) {
    EXPECT_EQ(SparkCharacterSize(text[0]), text.size());
    EXPECT_EQ(SparkLength(text), 1);
  }
  for (const char first : {'\x80', '\xC0', '\xC1', '\xF5', '\xFF'}) {
    EXPECT_EQ(SparkCharacterSize(first), 1u);
  }
  EXPECT_EQ(SparkLength(""), 0);
  EXPECT_EQ(SparkLength("a\xE2\x80"), 2);  // cut short
  EXPECT_EQ(SparkLength("\xE2zzz"), 2);     // the bytes behind are not looked at
}

TEST(LikeTest, PercentUnderscoreAndEscapes) {
  EXPECT_TRUE(IsLike("banana", "b%n_%a"));
  EXPECT_FALSE(IsLike("banana", "b%x%a"));
  EXPECT_TRUE(IsLike("", "%"));
  EXPECT_FALSE(IsLike("", "_"));
  EXPECT_TRUE(IsLike("\xC3\xA9", "_"));
  EXPECT_TRUE(IsLike("a%b", "a\\%b"));
  EXPECT_FALSE(IsLike("axb", "a\\%b"));
  EXPECT_FALSE(IsLike("abc", "ab"));
  EXPECT_FALSE(IsLike(std::string(5000, 'a'), "%a%a%a%a%a%a%a%a%b"));
  EXPECT_TRUE(CheckLikePattern("a\\\\\\_").ok());
  EXPECT_FALSE(CheckLikePattern("a\\").ok());
}

TEST(LikeTest, ThePrefixEndsWhereJavaWouldReplaceBytes) {
  EXPECT_EQ(LikePrefix("ab\\%c%d"), "ab%c");
  EXPECT_EQ(LikePrefix("a_b"), "a");
  EXPECT_EQ(LikePrefix("\xC3\xA9%"), "\xC3\xA9");
  EXPECT_EQ(LikePrefix("a\xC3%"), "a");
  EXPECT_EQ(LikePrefix("a\xEF\xBF\xBDz%"), "a");
}

TEST(MatchingRowsTest, ArraysCompareElementByElementNullsFirst) {
  const ColumnPtr elements = Ints({1, std::nullopt, 1, 2, 1});
  const ColumnPtr offsets = vector::Flat<int32_t>(T("INTEGER"), {0, 2, 4, 5, 5});
  const ColumnPtr c = std::make_shared<vector::ListColumn>(
      T("ARRAY<INTEGER>"), 4, vector::Validity(),
      offsets->As<vector::FlatColumn>().values(), std::vector<ColumnPtr>{elements});
  EXPECT_EQ(Match({c}, "c0 = [1, null]"), (Rows{0}));
  EXPECT_EQ(Match({c}, "c0 > [1]"), (Rows{0, 1}));
  EXPECT_EQ(Match({c}, "c0 < [1, 2]"), (Rows{0, 2, 3}));
  EXPECT_EQ(Match({c}, "c0 in ([], [1])"), (Rows{2, 3}));
}

TEST(MatchingRowsTest, FunctionsOfColumns) {
  EXPECT_EQ(Match({Ints({-7, 3, std::nullopt})}, "abs(c0) > 5"), (Rows{0}));
  EXPECT_EQ(Match({vector::Flat<int64_t>(T("BIGINT"), {INT64_MIN})},
                  "abs(c0) = 9223372036854775808"),
            (Rows{0}));
  EXPECT_EQ(Match({Doubles({-1.5, kNan})}, "abs(c0) = 1.5"), (Rows{0}));
  EXPECT_EQ(Match({Texts({"\xC3\xA9", "ab"})}, "length(c0) = 1"), (Rows{0}));
  EXPECT_EQ(Match({Texts({" 7 ", "8"})}, "cast(c0 as BIGINT) = 7"), (Rows{0}));
}

TEST(MatchingRowsTest, WrappersAreLookedThrough) {
  const ColumnPtr ids = vector::Flat<int32_t>(T("INTEGER"), {2, 0, 1});
  const ColumnPtr dictionary = std::make_shared<vector::DictionaryColumn>(
      3, vector::Validity(), ids->As<vector::FlatColumn>().values(), Ints({4, std::nullopt, 6}));
  const ColumnPtr constant = std::make_shared<vector::ConstantColumn>(Ints({6}), 3);
  EXPECT_EQ(Match({dictionary, constant}, "c0 = c1"), (Rows{0}));
  EXPECT_EQ(Match({dictionary}, "c0 is null"), (Rows{2}));
}

class HalfThere : public vector::ColumnSource {
 public:
  absl::StatusOr<ColumnPtr> Load(int64_t index) const override {
    if (index == 0) return Ints({1, 2});
    return absl::DataLossError("gone");
  }
};

TEST(MatchingRowsTest, LazyColumnsAreLoadedIfThePredicateReadsThem) {
  const auto source = std::make_shared<HalfThere>();
  const Batch batch = vector::BatchOf(
      {std::make_shared<vector::LazyColumn>(T("INTEGER"), 2, source, 0),
       std::make_shared<vector::LazyColumn>(T("INTEGER"), 2, source, 1)});
  EXPECT_EQ(*MatchingRows(*Predicate::Parse("c0 = 2", batch.schema()), batch), (Rows{1}));
  EXPECT_EQ(MatchingRows(*Predicate::Parse("c1 = 2", batch.schema()), batch).status().ToString(),
            "DATA_LOSS: column 1 `c1` INTEGER: gone");
}

TEST(MatchingRowsTest, WhatCannotBeEvaluatedIsSaidSo) {
  const auto error = [](const ColumnPtr& column, std::string_view text) {
    const Batch batch = vector::BatchOf({column});
    return MatchingRows(*Predicate::Parse(text, batch.schema()), batch).status().ToString();
  };
  EXPECT_EQ(error(Ints({1}), "c0 = 1 or opaque('f(c0)', c0)"),
            "UNIMPLEMENTED: `opaque('f(c0)', c0)` cannot be evaluated");
  EXPECT_EQ(error(Texts({"a"}, "VARCHAR COLLATE UNICODE_CI"), "c0 = 'A'"),
            "UNIMPLEMENTED: `c0 = 'A'`: the order of VARCHAR COLLATE UNICODE_CI is not known");
  EXPECT_EQ(error(Texts({"1", "x"}), "cast(c0 as BIGINT) = 1"),
            "INVALID_ARGUMENT: row 1: `x` is no BIGINT");
  const auto other = Predicate::Parse("c0 = 1", vector::BatchOf({Ints({})}).schema());
  EXPECT_EQ(MatchingRows(*other, vector::BatchOf({Texts({})})).status().ToString(),
            "INVALID_ARGUMENT: the batch has no column 0 `c0` INTEGER");
}

}  // namespace
}  // namespace spillway::stats
