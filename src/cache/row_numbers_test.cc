// SPDX-License-Identifier: Apache-2.0
#include "src/cache/row_numbers.h"

#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/vector/build.h"
#include "src/vector/flatten.h"

namespace spillway::cache {
namespace {

using ::testing::ElementsAre;
using vector::ColumnPtr;
using vector::Flat;

vector::TypePtr T(std::string_view text) { return *vector::Type::Parse(text); }

vector::Buffer Ids(const std::vector<int32_t>& ids) {
  return Flat<int32_t>(T("INTEGER"), ids)->As<vector::FlatColumn>().values();
}

// All ways to the numbers agree.
std::vector<uint64_t> Numbers(const ColumnPtr& column) {
  const std::vector<uint64_t> numbers = RowNumbers(*column);
  const std::vector<uint64_t> one_by_one = WithRowNumbers(*column, [&](auto number) {
    std::vector<uint64_t> out;
    for (int64_t row = 0; row < column->rows(); ++row) out.push_back(number(row));
    return out;
  });
  EXPECT_EQ(one_by_one, numbers);
  EXPECT_EQ(SumOfRows(*column), std::accumulate(numbers.begin(), numbers.end(), uint64_t{0}));
  EXPECT_EQ(RowNumbers(**vector::Flatten(column)), numbers);
  return numbers;
}

TEST(RowNumbersTest, IntegersAreSignExtended) {
  const auto minus = static_cast<uint64_t>(-5);
  EXPECT_THAT(Numbers(Flat<int8_t>(T("TINYINT"), {-5, 7})), ElementsAre(minus, 7));
  EXPECT_THAT(Numbers(Flat<int16_t>(T("SMALLINT"), {-5, 7})), ElementsAre(minus, 7));
  EXPECT_THAT(Numbers(Flat<int32_t>(T("INTEGER"), {-5, 7})), ElementsAre(minus, 7));
  EXPECT_THAT(Numbers(Flat<int64_t>(T("BIGINT"), {-5, 7})), ElementsAre(minus, 7));
  EXPECT_THAT(Numbers(Flat<uint8_t>(T("BOOLEAN"), {0, 1, 9})), ElementsAre(0, 1, 1));
  EXPECT_THAT(Numbers(Flat<vector::Timestamp>(T("TIMESTAMP"), {{5, 7}})), ElementsAre(5 + 3 * 7));
}

TEST(RowNumbersTest, StringsCountTheirBytesAlsoInTheMiddle) {
  const ColumnPtr texts = vector::Strings(T("VARCHAR"), {"abc", "", "de", "f"});
  EXPECT_THAT(Numbers(texts), ElementsAre(3, 0, 2, 1));
  EXPECT_THAT(Numbers(texts->Slice(2, 2)), ElementsAre(2, 1));
}

TEST(RowNumbersTest, ANullHasTheSameNumberInEveryEncoding) {
  const ColumnPtr numbers = Flat<int32_t>(T("INTEGER"), {4, std::nullopt});
  EXPECT_THAT(Numbers(numbers), ElementsAre(4, kNullNumber));
  EXPECT_THAT(Numbers(vector::Strings(T("VARCHAR"), {std::nullopt, "a"})),
              ElementsAre(kNullNumber, 1));
  EXPECT_THAT(Numbers(vector::FlatColumn::Unknown(1)), ElementsAre(kNullNumber));
  EXPECT_THAT(Numbers(std::make_shared<vector::ConstantColumn>(numbers->Slice(1, 1), 2)),
              ElementsAre(kNullNumber, kNullNumber));
  const auto dictionary = [&](vector::Validity validity) {
    return std::make_shared<vector::DictionaryColumn>(3, std::move(validity), Ids({1, 0, 0}),
                                                      numbers);
  };
  EXPECT_THAT(Numbers(dictionary({})), ElementsAre(kNullNumber, 4, 4));
  EXPECT_THAT(Numbers(dictionary(vector::BuildValidity(3, [](int64_t row) { return row == 2; }))),
              ElementsAre(kNullNumber, 4, kNullNumber));
}

TEST(RowNumbersTest, NestedRowsAddUpWhatIsInside) {
  const ColumnPtr inner = Flat<int32_t>(T("INTEGER"), {10, 20, 30});
  const ColumnPtr list = std::make_shared<vector::ListColumn>(
      T("ARRAY<INTEGER>"), 3, vector::BuildValidity(3, [](int64_t row) { return row == 1; }),
      Ids({0, 2, 2, 3}), std::vector<ColumnPtr>{inner});
  EXPECT_THAT(Numbers(list), ElementsAre(31, kNullNumber, 31));
  const ColumnPtr row = std::make_shared<vector::RowColumn>(
      T("ROW<a:INTEGER,b:ARRAY<INTEGER>>"), 3, vector::Validity(),
      std::vector<ColumnPtr>{inner, list});
  EXPECT_THAT(Numbers(row), ElementsAre(42, 21 + kNullNumber, 62));
  EXPECT_THAT(Numbers(std::make_shared<vector::DictionaryColumn>(2, vector::Validity(),
                                                                 Ids({2, 2}), row)),
              ElementsAre(62, 62));
}

}  // namespace
}  // namespace spillway::cache
