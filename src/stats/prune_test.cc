// SPDX-License-Identifier: Apache-2.0
// Pruning rule by rule. golden/spark_pruning has Spark's own decisions.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/stats/blob.h"
#include "src/stats/prune.h"
#include "src/vector/build.h"

namespace spillway::stats {
namespace {

using vector::Batch;
using vector::ColumnPtr;
using vector::Timestamp;
using vector::Type;
using vector::TypePtr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TypePtr T(std::string_view text) { return *Type::Parse(text); }

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

// What the modes decide of one batch: a small language for the tests below.
class Pruning {
 public:
  explicit Pruning(const std::vector<ColumnPtr>& columns, StatsOptions options = {})
      : batch_(vector::BatchOf(columns)), stats_(ComputeStats(batch_, options)) {}

  BatchStats& stats() { return stats_; }

  bool Skips(std::string_view text, PruneOptions options = {}) const {
    const auto predicate = Predicate::Parse(text, batch_.schema());
    EXPECT_TRUE(predicate.ok()) << text << ": " << predicate.status();
    return Pruner(*predicate, options).MaySkip(stats_, batch_.rows());
  }
  bool Spark(std::string_view text) const {
    return Skips(text, {.mode = PruneMode::kSparkParity});
  }
  bool Gluten(std::string_view text) const {
    return Skips(text, {.mode = PruneMode::kGlutenParity});
  }
  bool NanAware(std::string_view text) const { return Skips(text, {.nan_aware_stats = true}); }

  Explanation Why(std::string_view text, PruneOptions options = {}) const {
    return Pruner(*Predicate::Parse(text, batch_.schema()), options)
        .Explain(stats_, batch_.rows())
        .why;
  }
  std::string Explain(std::string_view text, PruneOptions options = {}) const {
    return Why(text, options).ToString();
  }

