// SPDX-License-Identifier: Apache-2.0
// Our side of pyarrow_exchange.py.
//
//   exchange write DIR    the streams and shuffle outputs that the script reads
//   exchange same A B     exit code 0 if both streams hold the same batches; 2 if one is refused
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "src/arrow/stream_reader.h"
#include "src/arrow/stream_writer.h"
#include "src/base/file_system.h"
#include "src/base/little_endian.h"
#include "src/memory/counting_pool.h"
#include "src/shuffle/output_sink.h"
#include "src/shuffle/repartitioner.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"
#include "src/vector/concat.h"

namespace spillway {
namespace {

using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::Kind;
using vector::Timestamp;
using vector::Type;

vector::TypePtr Scalar(Kind kind) { return Type::Scalar(kind); }

template <typename T>
ColumnPtr Three(const vector::TypePtr& type, T first, T last) {
  return vector::Flat<T>(type, std::vector<std::optional<T>>{first, std::nullopt, last});
}

ColumnPtr ListOf(vector::TypePtr type, std::vector<ColumnPtr> children) {
  vector::MutableBuffer offsets(4 * sizeof(int32_t));
  const int32_t values[] = {0, 2, 2, 3};
  for (size_t i = 0; i < 4; ++i) base::Store(offsets.data() + i * 4, values[i]);
  return std::make_shared<vector::ListColumn>(
      std::move(type), 3, vector::BuildValidity(3, [](int64_t row) { return row == 1; }),
      std::move(offsets).Freeze(), std::move(children));
}

// The values of `ALL_TYPES` in the script.
Batch AllTypes() {
  const ColumnPtr ints = Three<int32_t>(Scalar(Kind::kInteger), 7, -7);
  const ColumnPtr keys = vector::Strings(Scalar(Kind::kVarchar), {"a", "b", "c"});
  const auto no_second = vector::BuildValidity(3, [](int64_t row) { return row == 1; });
  return vector::BatchOf(
      {Three<uint8_t>(Scalar(Kind::kBoolean), 1, 0),
       Three<int8_t>(Scalar(Kind::kTinyint), -128, 127),
       Three<int16_t>(Scalar(Kind::kSmallint), -32768, 32767),
       Three<int32_t>(Scalar(Kind::kInteger), INT32_MIN, INT32_MAX),
       Three<int64_t>(Scalar(Kind::kBigint), INT64_MIN, INT64_MAX),
       Three<float>(Scalar(Kind::kReal), -0.5f, 1.5f),
       Three<double>(Scalar(Kind::kDouble), -0.1, 1e300),
       Three<int64_t>(*Type::Decimal(12, 4), -12345, 999'999'999'999),
       Three<__int128>(*Type::Decimal(38, 10), -1, __int128{1} << 100),
       Three<int32_t>(Scalar(Kind::kDate), -1, 19'000),
       Three<Timestamp>(Scalar(Kind::kTimestamp), {-1, 999'999'000}, {1'700'000'000, 1'000}),
       Three<int64_t>(Scalar(Kind::kIntervalDayTime), -1, 86'400'001),
       vector::Strings(Scalar(Kind::kVarchar), {"", std::nullopt, "\xc3\xa4"}),
       vector::Strings(Scalar(Kind::kVarbinary), {std::string("\0\xff", 2), std::nullopt, ""}),
       vector::FlatColumn::Unknown(3), ListOf(Type::Array(ints->type_ptr()), {ints}),
       ListOf(Type::Map(keys->type_ptr(), ints->type_ptr()), {keys, ints}),
       std::make_shared<vector::RowColumn>(
           Type::Row({"x", "y"}, {ints->type_ptr(), keys->type_ptr()}), 3, no_second,
           std::vector{ints, keys})});
}

absl::Status WriteStream(const Batch& batch, const std::string& path) {
  const auto writer = arrow::StreamWriter::Create(batch.schema());
  if (!writer.ok()) return writer.status();
  arrow::Pieces pieces;
  const absl::Status status = writer->AppendStream(batch, pieces);
  if (!status.ok()) return status;
  std::ofstream(path, std::ios::binary) << pieces.ToString();
  return absl::OkStatus();
}

// Rows (g, "v" + g) for g below 1000, hashed by g into 7 partitions, with and without spills.
absl::Status WriteOutput(shuffle::BlockCodec codec, const std::string& directory) {
  std::vector<int64_t> numbers(1000);
  std::vector<std::optional<std::string>> texts;
  for (int64_t g = 0; g < 1000; ++g) {
    numbers[static_cast<size_t>(g)] = g;
    texts.push_back("v" + std::to_string(g));
  }
  const Batch batch = vector::BatchOf({vector::Flat(Scalar(Kind::kBigint), numbers),
                                       vector::Strings(Scalar(Kind::kVarchar), texts)});
  const std::string stem = directory + "/" + std::string(BlockCodecName(codec));
  shuffle::OutputOptions options = {.paths = {stem + ".data", stem + ".index"}};
  options.block.codec = codec;
  auto sink = shuffle::OutputSink::Create(batch.schema(), 7, options);
  if (!sink.ok()) return sink.status();
  memory::CountingPool pool;
  auto partitioner =
      shuffle::HashPartitioner::Create(batch.schema(), {0}, 7, shuffle::HashOptions::Comet());
  auto writer =
      shuffle::Repartitioner::Create(*std::move(partitioner), {.batch_size = 100}, pool, **sink);
  if (!writer.ok()) return writer.status();
  absl::Status status = writer->Insert(batch.Slice(0, 500));
  if (status.ok()) status = writer->Spill();
  if (status.ok()) status = writer->Insert(batch.Slice(500, 500));
  return status.ok() ? writer->Finish() : status;
}

absl::Status Write(const std::string& directory) {
  absl::Status status = WriteStream(AllTypes(), directory + "/all_types.arrow");
  const Batch months = vector::BatchOf({Three<int32_t>(Scalar(Kind::kIntervalYearMonth), -1, 25)});
  if (status.ok()) status = WriteStream(months, directory + "/months.arrow");
  for (const auto codec : {shuffle::BlockCodec::kNone, shuffle::BlockCodec::kLz4,
                           shuffle::BlockCodec::kZstd, shuffle::BlockCodec::kSnappy}) {
    if (status.ok()) status = WriteOutput(codec, directory);
  }
  return status;
}

absl::StatusOr<Batch> ReadStream(const std::string& path) {
  absl::StatusOr<std::string> bytes = base::ReadFile(base::FileSystem::Posix(), path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<arrow::StreamReader> reader = arrow::StreamReader::Open(Buffer::Own(*bytes));
  if (!reader.ok()) return reader.status();
  std::vector<Batch> batches;
  while (true) {
    absl::StatusOr<std::optional<Batch>> batch = reader->Next();
    if (!batch.ok()) return batch.status();
    if (!batch->has_value()) break;
    batches.push_back(**batch);
  }
  if (batches.empty()) return absl::NotFoundError(path + ": no batch");
  return vector::Concat(batches);
}

int Same(const std::string& a, const std::string& b) {
  const absl::StatusOr<Batch> first = ReadStream(a);
  const absl::StatusOr<Batch> second = ReadStream(b);
  if (!first.ok() || !second.ok()) {
    std::fprintf(stderr, "%s\n%s\n", first.status().ToString().c_str(),
                 second.status().ToString().c_str());
    return 2;
  }
  const auto difference = vector::FirstDifference(*first, *second);
  if (difference.has_value()) std::fprintf(stderr, "%s\n", difference->c_str());
  return difference.has_value() ? 1 : 0;
}

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() == 4 && words[1] == "same") return spillway::Same(words[2], words[3]);
  if (words.size() != 3 || words[1] != "write") return 2;
  const absl::Status status = spillway::Write(words[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
