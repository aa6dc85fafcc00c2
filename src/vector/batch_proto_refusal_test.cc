// SPDX-License-Identifier: Apache-2.0
// Every rule of batch.proto, broken: what the message says and where it points.

#include <cstdint>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "src/base/strings.h"
#include "src/vector/batch_proto.h"

namespace spillway::vector {
namespace {

std::string Refusal(std::string_view text) {
  const auto batch = FromTextproto(text, "f");
  return batch.ok() ? "accepted" : std::string(batch.status().message());
}

// A batch of one column, in one line.
std::string Column(std::string_view type, int64_t rows, std::string_view rest) {
  return base::Cat("rows: ", rows, " columns { type: \"", type, "\" ", rest, " }");
}

struct Rule {
  std::string text;
  std::string refusal;
};

class RefusalTest : public testing::TestWithParam<Rule> {};

TEST_P(RefusalTest, SaysWhatAndWhere) {
  EXPECT_EQ(Refusal(GetParam().text), GetParam().refusal) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Batches, RefusalTest,
    testing::Values(
        Rule{"rows: 1 colums {}",
             "f:1:16: Message type \"spillway.vector.proto.Batch\" has no field named \"colums\"."},
        Rule{"rows: x", "f:1:7: Expected integer, got: x"},
        Rule{"", "f:1:1: rows is missing"},
        Rule{"rows: -1", "f:1:1: rows: -1 is not within 0..2147483647"},
        Rule{"rows: 2147483648", "f:1:1: rows: 2147483648 is not within 0..2147483647"},
        Rule{"rows: 0 schema: 'ROW<a:INT>'",
             "f:1:9: schema: type `ROW<a:INT>`: unknown type `INT` at position 6"},
        Rule{"rows: 0 schema: 'INTEGER'", "f:1:9: schema: INTEGER is no ROW type"},
        Rule{"rows: 0\nschema: 'ROW<a:INTEGER>'", "f:2:1: schema: 1 fields for 0 columns"},
        Rule{"rows: 0\n  columns { flat {} }",
             "f:2:3: column 0: type is missing, and so is the schema"},
        Rule{"rows: 0 columns { type: 'INT' flat {} }",
             "f:1:19: column 0: type: type `INT`: unknown type `INT` at position 0"},
        Rule{"rows: 0 schema: 'ROW<a:DATE>' columns { type: 'INTEGER' flat {} }",
             "f:1:41: column 0 `a`: type: INTEGER where the schema has DATE"}));

INSTANTIATE_TEST_SUITE_P(
    Columns, RefusalTest,
    testing::Values(
        Rule{Column("INTEGER", 1, ""),
             "f:1:9: column 0 `c0`: no encoding: one of flat, constant, dictionary, row, array, "
             "map"},
        Rule{Column("INTEGER", 1, "rows: 2 flat { integers: [1, 2] }"),
             "f:1:35: column 0 `c0`: rows: 2 where 1 are expected"},
        Rule{Column("INTEGER", 2, "nulls: '0' flat {}"),
             "f:1:35: column 0 `c0`: nulls: 1 characters for 2 rows"},
        Rule{Column("INTEGER", 2, "nulls: '0x' flat {}"),
             "f:1:35: column 0 `c0`: nulls: character 1 is neither 0 nor 1"},
        Rule{Column("INTEGER", 2, "nulls: '11' all_null: true flat {}"),
             "f:1:47: column 0 `c0`: all_null: nulls says it already"},
        Rule{Column("INTEGER", 2, "array {}"),
             "f:1:35: column 0 `c0`: array: not an encoding of INTEGER"},
        Rule{Column("INTEGER", 2, "map {}"),
             "f:1:35: column 0 `c0`: map: not an encoding of INTEGER"},
        Rule{Column("INTEGER", 2, "row {}"),
             "f:1:35: column 0 `c0`: row: not an encoding of INTEGER"},
        Rule{Column("ROW<>", 2, "flat {}"),
             "f:1:33: column 0 `c0`: flat: not an encoding of ROW<>"},
        Rule{Column("INTEGER", 2, "constant {}"),
             "f:1:35: column 0 `c0`: constant: no encoding: one of flat, constant, dictionary, "
             "row, array, map"},
        Rule{Column("INTEGER", 2, "constant { flat { integers: [1, 2] } }"),
             "f:1:53: column 0 `c0`: constant: integers: 2 values for 1 rows that are not null"},
        Rule{Column("INTEGER", 2, "nulls: '00' constant { flat { integers: 1 } }"),
             "f:1:35: column 0 `c0`: a constant's nulls belong to its value"}));

INSTANTIATE_TEST_SUITE_P(
    Values, RefusalTest,
    testing::Values(
        Rule{Column("INTEGER", 2, "flat { integers: 1 }"),
             "f:1:42: column 0 `c0`: integers: 1 values for 2 rows that are not null"},
        Rule{Column("INTEGER", 2, "nulls: '10' flat { integers: [1, 2] }"),
             "f:1:54: column 0 `c0`: integers: 2 values for 1 rows that are not null"},
        Rule{Column("INTEGER", 0, "flat { strings: 'a' }"),
             "f:1:42: column 0 `c0`: strings: not the list of type INTEGER, which has integers"},
        Rule{Column("INTEGER", 0, "flat { nan_bits {} }"),
             "f:1:42: column 0 `c0`: nan_bits: not the list of type INTEGER, which has integers"},
        Rule{Column("UNKNOWN", 1, "all_null: true flat { integers: 1 }"),
             "f:1:57: column 0 `c0`: integers: not the list of type UNKNOWN, which has none"},
        Rule{Column("UNKNOWN", 2, "nulls: '10' flat {}"),
             "f:1:47: column 0 `c0`: 1 of 2 rows of UNKNOWN are not null"},
        Rule{Column("TINYINT", 2, "flat {\n integers: 1\n integers: 128 }"),
             "f:3:2: column 0 `c0`: integers[1]: 128 is no TINYINT"},
        Rule{Column("SMALLINT", 1, "flat { integers: -32769 }"),
             "f:1:43: column 0 `c0`: integers[0]: -32769 is no SMALLINT"},
        Rule{Column("DATE", 2, "flat { integers: [1, 2147483648] }"),
             "f:1:39: column 0 `c0`: integers[1]: 2147483648 is no DATE"},
        Rule{Column("DECIMAL(2, 1)", 1, "flat { integers: -100 }"),
             "f:1:48: column 0 `c0`: integers[0]: -100 is no DECIMAL(2, 1)"},
        Rule{Column("DECIMAL(19, 0)", 1, "flat { int128s: '10000000000000000000' }"),
             "f:1:49: column 0 `c0`: int128s[0]: `10000000000000000000` is no DECIMAL(19, 0)"},
        Rule{Column("HUGEINT", 1, "flat { int128s: '1e3' }"),
             "f:1:42: column 0 `c0`: int128s[0]: `1e3` is no HUGEINT"},
        Rule{Column("TIMESTAMP", 1, "flat { timestamps { nanos: 1000000000 } }"),
             "f:1:44: column 0 `c0`: timestamps[0]: nanos 1000000000 is not below 1000000000"},
        Rule{Column("REAL", 1, "flat { reals: nan nan_bits { row: 1 bits: 0x7fc00001 } }"),
             "f:1:50: column 0 `c0`: nan_bits[0]: row 1 of 1"},
        Rule{Column("REAL", 1, "flat { reals: nan nan_bits { row: -1 bits: 0x7fc00001 } }"),
             "f:1:50: column 0 `c0`: nan_bits[0]: row -1 does not come after row -1"},
        Rule{Column("REAL", 1, "all_null: true flat { nan_bits { bits: 0x7fc00001 } }"),
             "f:1:54: column 0 `c0`: nan_bits[0]: row 0 is null"},
        Rule{Column("REAL", 1, "flat { reals: 1 nan_bits { bits: 0x7fc00001 } }"),
             "f:1:48: column 0 `c0`: nan_bits[0]: row 0 is no NaN"},
        Rule{Column("REAL", 1, "flat { reals: nan nan_bits { bits: 0x7f800000 } }"),
             "f:1:50: column 0 `c0`: nan_bits[0]: 0x7f800000 is no NaN of REAL"},
        Rule{Column("REAL", 1, "flat { reals: nan nan_bits { bits: 0x17fc00001 } }"),
             "f:1:50: column 0 `c0`: nan_bits[0]: 0x17fc00001 is no NaN of REAL"},
        Rule{Column("DOUBLE", 1, "flat { doubles: nan nan_bits { bits: 0 } }"),
             "f:1:54: column 0 `c0`: nan_bits[0]: 0x0 is no NaN of DOUBLE"},
        Rule{Column("DOUBLE", 1, "flat { doubles: 0 nan_bits { bits: 0x7ff8000000000001 } }"),
             "f:1:52: column 0 `c0`: nan_bits[0]: row 0 is no NaN"}));

INSTANTIATE_TEST_SUITE_P(
    Nested, RefusalTest,
    testing::Values(
        Rule{Column("INTEGER", 2, "dictionary { ids: [0, 0] }"),
             "f:1:35: column 0 `c0`: alphabet is missing"},
        Rule{Column("INTEGER", 2, "dictionary { ids: 0 alphabet { flat { integers: 1 } } }"),
             "f:1:48: column 0 `c0`: ids: 1 ids for 2 rows that are not null"},
        Rule{Column("INTEGER", 2, "dictionary { ids: [0, 1] alphabet { flat { integers: 1 } } }"),
             "f:1:48: column 0 `c0`: ids[1]: 1 is not within the alphabet of 1"},
        Rule{Column("INTEGER", 1, "dictionary { ids: -1 alphabet { flat { integers: 1 } } }"),
             "f:1:48: column 0 `c0`: ids[0]: -1 is not within the alphabet of 1"},
        Rule{Column("INTEGER", 1, "dictionary { ids: 0 alphabet { all_null: true flat {} } }"),
             "f:1:55: column 0 `c0`: alphabet: rows is missing, and nothing in the column implies "
             "it"},
        Rule{Column("INTEGER", 1,
                    "dictionary { ids: 0 alphabet { rows: -2 flat { integers: 1 } } }"),
             "f:1:66: column 0 `c0`: alphabet: rows: -2 is not within 0..2147483647"},
        Rule{Column("ROW<a:INTEGER>", 1, "row {}"),
             "f:1:42: column 0 `c0`: row: 0 fields for ROW<a:INTEGER>"},
        Rule{Column("ROW<a:TINYINT>", 1, "row { fields { flat { integers: 300 } } }"),
             "f:1:64: column 0 `c0`: field 0 `a`: integers[0]: 300 is no TINYINT"},
        Rule{Column("ARRAY<INTEGER>", 1, "array { offsets: [0, 0] }"),
             "f:1:42: column 0 `c0`: elements is missing"},
        Rule{Column("ARRAY<INTEGER>", 1, "array { offsets: 0 elements { flat {} } }"),
             "f:1:50: column 0 `c0`: offsets: 1 for 1 rows, which need 2"},
        Rule{Column("ARRAY<INTEGER>", 1, "array { offsets: [0, 1] elements { flat {} } }"),
             "f:1:50: column 0 `c0`: offsets: the last, 1, is not within the 0 elements"},
        Rule{Column("ARRAY<INTEGER>", 1,
                    "array { offsets: [1, 0] elements { flat { integers: 1 } } }"),
             "f:1:50: column 0 `c0`: offsets[1]: 0 is below 1"},
        Rule{Column("ARRAY<INTEGER>", 1, "array { offsets: [-1, 0] elements { flat {} } }"),
             "f:1:50: column 0 `c0`: offsets[0]: -1 is below 0"},
        Rule{Column("MAP<DATE,DATE>", 0, "map { offsets: 0 keys { flat {} } }"),
             "f:1:42: column 0 `c0`: values is missing"},
        Rule{Column("MAP<DATE,DATE>", 0, "map { offsets: 0 values { flat {} } }"),
             "f:1:42: column 0 `c0`: keys is missing"},
        Rule{Column("MAP<DATE,DATE>", 0,
                    "map { offsets: 0 keys { flat { integers: 1 } } values { flat {} } }"),
             "f:1:98: column 0 `c0`: values: integers: 0 values for 1 rows that are not null"}));

INSTANTIATE_TEST_SUITE_P(
    Buffers, RefusalTest,
    testing::Values(
        Rule{Column("INTEGER", 2, "buffers { ids {} } flat { integers: [1, 2] }"),
             "f:1:45: column 0 `c0`: buffers.ids: the column has no such buffer"},
        Rule{Column("INTEGER", 2, "buffers { values {} } constant { flat { integers: 1 } }"),
             "f:1:45: column 0 `c0`: buffers.values: the column has no such buffer"},
        Rule{Column("INTEGER", 2, "buffers { validity {} } flat { integers: [1, 2] }"),
             "f:1:45: column 0 `c0`: buffers.validity: no bitmap without nulls"},
        Rule{Column("INTEGER", 2, "buffers { values { capacity: 7 } } flat { integers: [1, 2] }"),
             "f:1:45: column 0 `c0`: buffers.values: capacity 7 is below the buffer's 8 bytes"},
        Rule{Column("INTEGER", 0, "buffers { values { capacity: 1099511627777 } } flat {}"),
             "f:1:45: column 0 `c0`: buffers.values: capacity 1099511627777 is above the limit of "
             "1099511627776"},
        Rule{Column("VARCHAR", 1,
                    "buffers { ends { capacity: 9 allocation: 1 } "
                    "bytes { capacity: 8 allocation: 1 } } flat { strings: 'a' }"),
             "f:1:80: column 0 `c0`: buffers.bytes: capacity 8, but allocation 1 had 9 before"}));

}  // namespace
}  // namespace spillway::vector
