// SPDX-License-Identifier: Apache-2.0
#include "src/vector/batch_json.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::vector {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// `column` wrapped into a ROW of one field, `depth` times.
Batch Deep(int depth) {
  ColumnPtr column = Flat<int32_t>(Type::Scalar(Kind::kInteger), {7, 8});
  for (int i = 0; i < depth; ++i) {
    column = std::make_shared<RowColumn>(Type::Row({"f"}, {column->type_ptr()}), 2, Validity(),
                                         std::vector<ColumnPtr>{column});
  }
  return BatchOf({column});
}

std::string Error(std::string_view text) {
  return std::string(FromJson(text, "x.json").status().message());
}

TEST(BatchJsonTest, ValuesNullsAndEncodingsComeBack) {
  const ColumnPtr alphabet = Strings(Type::Scalar(Kind::kVarbinary), {"\xFF\0x", std::nullopt, ""});
  MutableBuffer ids(3 * sizeof(int32_t));
  for (int32_t i = 0; i < 3; ++i) base::Store(ids.data() + 4 * i, 2 - i);
  const Batch batch = BatchOf(
      {Flat<int64_t>(Type::Scalar(Kind::kBigint), {std::numeric_limits<int64_t>::min(), 0, -1}),
       std::make_shared<DictionaryColumn>(3, Validity(), std::move(ids).Freeze(), alphabet),
       Flat<Timestamp>(Type::Scalar(Kind::kTimestamp), {{-1, 999999999}, {0, 0}, {5, 1}})});
  const auto json = ToJson(batch);
  ASSERT_TRUE(json.ok()) << json.status();
  const auto again = FromJson(*json, "x.json");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(FirstDifference(batch, *again), std::nullopt);
  EXPECT_EQ(again->column(1).encoding(), Encoding::kDictionary);
}

TEST(BatchJsonTest, FloatingPointComesBackBitByBit) {
  const std::vector<double> doubles = {0.0, -0.0, 0.1, 5e-324, 1.7976931348623157e308,
                                       std::numeric_limits<double>::infinity(),
                                       -std::numeric_limits<double>::infinity(),
                                       std::nan("0x123")};
  std::vector<float> reals;
  for (const double value : doubles) reals.push_back(static_cast<float>(value));
  const Batch batch = BatchOf({Flat<double>(Type::Scalar(Kind::kDouble), doubles),
                               Flat<float>(Type::Scalar(Kind::kReal), reals)});
  const auto again = FromJson(*ToJson(batch), "x.json");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(FirstDifference(batch, *again), std::nullopt);
}

TEST(BatchJsonTest, ZerosOfHandwrittenNumbersKeepTheirSign) {
  const auto batch = FromJson(R"({"rows": 4, "columns": [
      {"type": "DOUBLE", "flat": {"doubles": [-0, -0.0, -0e5, 0]}},
      {"type": "VARCHAR", "flat": {"strings": ["LTA=", "LTA=", "LTA=", "XCI="]}},
      {"type": "BIGINT", "flat": {"integers": [-0, "-0", 0, -10]}}]})",
                              "x.json");
  ASSERT_TRUE(batch.ok()) << batch.status();
  for (int row = 0; row < 4; ++row) {
    EXPECT_EQ(std::signbit(batch->column(0).As<FlatColumn>().Value<double>(row)), row < 3) << row;
  }
  EXPECT_EQ(batch->column(1).As<StringColumn>().Value(0), "-0");
  EXPECT_EQ(batch->column(2).As<FlatColumn>().Value<int64_t>(3), -10);
}

TEST(BatchJsonTest, WhatIsWrittenCanBeReadAtEveryDepth) {
  int written = 0;
  for (int depth = 0; depth < 64; ++depth) {
    const auto json = ToJson(Deep(depth));
    if (!json.ok()) {
      EXPECT_THAT(std::string(json.status().message()), StartsWith("JSON: Message too deep"));
      continue;
    }
    ++written;
    const auto again = FromJson(*json, "x.json");
    ASSERT_TRUE(again.ok()) << depth << ": " << again.status();
    EXPECT_EQ(FirstDifference(Deep(depth), *again), std::nullopt);
  }
  EXPECT_GE(written, 30);
  EXPECT_LT(written, 64);
}

TEST(BatchJsonTest, ErrorsBeginWithTheFile) {
  EXPECT_THAT(Error("{"), StartsWith("x.json: "));
  EXPECT_THAT(Error("{\"lines\": 3}"), HasSubstr("lines"));
  EXPECT_THAT(Error("{\"rows\": \"3\", \"columns\": [{\"flat\": {\"integers\": [1]}}]}"),
              StartsWith("x.json: column 0"));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"columns\":[";
  EXPECT_THAT(Error(deep), HasSubstr("too deep"));
}

}  // namespace
}  // namespace spillway::vector
