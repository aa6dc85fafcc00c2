// SPDX-License-Identifier: Apache-2.0
// The real writer's files are read, and written again from the same rows. README.md.

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "golden/comet/comet_input.h"
#include "golden/doc_examples.h"
#include "golden/gzip_file.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "src/arrow/pieces.h"
#include "src/base/file_system.h"
#include "src/base/hex_text.h"
#include "src/memory/counting_pool.h"
#include "src/shuffle/block.h"
#include "src/shuffle/block_codec.h"
#include "src/shuffle/murmur3.h"
#include "src/shuffle/output_reader.h"
#include "src/shuffle/output_sink.h"
#include "src/shuffle/partitioner.h"
#include "src/shuffle/repartitioner.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"
#include "src/vector/concat.h"
#include "src/vector/select.h"

namespace spillway::golden {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;
using shuffle::OutputPaths;
using shuffle::OutputReader;
using vector::Batch;

constexpr char kFolder[] = "golden/comet/";

std::string ReadBytes(const std::string& path) {
  return base::ReadFile(base::FileSystem::Posix(), path).value_or("");
}

int64_t Number(const Value& value) { return static_cast<int64_t>(value.number_value()); }

std::optional<int64_t> MaybeNumber(const Value& value) {
  return value.kind_case() == Value::kNullValue ? std::nullopt : std::optional(Number(value));
}

struct Recording {
  std::string name;
  Struct fields;

  const Value& at(const char* key) const { return fields.fields().at(key); }
  int64_t number(const char* key) const { return Number(at(key)); }
  OutputPaths paths() const { return {kFolder + name + ".data", kFolder + name + ".index"}; }
};

std::vector<Recording> Recordings() {
  ListValue list;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(
                  ReadBytes(std::string(kFolder) + "manifest.json"), &list)
                  .ok());
  std::vector<Recording> runs;
  for (const Value& value : list.values()) {
    runs.push_back({value.struct_value().fields().at("name").string_value(), value.struct_value()});
  }
  return runs;
}

std::vector<int64_t> Offsets(const Recording& run) {
  std::vector<int64_t> out;
  for (const Value& value : run.at("index_offsets").list_value().values()) {
    out.push_back(Number(value));
  }
  return out;
}

struct Block {
  int64_t offset = 0;
  int64_t bytes = 0;
  int64_t rows = 0;

  bool operator==(const Block&) const = default;
};

std::vector<std::vector<Block>> RecordedBlocks(const Recording& run) {
  std::vector<std::vector<Block>> out;
  for (const Value& partition : run.at("blocks").list_value().values()) {
    auto& blocks = out.emplace_back();
    for (const Value& value : partition.list_value().values()) {
      const auto& block = value.struct_value().fields();
      blocks.push_back(
          {Number(block.at("offset")), Number(block.at("total_bytes")), Number(block.at("rows"))});
    }
  }
  return out;
}

// All blocks of a partition, read and measured.
std::pair<std::vector<Block>, std::vector<Batch>> ReadPartition(const OutputReader& output,
                                                                int32_t partition) {
  std::pair<std::vector<Block>, std::vector<Batch>> out;
  OutputReader::Blocks blocks = output.Read(partition);
  while (true) {
    const int64_t offset = blocks.offset();
    const absl::StatusOr<std::optional<Batch>> batch = blocks.Next();
    EXPECT_EQ(batch.status(), absl::OkStatus());
    if (!batch.ok() || !batch->has_value()) return out;
    out.first.push_back({offset, blocks.offset() - offset, (*batch)->rows()});
    out.second.push_back(**batch);
  }
}

shuffle::HashPartitioner Partitioner() {
  return *shuffle::HashPartitioner::Create(CometInput()[0].schema(), {0, 2}, kCometPartitions,
                                           shuffle::HashOptions::Comet());
}

