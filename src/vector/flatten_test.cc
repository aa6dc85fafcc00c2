// SPDX-License-Identifier: Apache-2.0
#include "src/vector/flatten.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::vector {
namespace {

constexpr int64_t kTwoBillion = std::numeric_limits<int32_t>::max();

const TypePtr& kInteger = Type::Scalar(Kind::kInteger);
const TypePtr& kVarchar = Type::Scalar(Kind::kVarchar);

ColumnPtr Ints(const std::vector<std::optional<int32_t>>& values) {
  return Flat<int32_t>(kInteger, values);
}

Buffer Int32s(const std::vector<int32_t>& values) {
  return Flat<int32_t>(kInteger, values)->As<FlatColumn>().values();
}

ColumnPtr Constant(ColumnPtr value, int64_t rows) {
  return std::make_shared<ConstantColumn>(std::move(value), rows);
}

ColumnPtr Dictionary(const std::vector<int32_t>& ids, ColumnPtr alphabet,
                     std::optional<int64_t> null_row = std::nullopt) {
  const auto rows = static_cast<int64_t>(ids.size());
  return std::make_shared<DictionaryColumn>(
      rows, BuildValidity(rows, [&](int64_t row) { return row == null_row; }), Int32s(ids),
      std::move(alphabet));
}

ColumnPtr List(std::string_view type, const std::vector<int32_t>& offsets,
               std::vector<ColumnPtr> children) {
  return std::make_shared<ListColumn>(*Type::Parse(type), offsets.size() - 1, Validity(),
                                      Int32s(offsets), std::move(children));
}

ColumnPtr RowOf(std::string_view type, std::vector<ColumnPtr> fields) {
  const int64_t rows = fields[0]->rows();
  return std::make_shared<RowColumn>(*Type::Parse(type), rows, Validity(), std::move(fields));
}

bool IsFlat(const Column& column) {
  std::vector<ColumnPtr> children;
  if (column.encoding() == Encoding::kRow) children = column.As<RowColumn>().fields();
  if (column.encoding() == Encoding::kArray || column.encoding() == Encoding::kMap) {
    children = column.As<ListColumn>().children();
  }
  for (const ColumnPtr& child : children) {
    if (!IsFlat(*child)) return false;
  }
  return column.encoding() != Encoding::kConstant && column.encoding() != Encoding::kDictionary;
}

void ExpectFlattens(const ColumnPtr& column) {
  const auto flat = Flatten(column);
  ASSERT_TRUE(flat.ok()) << flat.status();
  EXPECT_TRUE(IsFlat(**flat));
  EXPECT_EQ(FirstDifference(*column, **flat), std::nullopt);
  EXPECT_EQ((*flat)->null_count(), column->null_count());
}

TEST(FlattenTest, WhatIsFlatIsShared) {
  const ColumnPtr array = List("ARRAY<INTEGER>", {0, 2}, {Ints({1, std::nullopt})});
  for (const ColumnPtr& column :
       {Ints({1}), array, RowOf("ROW<a:ARRAY<INTEGER>>", {array}), FlatColumn::Unknown(2)}) {
    EXPECT_EQ(*Flatten(column), column);
  }
}

TEST(FlattenTest, WrappersGoAndTheirNullsStay) {
  ExpectFlattens(Constant(Ints({7}), 3));
  ExpectFlattens(Constant(Ints({std::nullopt}), 3));
  ExpectFlattens(Constant(Ints({7}), 0));
  ExpectFlattens(Dictionary({1, 0, 1, 2}, Ints({4, std::nullopt, 6}), 3));
  ExpectFlattens(Dictionary({1, 0, 1}, Strings(kVarchar, {"a", "", std::nullopt}), 0));
  ExpectFlattens(Dictionary({0, 1, 0}, Dictionary({1, 1}, Constant(Ints({5}), 2), 1)));
  ExpectFlattens(Constant(Dictionary({1}, Ints({1, 2})), 3));
  ExpectFlattens(Dictionary({0, 0}, FlatColumn::Unknown(1)));
}

TEST(FlattenTest, AnIdUnderAWrapperNullIsNotFollowed) {
  ExpectFlattens(Dictionary({0, 123456789, -5}, Ints({1}), 1)->Slice(0, 2));
}

TEST(FlattenTest, WrappersGoAtEveryLevel) {
  const ColumnPtr elements = Dictionary({0, 1, 1, 0, 2}, Ints({1, std::nullopt, 3}));
  const ColumnPtr array = List("ARRAY<INTEGER>", {1, 2, 2, 5}, {elements});
  ExpectFlattens(array);
  ExpectFlattens(Dictionary({2, 0, 2}, array, 1));
  ExpectFlattens(
      List("MAP<INTEGER,INTEGER>", {0, 2, 3}, {Ints({1, 2, 3}), Constant(Ints({9}), 3)}));
  ExpectFlattens(RowOf("ROW<a:INTEGER,b:ARRAY<INTEGER>>", {Ints({1, 2, 3}), array}));
  const ColumnPtr null = Constant(Ints({std::nullopt}), 1);
  ExpectFlattens(Constant(RowOf("ROW<a:INTEGER,b:INTEGER>", {Ints({1}), null}), 4));
}

TEST(FlattenTest, FieldsBesideAWrapperAreShared) {
  const ColumnPtr plain = Ints({1, 2});
  const ColumnPtr row = RowOf("ROW<a:INTEGER,b:INTEGER>", {plain, Constant(Ints({3}), 2)});
  EXPECT_EQ((*Flatten(row))->As<RowColumn>().fields()[0], plain);
}

std::string Refusal(const ColumnPtr& column, const FlattenOptions& options = {}) {
  const auto flat = Flatten(column, options);
  if (flat.ok()) return "accepted";
  EXPECT_EQ(flat.status().code(), absl::StatusCode::kResourceExhausted);
  return std::string(flat.status().message());
}

TEST(FlattenTest, AConstantOfTwoBillionRowsIsRefusedBeforeAllocation) {
  EXPECT_EQ(Refusal(Constant(Ints({7}), kTwoBillion)),
            "flattening needs more than 1073741824 bytes");
  EXPECT_EQ(Refusal(Constant(Ints({7}), kTwoBillion + 1)),
            "flattening: 2147483648 rows, more than 2147483647");
  EXPECT_EQ(Refusal(Constant(FlatColumn::Unknown(1), kTwoBillion)), "accepted");
}

TEST(FlattenTest, TheLimitIsExact) {
  // 4 bytes a row each for the selection and the values.
  const ColumnPtr column = Constant(Ints({7}), 8);
  EXPECT_EQ(Refusal(column, {.max_bytes = 63}), "flattening needs more than 63 bytes");
  EXPECT_EQ(Refusal(column, {.max_bytes = 64}), "accepted");
}

TEST(FlattenTest, ElementsAndBytesThatMultiplyAreRefused) {
  ColumnPtr column = Constant(Ints({1}), 60000);
  column = Constant(List("ARRAY<INTEGER>", {0, 60000}, {column}), 60000);
  EXPECT_EQ(Refusal(column), "flattening: over 2147483647 elements in a column");
  EXPECT_EQ(Refusal(Constant(Strings(kVarchar, {std::string(60000, 'x')}), 60000)),
            "flattening: over 2147483647 string bytes in a column");
}

}  // namespace
}  // namespace spillway::vector
