// SPDX-License-Identifier: Apache-2.0
#include "src/vector/buffer.h"

#include <optional>
#include <utility>

#include "gtest/gtest.h"

namespace spillway::vector {
namespace {

TEST(BufferTest, AChargedBufferKeepsItsBytesAndTheOtherAllocation) {
  std::optional<Buffer> whole = MutableBuffer(4, 4096).Freeze();
  const Buffer part = Buffer::Copy("abc").ChargedTo(*whole);
  EXPECT_EQ(part.view(), "abc");
  EXPECT_EQ(part.allocation().address, whole->allocation().address);
  EXPECT_EQ(part.allocation().capacity, 4096);
  EXPECT_TRUE(part.owned());

  // The address stays taken for as long as `part` stands for it.
  const uint8_t* address = whole->data();
  whole.reset();
  EXPECT_NE(MutableBuffer(4, 4096).data(), address);
}

TEST(BufferTest, CapacityIsAtLeastTheSize) {
  EXPECT_EQ(MutableBuffer(8, 3).Freeze().allocation().capacity, 8);
  EXPECT_EQ(MutableBuffer(8, 9).Freeze(2).allocation().capacity, 9);
}

}  // namespace
}  // namespace spillway::vector
