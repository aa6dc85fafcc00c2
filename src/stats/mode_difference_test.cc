// SPDX-License-Identifier: Apache-2.0
#include "src/stats/mode_difference.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/stats/blob.h"
#include "src/vector/build.h"

namespace spillway::stats {
namespace {

using vector::ColumnPtr;
using vector::Type;
using vector::TypePtr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr auto kSound = PruneMode::kSound;
constexpr auto kSpark = PruneMode::kSparkParity;
constexpr auto kGluten = PruneMode::kGlutenParity;

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

// A batch whose modes are compared: "condition: why", a line each.
class Compared {
 public:
  explicit Compared(const std::vector<ColumnPtr>& columns)
      : batch_(vector::BatchOf(columns)), stats_(ComputeStats(batch_)) {}

  BatchStats& stats() { return stats_; }

  std::string operator()(std::string_view text, PruneMode one, PruneMode other,
                         bool nan_aware = false) const {
    const Predicate predicate = *Predicate::Parse(text, batch_.schema());
    const auto opinion = [&](PruneMode mode) {
      return OpinionOf(predicate, {.mode = mode, .nan_aware_stats = nan_aware}, stats_,
                       batch_.rows());
    };
    const auto between = [&](PruneMode a, PruneMode b) {
      return DifferencesBetween(predicate, stats_, batch_.rows(), opinion(a), opinion(b));
    };
    EXPECT_EQ(between(one, other), between(other, one)) << "not symmetric";
    std::string out;
    for (const ModeDifference& difference : between(one, other)) {
      out += difference.condition + ": " + difference.why + "\n";
    }
    return out;
  }

 private:
  vector::Batch batch_;
  BatchStats stats_;
};

TEST(ModeDifferenceTest, NoneIfTheModesDecideAlike) {
  const Compared c({Ints({1, 5})});
  EXPECT_EQ(c("c0 > 5", kSound, kSpark), "");
  EXPECT_EQ(c("c0 > 1", kSound, kSpark), "");
  EXPECT_EQ(c("c0 > 1 or c0 != 7", kSound, kSpark), "");  // both read, for other reasons
}

TEST(ModeDifferenceTest, SparkTrustsTheUpperBoundOfWhatMayHoldNan) {
  const Compared c({Doubles({1, kNan, 2}), Ints({1, 5, 3})});
  EXPECT_EQ(c("c0 > 2 and c1 > 1", kSound, kSpark), "c0 > 2: a NaN is above every bound\n");
  EXPECT_EQ(c("c0 > 2 and c1 > 1", kSound, kGluten), "c0 > 2: a NaN is above every bound\n");
  EXPECT_EQ(c("c0 > 2 or c0 = NaN", kSound, kSpark),
            "c0 > 2: a NaN is above every bound\nc0 = NaN: a NaN is above every bound\n");
  EXPECT_EQ(c("c0 > 2", kSpark, kGluten), "");
}

TEST(ModeDifferenceTest, SparkTakesAbsentBoundsForFalse) {
  const Compared c({Doubles({kNan, kNan})});
  const std::string why =
      "c0 = 1: c0 has no bounds: a comparison with an absent bound is null to Spark, and null "
      "skips\n";
  EXPECT_EQ(c("c0 = 1", kSound, kSpark), why);
  EXPECT_EQ(c("c0 = 1", kSpark, kGluten),
            ": c0 has no bounds, and Gluten's wrapper then reads a batch whatever else is known\n");
}

TEST(ModeDifferenceTest, GlutenReadsWhereABoundIsAbsent) {
  const Compared c({Ints({std::nullopt}), Ints({1})});
  EXPECT_EQ(c("c1 = 9 and c0 = 1", kSound, kGluten),
            ": c0 has no bounds, and Gluten's wrapper then reads a batch whatever else is known\n");
  EXPECT_EQ(c("c1 = 9", kSound, kGluten), "");
}

TEST(ModeDifferenceTest, SparkDoesNotLookAtEverything) {
  const Compared c({Ints({5, 5}), Ints({1, 2})});
  EXPECT_EQ(c("c0 != 5 and c1 = 1", kSound, kSpark),
            "c0 != 5: Spark's filter does not look at it\n");
  EXPECT_EQ(c("not (c0 = 5 or c1 is null)", kSound, kSpark),
            "not (c0 = 5 or c1 is null): Spark's filter does not look at it\n");
  EXPECT_EQ(c("c0 < c1", kSound, kGluten), "c0 < c1: Spark's filter does not look at it\n");
}

TEST(ModeDifferenceTest, GlutenDropsCollatedConditions) {
  const Compared c({Texts({"b"}, "VARCHAR COLLATE UTF8_LCASE"), Ints({1})});
  EXPECT_EQ(c("c0 is null and c1 = 1", kSound, kGluten),
            "c0 is null: Gluten drops conditions on columns with a collation\n");
}

TEST(ModeDifferenceTest, SparkCutsBoundsByCharacters) {
  const Compared c({Texts({"a\xE2\x80\xA2"})});
  EXPECT_EQ(c("starts_with(c0, x'61e2')", kSound, kSpark),
            "starts_with(c0, x'61e2'): Spark cuts bounds by characters, and the prefix ends inside "
            "one\n");
}

TEST(ModeDifferenceTest, SparkBelievesContradictions) {
  Compared c({Ints({1, 2})});
  std::swap(c.stats()[0].bounds->lower, c.stats()[0].bounds->upper);
  EXPECT_EQ(c("c0 = 1", kSound, kSpark), "c0 = 1: c0 has its lower bound above the upper one\n");
  c.stats()[0].bounds = Bounds{"x", "y"};
  EXPECT_EQ(c("c0 = 1", kSound, kSpark), "c0 = 1: c0 has bounds that are none of its type\n");
  c.stats()[0].count = 9;
  EXPECT_EQ(c("c0 = 1 and c0 is null", kSound, kSpark),
            "c0 = 1: c0 has counts that contradict the batch; Spark believes them\n"
            "c0 is null: c0 has counts that contradict the batch; Spark believes them\n");
}

TEST(ModeDifferenceTest, ASaturatedTimestampIsNoUpperBound) {
  const Compared c(
      {vector::Flat<vector::Timestamp>(T("TIMESTAMP"), {{9223372036854, 775'807'500}})});
  EXPECT_EQ(c("c0 > TIMESTAMP 9223372036854775807", kSound, kSpark),
            "c0 > TIMESTAMP 9223372036854775807: the upper bound is the last microsecond there is; "
            "a value may be behind it\n");
}

}  // namespace
}  // namespace spillway::stats
