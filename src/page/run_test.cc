// SPDX-License-Identifier: Apache-2.0
// A few bytes claim 2^31 - 1 rows, wherever they stand. Reading them, and writing them where
// something keeps them as they are, costs what the bytes justify.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/page/block_reader.h"
#include "src/page/block_writer.h"
#include "src/page/page.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::page {
namespace {

using ::testing::StartsWith;
using vector::ColumnPtr;
using vector::ConstantColumn;
using vector::FlatColumn;
using vector::ListColumn;
using vector::Type;
using vector::Validity;

constexpr int32_t kMany = INT32_MAX;

vector::TypePtr T(std::string_view text) { return *Type::Parse(text); }

ColumnPtr Sevens(int64_t rows = kMany) {
  return std::make_shared<ConstantColumn>(vector::Flat<int32_t>(T("INTEGER"), {7}), rows);
}

vector::Buffer Int32s(const std::vector<int32_t>& values) {
  return vector::Flat<int32_t>(T("INTEGER"), values)->As<FlatColumn>().values();
}

// Row 0 is null and spans one element, row 1 has all the others.
ColumnPtr List(std::string_view type, std::vector<ColumnPtr> children) {
  return std::make_shared<ListColumn>(
      T(type), 2, vector::BuildValidity(2, [](int64_t row) { return row == 0; }),
      Int32s({0, 1, kMany}), std::move(children));
}

ColumnPtr RunDictionary() {
  return std::make_shared<vector::DictionaryColumn>(3, Validity(), Int32s({kMany - 1, 5, 5}),
                                                    Sevens());
}

std::string Write(const ColumnPtr& column, EncodingChoice choice) {
  const auto plan = BlockPlan::Make(column, choice);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return "";
  vector::MutableBuffer out(plan->size());
  plan->Write(out.data());
  return std::string(std::move(out).Freeze().view());
}

absl::StatusOr<ColumnPtr> Read(const vector::TypePtr& type, std::string_view bytes) {
  const vector::Buffer input = vector::Buffer::Copy(bytes);
  base::ByteReader in(input.view());
  return BlockReader(input, in, {.max_decoded_bytes = 1024}).Read(type);
}

TEST(RunTest, OfElementsUnderANullListIsWrittenAsARun) {
  for (const ColumnPtr& list :
       {List("ARRAY<INTEGER>", {Sevens()}), List("MAP<INTEGER,INTEGER>", {Sevens(), Sevens()})}) {
    const std::string block = Write(list, EncodingChoice::kSmallest);
    EXPECT_LT(block.size(), 150u);
    const auto read = Read(list->type_ptr(), block);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE((*read)->IsNull(0));
    EXPECT_EQ((*read)->As<ListColumn>().Offset(2), kMany - 1);
  }
}

// The block has a bit for each element, and needs no more to be planned.
TEST(RunTest, OfUnknownElementsUnderANullListIsPlannedWithoutAList) {
  const auto plan = BlockPlan::Make(List("ARRAY<UNKNOWN>", {FlatColumn::Unknown(kMany)}));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_LT(plan->size(), kMany / 8 + 100);
}

// The list moves to the row of its parent, its elements do not.
TEST(RunTest, OfElementsInAFieldOfANullableRowIsReadInLittleMemory) {
  const ColumnPtr list = std::make_shared<ListColumn>(
      T("ARRAY<INTEGER>"), 2, Validity(), Int32s({0, 0, 1'000'000'000}),
      std::vector<ColumnPtr>{Sevens(1'000'000'000)});
  const ColumnPtr row = std::make_shared<vector::RowColumn>(
      T("ROW<a:ARRAY<INTEGER>>"), 2,
      vector::BuildValidity(2, [](int64_t row) { return row == 0; }), std::vector<ColumnPtr>{list});
  const auto read = Read(row->type_ptr(), Write(row, EncodingChoice::kSmallest));
  ASSERT_TRUE(read.ok()) << read.status();
  const auto& field = (*read)->As<vector::RowColumn>().fields()[0]->As<ListColumn>();
  EXPECT_EQ(field.Offset(2) - field.Offset(1), 1'000'000'000);
  EXPECT_EQ(field.children()[0]->encoding(), vector::Encoding::kConstant);
}

// 10^9 rows of 4 bytes would be within kMaxExpandedBytes.
TEST(RunTest, ThatIsLongIsTheSmallestWithoutBeingExpanded) {
  const auto plan = BlockPlan::Make(Sevens(1'000'000'000), EncodingChoice::kSmallest);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->size(), 7 + 4 + 13 + 4 + 1 + 4);
}

// 2^28 null BIGINTs take 3 GiB flat and 32 MiB in a page, so its limit alone stops nothing.
TEST(RunTest, TheColumnsOfAPageShareOneBoundOnWhatTheyTakeFlat) {
  constexpr int64_t kEach = 9000;  // values, row numbers that lead to them, bits
  const auto write = [](int columns, int64_t limit) {
    return WritePage(vector::BatchOf(std::vector<ColumnPtr>(columns, Sevens(1000))),
                     {.max_expanded_bytes = limit})
        .status();
  };
  EXPECT_TRUE(write(3, 3 * kEach).ok()) << write(3, 3 * kEach);
  EXPECT_TRUE(absl::IsResourceExhausted(write(4, 3 * kEach))) << write(4, 3 * kEach);
}

TEST(RunTest, AsAnAlphabetIsCutToWhatIsUsed) {
  for (const EncodingChoice choice : {EncodingChoice::kFlatten, EncodingChoice::kVeloxBatch,
                                      EncodingChoice::kPreserve, EncodingChoice::kSmallest}) {
    const std::string block = Write(RunDictionary(), choice);
    EXPECT_LT(block.size(), 100u);
    const auto read = Read(T("INTEGER"), block);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(vector::FirstDifference(**read, *Sevens(3)), std::nullopt);
  }
}

// An alphabet far longer than the ids is cut without a table of its entries, to the same bytes.
TEST(RunTest, ALongAlphabetIsCutAsAShortOneIs) {
  std::vector<int64_t> values(100'000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i % 1000);
  const ColumnPtr longer = vector::Flat<int64_t>(T("BIGINT"), values);
  const auto dictionary = [](const ColumnPtr& alphabet) {
    return std::make_shared<vector::DictionaryColumn>(
        6, vector::BuildValidity(6, [](int64_t row) { return row == 2; }),
        Int32s({900, 3, 0, 900, 900, 17}), alphabet);
  };
  for (const EncodingChoice choice : {EncodingChoice::kPreserve, EncodingChoice::kSmallest}) {
    EXPECT_EQ(Write(dictionary(longer), choice),
              Write(dictionary(longer->Slice(0, 1000)), choice));
  }
  const auto without_nulls = [](const ColumnPtr& alphabet) {
    return std::make_shared<vector::DictionaryColumn>(4, Validity(), Int32s({900, 3, 900, 17}),
                                                      alphabet);
  };
  EXPECT_EQ(Write(without_nulls(longer), EncodingChoice::kPreserve),
            Write(without_nulls(longer->Slice(0, 200 + 701)), EncodingChoice::kPreserve));
}

// Each flattened column holds its memory, so the page stops at the one that is too much.
TEST(RunTest, APageThatIsTooLargeStopsAtTheColumnThatMakesItSo) {
  std::vector<ColumnPtr> columns(8, FlatColumn::Unknown(kMany));
  columns.push_back(Sevens());
  const auto plan = PagePlan::Make(vector::BatchOf(columns));
  EXPECT_THAT(std::string(plan.status().message()), StartsWith("a payload of 21474"));
}

}  // namespace
}  // namespace spillway::page
