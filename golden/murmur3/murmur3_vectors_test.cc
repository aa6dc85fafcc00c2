// SPDX-License-Identifier: Apache-2.0
// Every published vector of Spark's murmur3 that we know. See README.md for the files.

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "src/base/little_endian.h"
#include "src/shuffle/interleave.h"
#include "src/shuffle/murmur3.h"
#include "src/shuffle/partitioner.h"
#include "src/vector/build.h"
#include "src/vector/column.h"
#include "src/vector/type.h"

namespace spillway::shuffle {
namespace {

using vector::Batch;
using vector::BatchOf;
using vector::Buffer;
using vector::ColumnPtr;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

__extension__ using Int128 = __int128;

// A value's bytes as a flat column holds them; absent: null.
using Bytes = std::optional<std::string>;

struct Vector {
  std::string line;
  std::vector<ColumnPtr> columns;  // one row each
  int32_t hash = 0;
};

template <typename T>
std::string Raw(T value) {
  std::string bytes(sizeof(T), '\0');
  base::Store(bytes.data(), value);
  return bytes;
}

Int128 ParseInt128(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  unsigned __int128 magnitude = 0;
  for (const char digit : text) magnitude = magnitude * 10 + static_cast<unsigned>(digit - '0');
  return static_cast<Int128>(negative ? -magnitude : magnitude);
}

std::string RawTimestamp(int64_t seconds, uint64_t nanos) { return Raw(seconds) + Raw(nanos); }

// The bytes of a number or boolean written in decimal.
std::string FromText(const Type& type, const std::string& text) {
  switch (type.kind()) {
    case Kind::kBoolean:
      return Raw<uint8_t>(text == "True" || text == "true");
    case Kind::kReal:
      return Raw(std::strtof(text.c_str(), nullptr));
    case Kind::kDouble:
      return Raw(std::strtod(text.c_str(), nullptr));
    default:
      return Raw(ParseInt128(text)).substr(0, static_cast<size_t>(type.width()));
  }
}

ColumnPtr OneRow(const TypePtr& type, const Bytes& value) {
  if (type->is_string()) return vector::Strings(type, {value});
  return std::make_shared<vector::FlatColumn>(
      type, 1, vector::BuildValidity(1, [&](int64_t) { return !value.has_value(); }),
      Buffer::Copy(value.value_or(std::string(static_cast<size_t>(type->width()), '\0'))));
}

std::vector<std::vector<std::string>> ReadFields(const std::string& name) {
  std::ifstream in("golden/murmur3/" + name);
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(in, line);) {
    if (!absl::StartsWith(line, "#")) lines.push_back(absl::StrSplit(line, '\t'));
  }
  return lines;
}

uint32_t HashRow(const Vector& vector, const HashOptions& options, uint32_t seed = kMurmur3Seed) {
  std::vector<uint32_t> hash = {seed};
  for (const ColumnPtr& column : vector.columns) {
    EXPECT_EQ(HashColumn(*column, options, hash), absl::OkStatus()) << vector.line;
  }
  return hash[0];
}

// All vectors of the same types as the rows of one batch must hash as they do alone.
void ExpectColumnsHashAsRows(const std::vector<Vector>& vectors, const HashOptions& options) {
  std::map<std::string, std::vector<const Vector*>> groups;
  for (const Vector& vector : vectors) {
    groups[BatchOf(vector.columns).schema()->ToString()].push_back(&vector);
  }
  for (const auto& [types, group] : groups) {
    std::vector<Batch> rows;
    std::vector<RowRange> ranges;
    for (const Vector* vector : group) {
      ranges.push_back({static_cast<uint32_t>(rows.size()), 0, 1});
      rows.push_back(BatchOf(vector->columns));
    }
    const Batch batch = *Interleaver(rows[0].schema(), rows).Gather(ranges);
    std::vector<uint32_t> hashes(group.size(), kMurmur3Seed);
    for (const ColumnPtr& column : batch.columns()) {
      ASSERT_EQ(HashColumn(*column, options, hashes), absl::OkStatus()) << types;
    }
    for (size_t row = 0; row < group.size(); ++row) {
      EXPECT_EQ(static_cast<int32_t>(hashes[row]), group[row]->hash) << group[row]->line;
    }
  }
}

// --- spark.tsv: Python literals.

TypePtr SparkType(std::string_view text) {
  if (text == "('DECIMAL',38,0)") return *Type::Decimal(38, 0);
  return *Type::Parse(text.substr(1, text.size() - 2));
}

Bytes SparkValue(const Type& type, const std::string& text) {
  if (text == "None") return std::nullopt;
  if (type.is_string()) {
    std::string bytes;
    EXPECT_TRUE(absl::CUnescape(text.substr(2, text.size() - 3), &bytes)) << text;
    return bytes;
  }
  if (type.kind() == Kind::kTimestamp) {
    const std::vector<std::string> parts = absl::StrSplit(text.substr(1, text.size() - 2), ',');
    return RawTimestamp(std::stoll(parts[0]), std::stoull(parts[1]));
  }
  return FromText(type, text);
}

std::vector<Vector> SparkVectors() {
  std::vector<Vector> out;
  for (const std::vector<std::string>& fields : ReadFields("spark.tsv")) {
    Vector vector = {fields[0] + " " + fields[1], {}, std::stoi(fields[2])};
    const bool chain = absl::StartsWith(fields[0], "[");
    const auto items = [&](const std::string& list) -> std::vector<std::string> {
      if (!chain) return {list};
      return absl::StrSplit(list.substr(1, list.size() - 2), ',');
    };
    const std::vector<std::string> types = items(fields[0]);
    const std::vector<std::string> values = items(fields[1]);
    for (size_t i = 0; i < types.size(); ++i) {
      const TypePtr type = SparkType(types[i]);
      vector.columns.push_back(OneRow(type, SparkValue(*type, values[i])));
    }
    out.push_back(std::move(vector));
  }
  return out;
}

// --- comet.tsv: Arrow types.

// Null: the type is nested.
TypePtr CometType(const std::string& name) {
  static const std::map<std::string, std::string> kTypes = {
      {"bool", "BOOLEAN"},
      {"int8", "TINYINT"},
      {"int16", "SMALLINT"},
      {"int32", "INTEGER"},
      {"int64", "BIGINT"},
      {"float32", "REAL"},
      {"float64", "DOUBLE"},
      {"date32", "DATE"},
      {"decimal128(10,2)", "DECIMAL(10, 2)"},
      {"decimal128(18,0)", "DECIMAL(18, 0)"},
      {"decimal128(19,0)", "DECIMAL(19, 0)"},
      {"decimal128(38,10)", "DECIMAL(38, 10)"},
      {"timestamp_us", "TIMESTAMP"},
      {"timestamp_us_UTC", "TIMESTAMP"},
      // Types that we do not have; Comet hashes their 64 bits as they are.
      {"timestamp_s", "BIGINT"},
      {"timestamp_ms", "BIGINT"},
      {"timestamp_ns", "BIGINT"},
      {"date64", "BIGINT"},
      {"time64_ns", "BIGINT"},
      {"utf8", "VARCHAR"},
      {"large_utf8", "VARCHAR"},
      {"dictionary<int32,utf8>", "VARCHAR"},
      {"binary", "VARBINARY"},
      {"large_binary", "VARBINARY"},
      {"fixed_size_binary(5)", "VARBINARY"},
  };
  const auto type = kTypes.find(name);
  return type == kTypes.end() ? nullptr : *Type::Parse(type->second);
}

Bytes CometBytes(const Type& type, const std::string& hex) {
  if (hex == "null") return std::nullopt;
  std::string bytes = absl::HexStringToBytes(hex);
  if (type.kind() == Kind::kTimestamp) {
    const auto micros = base::Load<int64_t>(bytes.data());
    const int64_t rest = (micros % 1'000'000 + 1'000'000) % 1'000'000;
    // Of the lowest micros, micros - rest is below 64 bits.
    const int64_t seconds = micros / 1'000'000 - (micros % 1'000'000 < 0 ? 1 : 0);
    return RawTimestamp(seconds, static_cast<uint64_t>(rest) * 1000);
  }
  if (type.is_string()) return bytes;
  return bytes.substr(0, static_cast<size_t>(type.width()));
}

// Splits at commas outside quotes and parentheses.
std::vector<std::string> SplitList(std::string_view list) {
  std::vector<std::string> items(1);
  bool quoted = false;
  int depth = 0;
  for (const char c : list) {
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += (c == '(' ? 1 : 0) - (c == ')' ? 1 : 0);
    if (c == ',' && !quoted && depth == 0) {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  return items;
}

// A JSON value of a chain: 5, true, "text", "unscaled 5", "NaN(0x7ff8000000000000)".
Bytes CometJson(const Type& type, std::string text) {
  if (text == "null") return std::nullopt;
  if (absl::StartsWith(text, "\"")) text = text.substr(1, text.size() - 2);
  if (type.is_string()) return text;
  if (absl::StartsWith(text, "NaN(0x")) {
    return Raw(std::stoull(text.substr(4, text.size() - 5), nullptr, 16));
  }
  return FromText(type, std::string(absl::StripPrefix(text, "unscaled ")));
}

ColumnPtr InDictionary(const ColumnPtr& value) {
  return std::make_shared<vector::DictionaryColumn>(1, vector::Validity(),
                                                    Buffer::Copy(Raw<int32_t>(0)), value);
}

struct CometVector {
  Vector vector;
  uint32_t seed = 0;
  uint32_t partition_of_200 = 0;
  uint32_t partition_of_201 = 0;
};

// `unused` gets the lines of nested types.
std::vector<CometVector> CometVectors(std::map<std::string, int>& unused) {
  std::vector<CometVector> out;
  for (const std::vector<std::string>& f : ReadFields("comet.tsv")) {
    if (f[0] == "type") continue;
    CometVector v = {{f[0] + " " + f[1], {}, std::stoi(f[5])},
                     static_cast<uint32_t>(std::stoul(f[3])),
                     static_cast<uint32_t>(std::stoul(f[6])),
                     static_cast<uint32_t>(std::stoul(f[7]))};
    EXPECT_EQ(f[4], std::to_string(static_cast<uint32_t>(v.vector.hash))) << v.vector.line;
    if (absl::StartsWith(f[0], "chain(")) {
      const std::vector<std::string> types = SplitList(f[0].substr(6, f[0].size() - 7));
      const std::vector<std::string> values = SplitList(f[1].substr(1, f[1].size() - 2));
      for (size_t i = 0; i < types.size(); ++i) {
        const TypePtr type = CometType(types[i]);
        v.vector.columns.push_back(OneRow(type, CometJson(*type, values[i])));
      }
    } else if (const TypePtr type = CometType(f[0]); type == nullptr) {
      ++unused[f[0]];
      continue;
    } else if (absl::StartsWith(f[0], "dictionary")) {
      v.vector.columns.push_back(InDictionary(OneRow(type, CometJson(*type, f[1]))));
    } else {
      v.vector.columns.push_back(OneRow(type, CometBytes(*type, f[2])));
    }
    out.push_back(std::move(v));
  }
  return out;
}

TEST(Murmur3VectorsTest, EveryLineOfVeloxAndCometSources) {
  const std::vector<Vector> vectors = SparkVectors();
  EXPECT_EQ(vectors.size(), 70u);
  for (const Vector& vector : vectors) {
    EXPECT_EQ(static_cast<int32_t>(HashRow(vector, HashOptions::Spark())), vector.hash)
        << vector.line;
  }
  ExpectColumnsHashAsRows(vectors, HashOptions::Spark());
}

TEST(Murmur3VectorsTest, EveryScalarLineOfCometsOwnCode) {
  std::map<std::string, int> unused;
  const std::vector<CometVector> vectors = CometVectors(unused);
  std::vector<Vector> rows;
  for (const CometVector& v : vectors) {
    const uint32_t hash = HashRow(v.vector, HashOptions::Comet(), v.seed);
    EXPECT_EQ(static_cast<int32_t>(hash), v.vector.hash) << v.vector.line;
    EXPECT_EQ(PositiveRemainder(200)(hash), v.partition_of_200) << v.vector.line;
    EXPECT_EQ(PositiveRemainder(201)(hash), v.partition_of_201) << v.vector.line;
    if (v.seed == kMurmur3Seed) rows.push_back(v.vector);
  }
  ExpectColumnsHashAsRows(rows, HashOptions::Comet());
  // Not used: nested types have no hash here.
  const std::map<std::string, int> nested = {
      {"list<int32>", 4}, {"list<utf8>", 4}, {"struct<int32,utf8>", 4}};
  EXPECT_EQ(unused, nested);
  EXPECT_EQ(vectors.size() + 12, 381u);
}

}  // namespace
}  // namespace spillway::shuffle
