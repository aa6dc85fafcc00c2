// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/row_digest.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "src/vector/build.h"
#include "src/vector/flatten.h"
#include "src/vector/int128.h"

namespace spillway::shuffle {
namespace {

using vector::ColumnPtr;
using vector::Flat;

vector::TypePtr T(std::string_view text) { return *vector::Type::Parse(text); }

vector::Buffer Ids(const std::vector<int32_t>& ids) {
  return Flat<int32_t>(T("INTEGER"), ids)->As<vector::FlatColumn>().values();
}

// The flat form, and each row by itself, have the same digests.
std::vector<uint64_t> Digests(const ColumnPtr& column) {
  const std::vector<uint64_t> digests = RowDigests(vector::BatchOf({column}));
  EXPECT_EQ(RowDigests(vector::BatchOf({*vector::Flatten(column)})), digests);
  for (int64_t row = 0; row < column->rows(); ++row) {
    EXPECT_EQ(RowDigests(vector::BatchOf({column->Slice(row, 1)}))[0], digests[row]) << row;
  }
  return digests;
}

int64_t Distinct(const ColumnPtr& column) {
  const std::vector<uint64_t> digests = Digests(column);
  return static_cast<int64_t>(std::set<uint64_t>(digests.begin(), digests.end()).size());
}

TEST(RowDigestTest, EveryValueOfEveryKindHasItsOwn) {
  EXPECT_EQ(Distinct(Flat<uint8_t>(T("BOOLEAN"), {0, 1, std::nullopt})), 3);
  EXPECT_EQ(Distinct(Flat<int8_t>(T("TINYINT"), {0, 1, -1, std::nullopt})), 4);
  EXPECT_EQ(Distinct(Flat<int16_t>(T("SMALLINT"), {0, 1, -1, 256})), 4);
  EXPECT_EQ(Distinct(Flat<int32_t>(T("INTEGER"), {0, 1, -1, 65536})), 4);
  EXPECT_EQ(Distinct(Flat<int64_t>(T("BIGINT"), {0, 1, -1, int64_t{1} << 32})), 4);
  EXPECT_EQ(Distinct(Flat<double>(T("DOUBLE"), {0.0, -0.0, 1.0})), 3);
  using vector::Int128;
  const Int128 one = 1;
  const std::vector<std::optional<Int128>> wide = {one, one << 64, -one};
  EXPECT_EQ(Distinct(Flat<Int128>(T("DECIMAL(38, 0)"), wide)), 3);
  const std::vector<std::optional<std::string>> words = {"", "a", std::string("a\0", 2),
                                                         "longer than a word", std::nullopt};
  EXPECT_EQ(Distinct(vector::Strings(T("VARCHAR"), words)), 5);
}

TEST(RowDigestTest, AnyByteOfABooleanIsTrue) {
  const std::vector<uint64_t> digests = Digests(Flat<uint8_t>(T("BOOLEAN"), {1, 9}));
  EXPECT_EQ(digests[0], digests[1]);
}

TEST(RowDigestTest, TimestampsCountToTheMicrosecond) {
  const std::vector<uint64_t> digests = Digests(Flat<vector::Timestamp>(
      T("TIMESTAMP"), {{-1, 999'999'000}, {-1, 999'999'999}, {0, 0}, {0, 1'000}}));
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_NE(digests[1], digests[2]);
  EXPECT_NE(digests[2], digests[3]);
}

TEST(RowDigestTest, WrappersAreLookedThrough) {
  const ColumnPtr words = vector::Strings(T("VARCHAR"), {"a", std::nullopt, "b"});
  const std::vector<uint64_t> plain = Digests(words);
  const auto dictionary = std::make_shared<vector::DictionaryColumn>(
      4, vector::BuildValidity(4, [](int64_t row) { return row == 3; }), Ids({2, 1, 0, 0}), words);
  EXPECT_EQ(Digests(dictionary), (std::vector<uint64_t>{plain[2], plain[1], plain[0], plain[1]}));
  EXPECT_EQ(Digests(std::make_shared<vector::ConstantColumn>(words->Slice(2, 1), 2)),
            (std::vector<uint64_t>{plain[2], plain[2]}));
}

TEST(RowDigestTest, NestedValuesCountLengthsAndOrder) {
  const ColumnPtr inner = Flat<int32_t>(T("INTEGER"), {1, 2, 2, 1, 1, std::nullopt});
  // [1, 2], [2, 1], [1], null, [null], []
  const ColumnPtr lists = std::make_shared<vector::ListColumn>(
      T("ARRAY<INTEGER>"), 6, vector::BuildValidity(6, [](int64_t row) { return row == 3; }),
      Ids({0, 2, 4, 5, 5, 6, 6}), std::vector<ColumnPtr>{inner});
  EXPECT_EQ(Distinct(lists), 6);
  const ColumnPtr a = Flat<int32_t>(T("INTEGER"), {1, 2, std::nullopt});
  const ColumnPtr b = Flat<int32_t>(T("INTEGER"), {2, 1, std::nullopt});
  const ColumnPtr rows = std::make_shared<vector::RowColumn>(
      T("ROW<a:INTEGER,b:INTEGER>"), 3, vector::Validity(), std::vector<ColumnPtr>{a, b});
  EXPECT_EQ(Distinct(rows), 3);
}

TEST(RowDigestTest, ColumnsAreNotInterchangeable) {
  const ColumnPtr a = Flat<int32_t>(T("INTEGER"), {1, std::nullopt});
  const ColumnPtr b = Flat<int32_t>(T("INTEGER"), {2, 5});
  const auto ab = RowDigests(vector::BatchOf({a, b}));
  const auto ba = RowDigests(vector::BatchOf({b, a}));
  EXPECT_NE(ab[0], ba[0]);
  EXPECT_NE(ab[1], ba[1]);
}

TEST(PartitionDigestTest, TellsOrderAndNumberOfRows) {
  PartitionDigest ab, ba, a, none;
  for (const uint64_t row : {1, 2}) ab.Add(row);
  for (const uint64_t row : {2, 1}) ba.Add(row);
  a.Add(1);
  EXPECT_NE(ab, ba);
  EXPECT_NE(a, ab);
  EXPECT_EQ(none.rows(), 0);
  PartitionDigest zero;
  zero.Add(0);
  EXPECT_NE(zero, none);
}

}  // namespace
}  // namespace spillway::shuffle
