// SPDX-License-Identifier: Apache-2.0
// The hostile inputs of malformed.jsonl. The valid_* controls and harmless oddities are accepted,
// 30 in all; of the 87 that we refuse, Velox accepts 40.
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "golden/velox/velox_cases.h"
#include "gtest/gtest.h"
#include "src/base/byte_reader.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/page/block_reader.h"
#include "src/page/compression.h"
#include "src/page/page.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;
using golden::VeloxMalformed;
using vector::Buffer;

constexpr int64_t kAccepted = -1;

struct Verdict {
  std::string_view name;
  int64_t byte;            // where the fault is, or kAccepted
  std::string_view fault;  // a part of the message
};

// In the order of the file.
constexpr Verdict kVerdicts[] = {
    {"valid_bigint", kAccepted, ""},
    {"valid_varchar", kAccepted, ""},
    {"valid_dict", kAccepted, ""},
    {"valid_rle", kAccepted, ""},
    {"valid_array", kAccepted, ""},
    {"valid_map", kAccepted, ""},
    {"valid_row_nulls", kAccepted, ""},
    {"empty_file", 0, "page header needs 21 bytes, 0 remain"},
    {"header_truncated_10", 0, "page header needs 21 bytes, 10 remain"},
    {"body_truncated_1byte", 9, "payload of 63 bytes, 62 follow the header"},
    {"neg_numrows", 0, "negative row count -1"},
    {"neg_compressed", 9, "negative size -5"},
    {"uncompressed_smaller_crc_ok", 9, "payload of 20 bytes, 63 follow the header"},
    {"compressed_ne_uncompressed_marker4", 9,
     "size 7 of an uncompressed page is not its uncompressed size 63"},
    {"checksum_mismatch_databit", 13, "checksum 41635095, the page's bytes have dac61cfa"},
    {"checksum_high32_nonzero", 13, "checksum 0000010000000000 does not fit 32 bits"},
    {"marker0_crc0", kAccepted, ""},
    {"marker0_crc_nonzero", 13, "checksum 00000000000004d2 without the checksum flag"},
    {"marker4_crc0", 13, "checksum 00000000, the page's bytes have 41635095"},
    {"marker5_not_compressed", 9, "payload of 10 bytes, 63 follow the header"},
    {"marker1_not_compressed", 4, "the page is compressed and no codec is configured"},
    {"marker2_encrypted", 4, "the page is encrypted"},
    {"marker6_encrypted_crc", 4, "the page is encrypted"},
    {"markerF8_unknown_bits", 4, "unknown bits in marker 248"},
    {"numrows_0_col_5", 25, "the block has 5 rows, not 0"},
    {"numrows_huge", 25, "the block has 5 rows, not 2147483647"},
    {"trailing_garbage", 9, "payload of 63 bytes, 70 follow the header"},
    {"ncols_0", 21, "0 columns, the schema has 1"},
    {"ncols_neg", 21, "-1 columns, the schema has 1"},
    {"ncols_2_only1_present_requested1", 21, "2 columns, the schema has 1"},
    {"two_cols_different_rows", 84, "the block has 3 rows, not 5"},
    {"encname_len_neg", 29, "encoding name: negative length -1"},
    {"encname_len_huge", 29, "encoding name needs 2147483647 bytes, 55 remain"},
    {"encname_truncated", 29, "encoding name needs 10 bytes, 4 remain"},
    {"wrong_enc_int_for_bigint", 29, "encoding `INT_ARRAY` where BIGINT needs `LONG_ARRAY`"},
    {"unknown_enc_FOO", 29, "encoding `FOO_ARRAY` where BIGINT needs `LONG_ARRAY`"},
    {"enc_lowercase", 29, "encoding `long_array` where BIGINT needs `LONG_ARRAY`"},
    {"double_read_as_bigint_same_enc", kAccepted, ""},
    {"bytearray_allnull_for_bigint", kAccepted, ""},
    {"bytearray_notallnull_for_bigint", 29,
     "encoding `BYTE_ARRAY` with a non-null row where BIGINT needs `LONG_ARRAY`"},
    {"bytearray_allnull_then_second_col", kAccepted, ""},
    {"bytearray_0rows_for_bigint", kAccepted, ""},
    {"varchar_for_bigint", 29, "encoding `VARIABLE_WIDTH` where BIGINT needs `LONG_ARRAY`"},
    {"int128_for_bigint", 29, "encoding `INT128_ARRAY` where BIGINT needs `LONG_ARRAY`"},
    {"rows_neg", 39, "negative row count -1"},
    {"rows_neg_min", 39, "negative row count -2147483648"},
    {"rows_huge_2e9", 44, "values needs 16000000000 bytes, 40 remain"},
    {"rows_huge_1e8", 44, "values needs 800000000 bytes, 40 remain"},
    {"rows_6_of_5", 44, "values needs 48 bytes, 40 remain"},
    {"nullflag_2", 43, "hasNulls byte 2 is not 0 or 1"},
    {"null_bitmap_truncated", 44, "null bitmap needs 3 bytes, 1 remain"},
    {"nulls_more_values_than_nonnull", 53, "8 bytes left over after the last column"},
    {"values_truncated", 44, "values needs 40 bytes, 31 remain"},
    {"rows0_nullflag1", kAccepted, ""},
    {"ts_nanos_overflow", 44, "row 0: nanos over 999999999: 1000000000"},
    {"ts_nanos_neg", 44, "row 0: nanos over 999999999: 18446744073709551615"},
    {"ts_seconds_max", kAccepted, ""},
    {"unknown_nonnull", 44, "3 rows of an UNKNOWN block are not null"},
    {"unknown_partial_nulls", 45, "1 rows of an UNKNOWN block are not null"},
    {"vc_offset_negative", 47, "offsets descend at row 0 (0 then -1)"},
    {"vc_offset_nonmonotonic", 51, "offsets descend at row 1 (5 then 2)"},
    {"vc_offset_huge", 60, "byte count 6 is not the last offset 2147483647"},
    {"vc_datalen_neg", 60, "byte count -1 is not the last offset 6"},
    {"vc_datalen_huge", 60, "byte count 2147483647 is not the last offset 6"},
    {"vc_datalen_less_than_last_offset", 60, "byte count 3 is not the last offset 6"},
    {"vc_rows_neg", 43, "negative row count -1"},
    {"vc_rows_huge", 47, "end offsets needs 8000000000 bytes, 23 remain"},
    {"vc_data_truncated", 64, "bytes needs 6 bytes, 5 remain"},
    {"vc_null_row_with_nonzero_length", kAccepted, ""},
    {"vc_invalid_utf8", kAccepted, ""},
    {"dict_index_2e9", 86, "dictionary id 2000000000 at row 2 is outside an alphabet of 2"},
    {"dict_index_neg", 82, "dictionary id -1 at row 1 is outside an alphabet of 2"},
    {"dict_count_huge", 78, "dictionary ids needs 8000000000 bytes, 36 remain"},
    {"dict_id_truncated", 90, "dictionary instance id needs 24 bytes, 23 remain"},
    {"dict_id_nonzero", kAccepted, ""},
    {"dict_empty_values_with_indices", 62, "dictionary id 0 at row 0 is outside an alphabet of 0"},
    {"dict_count_ne_header", 25, "the block has 3 rows, not 5"},
    {"dict_of_dict", kAccepted, ""},
    {"dict_of_rle", kAccepted, ""},
    {"dict_values_with_null", kAccepted, ""},
    {"dict_varchar_index_1e6", 89, "dictionary id 1000000 at row 2 is outside an alphabet of 2"},
    {"rle_count_neg", 32, "negative row count -1"},
    {"rle_count_huge", 25, "the block has 2147483647 rows, not 4"},
    {"rle_count_ne_header", 25, "the block has 3 rows, not 4"},
    {"rle_value_2rows", 36, "RLE value block has 2 rows, not 1"},
    {"rle_value_0rows", 36, "RLE value block has 0 rows, not 1"},
    {"rle_null", kAccepted, ""},
    {"rle_of_rle", kAccepted, ""},
    {"rle_of_dict", kAccepted, ""},
    {"arr_first_offset_nonzero", 68, "first offset 1 is not 0"},
    {"arr_nonmonotonic", 76, "offsets descend at row 1 (3 then 1)"},
    {"arr_offset_past_elements", 76, "last offset 1000 is not the element count 3"},
    {"arr_offset_negative", 72, "offsets descend at row 0 (0 then -5)"},
    {"arr_last_offset_lt_elements", 76, "last offset 2 is not the element count 3"},
    {"arr_rows_neg", 64, "negative row count -1"},
    {"arr_rows_huge", 68, "offsets needs 8000000004 bytes, 13 remain"},
    {"arr_null_with_nonzero_size", kAccepted, ""},
    {"map_hashtable_neg2", 105, "hash table size -2"},
    {"map_keys_ne_values", 75, "2 values for 3 keys"},
    {"map_null_key", 32, "key 1 of row 0 is null"},
    {"map_dup_key", kAccepted, ""},
    {"map_offset_past", 121, "last offset 300 is not the element count 3"},
    {"row_childcount_more", 32, "3 fields, the type has 2"},
    {"row_childcount_less", 32, "1 fields, the type has 2"},
    {"row_offsets_garbage", kAccepted, ""},
    {"row_children_longer", 36, "field 0 `a` has 2 rows, 1 parents are not null"},
    {"row_children_different_sizes", 71, "field 1 `b` has 1 rows, 2 parents are not null"},
    {"row_nulls_but_children_full_size", 36, "field 0 `a` has 2 rows, 1 parents are not null"},
    {"row_rows_neg", 108, "negative row count -1"},
    {"row_rows_huge", 112, "offsets needs 8000000004 bytes, 13 remain"},
    {"row_null_child_rle", kAccepted, ""},
    {"row_null_child_dict", kAccepted, ""},
    {"col_empty", 0, "encoding name length needs 4 bytes, 0 remain"},
    {"col_trailing_bytes", 59, "2 bytes left over after the column block"},
    {"col_truncated", 19, "values needs 40 bytes, 39 remain"},
    {"col_rle", kAccepted, ""},
    {"col_dict", kAccepted, ""},
};

