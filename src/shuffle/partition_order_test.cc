// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/partition_order.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace spillway::shuffle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PartitionOrderTest, GroupsRowsByPartitionInTheirOrder) {
  PartitionOrder order;
  order.Sort(std::vector<uint32_t>{2, 0, 2, 3, 0}, 5);
  EXPECT_THAT(order.starts(), ElementsAre(0, 2, 2, 4, 5, 5));
  EXPECT_THAT(order.rows(), ElementsAre(1, 4, 0, 2, 3));
  EXPECT_THAT(order.counts(), ElementsAre(2, 0, 2, 1, 0));
  EXPECT_THAT(order.RowsOf(2), ElementsAre(0, 2));
  EXPECT_THAT(order.RowsOf(4), IsEmpty());
}

TEST(PartitionOrderTest, AnEarlierChunkLeavesNoTrace) {
  PartitionOrder order;
  order.Sort(std::vector<uint32_t>{1, 1, 1}, 2);
  order.Sort(std::vector<uint32_t>{0}, 3);
  EXPECT_THAT(order.starts(), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(order.rows(), ElementsAre(0));
  order.Sort({}, 1);
  EXPECT_THAT(order.starts(), ElementsAre(0, 0));
}

RC_GTEST_PROP(PartitionOrderTest, EqualsAStableSort, ()) {
  const auto partitions = *rc::gen::inRange<int32_t>(1, 300);
  const auto of_row = *rc::gen::container<std::vector<uint32_t>>(
      rc::gen::inRange<uint32_t>(0, static_cast<uint32_t>(partitions)));
  std::vector<uint32_t> expected(of_row.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](uint32_t a, uint32_t b) { return of_row[a] < of_row[b]; });
  PartitionOrder order;
  order.Sort(of_row, partitions);
  RC_ASSERT(std::equal(expected.begin(), expected.end(), order.rows().begin(), order.rows().end()));
  for (int32_t p = 0; p < partitions; ++p) {
    for (const uint32_t row : order.RowsOf(p)) {
      RC_ASSERT(of_row[row] == static_cast<uint32_t>(p));
    }
  }
}

}  // namespace
}  // namespace spillway::shuffle
