// SPDX-License-Identifier: Apache-2.0
// Properties are worth what their generators reach.
#include "fuzz/generators/predicate.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "fuzz/generators/batch.h"
#include "gtest/gtest.h"
#include "src/stats/blob.h"
#include "src/stats/matching_rows.h"
#include "src/stats/predicate.h"
#include "src/stats/predicate_text.h"
#include "src/vector/build.h"

namespace spillway::fuzz {
namespace {

using stats::Condition;
using stats::Function;
using stats::Node;
using stats::Predicate;
using Tree = stats::proto::Predicate;

// `look` at many predicates and the batches that they are about.
void ForMany(const std::function<void(const Tree&, const vector::Batch&)>& look) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::Random random(seed);
    const auto rows = static_cast<int64_t>(seed % 20);
    const vector::Batch batch = seed % 16 == 0
                                    ? vector::BatchOf({MakeNumberStrings(random, rows)})
                                    : MakeBatch(seed, 3, rows, kAllFeatures, {});
    const stats::BatchStats stats = stats::ComputeStats(batch);
    for (int i = 0; i < 10; ++i) look(MakePredicate(random, batch, stats), batch);
  }
}

struct Sightings {
  void Look(const Node& node) {
    conditions.insert(node.condition);
    for (const stats::Operand* operand : {&node.left, &node.right}) {
      functions.insert(operand->function);
    }
    null_literal |= node.right.is_literal() && node.right.literal.value != nullptr &&
                    node.right.literal.is_null();
    orders.insert(node.order);
    columns |= node.left.is_plain_column() && node.right.is_plain_column();
    literal_left |= node.left.is_literal() && node.right.is_plain_column();
    for (const Node& argument : node.arguments) Look(argument);
  }

  std::set<Condition> conditions;
  std::set<Function> functions;
  std::set<stats::Order> orders;
  bool null_literal = false;
  bool columns = false;
  bool literal_left = false;
};

TEST(PredicateGeneratorTest, EveryConditionFunctionAndOrderComesUp) {
  Sightings seen;
  ForMany([&seen](const Tree& tree, const vector::Batch& batch) {
    const auto predicate = Predicate::Bind(tree, batch.schema());
    ASSERT_TRUE(predicate.ok()) << stats::PredicateToText(tree) << ": " << predicate.status();
    seen.Look(predicate->root());
  });
  EXPECT_EQ(seen.conditions.size(), static_cast<size_t>(Condition::kOpaque));  // all but that
  EXPECT_EQ(seen.conditions.count(Condition::kOpaque), 0u);
  EXPECT_EQ(seen.functions.count(Function::kAbs), 1u);
  EXPECT_EQ(seen.functions.count(Function::kLength), 1u);
  EXPECT_EQ(seen.functions.count(Function::kCastToBigint), 1u);
  EXPECT_EQ(seen.orders.size(), 6u);  // all but kUnknown
  EXPECT_TRUE(seen.null_literal);
  EXPECT_TRUE(seen.columns);
  EXPECT_TRUE(seen.literal_left);
}

// The text of a predicate is the predicate: both keep the same rows.
TEST(PredicateGeneratorTest, TextReadsBackToAPredicateOfTheSameRows) {
  ForMany([](const Tree& tree, const vector::Batch& batch) {
    const std::string text = stats::PredicateToText(tree);
    const auto predicate = Predicate::Bind(tree, batch.schema());
    const auto read = Predicate::Parse(text, batch.schema());
    ASSERT_TRUE(predicate.ok() && read.ok()) << text << ": " << read.status();
    const auto rows = stats::MatchingRows(*predicate, batch);
    const auto rows_read = stats::MatchingRows(*read, batch);
    ASSERT_TRUE(rows.ok() && rows_read.ok()) << text << ": " << rows.status();
    EXPECT_EQ(*rows, *rows_read) << text;
  });
}

}  // namespace
}  // namespace spillway::fuzz