absl::Status Read(const VeloxMalformed& input, const page::PageReadOptions& options = {}) {
  const Buffer bytes = Buffer::Copy(input.bytes);
  if (input.page) return page::ReadPage(input.type, bytes, options).status();
  base::ByteReader in(bytes.view());
  SPILLWAY_RETURN_IF_ERROR(page::BlockReader(bytes, in).Read(input.type).status());
  return in.ExpectEnd("column block");
}

const std::vector<VeloxMalformed>& Inputs() {
  static const auto& inputs = *new auto(golden::LoadVeloxMalformed());
  EXPECT_TRUE(inputs.ok()) << inputs.status();
  static const auto& none = *new std::vector<VeloxMalformed>();
  return inputs.ok() ? *inputs : none;
}

TEST(VeloxMalformedTest, EveryInputHasAVerdict) {
  ASSERT_EQ(Inputs().size(), 117u);
  ASSERT_EQ(std::size(kVerdicts), 117u);
  for (size_t i = 0; i < Inputs().size(); ++i) EXPECT_EQ(Inputs()[i].name, kVerdicts[i].name);
}

class VeloxMalformedInputTest : public ::testing::TestWithParam<Verdict> {};

INSTANTIATE_TEST_SUITE_P(All, VeloxMalformedInputTest, ::testing::ValuesIn(kVerdicts),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(VeloxMalformedInputTest, IsAcceptedOrRefusedAtTheRightPlace) {
  const Verdict& verdict = GetParam();
  for (const VeloxMalformed& input : Inputs()) {
    if (input.name != verdict.name) continue;
    const absl::Status status = Read(input);
    if (verdict.byte == kAccepted) {
      EXPECT_TRUE(status.ok()) << status;
      return;
    }
    ASSERT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(verdict.fault)));
    EXPECT_EQ(base::ByteOffset(status), verdict.byte) << status;
    return;
  }
  FAIL() << "no such input";
}

// The marker claims compression, the payload is raw.
TEST(VeloxMalformedTest, ARawPayloadIsNoCodecsForm) {
  for (const VeloxMalformed& input : Inputs()) {
    if (input.name != "marker1_not_compressed") continue;
    for (const page::Codec codec : {page::Codec::kLz4, page::Codec::kZstd, page::Codec::kSnappy,
                                    page::Codec::kZlib, page::Codec::kGzip}) {
      const absl::Status status = Read(input, {.codec = codec});
      EXPECT_EQ(base::ByteOffset(status), page::kPageHeaderSize) << status;
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr(base::Cat("the ", page::CodecName(codec), " payload")));
    }
  }
}

}  // namespace
}  // namespace spillway
