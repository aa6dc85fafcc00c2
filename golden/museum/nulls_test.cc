// SPDX-License-Identifier: Apache-2.0
// Bugs of null bitmaps that other systems had. The numbers are those of docs/bugs.md.
#include <optional>
#include <string>
#include <vector>

#include "golden/museum/exhibit.h"
#include "gtest/gtest.h"
#include "src/page/page.h"
#include "src/vector/concat.h"

namespace spillway::museum {
namespace {

// BUGS 1.5 (velox#18480): a null count that was kept from before an append. Ours is counted from
// the bits of each column that is made.
TEST(NullsTest, AppendedNullsAreCounted) {
  const auto read = [](const vector::ColumnPtr& column) {
    return *Read("INTEGER", Write(column));
  };
  const std::vector<vector::ColumnPtr> parts = {
      read(Ints({1, 2})), read(Ints({3, std::nullopt, 4, std::nullopt, 5}))};
  const auto joined = vector::Concat(parts);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ((*joined)->null_count(), 2);
  ExpectSurvives(*joined);
}

// BUGS 1.8 (cockroachdb#62642): a reused null object of 8 rows under a column of 9 without bitmap.
// A reader of ours is reused here for both.
TEST(NullsTest, AColumnWithoutBitmapAfterOneWithIsSizedByItself) {
  const std::string both = Write(Ints({1, std::nullopt, 3, 4, 5, 6, 7, 8})) +
                           Write(Ints({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const vector::Buffer input = vector::Buffer::Copy(both);
  base::ByteReader in(input.view());
  page::BlockReader blocks(input, in);
  EXPECT_EQ((*blocks.Read(T("INTEGER")))->null_count(), 1);
  const auto second = blocks.Read(T("INTEGER"));
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ((*second)->rows(), 9);
  EXPECT_EQ((*second)->null_count(), 0);
  EXPECT_FALSE((*second)->IsNull(8));
}

// BUGS 1.9 (bytedance/bolt#799): the bitmap of a type without values was not consumed, and the next
// field was read too early.
TEST(NullsTest, TheBitmapOfAnArrayOfUnknownIsConsumed) {
  ExpectSurvives(RowOf("ROW<a:ARRAY<UNKNOWN>,b:BIGINT>",
                       {ListOf("ARRAY<UNKNOWN>", {0, 2}, {vector::FlatColumn::Unknown(2)}),
                        Longs({7})},
                       1));
}

}  // namespace
}  // namespace spillway::museum
