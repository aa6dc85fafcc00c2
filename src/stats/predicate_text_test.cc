// SPDX-License-Identifier: Apache-2.0
// Text to tree and back, and where errors point.
#include <optional>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "src/base/status.h"
#include "src/stats/predicate_text.h"
#include "src/stats/time_text.h"

namespace spillway::stats {
namespace {

// The canonical text of what `text` means.
std::string Canonical(std::string_view text) {
  const auto tree = ParsePredicate(text);
  return tree.ok() ? PredicateToText(*tree) : std::string(tree.status().message());
}

// "`what` at `^`": the message, and the text from the place on.
std::string Error(std::string_view text) {
  const auto tree = ParsePredicate(text);
  if (tree.ok()) return "OK";
  const std::optional<int64_t> at = base::ByteOffset(tree.status());
  const std::string message(tree.status().message());
  const std::string sentence = message.substr(0, message.rfind(", byte "));
  return base::Cat(sentence, " at `", at ? text.substr(*at) : "nowhere", "`");
}

void ExpectSame(std::string_view text) { EXPECT_EQ(Canonical(text), text); }

TEST(PredicateTextTest, PrintsWhatItReads) {
  ExpectSame("c0 >= 5 and (c2 like 'ab%' or c3 is null)");
  ExpectSame("5 <= c0");
  ExpectSame("c0 <=> null or c1 != -0.50 or c1 = 1e300 or c2 in (1, null, NaN, -Infinity)");
  ExpectSame("not (c0 in ()) and c1 is not null and is_nan(c1) and not flag");
  ExpectSame("starts_with(s, 'a') or ends_with(s, 'b') or contains(s, null) or in_set(s, 'x')");
  ExpectSame("in_set(s)");
  ExpectSame("cast(s as BIGINT) = 5 and abs(c0) > 5 and length(s) = 2");
  ExpectSame("a in (DOUBLE 0.1, DECIMAL(14, 3) -0.275) and b = ARRAY<INTEGER> [1, null]");
  ExpectSame("b = [[1, 2], []] and c = INTERVAL YEAR TO MONTH 5");
  ExpectSame("s = VARCHAR COLLATE UTF8_LCASE 'x'");
  ExpectSame("opaque('rand() < 0.5', c0, c1) or true or null");
  ExpectSame("a and b or c and (d or e)");
  ExpectSame("a and (b and c) or (d or e)");
  ExpectSame("not (a or b) and not not c");
}

TEST(PredicateTextTest, SeveralSpellingsMeanOneTree) {
  EXPECT_EQ(Canonical("C0==5 AND(c1<>6)"), "C0 = 5 and c1 != 6");
  EXPECT_EQ(Canonical("c not in (1) and c not like 'x' and c is not null"),
            "not (c in (1)) and not (c like 'x') and c is not null");
  EXPECT_EQ(Canonical("c between 1 and 5 and d"), "(c >= 1 and c <= 5) and d");
  EXPECT_EQ(Canonical("c not between 1 and 5"), "not (c >= 1 and c <= 5)");
  EXPECT_EQ(Canonical("((c))"), "c");
  EXPECT_EQ(Canonical("double 1 = d"), "DOUBLE 1 = d");
}

TEST(PredicateTextTest, NamesThatReadAsSomethingElseStandInQuotes) {
  ExpectSame("\"a \"\"b\"\"\" = 1 and \"null\" = 2 and \"And\" is null and _x9 = 3");
  EXPECT_EQ(Canonical("\"plain\" = 1"), "plain = 1");
  // A type's name is a column where no literal follows.
  ExpectSame("date = 5 and timestamp is null");
}

TEST(PredicateTextTest, StringsHaveEscapesAndBytes) {
  ExpectSame("c = 'it\\'s \\\\ \\n\\t'");
  ExpectSame("c = x'c328'");
  EXPECT_EQ(Canonical("c = 'it''s'"), "c = 'it\\'s'");
  EXPECT_EQ(Canonical("c = '\\x41\\xFF'"), "c = x'41ff'");
  EXPECT_EQ(Canonical("c = X'41'"), "c = 'A'");
  ExpectSame("c = ''");
  ExpectSame("c = '\xC3\xA9'");
  // LIKE's escapes keep their backslash.
  EXPECT_EQ(ParsePredicate("c like 'a\\%'")->match().pattern().bytes(), "a\\%");
  ExpectSame("c like 'a\\%_\\_'");
}

TEST(PredicateTextTest, DatesAndTimestampsAreWrittenAsPeopleDo) {
  ExpectSame("c = DATE '1992-07-08' or c = DATE -800000");
  EXPECT_EQ(ParsePredicate("c = date '1992-07-08'")->compare().right().literal().number(), "8224");
  ExpectSame("c = TIMESTAMP '1969-12-31 23:59:59.9' or c = TIMESTAMP -99999999999999999");
  EXPECT_EQ(Canonical("c = TIMESTAMP '1992-07-08'"), "c = TIMESTAMP '1992-07-08 00:00:00'");
  EXPECT_EQ(Canonical("c = DATE 0"), "c = DATE '1970-01-01'");
}

TEST(PredicateTextTest, EveryNodeKnowsItsPlace) {
  const auto tree = ParsePredicate("a = 1 or  not bb in (2, 33)");
  EXPECT_EQ(tree->any().arguments(1).at(), 10u);
  EXPECT_EQ(tree->any().arguments(1).negation().at(), 14u);
  EXPECT_EQ(tree->any().arguments(1).negation().in().operand().at(), 14u);
  EXPECT_EQ(tree->any().arguments(1).negation().in().items(1).at(), 24u);
}

TEST(PredicateTextTest, ErrorsPointAtThePlace) {
  EXPECT_EQ(Error(""), "expected a column, a literal or a condition, found the end at ``");
  EXPECT_EQ(Error("a = 1 b"), "expected `and`, `or` or the end, found `b` at `b`");
  EXPECT_EQ(Error("a = and"), "expected a column or a literal, found `and` at `and`");
  EXPECT_EQ(Error("(a = 1"), "expected `)`, found the end at ``");
  EXPECT_EQ(Error("a in (1, )"), "expected a literal, found `)` at `)`");
  EXPECT_EQ(Error("a is 5"), "expected `null`, found `5` at `5`");
  EXPECT_EQ(Error("a not 5"), "expected `in`, `like` or `between`, found `5` at `5`");
  EXPECT_EQ(Error("5"),
            "expected a comparison, `is`, `in`, `like` or `between`, found the end at ``");
  EXPECT_EQ(Error("a between 1 or 2"), "expected `and`, found `or` at `or 2`");
  EXPECT_EQ(Error("f(a) = 1"), "expected a function: cast, abs or length, found `f` at `f(a) = 1`");
  EXPECT_EQ(Error("cast(a as DATE) = 1"), "expected `BIGINT`, found `DATE` at `DATE) = 1`");
  EXPECT_EQ(Error("a = $"), "unexpected `$` at `$`");
  EXPECT_EQ(Error("a = \x01"), "unexpected byte 1 at `\x01`");
  EXPECT_EQ(Error("a = 12x"), "`12x` begins no number at `12x`");
  EXPECT_EQ(Error("a = 1.2.3"), "`1.2.` begins no number at `1.2.3`");
  EXPECT_EQ(Error("a = 'b"), "a string without its closing ' at `'b`");
  EXPECT_EQ(Error("a = x'4"), "expected two hexadecimal digits at `4`");
  EXPECT_EQ(Error("a = '\\q'"),
            "unknown escape: there are \\\\ \\' \\n \\r \\t \\xHH \\% \\_ at `\\q'`");
  EXPECT_EQ(Error("\"a = 1"), "a name without its closing \" at `\"a = 1`");
  EXPECT_EQ(Error("a = -nan"), "expected `Infinity`, found `nan` at `nan`");
  EXPECT_EQ(Error("a = DATE '1992-02-30'"),
            "expected a date as '1992-07-08', years 0001 to 9999, found `'1992-02-30'` at "
            "`'1992-02-30'`");
  EXPECT_EQ(Error("a = TIMESTAMP '1992-02-03 04:05'"),
            "expected a timestamp as '1992-07-08 12:30:00.123456', years 0001 to 9999, found "
            "`'1992-02-03 04:05'` at `'1992-02-03 04:05'`");
  EXPECT_EQ(Error("a = FOO 5"), "type `FOO`: unknown type `FOO` at position 0 at `FOO 5`");
}

TEST(PredicateTextTest, DepthAndLengthHaveLimits) {
  const auto nested = [](int depth, const std::string& open, const std::string& close) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += "a";
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_TRUE(ParsePredicate(nested(kMaxPredicateDepth, "(", ")")).ok());
  EXPECT_TRUE(ParsePredicate(nested(kMaxPredicateDepth, "not ", "")).ok());
  for (const std::string& text :
       {nested(10'000, "(", ")"), nested(10'000, "not ", ""), nested(41, "(", ")"),
        "a = " + std::string(10'000, '[')}) {
    const auto tree = ParsePredicate(text);
    EXPECT_EQ(tree.status().code(), absl::StatusCode::kResourceExhausted) << tree.status();
    EXPECT_NE(tree.status().message().find("nested deeper than 40 levels"), std::string::npos);
  }
  EXPECT_EQ(Canonical(std::string(kMaxPredicateText + 1, ' ')),
            "a predicate of 1048577 bytes, at most 1048576");
  // Long is not deep.
  std::string chain = "a";
  for (int i = 0; i < 10'000; ++i) chain += " or a";
  EXPECT_EQ(ParsePredicate(chain)->any().arguments_size(), 10'001);
}

TEST(PredicateTextTest, EveryTruncationIsRefusedOrRead) {
  const std::string text =
      "not (a >= -1.5e3 and b in (DATE '1992-07-08', null)) or starts_with(c, x'c3') or d like 'x'";
  for (size_t size = 0; size < text.size(); ++size) {
    const auto tree = ParsePredicate(text.substr(0, size));
    if (!tree.ok()) {
      EXPECT_TRUE(base::ByteOffset(tree.status()).has_value()) << size;
    }
  }
}

TEST(TimeTextTest, TheEndsOfTheCalendar) {
  EXPECT_EQ(ParseDate("0001-01-01"), -719162);
  EXPECT_EQ(ParseDate("9999-12-31"), 2932896);
  EXPECT_EQ(DateToText(-719162), "0001-01-01");
  EXPECT_EQ(DateToText(2932896), "9999-12-31");
  EXPECT_EQ(DateToText(-719163), std::nullopt);
  EXPECT_EQ(DateToText(2932897), std::nullopt);
  for (const char* text :
       {"0000-01-01", "1970-13-01", "1970-1-01", "1970-01-01x", "", "1900-02-29"}) {
    EXPECT_EQ(ParseDate(text), std::nullopt) << text;
  }
}

TEST(TimeTextTest, TimestampsBeforeTheEpochCountForward) {
  EXPECT_EQ(TimestampToText(-1), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(ParseTimestamp("1969-12-31 23:59:59.999999"), -1);
  EXPECT_EQ(ParseTimestamp("1970-01-02 00:00:00.5"), 86'400'500'000);
  for (const char* text : {"1970-01-01 24:00:00", "1970-01-01 00:00:00.", "1970-01-01T00:00:00",
                           "1970-01-01 00:00:00.1234567", "1970-01-01 00:00"}) {
    EXPECT_EQ(ParseTimestamp(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace spillway::stats
