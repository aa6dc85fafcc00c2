// SPDX-License-Identifier: Apache-2.0
// Vectors of Presto's and Trino's own tests.
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "golden/hex_file.h"
#include "gtest/gtest.h"
#include "src/page/block_reader.h"
#include "src/page/block_writer.h"
#include "src/page/checksum.h"
#include "src/vector/compare.h"
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

struct PrestoBlock {
  const char* type;
  const char* value;  // of its one row
  bool plain = true;  // our writer, asked to keep encodings, writes the same bytes
};

// In the order of blocks.hex.
constexpr PrestoBlock kBlocks[] = {
    {"INTEGER", "1"},
    {"BIGINT", "3"},
    {"TINYINT", "1"},
    {"DECIMAL(24, 2)", "0.00"},
    {"DECIMAL(24, 2)", "1.00"},
    {"DECIMAL(24, 2)", "-1.00"},
    {"DECIMAL(24, 2)", "1000000000000000000.00"},
    {"DECIMAL(24, 2)", "-1000000000000000000.00"},
    {"VARCHAR", "\"2019-11-10\""},
    {"BIGINT", "null", false},  // RLE over a null of UNKNOWN
    {"ARRAY<BIGINT>", "[null, null, null, null]", false},
    {"ARRAY<INTEGER>", "[1, 2, 3]"},
    {"ARRAY<INTEGER>", "[1, 23, null, 456]"},
    {"ARRAY<VARCHAR>", "[\"a\", \"b\", \"c\"]"},
    {"ARRAY<VARCHAR>", "[\"apple\", null, \"banana\", \"carrot\"]"},
    {"ARRAY<ARRAY<INTEGER>>", "[[1, 2], [3, 4], [5, 6]]"},
    {"ARRAY<VARCHAR>", "null"},
    {"MAP<INTEGER,VARCHAR>", "{1: \"AAA\", 5: \"B\"}", false},  // with a hash table
    {"MAP<VARCHAR,BIGINT>", "{}", false},
    {"MAP<VARCHAR,INTEGER>", "{\"AAA\": null, \"B\": 5, \"CCCCC\": null}", false},
    {"MAP<VARCHAR,BIGINT>", "null", false},
    {"BIGINT", "6570418176001825"},
    {"ROW<a:VARCHAR,b:DOUBLE>", "null"},
    {"ROW<a:BIGINT,b:VARCHAR,c:BIGINT,d:DOUBLE>", "(1, \"b\", null, 4)"},
    {"ROW<a:ROW<a:INTEGER,b:VARCHAR>,b:ROW<a:DOUBLE,b:BOOLEAN,c:UNKNOWN>>",
     "((1, \"a\"), (2, true, null))"},
    {"DOUBLE", "null"},
    {"REAL", "102"},
    {"DATE", "18200"},
    {"VARCHAR", "\"maven\""},
    {"SMALLINT", "3", false},  // hasNulls is set though there is no null
};

// BUGS 1.4, 2.17, 2.21, 3.29 among others: what Presto's Java writer makes of small values.
TEST(PrestoTest, EveryBlockOfPrestosTestsDecodesToItsValue) {
  const auto table = golden::ReadTable("golden/presto/blocks.hex");
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ(table->size(), std::size(kBlocks));
  for (size_t i = 0; i < std::size(kBlocks); ++i) {
    SCOPED_TRACE(base::Cat("line ", i, " ", kBlocks[i].type));
    const Buffer input = Buffer::Own(*golden::FromHex((*table)[i][0]));
    base::ByteReader in(input.view());
    const auto column = page::BlockReader(input, in).Read(*Type::Parse(kBlocks[i].type));
    ASSERT_TRUE(column.ok()) << column.status();
    EXPECT_TRUE(in.at_end());
    ASSERT_EQ((*column)->rows(), 1);
    EXPECT_EQ(vector::ValueToString(**column, 0), kBlocks[i].value);
    const auto plan = page::BlockPlan::Make(*column, page::EncodingChoice::kPreserve);
    ASSERT_TRUE(plan.ok()) << plan.status();
    std::string again(plan->size() + page::BlockPlan::kSlack, '\0');
    plan->Write(reinterpret_cast<uint8_t*>(again.data()));
    again.resize(plan->size());
    EXPECT_EQ(again == input.view(), kBlocks[i].plain);
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
