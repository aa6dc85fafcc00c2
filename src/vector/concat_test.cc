// SPDX-License-Identifier: Apache-2.0
#include "src/vector/concat.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/status.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::vector {
namespace {

using ::testing::HasSubstr;
using Ints = std::vector<std::optional<int32_t>>;
using Words = std::vector<std::optional<std::string>>;

ColumnPtr Int(const Ints& values) { return Flat(Type::Scalar(Kind::kInteger), values); }
ColumnPtr Word(const Words& values) { return Strings(Type::Scalar(Kind::kVarchar), values); }

ColumnPtr Array(ColumnPtr elements, std::vector<int32_t> offsets) {
  const auto rows = static_cast<int64_t>(offsets.size()) - 1;
  const ColumnPtr held = Flat(Type::Scalar(Kind::kInteger), offsets);
  return std::make_shared<ListColumn>(Type::Array(elements->type_ptr()), rows, Validity(),
                                      held->As<FlatColumn>().values(),
                                      std::vector<ColumnPtr>{elements});
}

std::optional<std::string> Difference(const absl::StatusOr<ColumnPtr>& a, const ColumnPtr& b) {
  if (!a.ok()) return a.status().ToString();
  return FirstDifference(**a, *b);
}

TEST(ConcatTest, RowsFollowInOrder) {
  const std::vector<ColumnPtr> parts = {Int({1, std::nullopt}), Int({}), Int({3})};
  EXPECT_EQ(Difference(Concat(parts), Int({1, std::nullopt, 3})), std::nullopt);
}

TEST(ConcatTest, NullsOfALaterPartAreKeptInTheirRows) {
  const std::vector<ColumnPtr> parts = {Int({1, 2, 3, 4, 5}), Int({6, std::nullopt, 7, 8, 9})};
  const auto joined = Concat(parts);
  EXPECT_EQ((*joined)->null_count(), 1);
  EXPECT_TRUE((*joined)->IsNull(6));
}

TEST(ConcatTest, PartsWithoutNullsGiveNoBitmap) {
  const std::vector<ColumnPtr> parts = {Int({1}), Int({2})};
  EXPECT_TRUE((*Concat(parts))->As<FlatColumn>().validity().bits().empty());
}

TEST(ConcatTest, ASliceOfStringsBringsItsOwnBytesOnly) {
  const ColumnPtr words = Word({"dropped", "b", std::nullopt, "d", "dropped"});
  const std::vector<ColumnPtr> parts = {words->Slice(1, 3), Word({"e"}), words->Slice(5, 0)};
  const auto joined = Concat(parts);
  EXPECT_EQ(Difference(joined, Word({"b", std::nullopt, "d", "e"})), std::nullopt);
  EXPECT_EQ((*joined)->As<StringColumn>().bytes().view(), "bde");
}

TEST(ConcatTest, ASliceOfListsBringsItsOwnElementsOnly) {
  const ColumnPtr lists = Array(Int({9, 1, 2, 3, 9}), {0, 1, 3, 4, 5});
  const std::vector<ColumnPtr> parts = {lists->Slice(1, 2), Array(Int({4}), {0, 0, 1})};
  const auto joined = Concat(parts);
  EXPECT_EQ(Difference(joined, Array(Int({1, 2, 3, 4}), {0, 2, 3, 3, 4})), std::nullopt);
  EXPECT_EQ((*joined)->As<ListColumn>().children()[0]->rows(), 4);
}

TEST(ConcatTest, FieldsAreJoinedOneByOne) {
  const TypePtr type = *Type::Parse("ROW<a:INTEGER,b:VARCHAR>");
  const auto row = [&](const Ints& a, const Words& b, std::vector<bool> nulls) {
    return std::make_shared<RowColumn>(
        type, nulls.size(), BuildValidity(nulls.size(), [&](int64_t i) { return nulls[i]; }),
        std::vector<ColumnPtr>{Int(a), Word(b)});
  };
  const std::vector<ColumnPtr> parts = {row({1}, {"x"}, {false}),
                                        row({2, 3}, {"y", "z"}, {true, false})};
  EXPECT_EQ(Difference(Concat(parts), row({1, 0, 3}, {"x", "", "z"}, {false, true, false})),
            std::nullopt);
}

// BUGS 2.16 (velox#8567, #8606): the first append fixed the encoding of the second.
TEST(ConcatTest, AConstantFollowedByOthersIsFlat) {
  const std::vector<ColumnPtr> parts = {std::make_shared<ConstantColumn>(Int({1}), 2), Int({2, 3})};
  const auto joined = Concat(parts);
  EXPECT_EQ((*joined)->encoding(), Encoding::kFlat);
  EXPECT_EQ(Difference(joined, Int({1, 1, 2, 3})), std::nullopt);
}

TEST(ConcatTest, UnknownColumnsAddUpTheirRows) {
  const std::vector<ColumnPtr> parts = {FlatColumn::Unknown(2), FlatColumn::Unknown(3)};
  EXPECT_EQ((*Concat(parts))->null_count(), 5);
}

// BUGS 6.54 (velox#15398): rows of many parts added up past int32.
TEST(ConcatTest, RowsPastInt32AreRefused) {
  const std::vector<ColumnPtr> parts(2, FlatColumn::Unknown(int64_t{1} << 30));
  const absl::Status status = Concat(parts).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(std::string(status.message()),
            "together 2147483648 rows in one column, more than 2147483647");
}

TEST(ConcatTest, MemoryIsBounded) {
  const std::vector<ColumnPtr> parts = {Int({1, 2}), Int({3})};
  EXPECT_TRUE(Concat(parts, {.max_bytes = 12}).ok());
  EXPECT_EQ(std::string(Concat(parts, {.max_bytes = 11}).status().message()),
            "the joined batches need 1 bytes more than the limit");
  const std::vector<ColumnPtr> bomb = {std::make_shared<ConstantColumn>(Int({1}), INT32_MAX)};
  EXPECT_EQ(Concat(bomb).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(ConcatTest, BatchesWithoutColumnsAddUpTheirRows) {
  const std::vector<Batch> parts(2, Batch(Type::Row({}, {}), 5, {}));
  EXPECT_EQ(Concat(parts)->rows(), 10);
}

TEST(ConcatTest, ErrorsOfABatchNameTheColumn) {
  const std::vector<Batch> parts(2, BatchOf({Int({1})}));
  EXPECT_THAT(std::string(Concat(parts, {.max_bytes = 1}).status().message()),
              HasSubstr("column 0 `c0` INTEGER: "));
}

TEST(ConcatDeathTest, PartsAreOfOneType) {
  const std::vector<ColumnPtr> parts = {Int({1}), Word({"x"})};
  EXPECT_DEATH((void)Concat(parts), "Concat\\(\\) needs parts of one type");
}

// Splitting a column anywhere and joining the parts gives the column back.
RC_GTEST_PROP(ConcatProperty, JoiningTheSlicesIsTheIdentity,
              (const std::vector<uint8_t>& values, const std::vector<uint8_t>& cuts)) {
  Words words;
  for (const uint8_t v : values) {
    words.push_back(v % 5 == 0 ? std::nullopt : std::optional(std::string(v % 4, 'a' + v % 26)));
  }
  const ColumnPtr whole = Word(words);
  std::vector<ColumnPtr> parts;
  int64_t at = 0;
  for (const uint8_t cut : cuts) {
    const int64_t rows = std::min<int64_t>(cut % 16, whole->rows() - at);
    parts.push_back(whole->Slice(at, rows));
    at += rows;
  }
  parts.push_back(whole->Slice(at, whole->rows() - at));
  RC_ASSERT(!Difference(Concat(parts), whole).has_value());
}

}  // namespace
}  // namespace spillway::vector
