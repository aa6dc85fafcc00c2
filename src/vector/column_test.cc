// SPDX-License-Identifier: Apache-2.0
#include "src/vector/column.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/vector/build.h"

namespace spillway::vector {
namespace {

const TypePtr& kInteger = Type::Scalar(Kind::kInteger);
const TypePtr& kVarchar = Type::Scalar(Kind::kVarchar);

std::vector<Allocation> Allocations(const Column& column) {
  std::vector<Allocation> out;
  column.VisitBuffers([&](const Buffer& buffer) {
    if (buffer.allocation().address != nullptr) out.push_back(buffer.allocation());
  });
  return out;
}

TEST(ColumnTest, ASliceSharesTheAllocationAndItsCapacity) {
  const ColumnPtr column = Flat<int32_t>(kInteger, std::vector<int32_t>{1, 2, 3, 4});
  const ColumnPtr slice = column->Slice(1, 2);
  EXPECT_EQ(slice->rows(), 2);
  EXPECT_EQ(slice->As<FlatColumn>().Value<int32_t>(1), 3);
  ASSERT_EQ(Allocations(*slice).size(), 1u);
  EXPECT_EQ(Allocations(*slice)[0].address, Allocations(*column)[0].address);
  EXPECT_EQ(Allocations(*slice)[0].capacity, 16);
}

TEST(ColumnTest, ASliceCountsItsOwnNulls) {
  std::vector<std::optional<int32_t>> values(200);
  for (int i = 0; i < 200; i += 3) values[i] = i;
  const ColumnPtr column = Flat<int32_t>(kInteger, values);
  for (int64_t offset : {0, 1, 7, 8, 9, 63, 64, 65}) {
    const ColumnPtr slice = column->Slice(offset, 130);
    int64_t nulls = 0;
    for (int64_t row = 0; row < 130; ++row) {
      EXPECT_EQ(slice->IsNull(row), !values[offset + row].has_value());
      nulls += slice->IsNull(row) ? 1 : 0;
    }
    EXPECT_EQ(slice->null_count(), nulls);
  }
}

TEST(ColumnTest, StringSlicesStartWhereTheRowBeforeEnds) {
  const ColumnPtr column = Strings(kVarchar, {"ab", std::nullopt, "", "cde"});
  const ColumnPtr slice = column->Slice(1, 3);
  EXPECT_TRUE(slice->IsNull(0));
  EXPECT_EQ(slice->As<StringColumn>().Value(1), "");
  EXPECT_EQ(slice->As<StringColumn>().Value(2), "cde");
  EXPECT_EQ(column->Slice(4, 0)->rows(), 0);
}

// BUGS 2.22 (apache/gluten#12092): a dictionary column reported no nulls.
TEST(ColumnTest, NullsAreCountedThroughWrappers) {
  const ColumnPtr alphabet = Flat<int32_t>(kInteger, {7, std::nullopt, 9});
  const ColumnPtr ids = Flat<int32_t>(kInteger, std::vector<int32_t>{0, 1, 2, 0});
  const DictionaryColumn dictionary(4, BuildValidity(4, [](int64_t row) { return row == 3; }),
                                    ids->As<FlatColumn>().values(), alphabet);
  EXPECT_EQ(dictionary.null_count(), 2);
  EXPECT_EQ(ConstantColumn(alphabet->Slice(1, 1), 5).null_count(), 5);
  EXPECT_EQ(ConstantColumn(alphabet->Slice(0, 1), 5).null_count(), 0);
}

TEST(ColumnTest, EveryRowOfUnknownIsNull) {
  const ColumnPtr column = FlatColumn::Unknown(3);
  EXPECT_TRUE(column->IsNull(2));
  EXPECT_EQ(column->Slice(1, 2)->null_count(), 2);
  EXPECT_TRUE(Allocations(*column).empty());
}

}  // namespace
}  // namespace spillway::vector
