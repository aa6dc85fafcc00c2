// SPDX-License-Identifier: Apache-2.0
#include "src/base/status.h"

#include <string>

#include "gtest/gtest.h"

namespace spillway::base {
namespace {

TEST(StatusTest, EachLayerAddsItsPlaceInFront) {
  const absl::Status fault =
      AtByte(Invalid("offsets descend at row ", 17, " (40 then 12)"), 288, 1042);
  const absl::Status status = In("V3 frame", In("column 2 `name` VARCHAR", fault));
  EXPECT_EQ(status.message(),
            "V3 frame: column 2 `name` VARCHAR: offsets descend at row 17 (40 then 12), "
            "byte 288 of 1042");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
}

TEST(StatusTest, TheByteOffsetSurvivesAnnotation) {
  EXPECT_EQ(ByteOffset(In("page", AtByte(Exhausted("rows"), 7, 9))), 7);
  EXPECT_EQ(ByteOffset(Invalid("no place")), std::nullopt);
}

TEST(StatusTest, OkStaysOk) {
  EXPECT_TRUE(In("page", absl::OkStatus()).ok());
  EXPECT_EQ(*In("page", absl::StatusOr<int>(3)), 3);
}

absl::StatusOr<int> Half(int value) {
  if (value % 2 != 0) return Invalid(value, " is odd");
  return value / 2;
}

absl::StatusOr<int> Quarter(int value) {
  SPILLWAY_ASSIGN_OR_RETURN(const int half, Half(value));
  return Half(half);
}

TEST(StatusTest, MacrosReturnTheFirstFault) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).status().message(), "3 is odd");
  EXPECT_EQ(Quarter(5).status().message(), "5 is odd");
}

TEST(StatusTest, AByteOfAStreamHasNoTotal) {
  const absl::Status status = AtByte(Invalid("length -1"), 12);
  EXPECT_EQ(status.message(), "length -1, byte 12");
  EXPECT_EQ(ByteOffset(status), 12);
}

}  // namespace
}  // namespace spillway::base
