// SPDX-License-Identifier: Apache-2.0
// What must hold of pruning for every batch, predicate and way to compute statistics.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/generators/batch.h"
#include "fuzz/generators/predicate.h"
#include "fuzz/generators/type.h"
#include "fuzz/generators/value.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "src/base/little_endian.h"
#include "src/base/random.h"
#include "src/base/strings.h"
#include "src/base/utf8.h"
#include "src/frame/frame_stats.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/stats/matching_rows.h"
#include "src/stats/mode_difference.h"
#include "src/stats/predicate.h"
#include "src/stats/predicate_text.h"
#include "src/stats/prune.h"
#include "src/vector/batch.h"
#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway {
namespace {

using stats::BatchStats;
using stats::BoundsRule;
using stats::Condition;
using stats::Node;
using stats::Predicate;
using stats::PruneMode;
using stats::PruneOptions;
using stats::Pruner;
using vector::Batch;
using vector::ColumnPtr;
using vector::Kind;
using vector::Type;
using vector::TypePtr;
using Tree = stats::proto::Predicate;

constexpr PruneMode kModes[] = {PruneMode::kSound, PruneMode::kSparkParity,
                                PruneMode::kGlutenParity};
constexpr int kPredicates = 8;  // of each batch

// A frame whose statistics are read back: those of each writer, under each of its options.
struct Writer {
  std::string_view name;
  bool v3;
  BoundsRule bounds = BoundsRule::kGlutenParity;
  bool nan_aware = false;
};
constexpr Writer kWriters[] = {
    {"V2", false},
    {"V2, NaN-aware", false, BoundsRule::kGlutenParity, true},
    {"V2, best", false, BoundsRule::kBest},
    {"V2, best and NaN-aware", false, BoundsRule::kBest, true},
    {"V3", true},
    {"V3, NaN-aware", true, BoundsRule::kGlutenParity, true},
};

BatchStats StatsOf(const Batch& batch, const Writer& writer) {
  const auto frame =
      writer.v3 ? frame::WriteV3(batch, {.nan_aware = writer.nan_aware})
                : frame::WriteV2(batch, {.bounds = writer.bounds, .nan_aware = writer.nan_aware});
  if (!frame.ok()) RC_FAIL(std::string(frame.status().message()));
  const auto read = frame::ReadFrameStats(*batch.schema(), *frame);
  if (!read.ok()) RC_FAIL(std::string(read.status().message()));
  return *read->stats;
}

Batch With(const Batch& batch, std::string name, ColumnPtr column) {
  std::vector<std::string> names = batch.schema()->names();
  std::vector<TypePtr> types = batch.schema()->children();
  std::vector<ColumnPtr> columns = batch.columns();
  names.push_back(std::move(name));
  types.push_back(column->type_ptr());
  columns.push_back(std::move(column));
  return Batch(Type::Row(std::move(names), std::move(types)), batch.rows(), std::move(columns));
}

// Types whose bounds have rules of their own come up more often than others.
constexpr Kind kRuled[] = {Kind::kReal, Kind::kDouble, Kind::kTimestamp, Kind::kVarchar};

// Few rows, so that much lies outside their bounds.
Batch PickBatch() {
  const Batch batch =
      *fuzz::AnyBatch({.types = {.max_depth = 2}, .max_columns = 3, .max_rows = 40});
  const fuzz::Features features = *fuzz::AnySubset(fuzz::kAllFeatures);
  base::Random random(*fuzz::AnySeed());
  switch (random.Below(6)) {
    case 0:
      return batch;
    case 1:
      return With(batch, "numbers", fuzz::MakeNumberStrings(random, batch.rows()));
    default: {
      const TypePtr type = Type::Scalar(kRuled[random.Below(std::size(kRuled))]);
      return With(batch, "ruled", fuzz::MakeColumn(random, type, batch.rows(), features));
    }
  }
}

// REAL and DOUBLE only.
Batch PickFloats() {
  base::Random random(*fuzz::AnySeed());
  const fuzz::Features features = *fuzz::AnySubset(fuzz::kAllFeatures) | fuzz::kNans;
  const int64_t rows = *rc::gen::resize(rc::kNominalSize, fuzz::AnyRows(20));
  Batch batch(Type::Row({}, {}), rows, {});
  for (const char* name : {"c0", "c1"}) {
    const TypePtr type = Type::Scalar(random.Below(2) == 0 ? Kind::kReal : Kind::kDouble);
    batch = With(batch, name, fuzz::MakeColumn(random, type, rows, features));
  }
  return batch;
}

Writer PickWriter() {
  return *rc::gen::elementOf(std::vector<Writer>(std::begin(kWriters), std::end(kWriters)));
}

Predicate Bind(const Tree& tree, const Batch& batch) {
  const auto predicate = Predicate::Bind(tree, batch.schema());
  if (!predicate.ok()) RC_FAIL(std::string(predicate.status().message()));
  return *predicate;
}

Tree Not(const Tree& tree) {
  Tree out;
  *out.mutable_negation() = tree;
  return out;
}

bool AnyMatches(const Predicate& predicate, const Batch& batch) {
  const auto rows = stats::MatchingRows(predicate, batch);
  if (!rows.ok()) RC_FAIL(std::string(rows.status().message()));
  return !rows->empty();
}

// Decides, and sees to it that the explanation decides alike.
bool Skips(const Predicate& predicate, PruneOptions options, const BatchStats& stats,
           int64_t rows) {
  const Pruner pruner(predicate, options);
  const bool skips = pruner.MaySkip(stats, rows);
  RC_ASSERT(pruner.Explain(stats, rows).skip == skips);
  return skips;
}

// The parts of a tree that are no and, or, not.
void Leaves(const Node& node, std::vector<const Node*>& out) {
  if (node.arguments.empty()) out.push_back(&node);
  for (const Node& argument : node.arguments) Leaves(argument, out);
}

// What pairs of a batch and a predicate came out as. A property over pairs of which none is skipped
// or none matches would say nothing.
struct Shares {
  int64_t pairs = 0;
  int64_t skipped = 0;
  int64_t matched = 0;
  int64_t lost = 0;
};
constexpr int64_t kEnoughPairs = 500;  // to speak of shares

TEST(PrunePropertyTest, SoundSkipsNoBatchWithAMatchingRow) {
  Shares shares;
  EXPECT_TRUE(rc::check([&shares] {
    const Batch batch = PickBatch();
    const Writer writer = PickWriter();
    const BatchStats stats = StatsOf(batch, writer);
    const bool nan_aware = writer.nan_aware && *rc::gen::arbitrary<bool>();
    const auto trees = *rc::gen::container<std::vector<Tree>>(
        kPredicates, fuzz::AnyPredicate(batch, stats));
    for (const Tree& positive : trees) {
      for (const Tree& tree : {positive, Not(positive)}) {
        const Predicate predicate = Bind(tree, batch);
        const bool matches = AnyMatches(predicate, batch);
        const bool skips = Skips(predicate, {.nan_aware_stats = nan_aware}, stats, batch.rows());
        if (skips && matches) {
          RC_FAIL(base::Cat(writer.name, " loses rows of ", stats::PredicateToText(tree), "\n",
                            Pruner(predicate, {.nan_aware_stats = nan_aware})
                                .Explain(stats, batch.rows())
                                .why.ToString()));
        }
        if (batch.rows() == 0) continue;
        ++shares.pairs;
        shares.skipped += skips ? 1 : 0;
        shares.matched += matches ? 1 : 0;
      }
    }
  }));
  if (shares.pairs < kEnoughPairs) return;
  EXPECT_GT(shares.skipped, shares.pairs / 10);
  EXPECT_GT(shares.matched, shares.pairs / 4);
  // Of what could be skipped, much is.
  EXPECT_GT(shares.skipped, (shares.pairs - shares.matched) / 4);
}

// The upper bound of a REAL or DOUBLE that holds NaN is the greatest number, or none: Spark skips
// by it and loses the NaN. The same cases with NaN-aware bounds, on whatever encoding, lose none.
TEST(PrunePropertyTest, NanAwareBoundsCureSparkOfNan) {
  Shares parity;
  Shares nan_aware;
  EXPECT_TRUE(rc::check([&] {
    const Batch batch = PickFloats();
    const BatchStats plain = StatsOf(batch, {"V2, best", false, BoundsRule::kBest});
    const BatchStats aware = StatsOf(batch, {"V2, best, aware", false, BoundsRule::kBest, true});
    const auto trees =
        *rc::gen::container<std::vector<Tree>>(kPredicates, fuzz::AnyPredicate(batch, plain));
    for (const Tree& tree : trees) {
      const Predicate predicate = Bind(tree, batch);
      const bool matches = AnyMatches(predicate, batch);
      for (const PruneMode mode : {PruneMode::kSparkParity, PruneMode::kGlutenParity}) {
        const bool skips = Skips(predicate, {.mode = mode}, aware, batch.rows());
        if (skips && matches) RC_FAIL(base::Cat("loses rows of ", stats::PredicateToText(tree)));
        ++nan_aware.pairs;
        nan_aware.skipped += skips ? 1 : 0;
        parity.lost += matches && Skips(predicate, {.mode = mode}, plain, batch.rows()) ? 1 : 0;
      }
    }
  }));
  if (nan_aware.pairs < kEnoughPairs) return;
  EXPECT_GT(nan_aware.skipped, nan_aware.pairs / 20);
  // That plain bounds do lose rows here shows that this property could fail.
  EXPECT_GT(parity.lost, nan_aware.pairs / 100);
}

// Why Spark's filter may lose rows though the statistics are NaN-aware. There is no other way:
//   a column with values but without bounds: a comparison with an absent bound is null, and null
//     skips (its type has none, or it is encoded, or its values fit no bounds);
//   a prefix that is no UTF-8: bounds are cut by characters;
//   an upper bound at the last microsecond: nanoseconds behind it are no Spark value.
bool SparkMayLose(const Predicate& predicate, const BatchStats& stats) {
  std::vector<const Node*> leaves;
  Leaves(predicate.root(), leaves);
  return std::any_of(leaves.begin(), leaves.end(), [&](const Node* leaf) {
    if (leaf->condition == Condition::kStartsWith && !leaf->items[0].is_null() &&
        !base::IsUtf8(leaf->values[0].bytes)) {
      return true;
    }
    const std::vector<int> columns = Predicate::ColumnsOf(*leaf);
    return std::any_of(columns.begin(), columns.end(), [&](int column) {
      const stats::ColumnStats& of = stats[column];
      if (!of.bounds.has_value()) return of.null_count < of.count;
      return predicate.schema()->children()[column]->kind() == Kind::kTimestamp &&
             base::Load<int64_t>(of.bounds->upper.data()) == std::numeric_limits<int64_t>::max();
    });
  });
}

TEST(PrunePropertyTest, SparkLosesRowsToThreeCausesOnlyIfBoundsAreNanAware) {
  Shares shares;
  EXPECT_TRUE(rc::check([&shares] {
    const Batch batch = PickBatch();
    Writer writer = PickWriter();
    writer.nan_aware = true;
    const BatchStats stats = StatsOf(batch, writer);
    const auto trees =
        *rc::gen::container<std::vector<Tree>>(kPredicates, fuzz::AnyPredicate(batch, stats));
    for (const Tree& tree : trees) {
      const Predicate predicate = Bind(tree, batch);
      const bool matches = AnyMatches(predicate, batch);
      const bool skips =
          Skips(predicate, {.mode = PruneMode::kSparkParity}, stats, batch.rows());
      if (skips && matches && !SparkMayLose(predicate, stats)) {
        RC_FAIL(base::Cat("loses rows of ", stats::PredicateToText(tree)));
      }
      if (batch.rows() == 0) continue;
      ++shares.pairs;
      shares.skipped += skips ? 1 : 0;
      shares.lost += skips && matches ? 1 : 0;
    }
  }));
  if (shares.pairs < kEnoughPairs) return;
  EXPECT_GT(shares.skipped, shares.pairs / 10);
  EXPECT_GT(shares.lost, 0);
}

// Any of what a blob can hold, and lengths that its reader would not have let through.
void Damage(base::Random& random, BatchStats& stats) {
  for (stats::ColumnStats& column : stats) {
    switch (random.Below(6)) {
      case 0:
        column.null_count = static_cast<uint32_t>(random.Next());
        break;
      case 1:
        column.count = static_cast<uint32_t>(random.Below(3));
        break;
      case 2:
        if (column.bounds.has_value()) std::swap(column.bounds->lower, column.bounds->upper);
        break;
      case 3:
        column.bounds = {fuzz::MakeBytes(random, random.Between(0, 20)),
                         fuzz::MakeBytes(random, random.Between(0, 20))};
        break;
      case 4:
        if (!column.bounds.has_value()) break;
        for (std::string* bound : {&column.bounds->lower, &column.bounds->upper}) {
          for (char& c : *bound) c = static_cast<char>(random.Next());
        }
        break;
      default:
        break;
    }
  }
  if (random.Below(8) == 0) stats.resize(random.Below(stats.size() + 3));
}

// Modes that decide otherwise have a reason for it.
void AssertDifferencesExplained(const Predicate& predicate, const BatchStats& stats,
                                int64_t rows, Shares& shares) {
  std::vector<stats::Opinion> opinions;
  for (const PruneMode mode : kModes) {
    opinions.push_back(stats::OpinionOf(predicate, {.mode = mode}, stats, rows));
  }
  for (const stats::Opinion& one : opinions) {
    for (const stats::Opinion& other : opinions) {
      const auto differences = stats::DifferencesBetween(predicate, stats, rows, one, other);
      const bool differ = one.decision.skip != other.decision.skip;
      RC_ASSERT(differences.empty() == !differ);
      for (const stats::ModeDifference& difference : differences) {
        RC_ASSERT(!difference.why.empty());
      }
      ++shares.pairs;
      shares.skipped += differ ? 1 : 0;
    }
  }
}

TEST(PrunePropertyTest, DamagedStatisticsAreDecidedOnAndExplained) {
  Shares shares;
  EXPECT_TRUE(rc::check([&shares] {
    const Batch batch = PickBatch();
    const BatchStats good = StatsOf(batch, PickWriter());
    const auto trees =
        *rc::gen::container<std::vector<Tree>>(kPredicates, fuzz::AnyPredicate(batch, good));
    base::Random random(*fuzz::AnySeed());
    for (const Tree& tree : trees) {
      BatchStats stats = good;
      Damage(random, stats);
      const int64_t rows = random.Below(4) == 0 ? random.Between(0, 50) : batch.rows();
      const Predicate predicate = Bind(tree, batch);
      for (const PruneMode mode : kModes) {
        for (const bool nan_aware : {false, true}) {
          Skips(predicate, {mode, nan_aware}, stats, rows);
        }
      }
      AssertDifferencesExplained(predicate, stats, rows, shares);
    }
  }));
  if (shares.pairs < kEnoughPairs) return;
  EXPECT_GT(shares.skipped, shares.pairs / 50);
}

// Counts that do not fit the batch make all of a column's statistics unknown, and the unknown
// prunes as little as the absent.
TEST(PrunePropertyTest, SoundTakesContradictoryCountsForNoStatistics) {
  EXPECT_TRUE(rc::check([] {
    const Batch batch = PickBatch();
    BatchStats stats = StatsOf(batch, PickWriter());
    const auto trees =
        *rc::gen::container<std::vector<Tree>>(kPredicates, fuzz::AnyPredicate(batch, stats));
    base::Random random(*fuzz::AnySeed());
    for (stats::ColumnStats& column : stats) {
      if (random.Below(2) == 0) {
        column.count += static_cast<uint32_t>(random.Between(1, 9));
      } else {
        column.null_count = column.count + 1;
      }
    }
    for (const Tree& tree : trees) {
      const Predicate predicate = Bind(tree, batch);
      RC_ASSERT(Skips(predicate, {}, stats, batch.rows()) ==
                Skips(predicate, {}, {}, batch.rows()));
    }
  }));
}

}  // namespace
}  // namespace spillway
