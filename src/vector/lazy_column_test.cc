// SPDX-License-Identifier: Apache-2.0
#include "src/vector/lazy_column.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/vector/batch_proto.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"
#include "src/vector/flatten.h"
#include "src/vector/select.h"

namespace spillway::vector {
namespace {

TypePtr T(std::string_view text) { return *Type::Parse(text); }

ColumnPtr Ints(const std::vector<std::optional<int32_t>>& values) {
  return Flat<int32_t>(T("INTEGER"), values);
}

// Hands out columns, counts how often, and fails as long as it is told to.
class Columns final : public ColumnSource {
 public:
  explicit Columns(std::vector<ColumnPtr> columns) : columns_(std::move(columns)) {}

  absl::StatusOr<ColumnPtr> Load(int64_t index) const override {
    ++loads;
    if (fails) return absl::ResourceExhaustedError("no memory left");
    return columns_[index];
  }

  mutable std::atomic<int> loads = 0;
  std::atomic<bool> fails = false;

 private:
  std::vector<ColumnPtr> columns_;
};

std::shared_ptr<const LazyColumn> Lazy(std::shared_ptr<const ColumnSource> source, TypePtr type,
                                       int64_t rows, int64_t index = 0) {
  return std::make_shared<LazyColumn>(std::move(type), rows, std::move(source), index);
}

std::shared_ptr<const LazyColumn> LazyOf(const ColumnPtr& column) {
  return Lazy(std::make_shared<Columns>(std::vector<ColumnPtr>{column}), column->type_ptr(),
              column->rows());
}

Buffer Ids(const std::vector<int32_t>& ids) {
  return Flat<int32_t>(T("INTEGER"), ids)->As<FlatColumn>().values();
}

TEST(LazyColumnTest, NothingIsLoadedUntilItIsNeeded) {
  const auto source = std::make_shared<Columns>(std::vector{Ints({1, std::nullopt})});
  const auto lazy = Lazy(source, T("INTEGER"), 2);
  EXPECT_EQ(lazy->rows(), 2);
  EXPECT_EQ(lazy->type().kind(), Kind::kInteger);
  EXPECT_EQ(source->loads, 0);
  EXPECT_FALSE(lazy->loaded());
  ASSERT_TRUE(lazy->Load().ok());
  EXPECT_TRUE(lazy->loaded());
  EXPECT_TRUE(lazy->IsNull(1));
  EXPECT_EQ(lazy->null_count(), 1);
}

// BUGS 14.123 (velox#2769): the second load gives what the first gave.
TEST(LazyColumnTest, ItIsLoadedOnceAndStaysTheSame) {
  const auto source = std::make_shared<Columns>(std::vector{Ints({1})});
  const auto lazy = Lazy(source, T("INTEGER"), 1);
  const ColumnPtr first = *lazy->Load();
  EXPECT_EQ(*lazy->Load(), first);
  EXPECT_EQ(source->loads, 1);
}

TEST(LazyColumnTest, ManyThreadsLoadEachColumnOnce) {
  constexpr int kThreads = 16;
  constexpr int kColumns = 50;
  std::vector<ColumnPtr> columns;
  for (int i = 0; i < kColumns; ++i) columns.push_back(Ints({i, i + 1}));
  const auto source = std::make_shared<Columns>(columns);
  std::vector<std::shared_ptr<const LazyColumn>> lazy;
  for (int i = 0; i < kColumns; ++i) lazy.push_back(Lazy(source, T("INTEGER"), 2, i));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kColumns; ++i) {
        const int index = (i * 7 + thread) % kColumns;
        const auto column = lazy[index]->Load();
        if (!column.ok() || *column != columns[index]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(source->loads, kColumns);
}

// BUGS 14.120 (velox4j#52): the column outlives whoever made it, and lets go of the source.
TEST(LazyColumnTest, TheSourceLivesUntilTheColumnIsLoadedAndNoLonger) {
  auto source = std::make_shared<Columns>(std::vector{Ints({1})});
  const std::weak_ptr<Columns> watch = source;
  const auto lazy = Lazy(std::move(source), T("INTEGER"), 1);
  EXPECT_FALSE(watch.expired());
  ASSERT_TRUE(lazy->Load().ok());
  EXPECT_TRUE(watch.expired());
}

TEST(LazyColumnTest, AFailureIsReportedEachTimeAndLosesNothing) {
  const auto source = std::make_shared<Columns>(std::vector{Ints({1})});
  source->fails = true;
  const auto lazy = Lazy(source, T("INTEGER"), 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(lazy->Load().status().message(), "no memory left");
  source->fails = false;
  EXPECT_EQ(ValueToString(*lazy, 0), "1");
}

// BUGS 14.121 (velox#2237).
TEST(LazyColumnTest, AColumnOfOtherRowsOrTypeIsRefused) {
  const auto rows = Lazy(std::make_shared<Columns>(std::vector{Ints({1})}), T("INTEGER"), 2);
  EXPECT_EQ(rows->Load().status().message(), "loaded a column of 1 rows, not 2");
  const auto type = Lazy(std::make_shared<Columns>(std::vector{Ints({1})}), T("BIGINT"), 1);
  EXPECT_EQ(type->Load().status().message(), "loaded a column of INTEGER, not BIGINT");
  EXPECT_FALSE(type->loaded());
}

TEST(LazyColumnTest, ASliceSharesTheLoadOfTheWhole) {
  const auto source = std::make_shared<Columns>(std::vector{Ints({1, 2, 3, 4})});
  const auto lazy = Lazy(source, T("INTEGER"), 4);
  const ColumnPtr front = lazy->Slice(0, 2);
  const ColumnPtr inner = lazy->Slice(1, 3)->Slice(1, 2);
  EXPECT_EQ(source->loads, 0);
  EXPECT_EQ(FirstDifference(*front, *Ints({1, 2})), std::nullopt);
  EXPECT_EQ(FirstDifference(*inner, *Ints({3, 4})), std::nullopt);
  EXPECT_EQ(source->loads, 1);
  EXPECT_EQ(lazy->Slice(3, 1)->encoding(), Encoding::kFlat) << "loaded by now";
}

// BUGS 14.122 (velox#1636, #1477): under a wrapper the whole column is loaded, so that neither the
// wrapper's nulls nor ids at its end are lost.
TEST(LazyColumnTest, WrappersLoadTheWholeColumn) {
  const auto alphabet = LazyOf(Ints({10, std::nullopt, 30}));
  const Validity nulls = BuildValidity(4, [](int64_t row) { return row == 1; });
  const ColumnPtr dictionary =
      std::make_shared<DictionaryColumn>(4, nulls, Ids({2, 0, 1, 2}), alphabet);
  const ColumnPtr expected = Ints({30, std::nullopt, std::nullopt, 30});
  EXPECT_EQ(FirstDifference(**Flatten(dictionary), *expected), std::nullopt);
  EXPECT_EQ(FirstDifference(**Load(dictionary), *expected), std::nullopt);
  const ColumnPtr constant = std::make_shared<ConstantColumn>(LazyOf(Ints({7})), 3);
  EXPECT_EQ(FirstDifference(**Flatten(constant), *Ints({7, 7, 7})), std::nullopt);
  EXPECT_EQ((*Load(constant))->encoding(), Encoding::kConstant);
}

TEST(LazyColumnTest, PartsOfNestedColumnsMayBeLazy) {
  const ColumnPtr row = std::make_shared<RowColumn>(
      T("ROW<a:INTEGER>"), 2, Validity(), std::vector<ColumnPtr>{LazyOf(Ints({1, 2}))});
  const ColumnPtr list = std::make_shared<ListColumn>(
      T("ARRAY<INTEGER>"), 2, Validity(), Ids({0, 2, 3}),
      std::vector<ColumnPtr>{LazyOf(Ints({1, 2, 3}))});
  EXPECT_EQ(ValueToString(*row, 1), "(2)");
  EXPECT_EQ(ValueToString(*list, 0), "[1, 2]");
  for (const ColumnPtr& column : {row, list}) {
    EXPECT_EQ(FirstDifference(**Load(column), **Flatten(column)), std::nullopt);
    EXPECT_NE(*Load(column), column);
    const ColumnPtr loaded = *Load(column);
    EXPECT_EQ(*Load(loaded), loaded) << "nothing lazy is left";
  }
}

TEST(LazyColumnTest, WhatIsNotLazyIsShared) {
  const ColumnPtr plain = Ints({1, 2});
  EXPECT_EQ(*Load(plain), plain);
  const ColumnPtr constant = std::make_shared<ConstantColumn>(Ints({1}), 5);
  EXPECT_EQ(*Load(constant), constant);
}

TEST(LazyColumnTest, RowsAreSelectedOfWhatIsLoaded) {
  int64_t budget = 1 << 20;
  const auto lazy = LazyOf(Ints({10, 20, 30}));
  const std::vector<int32_t> rows = {2, kNullRow, 0};
  EXPECT_EQ(FirstDifference(**Select(*lazy, rows, &budget), *Ints({30, std::nullopt, 10})),
            std::nullopt);
}

TEST(LazyColumnTest, AComparisonSaysWhatCannotBeLoaded) {
  const auto source = std::make_shared<Columns>(std::vector{Ints({1})});
  source->fails = true;
  const auto lazy = Lazy(source, T("INTEGER"), 1);
  EXPECT_EQ(FirstDifference(*lazy, *Ints({1})), "no memory left");
  EXPECT_EQ(FirstDifference(*Ints({1}), *lazy), "no memory left");
  EXPECT_EQ(ValueToString(*lazy, 0), "no memory left");
}

TEST(LazyColumnTest, ABatchNamesTheColumnThatFails) {
  const auto source = std::make_shared<Columns>(std::vector{Ints({1})});
  const Batch batch(T("ROW<a:INTEGER,b:INTEGER>"), 1, {Ints({1}), Lazy(source, T("INTEGER"), 1)});
  source->fails = true;
  EXPECT_EQ(Load(batch).status().message(), "column 1 `b` INTEGER: no memory left");
  source->fails = false;
  const Batch loaded = *Load(batch);
  EXPECT_EQ(loaded.column(1).encoding(), Encoding::kFlat);
  EXPECT_EQ(ToTextproto(loaded), ToTextproto(batch))
      << "the neutral form is that of what is loaded";
}

TEST(LazyColumnDeathTest, RowsOfAnUnloadedColumnCannotBeLookedAt) {
  const auto lazy = LazyOf(Ints({1}));
  EXPECT_DEATH(lazy->IsNull(0), "must be loaded");
}

}  // namespace
}  // namespace spillway::vector
