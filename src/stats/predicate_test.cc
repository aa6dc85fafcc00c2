// SPDX-License-Identifier: Apache-2.0
// Columns, literals and types: what a predicate means under a schema, and what has no meaning.
#include <optional>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "src/base/status.h"
#include "src/stats/predicate.h"
#include "src/stats/predicate_text.h"
#include "src/vector/compare.h"

namespace spillway::stats {
namespace {

using vector::Type;
using vector::TypePtr;

const TypePtr& Schema() {
  static const auto& schema = *new TypePtr(
      *Type::Parse("ROW<tiny:TINYINT,number:INTEGER,big:BIGINT,huge:HUGEINT,price:DECIMAL(10, 2),"
                   "real:REAL,double:DOUBLE,day:DATE,at:TIMESTAMP,months:INTERVAL YEAR TO MONTH,"
                   "name:VARCHAR,lower:VARCHAR COLLATE UTF8_LCASE,other:VARCHAR COLLATE UNICODE_CI,"
                   "bytes:VARBINARY,flag:BOOLEAN,list:ARRAY<INTEGER>,map:MAP<DATE,DATE>,"
                   "twice:DATE,twice:DATE,nothing:UNKNOWN>"));
  return schema;
}

// The message up to its place, and the text from the place on.
std::string Error(std::string_view text) {
  const auto predicate = Predicate::Parse(text, Schema());
  if (predicate.ok()) return "OK";
  const std::optional<int64_t> at = base::ByteOffset(predicate.status());
  const std::string message(predicate.status().message());
  return base::Cat(message.substr(0, message.rfind(", byte ")), " at `",
                   at ? text.substr(*at) : "nowhere", "`");
}

// Type and value of the literal on the right.
std::string Right(std::string_view text) {
  const auto predicate = Predicate::Parse(text, Schema());
  if (!predicate.ok()) return std::string(predicate.status().message());
  const Literal& literal = predicate->root().right.literal;
  return literal.type()->ToString() + " " + vector::ValueToString(*literal.value, 0);
}

TEST(PredicateTest, AnUnknownColumnGetsASuggestionAndItsPlace) {
  EXPECT_EQ(Error("flag and nmae = 'x'"),
            "unknown column `nmae`, did you mean `name`? at `nmae = 'x'`");
  EXPECT_EQ(Error("flag or abs(zzzzzz) = 1"), "unknown column `zzzzzz` at `abs(zzzzzz) = 1`");
  EXPECT_EQ(Error("opaque('f(x)', x)"), "unknown column `x` at `opaque('f(x)', x)`");
  EXPECT_EQ(Error("Name is null"), "unknown column `Name`, did you mean `name`? at `Name is null`");
  EXPECT_EQ(Error("twice is null"), "several columns are named `twice` at `twice is null`");
}

TEST(PredicateTest, ALiteralOfAnotherTypeIsRefusedAtItsPlace) {
  EXPECT_EQ(Error("name = 5"), "`5` is no VARCHAR at `5`");
  EXPECT_EQ(Error("number in (1, 'x')"), "`'x'` is no INTEGER at `'x')`");
  EXPECT_EQ(Error("flag = 1"), "`1` is no BOOLEAN at `1`");
  EXPECT_EQ(Error("number = true"), "`true` is no INTEGER at `true`");
  EXPECT_EQ(Error("day = 5"), "`5` is no DATE; write DATE '1992-07-08' at `5`");
  EXPECT_EQ(Error("at >= '1992-07-08'"),
            "`'1992-07-08'` is no TIMESTAMP; write TIMESTAMP '1992-07-08 12:30:00' at "
            "`'1992-07-08'`");
  EXPECT_EQ(Error("number = TINYINT 128"), "`TINYINT 128` is no TINYINT at `TINYINT 128`");
  EXPECT_EQ(Error("double = REAL 1e300"), "`REAL 1e300` is no REAL at `REAL 1e300`");
  EXPECT_EQ(Error("day = DATE 2147483648"), "`DATE 2147483648` is no DATE at `DATE 2147483648`");
  EXPECT_EQ(Error("list = [1, 'x']"), "`'x'` is no INTEGER at `[1, 'x']`");
  EXPECT_EQ(Error("number = [1]"), "`[1]` is a list, not INTEGER at `[1]`");
  EXPECT_EQ(Error("big = 1234567890123456789012345678901234567890"),
            "`1234567890123456789012345678901234567890`: over 38 digits at "
            "`1234567890123456789012345678901234567890`");
  EXPECT_EQ(Error("starts_with(name, 5)"), "`5` is no VARCHAR at `5)`");
}

TEST(PredicateTest, OperandsThatDoNotCompareAreRefused) {
  EXPECT_EQ(Error("number = name"), "INTEGER and VARCHAR cannot be compared at `number = name`");
  EXPECT_EQ(Error("day < number"), "DATE and INTEGER cannot be compared at `day < number`");
  EXPECT_EQ(Error("name = lower"),
            "VARCHAR and VARCHAR COLLATE UTF8_LCASE cannot be compared at `name = lower`");
  EXPECT_EQ(Error("name = bytes"), "VARCHAR and VARBINARY cannot be compared at `name = bytes`");
  EXPECT_EQ(Error("map = map"),
            "MAP<DATE,DATE> and MAP<DATE,DATE> cannot be compared at `map = map`");
  EXPECT_EQ(Error("map = null"),
            "MAP<DATE,DATE> and MAP<DATE,DATE> cannot be compared at `map = null`");
  EXPECT_EQ(Error("number in (DATE 5)"), "INTEGER and DATE cannot be compared at `DATE 5)`");
  for (const char* text :
       {"number < double", "tiny = price", "huge > 1", "day <= at", "real <=> double",
        "number in (DOUBLE 1, 2, null)", "list > [1, 2]", "other = 'x'", "bytes = x'00'",
        "months >= 5", "map is null", "nothing is not null", "5 = 5.0", "null = number"}) {
    EXPECT_EQ(Error(text), "OK") << text;
  }
}

TEST(PredicateTest, FunctionsTakeTheTypesTheyAreFor) {
  EXPECT_EQ(Error("number"), "column `number` is INTEGER, a condition is BOOLEAN at `number`");
  EXPECT_EQ(Error("abs(name) = 1"), "abs of VARCHAR at `abs(name) = 1`");
  EXPECT_EQ(Error("length(number) = 1"), "length of INTEGER at `length(number) = 1`");
  EXPECT_EQ(Error("cast(number as BIGINT) = 1"),
            "cast of INTEGER, only VARCHAR is cast at `cast(number as BIGINT) = 1`");
  EXPECT_EQ(Error("is_nan(number)"),
            "is_nan of INTEGER, only REAL and DOUBLE have NaN at `number)`");
  EXPECT_EQ(Error("contains(number, 'x')"),
            "expected a VARCHAR or VARBINARY, found INTEGER at `number, 'x')`");
  EXPECT_EQ(Error("bytes like 'x'"), "expected a VARCHAR, found VARBINARY at `bytes like 'x'`");
  EXPECT_EQ(Error("'x' like 'x'"), "expected a column, found the literal `'x'` at `'x' like 'x'`");
  EXPECT_EQ(Error("name like 'a\\\\b'"),
            "pattern: `\\` at byte 1 of 3 stands before neither `%`, `_` nor `\\` at `'a\\\\b'`");
}

TEST(PredicateTest, ANumberTakesTheColumnsTypeIfThatHoldsIt) {
  EXPECT_EQ(Right("tiny = 5"), "TINYINT 5");
  EXPECT_EQ(Right("tiny = 500"), "BIGINT 500");
  EXPECT_EQ(Right("tiny = 9223372036854775808"), "DECIMAL(19, 0) 9223372036854775808");
  EXPECT_EQ(Right("number = 92.50"), "DECIMAL(4, 2) 92.50");
  EXPECT_EQ(Right("number = 0.05"), "DECIMAL(2, 2) 0.05");
  EXPECT_EQ(Right("number < 1e2"), "DOUBLE 100");
  EXPECT_EQ(Right("number < NaN"), "DOUBLE nan(0x7ff8000000000000)");
  EXPECT_EQ(Right("price = 5"), "DECIMAL(10, 2) 5.00");
  EXPECT_EQ(Right("price = 5.120"), "DECIMAL(10, 2) 5.12");
  EXPECT_EQ(Right("price = 5.125"), "DECIMAL(4, 3) 5.125");
  EXPECT_EQ(Right("price = 100000000.00"), "DECIMAL(11, 2) 100000000.00");
  EXPECT_EQ(Right("real = 0.1"), "REAL 0.100000001");
  EXPECT_EQ(Right("real = 1e300"), "DOUBLE 1.0000000000000001e+300");
  EXPECT_EQ(Right("real = DOUBLE 0.1"), "DOUBLE 0.10000000000000001");
  EXPECT_EQ(Right("huge = 170141183460469231731687303715884105727"),
            "`170141183460469231731687303715884105727`: over 38 digits, byte 7 of 46");
  EXPECT_EQ(Right("at = TIMESTAMP -1"), "TIMESTAMP (-1 s, 999999000 ns)");
  EXPECT_EQ(Right("name = null"), "VARCHAR null");
  EXPECT_EQ(Right("list = [1, null]"), "ARRAY<INTEGER> [1, null]");
  EXPECT_EQ(Right("list = []"), "ARRAY<INTEGER> []");
}

TEST(PredicateTest, NullSafeEqualToNullIsIsNull) {
  for (const char* text : {"name <=> null", "null <=> name"}) {
    const auto predicate = Predicate::Parse(text, Schema());
    EXPECT_EQ(predicate->root().condition, Condition::kIsNull);
    EXPECT_EQ(predicate->root().left.column, 10);
  }
}

TEST(PredicateTest, ColumnsAreListedOnceInOrder) {
  const auto predicate = Predicate::Parse(
      "name = 'x' or not (tiny < big and opaque('f', flag) or tiny = 1)", Schema());
  EXPECT_EQ(Predicate::ColumnsOf(predicate->root()), (std::vector<int>{0, 2, 10, 14}));
}

TEST(PredicateTest, TreesMadeByHandAreCheckedLikeTexts) {
  const auto error = [](const proto::Predicate& tree) {
    return std::string(Predicate::Bind(tree, Schema()).status().message());
  };
  proto::Predicate tree;
  EXPECT_EQ(error(tree), "a predicate node without content");
  tree.mutable_all();
  EXPECT_EQ(error(tree), "`and` or `or` without arguments");
  tree.mutable_compare()->mutable_left()->set_column("tiny");
  EXPECT_EQ(error(tree), "an operand without content");
  tree.mutable_compare()->mutable_right()->mutable_literal()->set_number("0x5");
  EXPECT_EQ(error(tree), "`0x5` is no number");
  tree.mutable_compare()->mutable_right()->mutable_literal()->set_type("INT");
  EXPECT_EQ(error(tree), "type `INT`: unknown type `INT` at position 0");
  proto::Predicate deep;
  proto::Predicate* inner = &deep;
  for (int i = 0; i < 10'000; ++i) inner = inner->mutable_negation();
  inner->mutable_constant();
  EXPECT_EQ(error(deep), "nested deeper than 40 levels");
  EXPECT_EQ(PredicateToText(deep).substr(0, 8), "not not ");
}

}  // namespace
}  // namespace spillway::stats
