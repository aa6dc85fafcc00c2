// SPDX-License-Identifier: Apache-2.0
#include "src/vector/schema_d.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/vector/compare.h"

namespace spillway::vector {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Row(const Batch& batch, int64_t row) {
  std::vector<std::string> values;
  for (const ColumnPtr& column : batch.columns()) values.push_back(ValueToString(*column, row));
  return values;
}

TEST(SchemaDTest, EveryValueIsThatOfItsRowNumber) {
  const Batch batch = SchemaDBatch(1'000'000, 500);
  EXPECT_THAT(Row(batch, 427),
              ElementsAre("1000427", "27000000189", "\"country-of-origin-27\"",
                          "\"eu-central-1/production/blue\"", "20261130", "\"delivered-2\"", "6.75",
                          "(1701468800 s, 500000000 ns)", "110000000000000000000.00",
                          "\"https://shop.example/catalogue/section-7/article-27\"",
                          "(\"kind-7\", 19)", "[\"tag-1\", \"tag-2\", \"tag-3\"]",
                          "\"order-1000427\""));
}

TEST(SchemaDTest, ABatchIsAPartOfTheTable) {
  const Batch whole = SchemaDBatch(0, 1000);
  for (const int64_t first : {0, 1, 399, 400, 640}) {
    EXPECT_EQ(FirstDifference(SchemaDBatch(first, 100), whole.Slice(first, 100)), std::nullopt);
  }
  EXPECT_EQ(SchemaDBatch(7, 0).rows(), 0);
}

TEST(SchemaDTest, ColumnsHaveTheEncodingsThatTheyClaim) {
  const Batch batch = SchemaDBatch(5, 64);
  const auto is = [&](Encoding encoding, std::vector<size_t> columns) {
    for (const size_t column : columns) {
      EXPECT_EQ(batch.column(column).encoding(), encoding) << "c" << column;
    }
  };
  is(Encoding::kFlat, {0, 12});
  is(Encoding::kConstant, {3, 4});
  is(Encoding::kDictionary, {1, 2, 5, 6, 7, 8, 9, 11});
  is(Encoding::kRow, {10});
  const auto& fields = batch.column(10).As<RowColumn>().fields();
  EXPECT_EQ(fields[0]->encoding(), Encoding::kDictionary);
  EXPECT_EQ(fields[1]->encoding(), Encoding::kConstant);
  EXPECT_EQ(batch.column(5).null_count(), 13);
}

TEST(SchemaDTest, BatchesShareTheirAlphabets) {
  const auto alphabet = [](int64_t first) {
    return SchemaDBatch(first, 3).column(9).As<DictionaryColumn>().alphabet();
  };
  EXPECT_EQ(alphabet(0), alphabet(4096));
}

}  // namespace
}  // namespace spillway::vector
