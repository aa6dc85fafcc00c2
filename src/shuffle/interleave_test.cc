// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/interleave.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/vector/build.h"

namespace spillway::shuffle {
namespace {

using testing::ElementsAre;
using vector::Batch;
using vector::BatchOf;
using vector::ColumnPtr;
using vector::FlatColumn;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

const TypePtr& kBigint = Type::Scalar(Kind::kBigint);
const TypePtr& kVarchar = Type::Scalar(Kind::kVarchar);

ColumnPtr Bigints(const std::vector<std::optional<int64_t>>& values) {
  return vector::Flat<int64_t>(kBigint, values);
}

Batch Gather(const std::vector<Batch>& batches, const std::vector<RowRange>& ranges) {
  return *Interleaver(batches[0].schema(), batches).Gather(ranges);
}

std::vector<std::optional<int64_t>> BigintsOf(const vector::Column& column) {
  std::vector<std::optional<int64_t>> out;
  for (int64_t row = 0; row < column.rows(); ++row) {
    out.push_back(column.IsNull(row) ? std::nullopt
                                     : std::optional(column.As<FlatColumn>().Value<int64_t>(row)));
  }
  return out;
}

TEST(InterleaveTest, RowsComeInTheOrderOfTheRanges) {
  const std::vector<Batch> batches = {BatchOf({Bigints({1, 2})}), BatchOf({Bigints({3, 4, 5})})};
  const Batch out = Gather(batches, {{1, 2}, {0, 0}, {1, 0, 3}});
  EXPECT_EQ(out.rows(), 5);
  EXPECT_THAT(BigintsOf(out.column(0)), ElementsAre(5, 1, 3, 4, 5));
  EXPECT_TRUE(out.column(0).As<FlatColumn>().validity().bits().empty());
}

TEST(InterleaveTest, NullsFollowTheirRows) {
  const std::vector<Batch> batches = {BatchOf({Bigints({1, std::nullopt})}),
                                      BatchOf({Bigints({3, 4})})};
  const Batch out = Gather(batches, {{0, 1}, {1, 0}, {0, 0}, {0, 1}});
  EXPECT_THAT(BigintsOf(out.column(0)), ElementsAre(std::nullopt, 3, 1, std::nullopt));
  EXPECT_EQ(out.column(0).null_count(), 2);
  EXPECT_EQ(out.column(0).As<FlatColumn>().Value<int64_t>(0), 0) << "zero stands under a null";
  EXPECT_THAT(BigintsOf(Gather(batches, {{1, 0, 2}, {0, 0, 2}}).column(0)),
              ElementsAre(3, 4, 1, std::nullopt));
  EXPECT_TRUE(Gather(batches, {{0, 0}}).column(0).As<FlatColumn>().validity().bits().empty())
      << "no null, no bits";
}

TEST(InterleaveTest, StringsOfSlicesAreCopied) {
  const ColumnPtr strings = vector::Strings(kVarchar, {"skipped", "ab", std::nullopt, "", "cde"});
  const std::vector<Batch> batches = {BatchOf({strings->Slice(1, 4)}),
                                      BatchOf({vector::Strings(kVarchar, {"f"})})};
  const Batch out = Gather(batches, {{0, 3}, {1, 0}, {0, 1}, {0, 2}, {0, 0}});
  const auto& column = out.column(0).As<vector::StringColumn>();
  EXPECT_EQ(column.Value(0), "cde");
  EXPECT_EQ(column.Value(1), "f");
  EXPECT_TRUE(column.IsNull(2));
  EXPECT_EQ(column.Value(3), "");
  EXPECT_EQ(column.Value(4), "ab");
  EXPECT_EQ(column.bytes().view(), "cdefab");
  const Batch runs = Gather(batches, {{0, 0, 4}, {1, 0}, {0, 2, 2}});
  EXPECT_EQ(runs.column(0).As<vector::StringColumn>().bytes().view(), "abcdefcde");
  EXPECT_EQ(runs.column(0).As<vector::StringColumn>().Value(6), "cde");
}

TEST(InterleaveTest, WhatStandsUnderANullStaysBehind) {
  const auto hidden = [](const ColumnPtr& column) {
    const vector::Validity second = vector::BuildValidity(2, [](int64_t row) { return row == 1; });
    if (column->type().is_string()) {
      const auto& strings = column->As<vector::StringColumn>();
      return BatchOf({std::make_shared<vector::StringColumn>(column->type_ptr(), 2, second, 0,
                                                             strings.ends(), strings.bytes())});
    }
    return BatchOf({std::make_shared<FlatColumn>(column->type_ptr(), 2, second,
                                                 column->As<FlatColumn>().values())});
  };
  const Batch strings = hidden(vector::Strings(kVarchar, {"ab", "secret"}));
  EXPECT_EQ(Gather({strings}, {{0, 0, 2}}).column(0).As<vector::StringColumn>().bytes().view(),
            "ab");
  const Batch bigints = hidden(Bigints({1, 77}));
  EXPECT_EQ(Gather({bigints}, {{0, 0, 2}}).column(0).As<FlatColumn>().Value<int64_t>(1), 0);
}

TEST(InterleaveTest, WrappersAreResolved) {
  const ColumnPtr ids =
      vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), std::vector<int32_t>{2, 1, 0});
  const auto dictionary = std::make_shared<vector::DictionaryColumn>(
      3, vector::Validity(), ids->As<FlatColumn>().values(), Bigints({10, std::nullopt, 30}));
  const auto constant = std::make_shared<vector::ConstantColumn>(Bigints({7}), 5);
  const auto null = std::make_shared<vector::ConstantColumn>(Bigints({std::nullopt}), 5);
  const std::vector<Batch> batches = {BatchOf({dictionary}), BatchOf({constant}), BatchOf({null})};
  const Batch out = Gather(batches, {{0, 0}, {0, 1}, {0, 2}, {1, 4}, {2, 0}});
  EXPECT_EQ(out.column(0).encoding(), vector::Encoding::kFlat);
  EXPECT_THAT(BigintsOf(out.column(0)), ElementsAre(30, std::nullopt, 10, 7, std::nullopt));
}

