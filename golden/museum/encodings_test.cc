// SPDX-License-Identifier: Apache-2.0
// Bugs of dictionary and run-length encodings that other systems had. The numbers are those of
// docs/bugs.md.
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "golden/museum/exhibit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace spillway::museum {
namespace {

using page::EncodingChoice;
using ::testing::StartsWith;
using vector::ColumnPtr;

bool IsDictionary(const std::string& block) {
  return block.substr(4, 10) == "DICTIONARY";
}

// BUGS 2.12 (apache/gluten#12211): V3 flattens, and 40 KB become 2 MB. The smallest encoding is as
// legal in a frame.
TEST(EncodingsTest, TheSmallestEncodingSparesWhatFlatteningCosts) {
  std::vector<int32_t> ids(10000);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i % 2);
  const ColumnPtr column =
      Dictionary(ids, Texts({std::string(200, 'a'), std::string(200, 'b')}));
  EXPECT_GT(Write(column).size(), 2'000'000u);
  EXPECT_LT(Write(column, EncodingChoice::kSmallest).size(), 41'000u);
  ExpectSurvives(column);
}

// BUGS 2.13 (velox#8688): a dictionary that is larger than the data.
TEST(EncodingsTest, ADictionaryThatSavesNothingIsFlattened) {
  EXPECT_FALSE(
      IsDictionary(Write(Dictionary({0, 0, 0, 0}, Ints({5})), EncodingChoice::kVeloxBatch)));
  EXPECT_FALSE(IsDictionary(
      Write(Dictionary({2, 0, 1}, Texts({"a", "b", "c"})), EncodingChoice::kVeloxBatch)));
  EXPECT_TRUE(IsDictionary(
      Write(Dictionary({0, 1, 0}, Texts({"a", "b"})), EncodingChoice::kVeloxBatch)));
}

// BUGS 2.14 (velox#8639) and 2.20 (prestodb#7424): entries that no row uses were shipped.
TEST(EncodingsTest, UnusedAlphabetEntriesAreDropped) {
  std::vector<std::optional<std::string>> alphabet(1'000'000, "some text");
  alphabet[5] = "five";
  const ColumnPtr column = Dictionary({5, 5, 7}, Texts(alphabet));
  for (const EncodingChoice choice : {EncodingChoice::kVeloxBatch, EncodingChoice::kPreserve,
                                      EncodingChoice::kSmallest}) {
    EXPECT_LT(Write(column, choice).size(), 200u);
  }
  ExpectSurvives(column);
  ExpectSurvives(Dictionary({5, 6, 7, 5}, Texts(alphabet))->Slice(1, 3));
}

// BUGS 2.15 (velox#11465): nulls of the dictionary layer and inner levels were lost.
TEST(EncodingsTest, NullsOfTheWrapperAndInnerLevelsSurvive) {
  const ColumnPtr base = Ints({10, 20, 30});
  ExpectSurvives(Dictionary({0, 1, 2, 0}, base, {1, 3}));
  ExpectSurvives(Dictionary({1, 0, 1}, Dictionary({2, 0}, base)));
  ExpectSurvives(Dictionary({1, 0, 1}, Constant(base->Slice(1, 1), 2)));
  ExpectSurvives(Constant(Dictionary({2}, base), 3));
  // In our smallest form they are entries of one alphabet.
  const ColumnPtr texts = Texts({std::string(200, 'x'), std::string(200, 'y')});
  const ColumnPtr stacked = Dictionary({0, 1, 0, 1, 0, 1}, Dictionary({1, 0}, texts, {0}), {5});
  const std::string block = Write(stacked, EncodingChoice::kSmallest);
  EXPECT_TRUE(IsDictionary(block));
  const auto read = Read("VARCHAR", block);
  EXPECT_EQ((*read)->null_count(), 4);
  EXPECT_EQ((*read)->As<vector::DictionaryColumn>().alphabet()->rows(), 2);
}

// BUGS 2.18 (velox#2187, #1710): wrapped twice and no rows.
TEST(EncodingsTest, StackedWrappersWithoutRowsAreValidAndEmpty) {
  ExpectSurvives(Dictionary({}, Dictionary({}, Longs({}))));
  ExpectSurvives(Dictionary({}, Constant(Longs({1}), 0)));
  ExpectSurvives(Constant(Longs({1}), 0));
}

// BUGS 2.24 (velox#13194): a dictionary over a constant.
TEST(EncodingsTest, ADictionaryOverAConstantIsWritten) {
  ExpectSurvives(Dictionary({4, 0, 2}, Constant(Texts({"same"}), 5)));
  ExpectSurvives(Dictionary({4, 0, 2}, Constant(Texts({std::nullopt}), 5), {1}));
}

// BUGS 2.17 (velox#2580, #6686): both encodings anywhere, also in each other and inside lists.
TEST(EncodingsTest, EncodingsAreKeptWhereverTheyAreRead) {
  const std::string run = Write(Constant(Ints({7}), 3), EncodingChoice::kPreserve);
  EXPECT_THAT(run, StartsWith(std::string("\3\0\0\0RLE", 7)));
  const auto read = Read("INTEGER", run);
  EXPECT_EQ((*read)->encoding(), vector::Encoding::kConstant);
  const std::string array = std::string("\5\0\0\0ARRAY", 9) + run +
                            std::string("\1\0\0\0" "\0\0\0\0\3\0\0\0" "\0", 13);
  const auto list = Read("ARRAY<INTEGER>", array);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(vector::ValueToString(**list, 0), "[7, 7, 7]");
}

// A run is cheap at any length; flattening it is bounded.
TEST(EncodingsTest, ARunOfTwoBillionRowsStaysARun) {
  const ColumnPtr run = Constant(Longs({1}), INT32_MAX);
  EXPECT_EQ(Write(run, EncodingChoice::kPreserve).size(), 38u);
  EXPECT_EQ(Write(run, EncodingChoice::kSmallest).size(), 38u);
  EXPECT_EQ((*Read("BIGINT", Write(run, EncodingChoice::kPreserve)))->rows(), INT32_MAX);
  const auto flat = page::BlockPlan::Make(run);
  EXPECT_EQ(flat.status().code(), absl::StatusCode::kResourceExhausted);
}

// An alphabet that is a run claims more rows than there is memory for.
TEST(EncodingsTest, ADictionaryOverARunOfTwoBillionRowsCostsItsIds) {
  const ColumnPtr column =
      Dictionary({INT32_MAX - 1, 0, 7}, Constant(Texts({"same"}), INT32_MAX));
  ExpectSurvives(column);
}

}  // namespace
}  // namespace spillway::museum