 private:
  Batch batch_;
  BatchStats stats_;
};

TEST(SoundTest, ComparisonsReadTheBoundThatTheyNeed) {
  const Pruning p({Ints({-2, std::nullopt, 7})});
  for (const char* text : {"c0 < -2", "c0 <= -3", "c0 > 7", "c0 >= 8", "c0 = 8", "c0 = -3",
                           "c0 in (8, -3)", "-2 > c0", "8 <= c0", "c0 < -2.5", "c0 > DOUBLE 7.5",
                           "c0 between 8 and 9", "c0 <=> 8", "not (c0 <= 7)", "not (c0 != 9)"}) {
    EXPECT_TRUE(p.Skips(text)) << text;
  }
  for (const char* text : {"c0 < -1", "c0 <= -2", "c0 > 6", "c0 >= 7", "c0 = 7", "c0 = 0",
                           "c0 in (8, 0)", "c0 != 0", "not (c0 < 7)", "c0 is null", "c0 <=> null",
                           "c0 is not null", "abs(c0) > 100", "not (c0 in (8))"}) {
    EXPECT_FALSE(p.Skips(text)) << text;
  }
}

TEST(SoundTest, JunctionsFollowTheirParts) {
  const Pruning p({Ints({1, 5}), Ints({10, 20})});
  EXPECT_TRUE(p.Skips("c0 > 5 and c1 > 0"));
  EXPECT_FALSE(p.Skips("c0 > 5 or c1 > 0"));
  EXPECT_TRUE(p.Skips("c0 > 5 or c1 > 20"));
  EXPECT_TRUE(p.Skips("not (c0 <= 5 or c1 > 100)"));
  EXPECT_TRUE(p.Skips("not (c0 <= 5 and c1 <= 20)"));
  EXPECT_TRUE(p.Skips("opaque('f(c0)', c0) and c0 > 5"));
  EXPECT_FALSE(p.Skips("opaque('f(c0)', c0) or c0 > 5"));
  EXPECT_TRUE(p.Skips("c0 >= c1"));
  EXPECT_TRUE(p.Skips("c0 = c1"));
  EXPECT_FALSE(p.Skips("c0 < c1"));
  EXPECT_TRUE(p.Skips("false or null"));
  EXPECT_FALSE(p.Skips("true"));
}

TEST(SoundTest, NullCountsPruneWithoutBounds) {
  const Pruning p({Ints({std::nullopt, std::nullopt}), Ints({1, 2})});
  for (const char* text : {"c0 is not null", "c0 = 1", "c0 != 1", "not (c0 = 1)", "c0 < c1",
                           "c0 in (1)", "not (c0 in (1))", "c1 is null", "c1 <=> null",
                           "abs(c0) = 1", "c0 <=> 1"}) {
    EXPECT_TRUE(p.Skips(text)) << text;
  }
  EXPECT_FALSE(p.Skips("c0 is null"));
  EXPECT_FALSE(p.Skips("not (c0 <=> 1)"));
}

TEST(SoundTest, NullLiteralsNeverMatch) {
  const Pruning p({Ints({1, std::nullopt})});
  for (const char* text : {"c0 = null", "c0 < null", "not (c0 = null)", "c0 in (null)",
                           "c0 in ()", "not (c0 in (1, null))", "c0 in (9, null)"}) {
    EXPECT_TRUE(p.Skips(text)) << text;
  }
  EXPECT_FALSE(p.Skips("c0 not in ()"));
  EXPECT_FALSE(p.Skips("c0 in (1, null)"));
}

TEST(SoundTest, OnePointIsKnownExactly) {
  const Pruning p({Ints({5, 5}), Texts({"abc", "abd"})});
  EXPECT_TRUE(p.Skips("c0 != 5"));
  EXPECT_TRUE(p.Skips("not (c0 = 5)"));
  EXPECT_TRUE(p.Skips("c0 not in (4, 5)"));
  EXPECT_TRUE(p.Skips("not starts_with(c1, 'ab')"));
  EXPECT_FALSE(p.Skips("not starts_with(c1, 'abc')"));
}

TEST(SoundTest, BooleansAreBounds) {
  const vector::TypePtr type = T("BOOLEAN");
  const Pruning p({vector::Flat<uint8_t>(type, {0, 0}), vector::Flat<uint8_t>(type, {7, 1})});
  EXPECT_TRUE(p.Skips("c0"));
  EXPECT_FALSE(p.Skips("not c0"));
  EXPECT_TRUE(p.Skips("not c1"));
  EXPECT_TRUE(p.Skips("c1 = false"));
}

TEST(SoundTest, PrefixesCompareTheFirstBytesOfTheBounds) {
  const Pruning p({Texts({"bandana", "cherry"})});
  EXPECT_TRUE(p.Skips("starts_with(c0, 'banana')"));
  EXPECT_TRUE(p.Skips("starts_with(c0, 'cherry!')"));
  EXPECT_TRUE(p.Skips("c0 like 'a%'"));
  EXPECT_TRUE(p.Skips("c0 like 'd_'"));
  EXPECT_FALSE(p.Skips("starts_with(c0, '')"));
  EXPECT_FALSE(p.Skips("starts_with(c0, 'band')"));
  EXPECT_FALSE(p.Skips("starts_with(c0, 'bz')"));
  EXPECT_FALSE(p.Skips("c0 like '%z'"));
  EXPECT_FALSE(p.Skips("c0 not like 'z%'"));
  EXPECT_FALSE(p.Skips("ends_with(c0, 'zz') or contains(c0, 'zz')"));
  EXPECT_TRUE(p.Skips("not contains(c0, '')"));
  EXPECT_TRUE(p.Skips("starts_with(c0, null)"));
}

// A writer that rounds up stops at 2^63 - 1 us: behind that bound there may be 999 ns more.
TEST(SoundTest, ASaturatedTimestampIsNoUpperBound) {
  const Pruning p({vector::Flat<Timestamp>(T("TIMESTAMP"), {{9223372036854, 775'807'500}})});
  EXPECT_FALSE(p.Skips("c0 > TIMESTAMP 9223372036854775807"));
  EXPECT_TRUE(p.Skips("c0 < TIMESTAMP 9223372036854775807"));
  EXPECT_TRUE(Pruning({vector::Flat<Timestamp>(T("TIMESTAMP"), {{0, 999'500}})})
                  .Skips("c0 > TIMESTAMP 1000"));
}

TEST(SoundTest, ABatchWithoutRowsIsSkipped) {
  const Pruning p({Ints({})});
  EXPECT_TRUE(p.Skips("c0 = 1"));
  EXPECT_TRUE(p.Skips("c0 is null"));
  EXPECT_TRUE(p.Skips("true"));
}

// --- BUGS section 10: floats --------------------------------------------------------------------

// FORMAT section 6: NaN is not in the bounds, and is greater than all of them.
TEST(NanTest, SoundPrunesByTheLowerBoundOrAgainstFiniteValues) {
  const Pruning p({Doubles({1.0, kNan, 2.0})});
  for (const char* text : {"c0 < 1", "c0 <= 0.5", "c0 = 3", "c0 in (0, 3)", "c0 <=> 3",
                           "c0 > NaN", "not (c0 <= NaN)"}) {
    EXPECT_TRUE(p.Skips(text)) << text;
  }
  for (const char* text : {"c0 > 2", "c0 >= 3", "c0 = NaN", "c0 <=> NaN", "c0 in (0, NaN)",
                           "not (c0 <= 2)", "not (c0 < 3)", "not (c0 = 1)", "is_nan(c0)",
                           "c0 > Infinity", "c0 between 3 and NaN", "2 < c0"}) {
    EXPECT_FALSE(p.Skips(text)) << text;
  }
}

// The known counterexamples (docs/format/pruning.md): the row NaN is lost.
TEST(NanTest, SparkAndGlutenLoseNan) {
  const Pruning p({Doubles({1.0, 2.0, kNan})});
  for (const char* text : {"c0 > 2", "c0 >= 3", "c0 = NaN", "c0 <=> NaN", "c0 in (NaN)",
                           "c0 < 1 or c0 > 2"}) {
    EXPECT_TRUE(p.Spark(text)) << text;
    EXPECT_TRUE(p.Gluten(text)) << text;
    EXPECT_FALSE(p.Skips(text)) << text;
  }
  EXPECT_FALSE(p.Spark("c0 > 1.5"));  // below the upper bound nothing is lost
}

TEST(NanTest, NanAwareStatisticsCureThemAndLetSoundUseTheUpperBound) {
  const Pruning nan({Doubles({1.0, kNan, 2.0})}, {.nan_aware = true});
  const Pruning none({Doubles({1.0, 2.0})}, {.nan_aware = true});
  for (const char* text : {"c0 > 2", "c0 >= 3", "c0 = NaN", "c0 in (NaN)", "is_nan(c0)"}) {
    EXPECT_FALSE(nan.Spark(text)) << text;
    EXPECT_FALSE(nan.Gluten(text)) << text;
    EXPECT_FALSE(nan.NanAware(text)) << text;
    EXPECT_TRUE(none.NanAware(text)) << text;
    EXPECT_FALSE(none.Skips(text)) << text;  // Sound that has not been told
  }
  const Pruning only({Doubles({kNan, kNan})}, {.nan_aware = true});
  EXPECT_TRUE(only.NanAware("c0 < NaN"));
  EXPECT_TRUE(only.NanAware("not is_nan(c0)"));
  EXPECT_TRUE(only.NanAware("c0 = 5"));
}

// BUGS 10.83 and 10.85 (apache/gluten#12211, iceberg#6516): no bounds became null bounds, null
// false.
TEST(NanTest, AbsentBoundsOfAllNanAreNoProof) {
  const Pruning p({Doubles({kNan, kNan})});
  EXPECT_FALSE(p.Skips("c0 = 42"));
  EXPECT_FALSE(p.Skips("c0 >= 0"));
  EXPECT_TRUE(p.Spark("c0 >= 0"));
  EXPECT_FALSE(p.Gluten("c0 >= 0"));
  EXPECT_FALSE(Pruning({Doubles({kNan, 42})}).Skips("c0 = 42"));
}

// BUGS 10.84 (hudi#18754): an absent bound is not 0.
TEST(NanTest, AbsentBoundsAreNotZero) {
  EXPECT_FALSE(Pruning({Doubles({kNan})}).Skips("c0 = 5"));
  EXPECT_FALSE(Pruning({Doubles({kNan})}).Skips("c0 < 0"));
}

// BUGS 10.86 (parquet-java#461).
TEST(NanTest, ZerosOfEitherSignAreOneValue) {
  for (const double zero : {-0.0, 0.0}) {
    const Pruning p({Doubles({zero})});
    EXPECT_FALSE(p.Skips("c0 = 0"));
    EXPECT_FALSE(p.Skips("c0 >= 0"));
    EXPECT_FALSE(p.Skips("c0 <= -0.0"));
    EXPECT_TRUE(p.Skips("c0 < 0"));
    EXPECT_FALSE(p.Spark("c0 = 0"));
  }
}

// --- BUGS section 11: strings -------------------------------------------------------------------

// BUGS 11.93 (iceberg#11161): a bound cut inside a character is bytes, and is never decoded.
TEST(StringTest, BoundsCutInsideACharacterPrune) {
  const std::string a(255, 'a');
  const Pruning p({Texts({a + "\xE2\x80\xA2"})});
  EXPECT_FALSE(p.Skips("starts_with(c0, 'aaa')"));
  EXPECT_FALSE(p.Skips("c0 = '" + a + "\xE2\x80\xA2'"));
  EXPECT_FALSE(p.Skips("starts_with(c0, '" + a + "\xE2\x80\xA2')"));
  EXPECT_TRUE(p.Skips("starts_with(c0, '" + a + "\xE4\x80\xA2')"));
  EXPECT_TRUE(p.Skips("c0 > '" + a + "\xF0'"));
}

// BUGS 11.94: Spark cuts bounds by characters, StartsWith compares bytes.
TEST(StringTest, APrefixThatEndsInsideACharacterIsComparedByBytes) {
  const Pruning p({Texts({"a\xE2\x80\xA2"})});
  EXPECT_FALSE(p.Skips("starts_with(c0, x'61e2')"));
  EXPECT_TRUE(p.Spark("starts_with(c0, x'61e2')"));
  EXPECT_TRUE(p.Gluten("starts_with(c0, x'61e2')"));
  EXPECT_FALSE(p.Spark("starts_with(c0, 'a\xE2\x80\xA2')"));
  // The same with a bound that itself ends inside one: Spark reads behind it.
  EXPECT_TRUE(Pruning({Texts({"a\xE2"})}).Spark("starts_with(c0, x'61e2')"));
  EXPECT_FALSE(Pruning({Texts({"a\xE2"})}).Skips("starts_with(c0, x'61e2')"));
}

// BUGS 11.96 (apache/gluten#12112).
TEST(StringTest, CollatedColumnsPruneByNullsOnly) {
  const Pruning p({Texts({"b"}, "VARCHAR COLLATE UTF8_LCASE"), Ints({1})});
  EXPECT_FALSE(p.Skips("c0 = 'B'"));
  EXPECT_TRUE(p.Skips("c0 is null"));
  EXPECT_TRUE(p.Spark("c0 = 'B'"));  // null bounds: the row is lost
  EXPECT_FALSE(p.Gluten("c0 = 'B'"));
  EXPECT_TRUE(p.Gluten("c0 = 'B' and c1 = 2"));
  const Pruning other({Texts({"b"}, "VARCHAR COLLATE UNICODE_CI")});
  EXPECT_FALSE(other.Skips("c0 = 'B'"));
  EXPECT_FALSE(other.Skips("c0 > 'zzz' or c0 < ''"));
}

// Bounds that a writer of another system gave a collated column are not believed.
TEST(StringTest, BoundsOfACollatedColumnAreNotUsed) {
  Pruning p({Texts({"b"}, "VARCHAR COLLATE UTF8_LCASE")});
  p.stats()[0].bounds = Bounds{"b", "b"};
  EXPECT_FALSE(p.Skips("c0 = 'B'"));
  EXPECT_FALSE(p.Skips("c0 > 'c'"));
}

// BUGS 11.95 (hudi#18755).
TEST(StringTest, AbsentBoundsAreNotNulls) {
  Pruning p({Texts({std::string(300, '\xFF')})});
  EXPECT_FALSE(p.stats()[0].bounds.has_value());
  EXPECT_FALSE(p.Skips("c0 is not null"));
  EXPECT_FALSE(p.Skips("c0 > 'a'"));
  EXPECT_TRUE(p.Spark("c0 > 'a'"));
  EXPECT_FALSE(p.Gluten("c0 > 'a'"));
}

// BUGS 11.99 (apache/gluten 1aaf83980).
TEST(StringTest, BoundsCompareUnsigned) {
  const Pruning p({Texts({"\xC2", "z"})});
  EXPECT_FALSE(p.Skips("c0 > 'z'"));
  EXPECT_FALSE(p.Skips("c0 = 'z'"));
  EXPECT_TRUE(p.Skips("c0 < 'a'"));
}

// --- BUGS section 12: logic ---------------------------------------------------------------------

// BUGS 12.100 (apache/gluten#12073).
TEST(LogicTest, AMissingBoundKeepsTheBatchForEveryOperator) {
  Pruning p({Ints({1, 2})});
  p.stats()[0].bounds.reset();
  for (const char* text : {"c0 = 9", "c0 <=> 9", "c0 < 0", "c0 <= 0", "c0 > 9", "c0 >= 9",
                           "c0 != 1", "c0 in (9)", "not (c0 = 9)", "abs(c0) = 9"}) {
    EXPECT_FALSE(p.Skips(text)) << text;
    EXPECT_FALSE(p.Gluten(text)) << text;
  }
  EXPECT_TRUE(p.Spark("c0 = 9"));
}

// BUGS 12.101 (apache/gluten#12211, bypassPruning): decided per operator, not per batch.
TEST(LogicTest, OneColumnWithoutBoundsDoesNotStopTheOthers) {
  const Pruning p({Ints({std::nullopt}), Ints({1})});
  EXPECT_TRUE(p.Skips("c0 is not null"));
  EXPECT_FALSE(p.Gluten("c0 is not null"));
  EXPECT_TRUE(p.Skips("c0 is null and c1 = 2"));
  EXPECT_FALSE(p.Gluten("c0 is null and c1 = 2"));
  EXPECT_TRUE(p.Spark("c0 is null and c1 = 2"));
}

// BUGS 12.102 (SPARK-24934).
TEST(LogicTest, TypesWithoutBoundsAreNotPrunedByThem) {
  const ColumnPtr offsets = vector::Flat<int32_t>(T("INTEGER"), {0, 1});
  const ColumnPtr list = std::make_shared<vector::ListColumn>(
      T("ARRAY<INTEGER>"), 1, vector::Validity(), offsets->As<vector::FlatColumn>().values(),
      std::vector<ColumnPtr>{Ints({5})});
  const Pruning p({list, Texts({"b"}, "VARBINARY")});
  EXPECT_FALSE(p.Skips("c0 > [9]"));
  EXPECT_FALSE(p.Skips("c1 = x'00'"));
  EXPECT_FALSE(p.Spark("c0 > [9]"));
  EXPECT_FALSE(p.Spark("c1 = x'00'"));
  EXPECT_TRUE(p.Skips("c0 is null"));
}

// BUGS 12.103 (apache/gluten cd98d9a42): count is all rows; rows - 2 x nulls was computed.
TEST(LogicTest, IsNotNullCountsRowsOnce) {
  const Pruning p({Ints({1, std::nullopt, std::nullopt})});
  EXPECT_FALSE(p.Skips("c0 is not null"));
  EXPECT_FALSE(p.Spark("c0 is not null"));
}

// BUGS 12.107 (apache/gluten 4ad8d1710).
TEST(LogicTest, ABatchWithoutStatisticsIsRead) {
  Pruning p({Ints({1})});
  p.stats().clear();
  for (const char* text : {"c0 = 9", "c0 is null", "c0 is not null", "c0 in (9)"}) {
    EXPECT_FALSE(p.Skips(text)) << text;
    EXPECT_FALSE(p.Spark(text)) << text;
    EXPECT_FALSE(p.Gluten(text)) << text;
  }
  EXPECT_TRUE(p.Skips("c0 = null"));  // no batch has such a row
}

// BUGS 12.109 (apache/gluten 4018647c1).
TEST(LogicTest, EveryColumnHasItsOwnStatistics) {
  const Pruning p({Ints({1}), Ints({100}), Texts({"x"})});
  EXPECT_TRUE(p.Skips("c1 < 100"));
  EXPECT_FALSE(p.Skips("c1 = 100 and c0 = 1 and c2 = 'x'"));
  EXPECT_TRUE(p.Spark("c2 < 'x'"));
}

// BUGS 12.110.
TEST(LogicTest, InvertedBoundsAreNone) {
  Pruning p({Ints({1, 2})});
  std::swap(p.stats()[0].bounds->lower, p.stats()[0].bounds->upper);
  EXPECT_FALSE(p.Skips("c0 = 1"));
  EXPECT_FALSE(p.Skips("c0 < 2"));
  EXPECT_TRUE(p.Spark("c0 = 1"));
}

// BUGS 12.112 (iceberg-python#3547).
TEST(LogicTest, NegationsStayConservativeWithNullsAndNan) {
  EXPECT_FALSE(Pruning({Ints({5, std::nullopt, 6})}).Skips("c0 != 5"));
  EXPECT_TRUE(Pruning({Ints({5, std::nullopt})}).Skips("c0 != 5"));  // null != 5 is null
  EXPECT_FALSE(Pruning({Ints({5, std::nullopt})}).Skips("not (c0 <=> 5)"));
  EXPECT_FALSE(Pruning({Doubles({5, kNan})}).Skips("c0 != 5"));
  EXPECT_FALSE(Pruning({Doubles({5, kNan})}).Skips("c0 not in (5)"));
}

TEST(LogicTest, CountsThatContradictTheBatchAreNotBelieved) {
  for (const ColumnStats& stats :
       {ColumnStats{.null_count = 0, .count = 3}, ColumnStats{.null_count = 5, .count = 2},
        ColumnStats{.null_count = 2,
                    .count = 2,
                    .bounds = Bounds{std::string(4, '\1'), std::string(4, '\1')}}}) {
    Pruning p({Ints({1, std::nullopt})});
    p.stats()[0] = stats;
    EXPECT_FALSE(p.Skips("c0 is null"));
    EXPECT_FALSE(p.Skips("c0 is not null"));
    EXPECT_FALSE(p.Skips("c0 = 9"));
  }
  Pruning p({Ints({1, 2})});
  p.stats()[0].bounds = Bounds{"x", "y"};  // not of the type's length
  EXPECT_FALSE(p.Skips("c0 = 9"));
}

// --- Parity: what Spark does not look at --------------------------------------------------------

TEST(ParityTest, SomeConditionsHaveNoFilter) {
  const Pruning p({Ints({1, 2}), Texts({"a"})});
  for (const char* text : {"c0 != 1", "not (c0 = 1)", "in_set(c0, 9)", "c0 = c0", "abs(c0) = 9",
                           "ends_with(c1, 'z')", "contains(c1, 'z')", "c1 like 'z%'", "c0 in ()",
                           "c0 = BIGINT 9", "false", "c0 = 9 or c0 != 1", "opaque('x', c0)"}) {
    EXPECT_FALSE(p.Spark(text)) << text;
    EXPECT_FALSE(p.Gluten(text)) << text;
  }
  for (const char* text : {"c0 = 9 and c0 != 1", "c0 = 9 or c1 = 'z'", "9 = c0", "3 <= c0",
                           "c0 = null", "c0 in (null)", "starts_with(c1, 'z')"}) {
    EXPECT_TRUE(p.Spark(text)) << text;
    EXPECT_TRUE(p.Gluten(text)) << text;
  }
  EXPECT_FALSE(p.Spark("c0 in (1, null)"));
}

TEST(ExplainTest, SaysWhichStatisticDecided) {
  const Pruning p({Ints({-2, std::nullopt, 7}), Texts({"x", std::nullopt, std::nullopt})});
  EXPECT_EQ(p.Explain("c0 >= 8 or (c1 = 'x' and not (c0 is null))"),
            "or: may be true\n"
            "  c0 >= 8: never true (c0: -2 to 7, 1 of 3 null; decided by the upper bound)\n"
            "  and: may be true\n"
            "    c1 = 'x': never false (c1: 'x' to 'x', 2 of 3 null)\n"
            "    not: may be true\n"
            "      c0 is null: may be true (c0: -2 to 7, 1 of 3 null)\n");
  EXPECT_EQ(p.Explain("c0 = 9 and c0 != 1", {.mode = PruneMode::kSparkParity}),
            "and: false\n"
            "  c0 = 9: false (c0: -2 to 7, 1 of 3 null)\n"
            "  c0 != 1: no filter (c0: -2 to 7, 1 of 3 null)\n");
  EXPECT_EQ(p.Explain("not (c0 = 9 and (c0 is null or c0 < 1))", {.mode = PruneMode::kSparkParity}),
            "not (c0 = 9 and (c0 is null or c0 < 1)): no filter (c0: -2 to 7, 1 of 3 null)\n");
  EXPECT_EQ(Pruning({Texts({"b"}, "VARBINARY")})
                .Explain("c0 = x'00'", {.mode = PruneMode::kGlutenParity}),
            "and: bypassed: a column without bounds\n"
            "  c0 = x'00': no filter (c0: no bounds, 0 of 1 null)\n");
}

TEST(ExplainTest, SaysOfEachConditionWhetherItWouldSkip) {
  const Pruning p({Ints({1, 5})});
  const auto skips = [&](PruneMode mode) {
    const Explanation why = p.Why("(c0 > 5 or c0 = 1) and not (c0 <= 5)", {.mode = mode});
    std::vector<bool> out = {why.skips};
    for (const Explanation& part : why.arguments) out.push_back(part.skips);
    for (const Explanation& part : why.arguments[0].arguments) out.push_back(part.skips);
    return out;
  };
  EXPECT_EQ(skips(PruneMode::kSound), (std::vector<bool>{true, false, true, true, false}));
  EXPECT_EQ(skips(PruneMode::kSparkParity), (std::vector<bool>{false, false, false, true, false}));
  EXPECT_EQ(skips(PruneMode::kGlutenParity), (std::vector<bool>{false, false, false, true, false}));
}

TEST(ExplainTest, SaysWhatIsNotBelieved) {
  Pruning p({Doubles({1, kNan})});
  EXPECT_EQ(p.Explain("c0 > 5"), "c0 > 5: may be true (c0: 1 to 1, 0 of 2 null)\n");
  p.stats()[0].count = 7;
  EXPECT_EQ(p.Explain("c0 > 5"),
            "c0 > 5: may be true (c0: 1 to 1, 0 of 7 null; distrusted: the batch has 2 rows)\n");
  p.stats().clear();
  EXPECT_EQ(p.Explain("c0 > 5"), "c0 > 5: may be true (c0: no statistics)\n");
}

}  // namespace
}  // namespace spillway::stats
