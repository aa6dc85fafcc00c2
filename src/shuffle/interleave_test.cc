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

Batch Gather(const std::vector<Batch>& batches, const std::vector<RowRef>& refs) {
  return *Interleaver::Create(batches[0].schema(), batches)->Gather(refs);
}

std::vector<std::optional<int64_t>> BigintsOf(const vector::Column& column) {
  std::vector<std::optional<int64_t>> out;
  for (int64_t row = 0; row < column.rows(); ++row) {
    out.push_back(column.IsNull(row)
                      ? std::nullopt
                      : std::optional(column.As<FlatColumn>().Value<int64_t>(row)));
  }
  return out;
}

TEST(InterleaveTest, RowsComeInTheOrderOfTheReferences) {
  const std::vector<Batch> batches = {BatchOf({Bigints({1, 2})}), BatchOf({Bigints({3, 4, 5})})};
  const Batch out = Gather(batches, {{1, 2}, {0, 0}, {1, 0}, {1, 2}});
  EXPECT_EQ(out.rows(), 4);
  EXPECT_THAT(BigintsOf(out.column(0)), ElementsAre(5, 1, 3, 5));
  EXPECT_TRUE(out.column(0).As<FlatColumn>().validity().bits().empty());
}

TEST(InterleaveTest, NullsFollowTheirRows) {
  const std::vector<Batch> batches = {BatchOf({Bigints({1, std::nullopt})}),
                                      BatchOf({Bigints({3, 4})})};
  const Batch out = Gather(batches, {{0, 1}, {1, 0}, {0, 0}, {0, 1}});
  EXPECT_THAT(BigintsOf(out.column(0)), ElementsAre(std::nullopt, 3, 1, std::nullopt));
  EXPECT_EQ(out.column(0).null_count(), 2);
  EXPECT_EQ(out.column(0).As<FlatColumn>().Value<int64_t>(0), 0) << "zero stands under a null";
  EXPECT_TRUE(Gather(batches, {{0, 0}}).column(0).As<FlatColumn>().validity().bits().empty())
      << "no null, no bits";
}

TEST(InterleaveTest, StringsOfSlicesAreCopied) {
  const ColumnPtr strings =
      vector::Strings(kVarchar, {"skipped", "ab", std::nullopt, "", "cde"});
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
}

TEST(InterleaveTest, WrappersAreResolved) {
  const ColumnPtr ids = vector::Flat<int32_t>(Type::Scalar(Kind::kInteger),
                                              std::vector<int32_t>{2, 1, 0});
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
    const auto column = std::make_shared<FlatColumn>(type, 2, vector::Validity(),
                                                     vector::Buffer::Copy(bytes));
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
  const std::vector<RowRef> refs(2048);
  const auto out = Interleaver::Create(batches[0].schema(), batches)->Gather(refs);
  EXPECT_EQ(out.status(),
            absl::ResourceExhaustedError("column 0 `c0`: 2048 rows have 2147483648 bytes of "
                                         "strings, offsets have 31 bits"));
}

TEST(InterleaveTest, NestedColumnsAreRefusedByName) {
  const TypePtr type = *Type::Parse("ROW<a:BIGINT>");
  const std::vector<Batch> batches = {BatchOf(
      {std::make_shared<vector::RowColumn>(type, 1, vector::Validity(),
                                           std::vector<ColumnPtr>{Bigints({1})})})};
  EXPECT_EQ(Interleaver::Create(batches[0].schema(), batches).status().message(),
            "column 0 `c0`: type ROW<a:BIGINT> is nested, only scalars can be shuffled");
}

}  // namespace
}  // namespace spillway::shuffle