TEST(InterleaveTest, EveryWidthKeepsItsBytes) {
  for (const char* text : {"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "REAL",
                           "DOUBLE", "DECIMAL(12, 4)", "DECIMAL(38, 4)", "DATE",
                           "INTERVAL YEAR TO MONTH", "INTERVAL DAY TO SECOND", "TIMESTAMP"}) {
    const TypePtr type = *Type::Parse(text);
    const auto width = static_cast<size_t>(type->width());
    std::string bytes;
    for (size_t i = 0; i < 2 * width; ++i) bytes += static_cast<char>(i + 1);
    const auto column =
        std::make_shared<FlatColumn>(type, 2, vector::Validity(), vector::Buffer::Copy(bytes));
    const Batch out = Gather({BatchOf({column})}, {{0, 1}, {0, 0}});
    EXPECT_EQ(out.column(0).type(), *type);
    EXPECT_EQ(out.column(0).As<FlatColumn>().values().view(),
              bytes.substr(width) + bytes.substr(0, width))
        << text;
  }
}

TEST(InterleaveTest, UnknownStaysUnknown) {
  const Batch out = Gather({BatchOf({vector::FlatColumn::Unknown(3)})}, {{0, 2}, {0, 1}});
  EXPECT_EQ(out.column(0).null_count(), 2);
}

TEST(InterleaveTest, NoReferencesGiveAnEmptyBatch) {
  const Batch out = Gather({BatchOf({Bigints({1}), vector::Strings(kVarchar, {"a"})})}, {});
  EXPECT_EQ(out.rows(), 0);
  EXPECT_EQ(out.column(1).rows(), 0);
}

TEST(InterleaveTest, StringsBeyond31BitsAreRefused) {
  const std::vector<Batch> batches = {
      BatchOf({vector::Strings(kVarchar, {std::string(1 << 20, 'x')})})};
  const std::vector<RowRange> ranges(2048);
  const auto out = Interleaver(batches[0].schema(), batches).Gather(ranges);
  EXPECT_EQ(out.status(),
            absl::ResourceExhaustedError("column 0 `c0`: 2048 rows have 2147483648 bytes of "
                                         "strings, offsets have 31 bits"));
}

TEST(InterleaveTest, ElementsBeyond31BitsAreRefused) {
  // A list that is long and takes no memory: of one constant.
  const int32_t length = 1 << 30;
  const ColumnPtr offsets =
      vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), std::vector<int32_t>{0, length});
  const std::vector<Batch> batches = {BatchOf({std::make_shared<vector::ListColumn>(
      *Type::Parse("ARRAY<BIGINT>"), 1, vector::Validity(), offsets->As<FlatColumn>().values(),
      std::vector<ColumnPtr>{std::make_shared<vector::ConstantColumn>(Bigints({7}), length)})})};
  const auto out = Interleaver(batches[0].schema(), batches).Gather(std::vector<RowRange>(2));
  EXPECT_EQ(out.status(),
            absl::ResourceExhaustedError("column 0 `c0`: 2 rows have 2147483648 elements of lists, "
                                         "offsets have 31 bits"));
}

}  // namespace
}  // namespace spillway::shuffle
