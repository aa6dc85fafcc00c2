// SPDX-License-Identifier: Apache-2.0
#include "src/vector/compare.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/vector/build.h"
#include "src/vector/int128.h"

namespace spillway::vector {
namespace {

const TypePtr& kInteger = Type::Scalar(Kind::kInteger);
const TypePtr& kReal = Type::Scalar(Kind::kReal);
const TypePtr& kVarchar = Type::Scalar(Kind::kVarchar);

ColumnPtr Ints(const std::vector<std::optional<int32_t>>& values) {
  return Flat<int32_t>(kInteger, values);
}

Buffer Int32s(const std::vector<int32_t>& values) {
  return Flat<int32_t>(kInteger, values)->As<FlatColumn>().values();
}

ColumnPtr Dictionary(const std::vector<int32_t>& ids, ColumnPtr alphabet) {
  return std::make_shared<DictionaryColumn>(ids.size(), Validity(), Int32s(ids),
                                            std::move(alphabet));
}

ColumnPtr List(std::string_view type, const std::vector<int32_t>& offsets,
               std::vector<ColumnPtr> children) {
  return std::make_shared<ListColumn>(*Type::Parse(type), offsets.size() - 1, Validity(),
                                      Int32s(offsets), std::move(children));
}

std::string Difference(const ColumnPtr& a, const ColumnPtr& b) {
  return FirstDifference(*a, *b).value_or("none");
}

TEST(CompareTest, TheFirstDifferingRowIsNamedWithBothValues) {
  EXPECT_EQ(Difference(Ints({1, 2, 3}), Ints({1, 2, 3})), "none");
  EXPECT_EQ(Difference(Ints({1, 2, 3}), Ints({1, 5, 4})), "row 1: 2 and 5");
  EXPECT_EQ(Difference(Ints({1, 2}), Ints({1, std::nullopt})), "row 1: 2 and null");
}

TEST(CompareTest, TypesAndRowCountsCount) {
  EXPECT_EQ(Difference(Ints({1}), Flat<int32_t>(Type::Scalar(Kind::kDate), {{1}})),
            "types differ: INTEGER and DATE");
  EXPECT_EQ(Difference(Ints({1}), Ints({1, 2})), "1 rows and 2 rows");
}

TEST(CompareTest, EncodingsDoNotCount) {
  const ColumnPtr constant = std::make_shared<ConstantColumn>(Ints({7}), 3);
  EXPECT_EQ(Difference(constant, Ints({7, 7, 7})), "none");
  EXPECT_EQ(Difference(Dictionary({1, 0, 1}, Ints({std::nullopt, 7})), Ints({7, std::nullopt, 7})),
            "none");
  EXPECT_EQ(Difference(Dictionary({0, 0, 0}, constant), constant), "none");
  EXPECT_EQ(Difference(Dictionary({0, 1}, Ints({1, 2})), Ints({1, 3})), "row 1: 2 and 3");
}

TEST(CompareTest, ConstantsOfTwoBillionRowsCompareAtOnce) {
  constexpr int64_t kRows = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Difference(std::make_shared<ConstantColumn>(Ints({7}), kRows),
                       std::make_shared<ConstantColumn>(Ints({8}), kRows)),
            "row 0: 7 and 8");
  EXPECT_EQ(Difference(std::make_shared<ConstantColumn>(Ints({7}), 0),
                       std::make_shared<ConstantColumn>(Ints({8}), 0)),
            "none");
}

TEST(CompareTest, FloatsCompareByTheirBits) {
  const auto column = [](uint32_t bits) {
    return Flat<float>(kReal, std::vector<float>{std::bit_cast<float>(bits)});
  };
  EXPECT_EQ(Difference(column(0x7fc00001), column(0x7fc00001)), "none");
  EXPECT_EQ(Difference(column(0x7fc00001), column(0x7fc00000)),
            "row 0: nan(0x7fc00001) and nan(0x7fc00000)");
  EXPECT_EQ(Difference(column(0x80000000), column(0)), "row 0: -0 and 0");
}

TEST(CompareTest, AnyNonZeroBooleanByteIsTrue) {
  const TypePtr& type = Type::Scalar(Kind::kBoolean);
  const ColumnPtr loose = Flat<uint8_t>(type, std::vector<uint8_t>{2, 0});
  EXPECT_EQ(Difference(loose, Flat<uint8_t>(type, std::vector<uint8_t>{1, 0})), "none");
  EXPECT_EQ(Difference(loose, Flat<uint8_t>(type, std::vector<uint8_t>{1, 1})),
            "row 1: false and true");
}

TEST(CompareTest, WhatStandsUnderANullDoesNotCount) {
  const auto column = [](int32_t under_null) {
    return std::make_shared<FlatColumn>(
        kInteger, 2, BuildValidity(2, [](int64_t row) { return row == 1; }),
        Int32s({4, under_null}));
  };
  EXPECT_EQ(Difference(column(1), column(2)), "none");
}

TEST(CompareTest, NestedDifferencesSayWhere) {
  const ColumnPtr a = List("ARRAY<INTEGER>", {0, 1, 3}, {Ints({1, 2, 3})});
  EXPECT_EQ(Difference(a, List("ARRAY<INTEGER>", {1, 2, 4}, {Ints({9, 1, 2, 3})})), "none");
  EXPECT_EQ(Difference(a, List("ARRAY<INTEGER>", {0, 1, 3}, {Ints({1, 2, 4})})),
            "row 1: element 1: 3 and 4");
  EXPECT_EQ(Difference(a, List("ARRAY<INTEGER>", {0, 2, 3}, {Ints({1, 2, 3})})),
            "row 0: 1 and 2 elements: [1] and [1, 2]");

  const auto map = [](int32_t key, std::string value) {
    return List("MAP<INTEGER,VARCHAR>", {0, 1}, {Ints({key}), Strings(kVarchar, {value})});
  };
  EXPECT_EQ(Difference(map(1, "a"), map(2, "a")), "row 0: key of entry 0: 1 and 2");
  EXPECT_EQ(Difference(map(1, "a"), map(1, "b")), "row 0: value of entry 0: \"a\" and \"b\"");

  const auto row = [](int32_t b) {
    return std::make_shared<RowColumn>(*Type::Parse("ROW<a:INTEGER,b:INTEGER>"), 1, Validity(),
                                       std::vector<ColumnPtr>{Ints({1}), Ints({b})});
  };
  EXPECT_EQ(Difference(row(1), row(2)), "row 0: field `b`: 1 and 2");
}

TEST(CompareTest, BatchesNameTheColumn) {
  const Batch a = BatchOf({Ints({1}), Ints({2})});
  EXPECT_EQ(FirstDifference(a, a), std::nullopt);
  EXPECT_EQ(FirstDifference(a, BatchOf({Ints({1}), Ints({3})})), "column 1 `c1`: row 0: 2 and 3");
  EXPECT_EQ(FirstDifference(a, BatchOf({Ints({1})})),
            "schemas differ: ROW<c0:INTEGER,c1:INTEGER> and ROW<c0:INTEGER>");
  EXPECT_EQ(FirstDifference(Batch(Type::Row({}, {}), 1, {}), Batch(Type::Row({}, {}), 2, {})),
            "1 rows and 2 rows");
}

TEST(ValueToStringTest, EveryKindHasAReadableText) {
  const auto text = [](const ColumnPtr& column) { return ValueToString(*column, 0); };
  EXPECT_EQ(text(FlatColumn::Unknown(1)), "null");
  EXPECT_EQ(text(Flat<int8_t>(Type::Scalar(Kind::kTinyint), {{-7}})), "-7");
  EXPECT_EQ(text(Flat<int16_t>(Type::Scalar(Kind::kSmallint), {{-700}})), "-700");
  EXPECT_EQ(text(Flat<int64_t>(Type::Scalar(Kind::kBigint), {{-1}})), "-1");
  EXPECT_EQ(text(Flat<double>(Type::Scalar(Kind::kDouble), {{0.1}})), "0.10000000000000001");
  EXPECT_EQ(text(Flat<int64_t>(*Type::Decimal(12, 4), {{-12345}})), "-1.2345");
  EXPECT_EQ(text(Flat<Int128>(*Type::Decimal(38, 1), {{Int128{105}}})), "10.5");
  EXPECT_EQ(text(Flat<Int128>(Type::Scalar(Kind::kHugeint), {{Int128{1} << 64}})),
            "18446744073709551616");
  EXPECT_EQ(text(Flat<Timestamp>(Type::Scalar(Kind::kTimestamp), {{Timestamp{-1, 5}}})),
            "(-1 s, 5 ns)");
  EXPECT_EQ(text(Strings(kVarchar, {std::string("a\xff\"\0", 4)})), R"("a\377\"\000")");
  EXPECT_EQ(text(List("MAP<INTEGER,INTEGER>", {0, 2}, {Ints({1, 2}), Ints({3, std::nullopt})})),
            "{1: 3, 2: null}");
  EXPECT_EQ(text(std::make_shared<RowColumn>(*Type::Parse("ROW<a:INTEGER,b:INTEGER>"), 1,
                                             Validity(),
                                             std::vector<ColumnPtr>{Ints({1}), Ints({2})})),
            "(1, 2)");
}

TEST(ValueToStringTest, LongValuesAreCut) {
  EXPECT_EQ(ValueToString(*Strings(kVarchar, {std::string(100, 'x')}), 0),
            "\"" + std::string(64, 'x') + "\"... (100 bytes)");
  EXPECT_EQ(ValueToString(*List("ARRAY<INTEGER>", {0, 20}, {Ints({1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                                                   1, 1, 1, 1, 1, 1, 1, 1, 1, 1})}),
                          0),
            "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ... (20)]");
}

// Each level holds the level below 16 times, in a few bytes: 16^12 values in all.
TEST(ValueToStringTest, SharedElementsDoNotMultiplyTheText) {
  ColumnPtr column = Ints({1});
  std::string type = "INTEGER";
  for (int level = 0; level < 12; ++level) {
    type = "ARRAY<" + type + ">";
    column = List(type, {0, 16}, {std::make_shared<ConstantColumn>(column, 16)});
  }
  EXPECT_LT(ValueToString(*column, 0).size(), 2000u);
}

}  // namespace
}  // namespace spillway::vector
