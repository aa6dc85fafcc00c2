// SPDX-License-Identifier: Apache-2.0
// Spillway as another workspace sees it. Includes are those of Spillway's own sources.

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"
#include "src/base/status.h"
#include "src/vector/build.h"
#include "src/vector/type.h"

namespace {

namespace base = spillway::base;
namespace vector = spillway::vector;

TEST(ConsumerTest, BuildsAColumn) {
  const vector::ColumnPtr column =
      vector::Flat<int32_t>(vector::Type::Scalar(vector::Kind::kInteger), {1, std::nullopt, 3});
  EXPECT_EQ(column->rows(), 3);
  EXPECT_TRUE(column->IsNull(1));
  EXPECT_EQ(column->As<vector::FlatColumn>().Value<int32_t>(2), 3);
}

TEST(ConsumerTest, ErrorsArriveWithTheirPlace) {
  const absl::StatusOr<vector::TypePtr> type = vector::Type::Parse("ARRAY<");
  ASSERT_FALSE(type.ok());
  EXPECT_EQ(base::In("schema", type.status()).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