// The rows of each partition, in order.
std::vector<Batch> ExpectedRows() {
  const Batch all = *vector::Concat(CometInput());
  std::vector<uint32_t> partition_of_row;
  EXPECT_EQ(Partitioner().Assign(all, partition_of_row), absl::OkStatus());
  std::vector<Batch> out;
  for (uint32_t partition = 0; partition < kCometPartitions; ++partition) {
    std::vector<int32_t> rows;
    for (size_t row = 0; row < partition_of_row.size(); ++row) {
      if (partition_of_row[row] == partition) rows.push_back(static_cast<int32_t>(row));
    }
    std::vector<vector::ColumnPtr> columns;
    int64_t budget = 1 << 24;
    for (const auto& column : all.columns()) {
      columns.push_back(*vector::Select(*column, rows, &budget));
    }
    out.emplace_back(all.schema(), static_cast<int64_t>(rows.size()), std::move(columns));
  }
  return out;
}

void ExpectRows(const OutputReader& output, const std::string& name) {
  const std::vector<Batch> expected = ExpectedRows();
  ASSERT_EQ(output.partitions(), kCometPartitions);
  for (int32_t partition = 0; partition < kCometPartitions; ++partition) {
    const Batch rows = *vector::Concat(ReadPartition(output, partition).second);
    const auto difference = vector::FirstDifference(rows, expected[partition]);
    EXPECT_FALSE(difference.has_value()) << name << " partition " << partition << *difference;
  }
}

// A value in the form of rows.jsonl's, where numbers are not quoted but decimals.
std::string Text(const Value& value) {
  switch (value.kind_case()) {
    case Value::kNullValue:
      return "null";
    case Value::kBoolValue:
      return value.bool_value() ? "true" : "false";
    case Value::kStringValue:
      return value.string_value();
    default: {
      const double number = value.number_value();
      return (std::signbit(number) ? "-" : "") + std::to_string(std::abs(number));
    }
  }
}

std::string Text(const vector::Column& column, int64_t row) {
  if (column.IsNull(row)) return "null";
  switch (column.type().kind()) {
    case vector::Kind::kBoolean:
      return column.As<vector::FlatColumn>().Value<uint8_t>(row) != 0 ? "true" : "false";
    case vector::Kind::kVarchar:
      return std::string(column.As<vector::StringColumn>().Value(row));
    case vector::Kind::kShortDecimal:
      return std::to_string(column.As<vector::FlatColumn>().Value<int64_t>(row));
    case vector::Kind::kInteger:
      return std::to_string(double{1} * column.As<vector::FlatColumn>().Value<int32_t>(row));
    case vector::Kind::kBigint:
      return std::to_string(
          static_cast<double>(column.As<vector::FlatColumn>().Value<int64_t>(row)));
    default: {
      const auto number = column.As<vector::FlatColumn>().Value<double>(row);
      return (std::signbit(number) ? "-" : "") + std::to_string(std::abs(number));
    }
  }
}

TEST(CometOutputTest, TheRowsTheirHashesAndPartitionsAreTheRecordedOnes) {
  const Batch all = *vector::Concat(CometInput());
  std::vector<uint32_t> hashes(all.rows(), shuffle::kMurmur3Seed);
  for (const int key : {0, 2}) {
    ASSERT_EQ(shuffle::HashColumn(all.column(key), shuffle::HashOptions::Comet(), hashes),
              absl::OkStatus());
  }
  std::vector<uint32_t> partitions;
  ASSERT_EQ(Partitioner().Assign(all, partitions), absl::OkStatus());
  const std::string text = ReadGzipFile(std::string(kFolder) + "rows.jsonl.gz").value();
  size_t row = 0;
  for (size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    Struct line;
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(text.substr(at, end - at), &line).ok());
    const auto& fields = line.fields();
    ASSERT_LT(row, partitions.size());
    EXPECT_EQ(Number(fields.at("g")), static_cast<int64_t>(row));
    EXPECT_EQ(Number(fields.at("hash")), int64_t{static_cast<int32_t>(hashes[row])}) << row;
    EXPECT_EQ(Number(fields.at("p")), int64_t{partitions[row]}) << row;
    const auto& values = fields.at("row").list_value().values();
    ASSERT_EQ(values.size(), 6);
    for (int column = 0; column < 6; ++column) {
      EXPECT_EQ(Text(values[column]), Text(all.column(column), static_cast<int64_t>(row)))
          << "row " << row << " column " << column;
    }
    ++row;
  }
  EXPECT_EQ(row, 3000u);
}

