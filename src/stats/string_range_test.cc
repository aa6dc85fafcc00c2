// SPDX-License-Identifier: Apache-2.0
// Every kernel against the plain loop that defines it, and the order of keys.
#include "src/stats/string_range.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/random.h"
#include "src/stats/string_keys.h"
#include "src/stats/string_keys_avx2.h"
#include "src/vector/build.h"

namespace spillway::stats {
namespace {

using vector::StringColumn;
using vector::Validity;

constexpr int64_t kMaxSize = 257;

using Found = std::optional<std::pair<std::string, std::string>>;

// The definition.
Found Plain(const StringColumn& column, const RowSet& rows, int64_t max_size) {
  Found found;
  for (int64_t row = 0; row < rows.rows; ++row) {
    if (rows.validity.IsNull(row)) continue;
    if (rows.shown != nullptr && rows.shown->IsNull(row)) continue;
    const std::string value(column.Value(row).substr(0, max_size));
    if (!found.has_value()) found = {value, value};
    found->first = std::min(found->first, value);
    found->second = std::max(found->second, value);
  }
  return found;
}

Found By(RangeKernel kernel, const StringColumn& column, const RowSet& rows, int64_t max_size) {
  const auto range = FindStringRangeBy(kernel, column, rows, max_size);
  if (!range.has_value()) return std::nullopt;
  return std::pair(std::string(range->low), std::string(range->high));
}

// Values, null or not, as a column whose bytes end with the last of them, so that
// AddressSanitizer sees a read past it. What stands under a null takes space.
std::shared_ptr<const StringColumn> Column(const std::vector<std::string>& values,
                                           Validity validity, std::string_view before = "") {
  std::string bytes(before);
  std::string ends;
  for (const std::string& value : values) {
    bytes += value;
    const auto end = static_cast<int32_t>(bytes.size());
    ends.append(reinterpret_cast<const char*>(&end), sizeof(end));
  }
  bytes.shrink_to_fit();
  return std::make_shared<StringColumn>(
      vector::Type::Scalar(vector::Kind::kVarchar), static_cast<int64_t>(values.size()),
      std::move(validity), static_cast<int32_t>(before.size()), vector::Buffer::Own(ends),
      vector::Buffer::Own(bytes));
}

std::string Text(base::Random& random, uint64_t max_size, std::string_view letters) {
  std::string text(random.Below(max_size + 1), '\0');
  for (char& c : text) c = letters[random.Below(letters.size())];
  return text;
}

Validity Nulls(base::Random& random, int64_t rows) {
  const uint64_t percent = std::array<uint64_t, 5>{0, 2, 10, 90, 100}[random.Below(5)];
  const bool runs = random.Below(2) == 0;
  const auto offset = static_cast<int64_t>(random.Below(20));  // where the bits begin
  bool null = false;
  const Validity whole = vector::BuildValidity(offset + rows, [&](int64_t row) {
    if (!runs || row % 70 == 0) null = random.Below(100) < percent;
    return null;
  });
  return whole.Slice(offset, rows);
}

TEST(StringRangeProperty, EveryKernelAgreesWithThePlainLoop) {
  const bool ok = rc::check([] {
    // Around the samples, vectors, words and chunks of 256 rows.
    const int64_t near = *rc::gen::element<int64_t>(0, 16, 32, 64, 256, 512, 1024);
    const int64_t rows = std::max<int64_t>(0, near + *rc::gen::inRange<int64_t>(-17, 18));
    // Letters that zero padding could confuse, and those beyond ASCII.
    const std::string_view letters = *rc::gen::element<std::string_view>(
        std::string_view("\0a", 2), std::string_view("\0", 1), "ab", "\x7F\x80\xFF", "\xFF",
        "0123456789", std::string_view("\0\1abcxyz\xC2\xFE\xFF", 12));
    const auto prefix_size = *rc::gen::element<uint64_t>(0, 1, 3, 7, 9, 16, 17, 40, 250, 256, 270);
    const auto tail_size = *rc::gen::element<uint64_t>(0, 1, 5, 7, 9, 20, 300);
    const auto strangers = *rc::gen::element<uint64_t>(0, 0, 1, 50);
    const auto groups = *rc::gen::element<uint64_t>(1, 1, 2, 3);
    const auto distinct = *rc::gen::element<uint64_t>(1, 2, 5, 10000);
    const bool sorted = *rc::gen::arbitrary<bool>();
    const bool wrapped = *rc::gen::arbitrary<bool>();
    base::Random random(*rc::gen::arbitrary<uint64_t>());
    std::vector<std::string> prefixes(groups, std::string(prefix_size, 'p'));
    for (std::string& prefix : prefixes) {
      for (char& c : prefix) c = letters[random.Below(letters.size())];
    }
    std::vector<std::string> pool;
    for (uint64_t i = 0; i < std::min<uint64_t>(distinct, rows); ++i) {
      // Most have their group's prefix, some a part of it only.
      const std::string& prefix = prefixes[random.Below(groups)];
      const bool stranger = random.Below(100) < strangers;
      pool.push_back(prefix.substr(0, stranger ? random.Below(prefix_size + 1) : prefix_size) +
                     Text(random, tail_size, letters));
    }
    std::vector<std::string> values;
    for (int64_t row = 0; row < rows; ++row) values.push_back(pool[random.Below(pool.size())]);
    if (sorted) std::sort(values.begin(), values.end());
    const auto column = Column(values, Nulls(random, rows), "before");
    const Validity shown = Nulls(random, rows);
    const RowSet set{column->validity(), rows, wrapped ? &shown : nullptr};
    for (const int64_t max_size : {kMaxSize, int64_t{5}}) {
      const Found expected = Plain(*column, set, max_size);
      for (const RangeKernel kernel : {RangeKernel::kPortable, RangeKernel::kAvx2}) {
        if (!HasRangeKernel(kernel)) continue;
        RC_ASSERT(By(kernel, *column, set, max_size) == expected);
      }
    }
  });
  EXPECT_TRUE(ok);
}

// One value that differs from thousands, at every place that a chunk or a vector has.
TEST(StringRangeTest, TheOnlyValueThatDiffersIsFoundWhereverItStands) {
  for (const RangeKernel kernel : {RangeKernel::kPortable, RangeKernel::kAvx2}) {
    if (!HasRangeKernel(kernel)) continue;
    for (int64_t at = 0; at < 600; ++at) {
      std::vector<std::string> values(600, "common prefix, common tail");
      values[at] = "common prefix, common tai";
      const auto less = Column(values, Validity());
      ASSERT_EQ(FindStringRangeBy(kernel, *less, {less->validity(), 600}, kMaxSize)->low,
                values[at])
          << at;
      values[at] = "d";
      const auto greater = Column(values, Validity());
      ASSERT_EQ(FindStringRangeBy(kernel, *greater, {greater->validity(), 600}, kMaxSize)->high,
                "d")
          << at;
    }
  }
}

// Keys cannot tell such values apart, and their prefix is not shared by all.
TEST(StringRangeTest, LongValuesThatBeginAlikeAreTold) {
  for (const RangeKernel kernel : {RangeKernel::kPortable, RangeKernel::kAvx2}) {
    if (!HasRangeKernel(kernel)) continue;
    for (int64_t at = 0; at < 600; ++at) {
      std::vector<std::string> values(600, "anchorage-2");
      for (int64_t row = 0; row < 600; row += 2) values[row] = "zanzibar-2";
      const bool low = values[at][0] == 'a';
      values[at].back() = low ? '1' : '3';
      const auto column = Column(values, Validity());
      const Found found = By(kernel, *column, {column->validity(), 600}, kMaxSize);
      ASSERT_EQ(low ? found->first : found->second, values[at]) << at;
    }
  }
}

// A null row's bytes are not a value, be they beyond every bound.
TEST(StringRangeTest, WhatStandsUnderNullsDoesNotCount) {
  std::vector<std::string> values(500, "m");
  for (size_t row = 0; row < values.size(); ++row) {
    if (row % 3 != 1) values[row] = row % 3 == 0 ? "a" : "zz";
  }
  const auto column =
      Column(values, vector::BuildValidity(500, [](int64_t row) { return row % 3 != 1; }));
  for (const RangeKernel kernel : {RangeKernel::kPortable, RangeKernel::kAvx2}) {
    if (!HasRangeKernel(kernel)) continue;
    EXPECT_EQ(By(kernel, *column, {column->validity(), 500}, kMaxSize),
              Found(std::pair("m", "m")));
  }
}

TEST(StringKeyTest, TheKernelMakesKeysOfValuesWithThePrefixAndNoOthers) {
  if (!HasStringKeysAvx2()) GTEST_SKIP() << "no AVX2";
  base::Random random(12);
  for (int i = 0; i < 2000; ++i) {
    const std::string shared = "0123456789abcdefghijklmnopqrstuvwxyz0123456789";
    const KeyPrefix prefix(std::string_view(shared).substr(0, random.Below(shared.size())));
    std::vector<std::string> values(8 * (1 + random.Below(32)));
    for (std::string& value : values) {
      value = shared.substr(0, prefix.size) + Text(random, 9, std::string_view("\0\1\x7F\xFF", 4));
    }
    const bool fault = prefix.size != 0 && random.Below(2) == 0;
    if (fault) {
      std::string& value = values[random.Below(values.size())];
      const uint64_t at = random.Below(prefix.size);
      if (random.Below(2) == 0) {
        value[at] ^= 1;
      } else {
        value.resize(at);
      }
    }
    values.emplace_back(64, 'x');  // so that there is enough to read behind every start
    const auto column = Column(values, Validity(), "before");
    const uint8_t* const ends = column->ends().data();
    const auto count = static_cast<int64_t>(values.size()) - 9;
    const KeyChunk chunk{column->bytes().data(), ends, ends + KeyChunk::kWidth,
                         count - count % 8};
    std::array<int64_t, KeyChunk::kMaxCount> keys;
    KeyRange range{INT64_MAX, INT64_MIN};
    bool all = true;
    KeyRange expected = range;
    for (int64_t k = 0; k < chunk.count; ++k) {
      all = all && chunk.Value(k).substr(0, prefix.size) == shared.substr(0, prefix.size);
    }
    ASSERT_EQ(MakeKeysAvx2(chunk, prefix, keys.data(), &range), all);
    if (!all) continue;
    for (int64_t k = 0; k < chunk.count; ++k) {
      ASSERT_EQ(keys[k], KeyOf(chunk.Value(k).substr(prefix.size)));
      expected = {std::min(expected.low, keys[k]), std::max(expected.high, keys[k])};
    }
    ASSERT_EQ(range.low, expected.low);
    ASSERT_EQ(range.high, expected.high);
  }
}

TEST(StringKeyTest, KeysOrderAsValuesDoAndTellLengths) {
  base::Random random(11);
  for (int i = 0; i < 20000; ++i) {
    const std::string_view letters("\0\1a\x7F\x80\xFF", 6);
    const std::string a = Text(random, 9, letters.substr(random.Below(6)));
    const bool longer = random.Below(2) == 0;
    const std::string b = longer ? a + Text(random, 2, letters) : Text(random, 9, letters);
    if (KeyOf(a) < KeyOf(b)) {
      ASSERT_LT(a, b);
    } else if (KeyOf(a) > KeyOf(b)) {
      ASSERT_GT(a, b);
    } else if (IsWhole(KeyOf(a))) {
      ASSERT_EQ(a, b);
    } else {
      ASSERT_GT(std::min(a.size(), b.size()), 7u);
    }
  }
  EXPECT_LT(KeyOf("a"), KeyOf(std::string_view("a\0", 2)));
  EXPECT_TRUE(IsWhole(KeyOf("1234567")));
  EXPECT_FALSE(IsWhole(KeyOf("12345678")));
}

}  // namespace
}  // namespace spillway::stats
