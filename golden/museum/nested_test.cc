// SPDX-License-Identifier: Apache-2.0
// Bugs of ARRAY, MAP and ROW that other systems had. The numbers are those of docs/bugs.md.
#include <optional>
#include <string>
#include <vector>

#include "golden/museum/exhibit.h"
#include "gtest/gtest.h"
#include "src/vector/empty.h"
#include "src/vector/select.h"

namespace spillway::museum {
namespace {

using vector::ColumnPtr;

// BUGS 2.19 (velox#18338): nulls of a struct under a dictionary that has none of its own.
TEST(NestedTest, NullStructsSurviveUnderADictionary) {
  const ColumnPtr rows = RowOf("ROW<a:INTEGER>", {Ints({std::nullopt, 1})}, 2, {0});
  const ColumnPtr column = Dictionary({1, 0}, rows);
  ExpectSurvives(column);
  const auto read = Read("ROW<a:INTEGER>", Write(column));
  EXPECT_EQ(vector::ValueToString(**read, 0), "(1)");
  EXPECT_EQ(vector::ValueToString(**read, 1), "null");
}

// BUGS 3.25 (velox#6829, #6962, #7813, #8318, #8526, #8152): fields of a nullable ROW hold the rows
// of non-null parents only, and must be spread again.
TEST(NestedTest, FieldsOfANullableRowAreSpreadAgain) {
  ExpectSurvives(RowOf("ROW<a:INTEGER>", {Ints({9, 2, 9, 4})}, 4, {0, 2}));
  const ColumnPtr inner = RowOf("ROW<a:INTEGER>", {Ints({1, 2, 3, 4})}, 4, {1});
  ExpectSurvives(RowOf("ROW<r:ROW<a:INTEGER>,s:VARCHAR>",
                       {inner, Texts({"a", "b", "c", std::nullopt})}, 4, {0}));
  ExpectSurvives(ListOf("ARRAY<ROW<a:INTEGER>>", {0, 1, 1, 4}, {inner}));
  ExpectSurvives(RowOf("ROW<a:INTEGER,b:INTEGER>",
                       {Constant(Ints({7}), 4), Dictionary({0, 1, 0, 1}, Ints({5, 6}))}, 4, {3}));
  const ColumnPtr lists = ListOf("ARRAY<INTEGER>", {0, 2, 3, 3, 4}, {Ints({1, 2, 3, 4})});
  ExpectSurvives(RowOf("ROW<l:ARRAY<INTEGER>>", {lists}, 4, {1, 2}));
  ExpectSurvives(RowOf("ROW<l:ARRAY<INTEGER>>", {lists}, 4, {0, 1, 2, 3}));
}

// BUGS 3.26 (velox#9157): no rows, with nested columns.
TEST(NestedTest, NestedColumnsWithoutRowsHaveOneOffset) {
  for (const char* type :
       {"ARRAY<INTEGER>", "MAP<VARCHAR,BIGINT>", "ROW<a:INTEGER,b:ARRAY<DATE>>"}) {
    ExpectSurvives(vector::EmptyColumn(T(type)));
  }
}

// BUGS 3.27 (velox#4884): offsets, sizes and ids of grown vectors were left uninitialised.
TEST(NestedTest, RowsThatOnlyExistAreZeroFilled) {
  int64_t budget = 1 << 20;
  for (const char* type : {"ARRAY<INTEGER>", "MAP<VARCHAR,BIGINT>", "VARCHAR", "ROW<a:VARCHAR>"}) {
    const auto grown = vector::NullColumn(T(type), 3, &budget);
    ASSERT_TRUE(grown.ok()) << grown.status();
    ExpectSurvives(*grown);
    EXPECT_EQ(Write(*grown), Write(*vector::NullColumn(T(type), 3, &budget)));
  }
}

// BUGS 3.29: a hash table is counted in entries of four bytes.
TEST(NestedTest, AHashTableIsSkippedByItsEntries) {
  const std::string block =
      Write(ListOf("MAP<INTEGER,BIGINT>", {0, 2}, {Ints({1, 2}), Longs({3, 4})}));
  const size_t at = block.find(std::string("\xFF\xFF\xFF\xFF", 4));
  ASSERT_NE(at, std::string::npos);
  std::string with_table = block;
  with_table.replace(at, 4, std::string("\4\0\0\0", 4) + std::string(16, '\x55'));
  const auto read = Read("MAP<INTEGER,BIGINT>", with_table);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(vector::ValueToString(**read, 0), "{1: 3, 2: 4}");
  with_table.replace(at, 4, std::string("\xFE\xFF\xFF\xFF", 4));
  EXPECT_FALSE(Read("MAP<INTEGER,BIGINT>", with_table).ok());
}

// BUGS 3.30 (velox#11855, #12767): estimating or copying a vector whose offsets were dropped.
TEST(NestedTest, EveryListHasOffsets) {
  const ColumnPtr list = vector::EmptyColumn(T("ARRAY<ARRAY<INTEGER>>"));
  EXPECT_EQ(list->As<vector::ListColumn>().offsets().size(), 4);
  EXPECT_GT(page::BlockPlan::Make(list->Slice(0, 0))->size(), 0);
}

// BUGS 3.31 (velox#15018): a null constant of a ROW without fields.
TEST(NestedTest, ARowWithoutFieldsIsLegal) {
  ExpectSurvives(RowOf("ROW<>", {}, 3));
  ExpectSurvives(RowOf("ROW<>", {}, 3, {1}));
  ExpectSurvives(Constant(RowOf("ROW<>", {}, 1, {0}), 1));
}

TEST(NestedTest, ANullKeyIsRefusedWhereARowHasIt) {
  const std::string block =
      Write(ListOf("MAP<INTEGER,BIGINT>", {0, 2}, {Ints({1, std::nullopt}), Longs({3, 4})}));
  EXPECT_EQ(std::string(Read("MAP<INTEGER,BIGINT>", block).status().message()).substr(0, 22),
            "key 1 of row 0 is null");
}

TEST(NestedTest, NestingBeyondTheLimitIsRefusedOnBothSides) {
  std::string type = "INTEGER";
  ColumnPtr column = Ints({1});
  std::string deepest;
  for (int depth = 1; depth <= 65; ++depth) {
    type = "ARRAY<" + type + ">";
    column = ListOf(type, {0, 1}, {column});
    if (depth == 64) deepest = Write(column);
  }
  EXPECT_FALSE(page::BlockPlan::Make(column).ok());
  const std::string type64 = type.substr(6, type.size() - 7);
  ASSERT_TRUE(Read(type64, deepest).ok());
  // One level more, by hand: elements, one row, offsets 0 and 1, no nulls.
  const std::string bytes = std::string("\5\0\0\0ARRAY", 9) + deepest +
                            std::string("\1\0\0\0" "\0\0\0\0\1\0\0\0" "\0", 13);
  EXPECT_EQ(Read(type, bytes).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace spillway::museum