TEST(CometOutputTest, EveryRealFileIsReadBlockByBlock) {
  const std::vector<Recording> runs = Recordings();
  ASSERT_EQ(runs.size(), 7u);
  for (const Recording& run : runs) {
    const absl::StatusOr<OutputReader> output =
        OutputReader::Open(run.paths(), shuffle::IndexOrder::kLittleEndian);
    ASSERT_EQ(output.status(), absl::OkStatus()) << run.name;
    EXPECT_EQ(std::vector<int64_t>(output->offsets().begin(), output->offsets().end()),
              Offsets(run))
        << run.name;
    const auto recorded = RecordedBlocks(run);
    for (int32_t partition = 0; partition < kCometPartitions; ++partition) {
      EXPECT_EQ(ReadPartition(*output, partition).first, recorded[partition])
          << run.name << " partition " << partition;
    }
    ExpectRows(*output, run.name);
    const auto summaries = shuffle::VerifyOutput(*output);
    ASSERT_EQ(summaries.status(), absl::OkStatus()) << run.name;
    int64_t rows = 0;
    for (const auto& summary : *summaries) rows += summary.rows;
    EXPECT_EQ(rows, run.number("output_rows")) << run.name;
  }
}

struct Written {
  shuffle::RepartitionerMetrics writer;
  shuffle::OutputMetrics output;
};

Written Write(const Recording& run, shuffle::SpillLayout layout, const OutputPaths& paths) {
  shuffle::OutputOptions options = {
      .paths = paths, .spill_layout = layout, .index_order = shuffle::IndexOrder::kLittleEndian};
  options.block.codec = *shuffle::ParseBlockCodec(run.at("codec").string_value());
  if (const auto level = MaybeNumber(run.at("zstd_level"))) {
    options.block.zstd_level = static_cast<int>(*level);
  }
  options.block.stream.fields.required = {1};
  const std::vector<Batch> input = CometInput();
  memory::CountingPool pool(MaybeNumber(run.at("pool_bytes")));
  auto sink = *shuffle::OutputSink::Create(input[0].schema(), kCometPartitions, options);
  shuffle::RepartitionerOptions writing = {.batch_size =
                                               static_cast<int32_t>(run.number("batch_size"))};
  writing.policy = {.step = 0, .limit = MaybeNumber(run.at("max_buffer_bytes"))};
  auto writer = *shuffle::Repartitioner::Create(Partitioner(), writing, pool, *sink);
  for (const Batch& batch : input) EXPECT_EQ(writer.Insert(batch), absl::OkStatus());
  EXPECT_EQ(writer.Finish(), absl::OkStatus());
  return {writer.metrics(), sink->metrics()};
}

// The streams in the blocks of both files, byte by byte.
void ExpectSamePayloads(const OutputPaths& ours, const Recording& run, const std::string& name) {
  const auto payloads = [](const OutputPaths& paths) {
    const std::string data = ReadBytes(paths.data);
    std::vector<std::string> out;
    for (size_t at = 0; at < data.size();) {
      const std::string_view rest = std::string_view(data).substr(at);
      const auto header = *shuffle::ReadBlockHeader(rest, static_cast<int64_t>(rest.size()));
      const auto size = static_cast<size_t>(header.block_bytes());
      const vector::Buffer payload = vector::Buffer::Copy(
          rest.substr(shuffle::BlockHeader::kSize, size - shuffle::BlockHeader::kSize));
      out.emplace_back(shuffle::DecompressBlock(header.codec, payload, 1 << 24)->view());
      at += size;
    }
    return out;
  };
  EXPECT_TRUE(payloads(ours) == payloads(run.paths())) << name;
}

