// SPDX-License-Identifier: Apache-2.0
// Speed of pages and column blocks, each beside a memcpy and a CRC of the same bytes that were
// measured in the same process just before:
//
//   bazel run -c opt //src/page:page_benchmark
//
// Names say operation / columns / rows. Counters: GB/s of page bytes; vs_memcpy and vs_crc, how
// many times as long as a memcpy or a CRC of those bytes the operation takes.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "src/base/random.h"
#include "src/base/strings.h"
#include "src/base/yardstick.h"
#include "src/page/block_reader.h"
#include "src/page/block_writer.h"
#include "src/page/page.h"
#include "src/vector/build.h"
#include "src/vector/schema_s.h"

namespace spillway::page {
namespace {

using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::Kind;
using vector::Type;
using vector::TypePtr;

constexpr int64_t kRows = 4096;

void WritePages(benchmark::State& state, const Batch& batch) {
  const Buffer page = *WritePage(batch);
  base::RunBeside(state, page.view(), [&] {
    auto page = WritePage(batch);
    benchmark::DoNotOptimize(page);
  });
}

void ReadPages(benchmark::State& state, const Batch& batch) {
  const Buffer page = *WritePage(batch);
  base::RunBeside(state, page.view(),
                  [&] { benchmark::DoNotOptimize(ReadPage(batch.schema(), page)); });
}

Buffer WriteBlock(const ColumnPtr& column) {
  const BlockPlan plan = *BlockPlan::Make(column);
  vector::MutableBuffer out(plan.size());
  plan.Write(out.data());
  return std::move(out).Freeze();
}

void WriteBlocks(benchmark::State& state, const Batch& batch) {
  std::string all;
  for (const ColumnPtr& column : batch.columns()) all += WriteBlock(column).view();
  base::RunBeside(state, all, [&] {
    for (const ColumnPtr& column : batch.columns()) benchmark::DoNotOptimize(WriteBlock(column));
  });
}

// The first `count` columns.
void ReadBlocks(benchmark::State& state, const Batch& batch, size_t count) {
  std::vector<Buffer> blocks;
  std::string all;
  for (size_t i = 0; i < count; ++i) {
    blocks.push_back(WriteBlock(batch.columns()[i]));
    all += blocks.back().view();
  }
  base::RunBeside(state, all, [&] {
    for (size_t i = 0; i < count; ++i) {
      base::ByteReader in(blocks[i].view());
      benchmark::DoNotOptimize(BlockReader(blocks[i], in).Read(batch.column(i).type_ptr()));
    }
  });
}

// `columns` columns of `make(column, row)`, null_percent of a hundred rows null at random.
template <typename T>
Batch Columns(const TypePtr& type, int columns, int null_percent,
              const std::function<T(int64_t)>& make) {
  base::Random random(7);
  std::vector<ColumnPtr> out;
  for (int c = 0; c < columns; ++c) {
    std::vector<std::optional<T>> values;
    for (int64_t row = 0; row < kRows; ++row) {
      const bool null = static_cast<int>(random.Below(100)) < null_percent;
      values.push_back(null ? std::nullopt : std::optional<T>(make(row)));
    }
    if constexpr (std::is_same_v<T, std::string>) {
      out.push_back(vector::Strings(type, values));
    } else {
      out.push_back(vector::Flat<T>(type, values));
    }
  }
  return vector::BatchOf(std::move(out));
}

Batch Bigints(int null_percent) {
  return Columns<int64_t>(Type::Scalar(Kind::kBigint), 16, null_percent,
                          [](int64_t row) { return row * 1000003; });
}

Batch Varchars(int null_percent) {
  return Columns<std::string>(Type::Scalar(Kind::kVarchar), 16, null_percent, [](int64_t row) {
    std::string text = base::Cat("value-", row);
    text.resize(12, '.');
    return text;
  });
}

Batch Booleans(int null_percent) {
  return Columns<uint8_t>(Type::Scalar(Kind::kBoolean), 16, null_percent,
                          [](int64_t row) { return static_cast<uint8_t>(row % 3 == 0); });
}

Batch Integers(int null_percent) {
  return Columns<int32_t>(Type::Scalar(Kind::kInteger), 16, null_percent,
                          [](int64_t row) { return static_cast<int32_t>(row); });
}

Batch LongDecimals(int null_percent) {
  return Columns<__int128>(*Type::Decimal(38, 4), 16, null_percent, [](int64_t row) {
    return static_cast<__int128>(row - kRows / 2) * 1'000'000'007 * 1'000'000'007;
  });
}

ColumnPtr List(std::string_view type, int64_t per_row, std::vector<ColumnPtr> children) {
  vector::MutableBuffer offsets((kRows + 1) * static_cast<int64_t>(sizeof(int32_t)));
  for (int64_t row = 0; row <= kRows; ++row) {
    base::Store(offsets.data() + row * static_cast<int64_t>(sizeof(int32_t)),
                static_cast<int32_t>(row * per_row));
  }
  return std::make_shared<vector::ListColumn>(*Type::Parse(type), kRows, vector::Validity(),
                                              std::move(offsets).Freeze(), std::move(children));
}

ColumnPtr Ints(int64_t rows) {
  std::vector<int32_t> values(rows);
  for (int64_t row = 0; row < rows; ++row) values[row] = static_cast<int32_t>(row * 7);
  return vector::Flat(Type::Scalar(Kind::kInteger), values);
}

ColumnPtr Longs(int64_t rows) {
  std::vector<int64_t> values(rows);
  for (int64_t row = 0; row < rows; ++row) values[row] = row * 1000003;
  return vector::Flat(Type::Scalar(Kind::kBigint), values);
}

ColumnPtr Words(int64_t rows) {
  std::vector<std::optional<std::string>> values;
  for (int64_t row = 0; row < rows; ++row) values.emplace_back(base::Cat("key-", row % 1000));
  return vector::Strings(Type::Scalar(Kind::kVarchar), values);
}

Batch Arrays() { return vector::BatchOf({List("ARRAY<INTEGER>", 5, {Ints(5 * kRows)})}); }

Batch Maps() {
  return vector::BatchOf(
      {List("MAP<VARCHAR,BIGINT>", 3, {Words(3 * kRows), Longs(3 * kRows)})});
}

Batch Rows() {
  return vector::BatchOf({std::make_shared<vector::RowColumn>(
      *Type::Parse("ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>"), kRows, vector::Validity(),
      std::vector<ColumnPtr>{Ints(kRows), Longs(kRows), Words(kRows), Longs(kRows)})});
}

void RegisterAll() {
  const auto add = [](const std::string& name, const Batch& batch) {
    const std::string suffix = base::Cat("/", name, "/rows:", kRows);
    benchmark::RegisterBenchmark(base::Cat("WritePage", suffix).c_str(),
                                 [batch](auto& state) { WritePages(state, batch); });
    benchmark::RegisterBenchmark(base::Cat("ReadPage", suffix).c_str(),
                                 [batch](auto& state) { ReadPages(state, batch); });
    benchmark::RegisterBenchmark(base::Cat("WriteBlocks", suffix).c_str(),
                                 [batch](auto& state) { WriteBlocks(state, batch); });
    benchmark::RegisterBenchmark(base::Cat("ReadBlocks", suffix).c_str(), [batch](auto& state) {
      ReadBlocks(state, batch, batch.columns().size());
    });
  };
  const Batch s = vector::SchemaSBatch(0, kRows);
  add("S", s);
  for (const size_t count : {1, 4}) {
    benchmark::RegisterBenchmark(base::Cat("ReadBlocks/S_first", count, "/rows:", kRows).c_str(),
                                 [s, count](auto& state) { ReadBlocks(state, s, count); });
  }
  for (const int nulls : {0, 10, 50}) {
    add(base::Cat("16xBIGINT/nulls:", nulls, "%"), Bigints(nulls));
    add(base::Cat("16xINTEGER/nulls:", nulls, "%"), Integers(nulls));
    add(base::Cat("16xVARCHAR12/nulls:", nulls, "%"), Varchars(nulls));
    add(base::Cat("16xBOOLEAN/nulls:", nulls, "%"), Booleans(nulls));
    add(base::Cat("16xDECIMAL38/nulls:", nulls, "%"), LongDecimals(nulls));
  }
  add("ARRAY(INTEGER)x5", Arrays());
  add("MAP(VARCHAR,BIGINT)x3", Maps());
  add("ROWof4", Rows());
}

}  // namespace
}  // namespace spillway::page

int main(int argc, char** argv) {
  // The figures that these are held against were taken with a tuned allocator too.
  spillway::base::KeepFreedMemory();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  spillway::page::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
