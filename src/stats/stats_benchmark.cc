// SPDX-License-Identifier: Apache-2.0
// Speed of the statistics of one column, beside a memcpy and a CRC of the same bytes that were
// measured in the same process just before:
//
//   bazel run -c opt //src/stats:stats_benchmark
//
// Names say values / share of nulls / encoding / rows. The bytes are those of the flat column:
// values, or end offsets and bytes of VARCHAR.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "src/base/random.h"
#include "src/base/strings.h"
#include "src/base/yardstick.h"
#include "src/stats/column_stats.h"
#include "src/vector/build.h"
#include "src/vector/schema_s.h"

namespace spillway::stats {
namespace {

using vector::ColumnPtr;
using vector::Type;
using vector::TypePtr;

constexpr int64_t kRows = 4096;
constexpr int32_t kAlphabet = 100;

std::string Bytes(const vector::Column& column) {
  if (!column.type().is_string()) {
    return std::string(column.As<vector::FlatColumn>().values().view());
  }
  const auto& strings = column.As<vector::StringColumn>();
  return base::Cat(strings.ends().view(), strings.bytes().view());
}

// The 4,096 rows of which each shows one of the first entries of `values`.
ColumnPtr Dictionary(const ColumnPtr& values) {
  std::vector<int32_t> ids(kRows);
  for (int64_t row = 0; row < kRows; ++row) ids[row] = static_cast<int32_t>(row * 7 % kAlphabet);
  const ColumnPtr flat = vector::Flat(Type::Scalar(vector::Kind::kInteger), ids);
  return std::make_shared<vector::DictionaryColumn>(
      kRows, vector::Validity(), flat->As<vector::FlatColumn>().values(),
      values->Slice(0, kAlphabet));
}

void Compute(benchmark::State& state, const vector::Column& column, const std::string& bytes) {
  constexpr StatsOptions kOptions{.bounds = BoundsRule::kBest};
  base::RunBeside(state, bytes,
                  [&] { benchmark::DoNotOptimize(ComputeStats(column, kOptions)); });
}

void Register(std::string_view values, int null_percent, const ColumnPtr& column) {
  const auto add = [&](std::string_view encoding, const ColumnPtr& encoded) {
    const std::string name = base::Cat("ComputeStats/", values, "/nulls:", null_percent, "%/",
                                       encoding, "/rows:", kRows);
    benchmark::RegisterBenchmark(name.c_str(), [encoded, bytes = Bytes(*column)](auto& state) {
      Compute(state, *encoded, bytes);
    });
  };
  add("flat", column);
  if (null_percent == 0) add("dictionary", Dictionary(column));
}

// Values of `make(row)` without nulls, and with a tenth of the rows null at random.
template <typename T, typename Make>
void Register(std::string_view type, std::string_view values, Make make) {
  for (const int null_percent : {0, 10}) {
    base::Random random(7);
    std::vector<std::optional<T>> out(kRows);
    for (int64_t row = 0; row < kRows; ++row) {
      if (static_cast<int>(random.Below(100)) >= null_percent) out[row] = T(make(row, random));
    }
    if constexpr (std::is_same_v<T, std::string>) {
      Register(values, null_percent, vector::Strings(*Type::Parse(type), out));
    } else {
      Register(values, null_percent, vector::Flat<T>(*Type::Parse(type), out));
    }
  }
}

std::string RandomText(int64_t size, base::Random& random) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>('a' + random.Below(26));
  return text;
}

void RegisterAll() {
  const auto any = [](int64_t, base::Random& random) { return random.Next(); };
  const auto bit = [](int64_t row, base::Random&) { return row % 3 == 0; };
  const auto real = [](int64_t, base::Random& random) {
    return static_cast<double>(static_cast<int64_t>(random.Next())) / 1e6;
  };
  const auto instant = [](int64_t, base::Random& random) {
    return vector::Timestamp{static_cast<int64_t>(random.Below(2'000'000'000)),
                             random.Below(1'000'000'000)};
  };
  Register<uint8_t>("BOOLEAN", "BOOLEAN", bit);
  Register<int8_t>("TINYINT", "TINYINT", any);
  Register<int16_t>("SMALLINT", "SMALLINT", any);
  Register<int32_t>("INTEGER", "INTEGER", any);
  Register<int64_t>("BIGINT", "BIGINT", any);
  Register<__int128>("DECIMAL(38, 4)", "DECIMAL38", any);
  Register<float>("REAL", "REAL", real);
  Register<double>("DOUBLE", "DOUBLE", real);
  Register<vector::Timestamp>("TIMESTAMP", "TIMESTAMP", instant);
  Register<std::string>("VARCHAR", "VARCHAR_number", [](int64_t row, base::Random&) {
    return base::Cat(1'000'000 + row);
  });
  Register<std::string>("VARCHAR", "VARCHAR_payload", [](int64_t row, base::Random&) {
    return base::Cat("payload-a-", row);
  });
  Register<std::string>("VARCHAR", "VARCHAR12_random", [](int64_t, base::Random& random) {
    return RandomText(12, random);
  });
  Register<std::string>("VARCHAR", "VARCHAR0to40_random", [](int64_t, base::Random& random) {
    return RandomText(static_cast<int64_t>(random.Below(41)), random);
  });
  Register<std::string>("VARCHAR", "VARCHAR60_url", [](int64_t, base::Random& random) {
    return base::Cat("https://www.example.com/catalog/products/", RandomText(19, random));
  });
  const vector::Batch s = vector::SchemaSBatch(0, kRows);
  std::string bytes;
  for (const ColumnPtr& column : s.columns()) bytes += Bytes(*column);
  benchmark::RegisterBenchmark(base::Cat("ComputeStats/S/rows:", kRows).c_str(),
                               [s, bytes](auto& state) {
                                 base::RunBeside(state, bytes, [&] {
                                   for (const ColumnPtr& column : s.columns()) {
                                     benchmark::DoNotOptimize(ComputeStats(*column));
                                   }
                                 });
                               });
}

}  // namespace
}  // namespace spillway::stats

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  spillway::stats::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
