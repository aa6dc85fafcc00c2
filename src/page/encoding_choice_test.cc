// SPDX-License-Identifier: Apache-2.0
// Each sentence of encoding_choice.h. Blocks are planned where the rule shows only there.
#include "src/page/encoding_choice.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/page/block_writer.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::page {
namespace {

using vector::Column;
using vector::ColumnPtr;
using vector::ConstantColumn;
using vector::DictionaryColumn;
using vector::Encoding;
using vector::FlatColumn;
using vector::TypePtr;
using vector::Validity;

constexpr EncodingChoice kFlatten = EncodingChoice::kFlatten;
constexpr EncodingChoice kVeloxBatch = EncodingChoice::kVeloxBatch;
constexpr EncodingChoice kPreserve = EncodingChoice::kPreserve;
constexpr EncodingChoice kSmallest = EncodingChoice::kSmallest;

TypePtr T(std::string_view text) { return *vector::Type::Parse(text); }

ColumnPtr Ints(const std::vector<std::optional<int32_t>>& values) {
  return vector::Flat<int32_t>(T("INTEGER"), values);
}

ColumnPtr Longs(const std::vector<std::optional<int64_t>>& values) {
  return vector::Flat<int64_t>(T("BIGINT"), values);
}

ColumnPtr Texts(const std::vector<std::optional<std::string>>& values) {
  return vector::Strings(T("VARCHAR"), values);
}

ColumnPtr Constant(ColumnPtr value, int64_t rows) {
  return std::make_shared<ConstantColumn>(std::move(value), rows);
}

vector::Buffer Int32s(const std::vector<int32_t>& values) {
  return vector::Flat<int32_t>(T("INTEGER"), values)->As<FlatColumn>().values();
}

ColumnPtr Dictionary(const std::vector<int32_t>& ids, ColumnPtr alphabet,
                     Validity validity = Validity()) {
  return std::make_shared<DictionaryColumn>(static_cast<int64_t>(ids.size()), std::move(validity),
                                            Int32s(ids), std::move(alphabet));
}

Validity NullAt(int64_t null_row, int64_t rows) {
  return vector::BuildValidity(rows, [&](int64_t row) { return row == null_row; });
}

// A bitmap in which no row is null.
Validity BareBitmap(int64_t rows) {
  return Validity::FromBits(vector::Buffer::Own(std::string((rows + 7) / 8, '\xFF')), 0, 0);
}

ColumnPtr ListOf(std::string_view type, const std::vector<int32_t>& offsets,
                 std::vector<ColumnPtr> children) {
  return std::make_shared<vector::ListColumn>(T(type), static_cast<int64_t>(offsets.size()) - 1,
                                              Validity(), Int32s(offsets), std::move(children));
}

ColumnPtr RowOf(std::string_view type, std::vector<ColumnPtr> fields) {
  const int64_t rows = fields[0]->rows();
  return std::make_shared<vector::RowColumn>(T(type), rows, Validity(), std::move(fields));
}

std::string Values(const Column& column) {
  std::string text;
  for (int64_t row = 0; row < column.rows(); ++row) {
    if (row > 0) text += ' ';
    text += vector::ValueToString(column, row);
  }
  return text;
}

// How a column is held: "flat 5 5", "constant 2 of 5", "ids 0 1 of 5 6", with what is wrapped in
// brackets if it is a wrapper itself.
std::string Shape(const Column& column) {
  const auto inner = [](const Column& wrapped) {
    const std::string shape = Shape(wrapped);
    return shape.substr(0, 4) == "flat" ? Values(wrapped) : "[" + shape + "]";
  };
  switch (column.encoding()) {
    case Encoding::kConstant:
      return "constant " + std::to_string(column.rows()) + " of " +
             inner(*column.As<ConstantColumn>().value());
    case Encoding::kDictionary: {
      const auto& dictionary = column.As<DictionaryColumn>();
      std::string text = "ids";
      for (int64_t row = 0; row < column.rows(); ++row) {
        text += dictionary.validity().IsNull(row) ? " null"
                                                  : " " + std::to_string(dictionary.Id(row));
      }
      return text + " of " + inner(*dictionary.alphabet());
    }
    default:
      return "flat " + Values(column);
  }
}

// The shape of what `choice` makes of `column`, which must say the same.
std::string Chosen(const ColumnPtr& column, EncodingChoice choice) {
  int64_t budget = kMaxExpandedBytes;
  const auto chosen = ChooseEncoding(column, choice, &budget);
  if (!chosen.ok()) return std::string(chosen.status().message());
  EXPECT_EQ(vector::FirstDifference(*column, **chosen), std::nullopt);
  return Shape(**chosen);
}

std::string Peeled(const ColumnPtr& column) {
  int64_t budget = kMaxExpandedBytes;
  const auto peeled = PeelWrappers(*column, &budget);
  if (!peeled.ok()) return std::string(peeled.status().message());
  EXPECT_EQ(vector::FirstDifference(*column, **peeled), std::nullopt);
  return Shape(**peeled);
}

// The block of `column`.
std::string Block(const ColumnPtr& column, EncodingChoice choice) {
  const auto plan = BlockPlan::Make(column, choice);
  if (!plan.ok()) return std::string(plan.status().message());
  vector::MutableBuffer out(plan->size());
  plan->Write(out.data());
  return std::string(std::move(out).Freeze().view());
}

bool Holds(const std::string& block, std::string_view name) {
  return block.find(name) != std::string::npos;
}

// --- kFlatten -----------------------------------------------------------------------------------

TEST(FlattenChoiceTest, NoWrapperStays) {
  EXPECT_EQ(Chosen(Constant(Ints({5}), 2), kFlatten), "flat 5 5");
  EXPECT_EQ(Chosen(Dictionary({1, 0}, Texts({"a", "b"})), kFlatten), R"(flat "b" "a")");
  EXPECT_EQ(Chosen(Dictionary({0, 0}, Constant(Ints({5}), 1), NullAt(1, 2)), kFlatten),
            "flat 5 null");
}

TEST(FlattenChoiceTest, ARunThatIsTooLongIsRefused) {
  EXPECT_EQ(Chosen(Constant(Longs({5}), INT32_MAX), kFlatten),
            "flattening needs more than 4294967296 bytes");
}

// --- kVeloxBatch and kPreserve ------------------------------------------------------------------

TEST(VeloxChoiceTest, WhatIsNotWrappedStaysAsItIs) {
  const ColumnPtr column = Ints({1, 2});
  int64_t budget = kMaxExpandedBytes;
  EXPECT_EQ(*ChooseEncoding(column, kVeloxBatch, &budget), column);
  EXPECT_EQ(*ChooseEncoding(column, kPreserve, &budget), column);
  EXPECT_EQ(budget, kMaxExpandedBytes);
}

TEST(VeloxChoiceTest, AConstantStaysOverAFlatValue) {
  for (const EncodingChoice choice : {kVeloxBatch, kPreserve}) {
    EXPECT_EQ(Chosen(Constant(Ints({5}), 3), choice), "constant 3 of 5");
    EXPECT_EQ(Chosen(Constant(Ints({std::nullopt}), 3), choice), "constant 3 of null");
    EXPECT_EQ(Chosen(Constant(Dictionary({1}, Ints({4, 5})), 3), choice), "constant 3 of 5");
    EXPECT_EQ(Chosen(Constant(Constant(Ints({5}), 1), 0), choice), "constant 0 of 5");
  }
}

TEST(VeloxChoiceTest, ABitmapOfTheWrapperFlattensAlsoWithoutNulls) {
  const ColumnPtr alphabet = Texts({"a", "b"});
  for (const EncodingChoice choice : {kVeloxBatch, kPreserve}) {
    EXPECT_EQ(Chosen(Dictionary({0, 1, 0}, alphabet), choice), R"(ids 0 1 0 of "a" "b")");
    EXPECT_EQ(Chosen(Dictionary({0, 1, 0}, alphabet, NullAt(1, 3)), choice),
              R"(flat "a" null "a")");
    EXPECT_EQ(Chosen(Dictionary({0, 1, 0}, alphabet, BareBitmap(3)), choice),
              R"(flat "a" "b" "a")");
  }
}

TEST(VeloxChoiceTest, NullsOfTheAlphabetDoNotFlatten) {
  EXPECT_EQ(Chosen(Dictionary({0, 1, 0}, Texts({"a", std::nullopt})), kVeloxBatch),
            R"(ids 0 1 0 of "a" null)");
}

TEST(VeloxChoiceTest, UnknownIsFlattenedUnlessPreserved) {
  const ColumnPtr column = Dictionary({0, 0, 0}, FlatColumn::Unknown(1));
  EXPECT_EQ(Chosen(column, kVeloxBatch), "flat null null null");
  EXPECT_EQ(Chosen(column, kPreserve), "ids 0 0 0 of null");
}

TEST(VeloxChoiceTest, FourBytesOrLessAreFlattenedUnlessPreserved) {
  const std::vector<int32_t> ids(100, 0);
  for (const char* type : {"INTEGER", "REAL", "DATE", "SMALLINT", "TINYINT", "BOOLEAN"}) {
    const int width = T(type)->width();
    const ColumnPtr alphabet = std::make_shared<FlatColumn>(
        T(type), 1, Validity(), vector::Buffer::Own(std::string(width, '\1')));
    EXPECT_EQ(Chosen(Dictionary(ids, alphabet), kVeloxBatch).substr(0, 4), "flat") << type;
    EXPECT_EQ(Chosen(Dictionary(ids, alphabet), kPreserve).substr(0, 3), "ids") << type;
  }
}

TEST(VeloxChoiceTest, AValueOfItsOwnForEveryRowFlattensUnlessPreserved) {
  const ColumnPtr alphabet = Texts({"a", "b", "c"});
  EXPECT_EQ(Chosen(Dictionary({2, 0, 1}, alphabet), kVeloxBatch), R"(flat "c" "a" "b")");
  EXPECT_EQ(Chosen(Dictionary({2, 0, 2}, alphabet), kVeloxBatch), R"(ids 1 0 1 of "a" "c")");
  EXPECT_EQ(Chosen(Dictionary({2, 0, 1}, alphabet), kPreserve), R"(ids 2 0 1 of "a" "b" "c")");
}

// Kept if used * width + rows * 4 < rows * width: for eight bytes, if under half of the rows.
TEST(VeloxChoiceTest, FixedWidthValuesMustSaveBytes) {
  const ColumnPtr longs = Longs({10, 20, 30});
  EXPECT_EQ(Chosen(Dictionary({0, 1, 0, 1}, longs), kVeloxBatch), "flat 10 20 10 20");
  EXPECT_EQ(Chosen(Dictionary({0, 1, 0, 1, 0}, longs), kVeloxBatch), "ids 0 1 0 1 0 of 10 20");
  EXPECT_EQ(Chosen(Dictionary({0, 1, 0, 1}, longs), kPreserve), "ids 0 1 0 1 of 10 20");
  // For sixteen bytes, if under three quarters.
  const ColumnPtr wide = vector::Flat<__int128>(T("DECIMAL(38, 0)"), {10, 20, 30});
  EXPECT_EQ(Chosen(Dictionary({0, 1, 2, 0}, wide), kVeloxBatch), "flat 10 20 30 10");
  EXPECT_EQ(Chosen(Dictionary({0, 1, 2, 0, 1}, wide), kVeloxBatch), "ids 0 1 2 0 1 of 10 20 30");
}

TEST(VeloxChoiceTest, TheAlphabetIsCutToTheValuesInUseInItsOwnOrder) {
  const ColumnPtr alphabet = Texts({"a", "b", "c", "d", "e"});
  for (const EncodingChoice choice : {kVeloxBatch, kPreserve}) {
    EXPECT_EQ(Chosen(Dictionary({4, 1, 4, 1, 2}, alphabet), choice),
              R"(ids 2 0 2 0 1 of "b" "c" "e")");
  }
}

TEST(VeloxChoiceTest, TheAlphabetIsFlattened) {
  const ColumnPtr inner = Dictionary({2, 0}, Texts({"a", "b", "c"}), NullAt(0, 2));
  for (const EncodingChoice choice : {kVeloxBatch, kPreserve}) {
    EXPECT_EQ(Chosen(Dictionary({0, 1, 0}, inner), choice), R"(ids 0 1 0 of null "a")");
    EXPECT_EQ(Chosen(Dictionary({1, 0, 1}, Constant(Texts({"x"}), 2)), choice),
              R"(ids 1 0 1 of "x" "x")");
  }
}

TEST(VeloxChoiceTest, ADictionaryWithoutRowsStaysOnlyIfPreserved) {
  const ColumnPtr column = Dictionary({}, Texts({"a", "b"}));
  EXPECT_EQ(Chosen(column, kVeloxBatch), "flat ");
  EXPECT_EQ(Chosen(column, kPreserve), "ids of ");
}

TEST(VeloxChoiceTest, EncodingsSurviveInsideRowButNotInsideArrayAndMap) {
  const ColumnPtr texts = Dictionary({0, 1, 0}, Texts({"a", "b"}));
  for (const EncodingChoice choice : {kVeloxBatch, kPreserve}) {
    EXPECT_TRUE(Holds(Block(RowOf("ROW<a:VARCHAR>", {texts}), choice), "DICTIONARY"));
    for (const ColumnPtr& list :
         {ListOf("ARRAY<VARCHAR>", {0, 1, 3}, {texts}),
          ListOf("MAP<INTEGER,VARCHAR>", {0, 1, 3}, {Ints({1, 2, 3}), texts}),
          ListOf("ARRAY<ROW<a:VARCHAR>>", {0, 1, 3}, {RowOf("ROW<a:VARCHAR>", {texts})})}) {
      EXPECT_FALSE(Holds(Block(list, choice), "DICTIONARY")) << list->type().ToString();
    }
  }
}

// --- PeelWrappers -------------------------------------------------------------------------------

TEST(PeelTest, WrappersBecomeOne) {
  const ColumnPtr base = Ints({10, 20, 30});
  EXPECT_EQ(Peeled(Dictionary({1, 0, 1, 0}, Dictionary({2, 0}, base))), "ids 0 1 0 1 of 10 30");
  EXPECT_EQ(Peeled(Dictionary({1, 0, 1}, Dictionary({0, 1}, Dictionary({2, 1}, base)))),
            "ids 0 1 0 of 20 30");
}

TEST(PeelTest, NullsOfWrappersMoveIntoTheAlphabetAsOneEntryBehindTheOthers) {
  const ColumnPtr base = Ints({10, std::nullopt, 30, std::nullopt});
  EXPECT_EQ(Peeled(Dictionary({2, 0, 0}, base, NullAt(1, 3))), "ids 1 2 0 of 10 30 null");
  // Nulls of the base, of either wrapper: one entry, whatever each stands for.
  const ColumnPtr inner = Dictionary({0, 1, 2, 3}, base, NullAt(0, 4));
  EXPECT_EQ(Peeled(Dictionary({0, 1, 2, 3, 2}, inner, NullAt(4, 5))), "ids 1 1 0 1 1 of 30 null");
}

TEST(PeelTest, UnusedEntriesAreDroppedAndTheOthersKeepTheirOrder) {
  EXPECT_EQ(Peeled(Dictionary({4, 1, 4}, Ints({10, 20, 30, 40, 50}))), "ids 1 0 1 of 20 50");
}

TEST(PeelTest, OneValueOrNullOnlyBecomesAConstant) {
  EXPECT_EQ(Peeled(Dictionary({1, 1, 1}, Ints({10, 20}))), "constant 3 of 20");
  EXPECT_EQ(Peeled(Dictionary({0, 0}, Ints({10}), Validity::AllNull(2))), "constant 2 of null");
  EXPECT_EQ(Peeled(Dictionary({1, 0, 1}, Constant(Ints({7}), 2))), "constant 3 of 7");
}

TEST(PeelTest, ARunIsPeeledByItsOneRow) {
  const ColumnPtr value = Dictionary({2}, Dictionary({1, 1, 0}, Ints({10, 20})));
  EXPECT_EQ(Peeled(Constant(Ints({7}), 3)), "constant 3 of 7");
  EXPECT_EQ(Peeled(Constant(value, 3)), "constant 3 of 10");
  EXPECT_EQ(Peeled(Constant(Dictionary({0}, Ints({10}), NullAt(0, 1)), 3)), "constant 3 of null");
  // Longer than memory: only its row is looked at.
  int64_t budget = kMaxExpandedBytes;
  const auto run = PeelWrappers(*Constant(value, INT32_MAX), &budget);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ((*run)->rows(), INT32_MAX);
  EXPECT_EQ((*run)->As<ConstantColumn>().value()->encoding(), Encoding::kFlat);
}

TEST(PeelTest, WithoutRowsNothingOfTheAlphabetStays) {
  EXPECT_EQ(Peeled(Dictionary({}, Ints({10, 20}))), "ids of ");
  EXPECT_EQ(Peeled(Dictionary({}, Dictionary({0}, Ints({10})))), "ids of ");
  EXPECT_EQ(Peeled(Constant(Dictionary({1}, Ints({10, 20})), 0)), "constant 0 of 20");
}

// --- kSmallest ----------------------------------------------------------------------------------

TEST(SmallestChoiceTest, TheEncodedBlockStaysOnlyWhereItIsSmaller) {
  // As RLE: name, count and a block of one row.
  ASSERT_EQ(Block(Constant(Longs({7}), 1), kPreserve).size(), 38u);
  ASSERT_EQ(Block(Longs({}), kFlatten).size(), 19u);
  // That leaves 19 bytes for the rows: two of 8 are less, three are more.
  EXPECT_FALSE(Holds(Block(Constant(Longs({7}), 2), kSmallest), "RLE"));
  EXPECT_TRUE(Holds(Block(Constant(Longs({7}), 3), kSmallest), "RLE"));
}

TEST(SmallestChoiceTest, TiesGoToTheFlatBlock) {
  const ColumnPtr run = Constant(vector::Flat<int8_t>(T("TINYINT"), std::vector<int8_t>{7}), 12);
  ASSERT_EQ(Block(run, kPreserve).size(), Block(run, kFlatten).size());
  EXPECT_EQ(Block(run, kSmallest), Block(run, kFlatten));
}

TEST(SmallestChoiceTest, EncodingsAreChosenAtEveryLevel) {
  const ColumnPtr texts =
      Dictionary({0, 1, 0, 1}, Texts({std::string(90, 'a'), std::string(90, 'b')}));
  const ColumnPtr few = Dictionary({0, 1, 0, 1}, Ints({1, 2}));
  const std::string row = Block(RowOf("ROW<a:VARCHAR,b:INTEGER>", {texts, few}), kSmallest);
  EXPECT_TRUE(Holds(row, "DICTIONARY"));
  EXPECT_TRUE(Holds(row, "INT_ARRAY")) << "the other field is smaller flat";
  for (const ColumnPtr& list :
       {ListOf("ARRAY<VARCHAR>", {0, 1, 4}, {texts}),
        ListOf("MAP<INTEGER,VARCHAR>", {0, 1, 4}, {Ints({1, 2, 3, 4}), texts})}) {
    EXPECT_TRUE(Holds(Block(list, kSmallest), "DICTIONARY")) << list->type().ToString();
  }
  // Inside an alphabet too: its entries are rows whose field repeats.
  const ColumnPtr alphabet = RowOf("ROW<a:VARCHAR,b:INTEGER>",
                                   {Constant(Texts({std::string(90, 'c')}), 3), Ints({1, 2, 3})});
  const std::string block = Block(Dictionary({0, 1, 2, 0, 1, 2, 0, 1, 2}, alphabet), kSmallest);
  EXPECT_TRUE(Holds(block, "DICTIONARY"));
  EXPECT_TRUE(Holds(block, "RLE"));
}

TEST(SmallestChoiceTest, WithoutRowsTheFlatBlockIsTheSmallest) {
  EXPECT_EQ(Block(Dictionary({}, Longs({1})), kSmallest), Block(Longs({}), kFlatten));
  EXPECT_EQ(Block(Constant(Longs({1}), 0), kSmallest), Block(Longs({}), kFlatten));
}

// A wrapper costs a level of nesting, which the flat block does not.
TEST(SmallestChoiceTest, WhatIsTooDeepForAWrapperIsFlat) {
  std::string type = "VARCHAR";
  ColumnPtr column = Constant(Texts({std::string(90, 'a')}), 100);
  for (int depth = 1; depth <= BlockPlan::kMaxDepth; ++depth) {
    const std::vector<int32_t> one_list = {0, static_cast<int32_t>(column->rows())};
    type = "ARRAY<" + type + ">";
    column = ListOf(type, one_list, {column});
  }
  EXPECT_TRUE(Block(column, kSmallest) == Block(column, kFlatten));
  EXPECT_TRUE(Holds(Block(column->As<vector::ListColumn>().children()[0], kSmallest), "RLE"));
}

}  // namespace
}  // namespace spillway::page
