// SPDX-License-Identifier: Apache-2.0
// Vectors of Presto's and Trino's own tests.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "golden/hex_file.h"
#include "gtest/gtest.h"
#include "src/page/block_reader.h"
#include "src/page/checksum.h"
#include "src/vector/type.h"

namespace spillway {
namespace {

using vector::Buffer;
using vector::Kind;
using vector::Type;

// BUGS 4.32 and 4.33 (prestodb#16256, #22598).
TEST(PrestoTest, TheChecksumMatchesPrestosOwnVectors) {
  const auto table = golden::ReadTable("golden/presto/crc_vectors.hex");
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ(table->size(), 2u);
  for (const std::vector<std::string>& line : *table) {
    int64_t marker = 0, rows = 0, size = 0, crc = 0;
    ASSERT_TRUE(absl::SimpleAtoi(line[1], &marker) && absl::SimpleAtoi(line[2], &rows) &&
                absl::SimpleAtoi(line[3], &size) && absl::SimpleAtoi(line[4], &crc));
    EXPECT_EQ(page::PageChecksum(*golden::FromHex(line[0]), static_cast<uint8_t>(marker),
                                 static_cast<int32_t>(rows), static_cast<int32_t>(size)),
              crc);
  }
}

// BUGS 4.41: the same encoding name with a count and lengths where Presto has offsets.
TEST(TrinoTest, AVariableWidthBlockOfTrinoIsRefusedNotMisread) {
  const Buffer input =
      Buffer::Own(*golden::ReadHexFile("golden/presto/trino_variable_width_not_presto.hex"));
  base::ByteReader in(input.view());
  const auto column = page::BlockReader(input, in).Read(Type::Scalar(Kind::kVarchar));
  ASSERT_FALSE(column.ok());
  EXPECT_EQ(std::string(column.status().message()),
            "hasNulls byte 7 is not 0 or 1, byte 26 of 42");
}

}  // namespace
}  // namespace spillway
