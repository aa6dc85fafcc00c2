// SPDX-License-Identifier: Apache-2.0
#include "src/vector/select.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::vector {
namespace {

constexpr int64_t kPlenty = 1 << 20;

TypePtr T(std::string_view text) { return *Type::Parse(text); }

ColumnPtr Ints(const std::vector<std::optional<int32_t>>& values) {
  return Flat<int32_t>(T("INTEGER"), values);
}

ColumnPtr Texts(const std::vector<std::optional<std::string>>& values) {
  return Strings(T("VARCHAR"), values);
}

Buffer Int32s(const std::vector<int32_t>& values) {
  return Flat<int32_t>(T("INTEGER"), values)->As<FlatColumn>().values();
}

ColumnPtr Constant(ColumnPtr value, int64_t rows) {
  return std::make_shared<ConstantColumn>(std::move(value), rows);
}

// No row is null if `null_row` is -1.
Validity NullAt(int64_t null_row, int64_t rows) {
  return BuildValidity(rows, [&](int64_t row) { return row == null_row; });
}

ColumnPtr Dictionary(const std::vector<int32_t>& ids, ColumnPtr alphabet, int64_t null_row = -1) {
  const auto rows = static_cast<int64_t>(ids.size());
  return std::make_shared<DictionaryColumn>(rows, NullAt(null_row, rows), Int32s(ids),
                                            std::move(alphabet));
}

ColumnPtr RowOf(std::string_view type, std::vector<ColumnPtr> fields, int64_t null_row = -1) {
  const int64_t rows = fields[0]->rows();
  return std::make_shared<RowColumn>(T(type), rows, NullAt(null_row, rows), std::move(fields));
}

ColumnPtr List(std::string_view type, const std::vector<int32_t>& offsets,
               std::vector<ColumnPtr> children, int64_t null_row = -1) {
  const auto rows = static_cast<int64_t>(offsets.size()) - 1;
  return std::make_shared<ListColumn>(T(type), rows, NullAt(null_row, rows), Int32s(offsets),
                                      std::move(children));
}

ColumnPtr Chosen(const ColumnPtr& column, const std::vector<int32_t>& rows) {
  int64_t budget = kPlenty;
  const auto chosen = Select(*column, rows, &budget);
  EXPECT_TRUE(chosen.ok()) << chosen.status();
  EXPECT_EQ((*chosen)->type(), column->type());
  EXPECT_EQ((*chosen)->rows(), static_cast<int64_t>(rows.size()));
  return *chosen;
}

std::string Text(const Column& column) {
  std::string text;
  for (int64_t row = 0; row < column.rows(); ++row) {
    if (row > 0) text += ' ';
    text += ValueToString(column, row);
  }
  return text;
}

std::string ChosenText(const ColumnPtr& column, const std::vector<int32_t>& rows) {
  return Text(*Chosen(column, rows));
}

// Every buffer is an allocation of just its size.
void ExpectTight(const Column& column) {
  column.VisitBuffers([](const Buffer& buffer) {
    EXPECT_EQ(buffer.allocation().capacity, buffer.size());
    EXPECT_EQ(buffer.allocation().address, buffer.data());
  });
}

TEST(SelectTest, RowsComeInTheOrderAskedForWithRepeatsAndNulls) {
  const ColumnPtr column = Ints({10, std::nullopt, 30});
  EXPECT_EQ(ChosenText(column, {2, 0, 0, kNullRow, 1}), "30 10 10 null null");
  EXPECT_EQ(Chosen(column, {2, 0, 0, kNullRow, 1})->null_count(), 2);
  EXPECT_EQ(ChosenText(column->Slice(1, 2), {1, 0}), "30 null");
  EXPECT_EQ(Chosen(column, {})->rows(), 0);
}

TEST(SelectTest, EveryWidthIsCopiedWhole) {
  const std::vector<int32_t> rows = {1, kNullRow, 0};
  EXPECT_EQ(ChosenText(Flat<int8_t>(T("TINYINT"), {-1, 7}), rows), "7 null -1");
  EXPECT_EQ(ChosenText(Flat<int16_t>(T("SMALLINT"), {-300, 7}), rows), "7 null -300");
  EXPECT_EQ(ChosenText(Flat<int32_t>(T("DATE"), {-70000, 7}), rows), "7 null -70000");
  EXPECT_EQ(ChosenText(Flat<int64_t>(T("BIGINT"), {INT64_MIN, 7}), rows),
            "7 null -9223372036854775808");
  const __int128 wide = static_cast<__int128>(1) << 64;
  EXPECT_EQ(ChosenText(Flat<__int128>(T("HUGEINT"), {wide, 7}), rows),
            "7 null 18446744073709551616");
  EXPECT_EQ(ChosenText(FlatColumn::Unknown(2), rows), "null null null");
}

TEST(SelectTest, StringsAreCopiedWithoutTheBytesOfNullRows) {
  const ColumnPtr plain = Texts({"ab", "SECRET", "", "cd"});
  const auto& strings = plain->As<StringColumn>();
  const ColumnPtr column = std::make_shared<StringColumn>(
      T("VARCHAR"), 4, NullAt(1, 4), strings.first(), strings.ends(), strings.bytes());
  const ColumnPtr chosen = Chosen(column, {3, 1, 2, kNullRow, 0});
  EXPECT_EQ(Text(*chosen), R"("cd" null "" null "ab")");
  EXPECT_EQ(chosen->As<StringColumn>().bytes().view(), "cdab");
  EXPECT_EQ(ChosenText(column->Slice(2, 2), {1, 0}), R"("cd" "")");
}

TEST(SelectTest, ADictionaryKeepsItsAlphabet) {
  const ColumnPtr alphabet = Texts({"a", "b"});
  const ColumnPtr column = Dictionary({1, 0, 1}, alphabet, 2);
  const ColumnPtr chosen = Chosen(column, {2, 1, kNullRow, 0});
  ASSERT_EQ(chosen->encoding(), Encoding::kDictionary);
  EXPECT_EQ(chosen->As<DictionaryColumn>().alphabet(), alphabet);
  EXPECT_EQ(Text(*chosen), R"(null "a" null "b")");
}

TEST(SelectTest, AConstantStaysOneUnlessANullIsAskedFor) {
  const ColumnPtr value = Ints({7});
  const ColumnPtr kept = Chosen(Constant(value, 3), {2, 0, 0, 1});
  ASSERT_EQ(kept->encoding(), Encoding::kConstant);
  EXPECT_EQ(kept->As<ConstantColumn>().value(), value);
  const ColumnPtr mixed = Chosen(Constant(value, 3), {2, kNullRow, 0});
  ASSERT_EQ(mixed->encoding(), Encoding::kDictionary);
  EXPECT_EQ(mixed->As<DictionaryColumn>().alphabet(), value);
  EXPECT_EQ(Text(*mixed), "7 null 7");
}

TEST(SelectTest, ANullConstantStaysOneWhateverIsAskedFor) {
  const ColumnPtr chosen = Chosen(Constant(Ints({std::nullopt}), 3), {0, kNullRow});
  EXPECT_EQ(chosen->encoding(), Encoding::kConstant);
  EXPECT_EQ(chosen->null_count(), 2);
}

TEST(SelectTest, FieldsOfARowAreSelectedWithIt) {
  const ColumnPtr column = RowOf("ROW<a:INTEGER,b:VARCHAR>",
                                 {Ints({1, 2, 3}), Dictionary({0, 1, 0}, Texts({"x", "y"}))}, 0);
  const ColumnPtr chosen = Chosen(column, {2, kNullRow, 1, 0});
  EXPECT_EQ(Text(*chosen), R"((3, "x") null (2, "y") null)");
  const auto& fields = chosen->As<RowColumn>().fields();
  EXPECT_TRUE(fields[0]->IsNull(1)) << "a row that the source does not have has null fields";
  EXPECT_EQ(fields[1]->encoding(), Encoding::kDictionary);
}

TEST(SelectTest, AConstantFieldStaysOneUnderNullParents) {
  const ColumnPtr column = RowOf("ROW<a:INTEGER>", {Constant(Ints({7}), 2)});
  const ColumnPtr chosen = Chosen(column, {1, kNullRow});
  EXPECT_EQ(chosen->As<RowColumn>().fields()[0]->encoding(), Encoding::kConstant);
  EXPECT_EQ(Text(*chosen), "(7) null");
}

TEST(SelectTest, ListsTakeTheirElementsAlongAndLeaveThoseOfNullRows) {
  // Offsets need not start at 0 or end at the last element; row 1 is null and spans elements.
  const ColumnPtr column =
      List("ARRAY<INTEGER>", {1, 3, 5, 5, 6}, {Ints({90, 1, 2, 91, 92, 3, 93})}, 1);
  const ColumnPtr chosen = Chosen(column, {3, 1, 0, 2, kNullRow, 3});
  EXPECT_EQ(Text(*chosen), "[3] null [1, 2] [] null [3]");
  const auto& list = chosen->As<ListColumn>();
  EXPECT_EQ(list.Offset(0), 0);
  EXPECT_EQ(Text(*list.children()[0]), "3 1 2 3");
}

TEST(SelectTest, MapsTakeKeysAndValuesAlong) {
  const ColumnPtr column =
      List("MAP<VARCHAR,INTEGER>", {0, 2, 3}, {Texts({"a", "b", "c"}), Constant(Ints({5}), 3)});
  const ColumnPtr chosen = Chosen(column, {1, 0});
  EXPECT_EQ(Text(*chosen), R"({"c": 5} {"a": 5, "b": 5})");
  EXPECT_EQ(chosen->As<ListColumn>().children()[1]->encoding(), Encoding::kConstant);
}

TEST(SelectTest, ZerosStandUnderEveryNull) {
  const ColumnPtr garbage = Flat<int64_t>(T("BIGINT"), {-1, -1, 5});
  const ColumnPtr column = std::make_shared<FlatColumn>(T("BIGINT"), 3, NullAt(1, 3),
                                                        garbage->As<FlatColumn>().values());
  const ColumnPtr chosen = Chosen(column, {1, 2, kNullRow, 0});
  EXPECT_EQ(chosen->As<FlatColumn>().Value<int64_t>(0), 0) << "a null of the source";
  EXPECT_EQ(chosen->As<FlatColumn>().Value<int64_t>(2), 0) << "a null that was asked for";
  const ColumnPtr ids = Chosen(Dictionary({0, 123456789}, Ints({1}), 1), {1, kNullRow, 0});
  EXPECT_EQ(ids->As<DictionaryColumn>().Id(0), 0);
  EXPECT_EQ(ids->As<DictionaryColumn>().Id(1), 0);
}

TEST(SelectTest, NewBuffersHaveNoSpareCapacity) {
  const std::vector<int32_t> rows = {1, kNullRow, 0};
  ExpectTight(*Chosen(Ints({1, 2, 3}), rows));
  ExpectTight(*Chosen(Texts({"a", "bc", "d"}), rows));
  ExpectTight(*Chosen(Constant(Ints({1}), 3), rows));
  ExpectTight(*Chosen(List("ARRAY<INTEGER>", {0, 1, 3}, {Ints({1, 2, 3})}), rows));
}

// What one call takes off its budget; one byte less must be refused.
int64_t Cost(const ColumnPtr& column, const std::vector<int32_t>& rows) {
  int64_t budget = kPlenty;
  EXPECT_TRUE(Select(*column, rows, &budget).ok());
  const int64_t cost = kPlenty - budget;
  budget = cost;
  EXPECT_TRUE(Select(*column, rows, &budget).ok());
  EXPECT_EQ(budget, 0);
  if (cost > 0) {
    budget = cost - 1;
    EXPECT_EQ(Select(*column, rows, &budget).status().message(),
              "selecting rows needs 1 bytes more than the limit");
  }
  return cost;
}

TEST(SelectTest, TheBudgetIsExact) {
  const std::vector<int32_t> rows = {1, 0, 1, 0, 1, 0, 1, 0, 1};
  EXPECT_EQ(Cost(FlatColumn::Unknown(2), rows), 0);
  EXPECT_EQ(Cost(Constant(Ints({7}), 2), rows), 0);
  EXPECT_EQ(Cost(Constant(Ints({7}), 2), {0, kNullRow}), 1 + 2 * 4);
  EXPECT_EQ(Cost(Ints({1, 2}), rows), 9 * 4);
  EXPECT_EQ(Cost(Flat<__int128>(T("HUGEINT"), {1, 2}), rows), 9 * 16);
  EXPECT_EQ(Cost(Texts({"", "abc"}), rows), 9 * 4 + 5 * 3);
  EXPECT_EQ(Cost(Dictionary({0, 1}, Ints({1, 2})), rows), 9 * 4);
  EXPECT_EQ(Cost(RowOf("ROW<a:INTEGER>", {Ints({1, 2})}), rows), 9 * 4);
  // Ten offsets, nine elements as row numbers and as values.
  EXPECT_EQ(Cost(List("ARRAY<INTEGER>", {0, 1, 2}, {Ints({1, 2})}), rows), 10 * 4 + 9 * 4 + 9 * 4);
  // A bit a row where there may be nulls: two bytes for nine or ten rows.
  EXPECT_EQ(Cost(Ints({1, std::nullopt}), rows), 2 + 9 * 4);
  EXPECT_EQ(Cost(Ints({1, 2}), {1, 0, 1, 0, 1, 0, 1, 0, 1, kNullRow}), 2 + 10 * 4);
}

TEST(SelectTest, OverTwoBillionElementsOrBytesAreRefusedBeforeAllocation) {
  int64_t budget = INT64_MAX;
  const std::vector<int32_t> rows(40000, 0);
  const ColumnPtr texts = Texts({std::string(60000, 'x')});
  EXPECT_EQ(Select(*texts, rows, &budget).status().message(),
            "over 2147483647 string bytes in a column");
  const ColumnPtr list = List("ARRAY<INTEGER>", {0, 60000}, {Constant(Ints({1}), 60000)});
  EXPECT_EQ(Select(*list, rows, &budget).status().message(),
            "over 2147483647 elements in a column");
}

TEST(NullColumnTest, EveryTypeHasRowsOfNulls) {
  for (const char* type : {"INTEGER", "HUGEINT", "VARCHAR", "UNKNOWN", "ARRAY<INTEGER>",
                           "MAP<VARCHAR,BIGINT>", "ROW<a:INTEGER,b:ARRAY<DATE>>", "ROW<>"}) {
    for (const int64_t rows : {0, 1, 9}) {
      int64_t budget = kPlenty;
      const auto column = NullColumn(T(type), rows, &budget);
      ASSERT_TRUE(column.ok()) << column.status();
      EXPECT_EQ((*column)->type(), *T(type));
      EXPECT_EQ((*column)->rows(), rows);
      EXPECT_EQ((*column)->null_count(), rows);
    }
  }
}

TEST(NullColumnTest, ListsAreEmptyAndFieldsNull) {
  int64_t budget = kPlenty;
  const ColumnPtr lists = *NullColumn(T("ARRAY<INTEGER>"), 2, &budget);
  EXPECT_EQ(lists->As<ListColumn>().Offset(2), 0);
  EXPECT_EQ(lists->As<ListColumn>().children()[0]->rows(), 0);
  const ColumnPtr rows = *NullColumn(T("ROW<a:INTEGER>"), 2, &budget);
  EXPECT_EQ(rows->As<RowColumn>().fields()[0]->null_count(), 2);
}

TEST(NullColumnTest, TwoBillionRowsOverTheBudgetAreRefused) {
  int64_t budget = kPlenty;
  const auto column = NullColumn(T("BIGINT"), INT32_MAX, &budget);
  EXPECT_EQ(column.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(column.status().message(), "2147483647 null rows need more memory than the limit");
}

}  // namespace
}  // namespace spillway::vector
