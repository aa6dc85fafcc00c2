// SPDX-License-Identifier: Apache-2.0
#include "src/cache/dump.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/base/strings.h"
#include "src/cache/cache_bench.h"
#include "src/frame/cache_file.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"
#include "src/vector/build.h"

namespace spillway::cache {
namespace {

using vector::Batch;
using vector::Buffer;

const vector::TypePtr& Schema() {
  static const auto& type =
      *new vector::TypePtr(*vector::Type::Parse("ROW<\"a,\"\"b\":VARCHAR,d:DOUBLE>"));
  return type;
}

// Rows first .. first + rows - 1, of three values, every seventh null.
Batch Rows(int64_t first, int64_t rows) {
  std::vector<std::optional<std::string>> texts;
  std::vector<std::optional<double>> numbers;
  for (int64_t row = first; row < first + rows; ++row) {
    texts.push_back(base::Cat("a text that is long enough to be kept once ", row % 3));
    if (row % 7 == 0) texts.back() = std::nullopt;
    numbers.push_back(0.5 * static_cast<double>(row));
  }
  return Batch(Schema(), rows,
               {vector::Strings(Schema()->children()[0], texts),
                vector::Flat<double>(Schema()->children()[1], numbers)});
}

// Partition 7: a page and a V2 frame; partition 3: a V3 frame.
class DumpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = ::testing::TempDir() + "/dump_test.cache";
    auto writer = frame::CacheFileWriter::Create(path, Schema());
    ASSERT_TRUE(writer.ok()) << writer.status();
    const auto add = [&](uint32_t partition, const Buffer& bytes, int64_t rows) {
      ASSERT_TRUE((*writer)->Append(partition, *frame::MakeEnvelope(bytes, rows, 0)).ok());
    };
    add(7, *page::WritePage(Rows(0, 300)), 300);
    add(3, *frame::WriteV3(Rows(300, 200)), 200);
    add(7, *frame::WriteV2(Rows(500, 1)), 1);
    ASSERT_TRUE((*writer)->Finish().ok());
    auto source = frame::FileSource::Open(path);
    ASSERT_TRUE(source.ok()) << source.status();
    uint8_t bytes[1 << 16];
    frame::StreamReader in(**source);
    const auto size = in.ReadUpTo(bytes, sizeof(bytes));
    ASSERT_TRUE(size.ok()) << size.status();
    file_.assign(reinterpret_cast<const char*>(bytes), *size);
  }

  absl::StatusOr<Dump> Load(std::string_view bytes, int64_t max_bytes = 1 << 20) const {
    frame::MemorySource source(bytes);
    return LoadDump(source, max_bytes);
  }

  std::string file_;
};

TEST_F(DumpTest, PartitionsKeepTheOrderOfTheFile) {
  const auto dump = Load(file_);
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_EQ(dump->batches, 3);
  EXPECT_EQ(dump->rows, 501);
  ASSERT_EQ(dump->partitions.size(), 2u);
  const auto rows = [&](int64_t partition) {
    std::vector<int64_t> out;
    const BatchSource source = Replay(*dump, partition);
    while (true) {
      const auto batch = source();
      EXPECT_TRUE(batch.ok()) << batch.status();
      if (!batch.ok() || !batch->has_value()) return out;
      out.push_back((*batch)->rows());
    }
  };
  EXPECT_EQ(rows(0), (std::vector<int64_t>{300, 1}));
  EXPECT_EQ(rows(1), (std::vector<int64_t>{200}));
  EXPECT_EQ(rows(1), (std::vector<int64_t>{200})) << "each source starts anew";
}

TEST_F(DumpTest, ACutFileALimitAndNoRowsAreErrors) {
  EXPECT_EQ(Load(std::string_view(file_).substr(0, file_.size() - 1)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Load(file_, 100).status().code(), absl::StatusCode::kResourceExhausted);
  const std::string path = ::testing::TempDir() + "/empty.cache";
  auto writer = frame::CacheFileWriter::Create(path, Schema());
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->Finish().ok());
  const auto source = frame::FileSource::Open(path);
  EXPECT_EQ(LoadDump(**source, 1000).status().message(), "no rows in 0 batches");
}

TEST_F(DumpTest, IsCachedInAllFormsWithOneResult) {
  auto dump = Load(file_);
  ASSERT_TRUE(dump.ok()) << dump.status();
  const auto result =
      RunCacheBench({.dump = std::make_shared<const Dump>(*std::move(dump))}, nullptr);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->tables.size(), 1u);
  const TableTimes& table = result->tables[0];
  EXPECT_EQ(table.rows, 501);
  ASSERT_EQ(table.modes.size(), 5u);
  for (const ModeTimes& mode : table.modes) {
    ASSERT_EQ(mode.phases.size(), 3u);
    for (size_t phase : {1, 2}) {
      EXPECT_NE(mode.phases[phase].digest, 0u);
      EXPECT_EQ(mode.phases[phase].counts.rows, 501) << mode.name;
    }
    EXPECT_NE(mode.phases[1].digest, mode.phases[2].digest) << "one column is not all";
  }
  EXPECT_EQ(table.modes[2].phases[1].counts.columns_decoded, 3) << "one of each batch";
}

TEST_F(DumpTest, AnyNameOfAColumnIsPrintedSoThatItCanBeRead) {
  auto dump = Load(file_);
  ASSERT_TRUE(dump.ok()) << dump.status();
  const auto result =
      RunCacheBench({.dump = std::make_shared<const Dump>(*std::move(dump))}, nullptr);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto json = nlohmann::json::parse(CacheBenchJson(*result));
  EXPECT_EQ(json["tables"][0]["schema"], Schema()->ToString());
  EXPECT_TRUE(json["tables"][0]["modes"][0]["columns"].contains(Schema()->names()[0]));
  EXPECT_NE(CacheBenchCsv(*result).find("footprint,\"a,\"\"b\","), std::string::npos)
      << CacheBenchCsv(*result);
  EXPECT_NE(CacheBenchText(*result).find("2 partitions and 3 batches of the dump"),
            std::string::npos);
}

}  // namespace
}  // namespace spillway::cache