// docs/memory/output.md.
TEST(CometOutputTest, TheExampleOfThePageIsWhatIsWritten) {
  const auto examples = *ReadDocExamples("docs/memory/output.md");
  ASSERT_EQ(examples.size(), 1u);
  const Batch batch = vector::BatchOf(
      {vector::Flat<int32_t>(vector::Type::Scalar(vector::Kind::kInteger),
                             std::vector<std::optional<int32_t>>{1, std::nullopt, 3})});
  auto writer =
      *shuffle::BlockWriter::Create(batch.schema(), {.codec = shuffle::BlockCodec::kNone});
  arrow::Pieces block;
  ASSERT_EQ(writer.Append(batch, block), absl::OkStatus());
  EXPECT_EQ(base::ToHexText(block.ToString()), base::ToHexText(examples[0].bytes));
  const auto read = shuffle::ReadBlock(vector::Buffer::Copy(examples[0].bytes));
  ASSERT_EQ(read.status(), absl::OkStatus());
  EXPECT_EQ(vector::FirstDifference(*read, batch).value_or(""), "");
}

TEST(CometOutputTest, OurWriterMakesTheSameFilesFromTheSameRows) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "comet";
  std::filesystem::create_directory(folder);
  for (const Recording& run : Recordings()) {
    for (const auto layout :
         {shuffle::SpillLayout::kOneFile, shuffle::SpillLayout::kFilePerPartition}) {
      const std::string name = run.name + " " + std::string(SpillLayoutName(layout));
      const OutputPaths paths = {folder / "out.data", folder / "out.index"};
      const Written written = Write(run, layout, paths);
      EXPECT_EQ(written.writer.chunks, run.number("input_batches")) << name;
      EXPECT_EQ(written.writer.data_size, run.number("data_size")) << name;
      EXPECT_EQ(written.writer.spill_count, run.number("spill_count")) << name;
      EXPECT_EQ(written.writer.memory_spilled_bytes, run.number("memory_spilled_bytes")) << name;
      EXPECT_EQ(written.output.rows, run.number("output_rows")) << name;
      EXPECT_EQ(written.output.spilled_bytes > 0, run.number("spilled_bytes") > 0) << name;
      EXPECT_EQ(written.output.spill_files, run.number("spill_count") == 0 ? 0
                                            : layout == shuffle::SpillLayout::kFilePerPartition
                                                ? kCometPartitions
                                                : 1)
          << name;

      const absl::StatusOr<OutputReader> output =
          OutputReader::Open(paths, shuffle::IndexOrder::kLittleEndian);
      ASSERT_EQ(output.status(), absl::OkStatus()) << name;
      const auto recorded = RecordedBlocks(run);
      for (int32_t partition = 0; partition < kCometPartitions; ++partition) {
        const std::vector<Block> blocks = ReadPartition(*output, partition).first;
        ASSERT_EQ(blocks.size(), recorded[partition].size()) << name;
        for (size_t i = 0; i < blocks.size(); ++i) {
          EXPECT_EQ(blocks[i].rows, recorded[partition][i].rows) << name;
        }
      }
      ExpectRows(*output, name);
      ExpectSamePayloads(paths, run, name);
      if (run.at("codec").string_value() == "none") {
        EXPECT_EQ(written.output.spilled_bytes, run.number("spilled_bytes")) << name;
        EXPECT_TRUE(ReadBytes(paths.data) == ReadBytes(run.paths().data)) << name;
        EXPECT_TRUE(ReadBytes(paths.index) == ReadBytes(run.paths().index)) << name;
      }
      std::filesystem::remove(paths.data);
      std::filesystem::remove(paths.index);
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "no temporary file is left";
}

}  // namespace
}  // namespace spillway::golden
