// SPDX-License-Identifier: Apache-2.0
#include "src/vector/schema_s.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace spillway::vector {
namespace {

// The definition, a value at a time.
void ExpectRow(const Batch& batch, int64_t at, int64_t i) {
  const auto number = [&](size_t column, int64_t value) {
    EXPECT_EQ(batch.column(column).As<FlatColumn>().Value<int32_t>(at), static_cast<int32_t>(value))
        << "c" << column << " of row " << i;
  };
  const auto text = [&](size_t column, const std::string& value) {
    EXPECT_EQ(batch.column(column).As<StringColumn>().Value(at), value)
        << "c" << column << " of row " << i;
  };
  number(0, i);
  number(1, i);
  text(2, std::to_string(i));
  text(3, "payload-a-" + std::to_string(i % 100000));
  number(4, i % 100);
  number(5, 2 * i);
  EXPECT_EQ(batch.column(6).As<FlatColumn>().Value<double>(at), static_cast<double>(i));
  number(7, i % 10);
  text(8, "payload-b-" + std::to_string(i % 100000));
  number(9, i + 1);
  text(10, std::to_string(i));
  number(11, i % 50);
  number(12, 3 * i);
  text(13, "payload-c-" + std::to_string(i % 100000));
  number(14, i % 200);
  EXPECT_EQ(batch.column(15).As<FlatColumn>().Value<double>(at), static_cast<double>(i));
}

TEST(SchemaSTest, EveryValueIsThatOfItsRowNumber) {
  // Where numbers gain a digit, where the payload starts again, and where 32 bits end.
  for (const int64_t middle : {int64_t{60}, int64_t{1000}, int64_t{100'000}, int64_t{1'000'000},
                               int64_t{99'999'999}, int64_t{715'827'882}, int64_t{1} << 31,
                               int64_t{10'000'000'000}, kMaxSchemaSRow - 120}) {
    for (const int64_t rows : {1, 7, 120}) {
      const int64_t first = middle - rows / 2;
      const Batch batch = SchemaSBatch(first, rows);
      ASSERT_EQ(batch.rows(), rows);
      for (int64_t row = 0; row < rows; ++row) ExpectRow(batch, row, first + row);
    }
  }
  const Batch start = SchemaSBatch(0, 1001);
  for (int64_t row = 0; row < start.rows(); ++row) ExpectRow(start, row, row);
}

TEST(SchemaSTest, EveryBufferIsAsLargeAsItsValues) {
  for (const int64_t first : {0, 5, 99'990, 999'999}) {
    const Batch batch = SchemaSBatch(first, 37);
    for (const ColumnPtr& column : batch.columns()) {
      column->VisitBuffers([](const Buffer& buffer) {
        EXPECT_EQ(buffer.allocation().capacity, buffer.size());
      });
      if (!column->type().is_string()) continue;
      const auto& strings = column->As<StringColumn>();
      EXPECT_EQ(strings.End(36), strings.bytes().size());
    }
  }
}

TEST(SchemaSTest, ABatchMayHaveNoRows) {
  const Batch batch = SchemaSBatch(12, 0);
  EXPECT_EQ(batch.rows(), 0);
  for (const ColumnPtr& column : batch.columns()) EXPECT_EQ(column->rows(), 0);
}

}  // namespace
}  // namespace spillway::vector
