// SPDX-License-Identifier: Apache-2.0
#include "src/frame/v3.h"

#include <sys/mman.h>

#include <atomic>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/frame/v2.h"
#include "src/page/page.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"
#include "src/vector/lazy_column.h"

namespace spillway::frame {
namespace {

using ::testing::HasSubstr;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::LazyColumn;
using vector::TypePtr;

TypePtr T(std::string_view text) { return *vector::Type::Parse(text); }

std::string Error(const absl::Status& status) { return std::string(status.message()); }

// A frame of INTEGER, VARCHAR and DOUBLE, whose bytes a test may damage.
class V3FrameTest : public ::testing::Test {
 protected:
  std::string Bytes(bool statistics = true) const {
    return std::string(WriteV3(batch_, {.statistics = statistics})->view());
  }

  V3Frame Open(const std::string& bytes) const {
    const auto frame = V3Frame::Open(batch_.schema(), Buffer::Copy(bytes));
    EXPECT_TRUE(frame.ok()) << frame.status();
    return *frame;
  }

  // The values of `batch`'s rows, "1, "a", 0.5" each.
  static std::vector<std::string> Rows(const Batch& batch) {
    std::vector<std::string> out;
    for (int64_t row = 0; row < batch.rows(); ++row) {
      out.emplace_back();
      for (const ColumnPtr& column : batch.columns()) {
        if (!out.back().empty()) out.back() += ", ";
        out.back() += vector::ValueToString(*column, row);
      }
    }
    return out;
  }

  static bool IsLoaded(const Batch& batch, size_t column) {
    return batch.column(column).As<LazyColumn>().loaded();
  }

  // The frame with a row count of 4 in the head of column `index`'s block.
  std::string DamageColumn(int64_t index) const {
    std::string bytes = Bytes(false);
    int64_t at = 16;
    for (int64_t i = 0; i < index; ++i) at += 4 + base::Load<uint32_t>(bytes.data() + at);
    const auto name = base::Load<int32_t>(bytes.data() + at + 4);
    base::Store<int32_t>(bytes.data() + at + 8 + name, 4);
    return bytes;
  }

  const Batch batch_ = vector::BatchOf(
      {vector::Flat<int32_t>(T("INTEGER"), {1, std::nullopt, 3}),
       vector::Strings(T("VARCHAR"), {"a", "b", std::nullopt}),
       vector::Flat<double>(T("DOUBLE"), {0.5, 1.5, 2.5})});
};

// BUGS 13.117 (apache/gluten#9058): selecting one column decoded all.
TEST_F(V3FrameTest, NothingIsDecodedUntilAColumnIsNeeded) {
  const V3Frame frame = Open(Bytes());
  const Batch batch = *frame.ReadLazy();
  EXPECT_EQ(frame.columns_decoded(), 0);
  EXPECT_EQ(vector::ValueToString(batch.column(1), 0), "\"a\"");
  EXPECT_EQ(frame.columns_decoded(), 1);
  EXPECT_FALSE(IsLoaded(batch, 0));
  EXPECT_EQ(vector::FirstDifference(batch, batch_), std::nullopt);
  EXPECT_EQ(frame.columns_decoded(), 3);
}

TEST_F(V3FrameTest, ProjectionsAreAllNoneOrListed) {
  const V3Frame frame = Open(Bytes());
  EXPECT_EQ(frame.ReadLazy()->schema()->ToString(), "ROW<c0:INTEGER,c1:VARCHAR,c2:DOUBLE>");
  const Batch none = *frame.ReadLazy(std::vector<int64_t>{});
  EXPECT_EQ(none.rows(), 3);
  EXPECT_EQ(none.schema()->ToString(), "ROW<>");
  const Batch listed = *frame.ReadLazy(std::vector<int64_t>{2, 0});
  EXPECT_EQ(listed.schema()->ToString(), "ROW<c2:DOUBLE,c0:INTEGER>");
  EXPECT_THAT(Rows(listed), ::testing::ElementsAre("0.5, 1", "1.5, null", "2.5, 3"));
}

TEST_F(V3FrameTest, ColumnsAskedForTwiceShareOneLoader) {
  const V3Frame frame = Open(Bytes());
  const Batch batch = *frame.ReadLazy(std::vector<int64_t>{1, 0, 1});
  EXPECT_EQ(batch.columns()[0], batch.columns()[2]);
  EXPECT_THAT(Rows(batch),
              ::testing::ElementsAre("\"a\", 1, \"a\"", "\"b\", null, \"b\"", "null, 3, null"));
  EXPECT_EQ(frame.columns_decoded(), 2);
  EXPECT_EQ(frame.Read(std::vector<int64_t>{1, 1})->columns().size(), 2u);
  EXPECT_EQ(frame.columns_decoded(), 3) << "eager reading decodes it once, too";
}

// BUGS 13.118: a column that the frame does not have is named.
TEST_F(V3FrameTest, AColumnOutsideTheFrameIsNamed) {
  const V3Frame frame = Open(Bytes());
  for (const int64_t index : {-1, 3}) {
    const auto read = frame.ReadLazy(std::vector<int64_t>{0, index});
    EXPECT_EQ(read.status().code(), absl::StatusCode::kOutOfRange);
    EXPECT_EQ(Error(read.status()),
              base::Cat("V3 frame: column ", index, " of a frame with 3 columns"));
  }
}

// BUGS 14.120 (velox4j#52): frame, bytes and reader are gone when the column is loaded.
TEST_F(V3FrameTest, LazyColumnsOutliveFrameAndBytes) {
  for (const bool owned : {true, false}) {
    std::optional<Batch> batch;
    {
      const std::string bytes = Bytes();
      const Buffer buffer = owned ? Buffer::Copy(bytes) : Buffer::Borrow(bytes);
      const V3Frame frame = *V3Frame::Open(batch_.schema(), buffer);
      batch = *frame.ReadLazy();
    }
    EXPECT_EQ(vector::FirstDifference(*batch, batch_), std::nullopt) << owned;
  }
}

TEST_F(V3FrameTest, OwnedBytesAreLetGoWhenTheLastColumnIs) {
  auto owner = std::make_shared<const std::string>(Bytes());
  const std::weak_ptr<const std::string> watch = owner;
  std::optional<Batch> batch;
  {
    const std::string_view view = *owner;
    batch = *V3Frame::Open(batch_.schema(), Buffer::Share(view, std::move(owner)))->ReadLazy();
  }
  EXPECT_FALSE(watch.expired());
  batch.reset();
  EXPECT_TRUE(watch.expired());
}

TEST_F(V3FrameTest, AColumnNobodyReadsMayBeCorrupt) {
  const V3Frame frame = Open(DamageColumn(1));
  const Batch batch = *frame.ReadLazy();
  EXPECT_EQ(vector::ValueToString(batch.column(0), 2), "3");
  EXPECT_EQ(vector::ValueToString(batch.column(2), 2), "2.5");
  EXPECT_THAT(Rows(*frame.Read(std::vector<int64_t>{0, 2})),
              ::testing::ElementsAre("1, 0.5", "null, 1.5", "3, 2.5"));
}

// BUGS 14.123: the bytes of a failed load are kept, so that each access says the same.
TEST_F(V3FrameTest, AFailureIsTheSameAtEachAccess) {
  const V3Frame frame = Open(DamageColumn(1));
  const Batch batch = *frame.ReadLazy();
  const auto& column = batch.column(1).As<LazyColumn>();
  const std::string first = Error(column.Load().status());
  EXPECT_THAT(first, HasSubstr("V3 frame: column 1 `c1` VARCHAR: "));
  EXPECT_EQ(Error(column.Load().status()), first);
  EXPECT_EQ(Error(frame.Load(1).status()), first);
  EXPECT_EQ(frame.columns_decoded(), 0);
}

// A borrowed frame's columns keep copies of their blocks, and still say where they lay.
TEST_F(V3FrameTest, ACopiedBlockReportsTheOffsetsOfTheFrame) {
  const std::string bytes = DamageColumn(2);
  const V3Frame frame = *V3Frame::Open(batch_.schema(), Buffer::Borrow(bytes));
  const Batch batch = *frame.ReadLazy();
  EXPECT_EQ(batch.column(2).As<LazyColumn>().Load().status(), frame.Load(2).status());
}

// BUGS 14.121 (velox#2237): the row count of the frame is the one that counts.
TEST_F(V3FrameTest, ABlockOfOtherRowsIsRefusedWhenItIsLoaded) {
  std::string bytes = Bytes(false);
  base::Store<uint32_t>(bytes.data() + 8, 5);
  const Batch batch = *Open(bytes).ReadLazy();
  EXPECT_EQ(batch.rows(), 5);
  EXPECT_THAT(Error(batch.column(0).As<LazyColumn>().Load().status()),
              HasSubstr("the block has 3 rows, not 5"));
}

TEST_F(V3FrameTest, SixteenThreadsDecodeEachColumnOnce) {
  constexpr int kThreads = 16;
  constexpr int kColumns = 24;
  std::vector<ColumnPtr> columns;
  for (int i = 0; i < kColumns; ++i) columns.push_back(batch_.columns()[i % 3]);
  const Batch wide = vector::BatchOf(std::move(columns));
  const V3Frame frame = *V3Frame::Open(wide.schema(), *WriteV3(wide));
  const Batch batch = *frame.ReadLazy();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kColumns; ++i) {
        const int index = (i + thread) % kColumns;
        const auto difference = vector::FirstDifference(batch.column(index), wide.column(index));
        if (difference.has_value()) ++wrong;
      }
      if (!frame.stats().has_value() || frame.stats()->size() != kColumns) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(frame.columns_decoded(), kColumns);
}

TEST_F(V3FrameTest, StatisticsAreCheckedAtOnceAndDecodedWhenAskedFor) {
  EXPECT_EQ(Open(Bytes(true)).stats(), stats::ComputeStats(batch_));
  EXPECT_EQ(Open(Bytes(false)).stats(), std::nullopt);
  std::string bytes = Bytes();
  bytes[12] = 2;  // the first cell's flag
  EXPECT_THAT(Error(V3Frame::Open(batch_.schema(), Buffer::Own(bytes)).status()),
              HasSubstr("V3 frame: statistics: column 0 `c0` INTEGER: supported byte 2"));
}

TEST_F(V3FrameTest, TheStructureIsCheckedAsAWholeBeforeAnyColumn) {
  const std::string bytes = Bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto frame = V3Frame::Open(batch_.schema(), Buffer::Copy(bytes.substr(0, size)));
    EXPECT_TRUE(base::ByteOffset(frame.status()).has_value()) << size;
  }
}

// No reader is given a frame that no Java array can hold. The memory is reserved, never touched
// but for its first page.
TEST_F(V3FrameTest, AFrameOverTwoToThe31Minus1BytesIsRefused) {
  constexpr size_t kSize = size_t{1} << 31;
  void* memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::string bytes = Bytes();
  std::memcpy(memory, bytes.data(), bytes.size());
  const Buffer huge = Buffer::Borrow({static_cast<const char*>(memory), kSize});
  EXPECT_EQ(Error(V3Frame::Open(batch_.schema(), huge).status()),
            "V3 frame: a frame of 2147483648 bytes, the limit is 2147483647");
  munmap(memory, kSize);
}

// BUGS 14.125 (velox#6772, #6300): a batch that is held while another is read keeps its values.
TEST_F(V3FrameTest, AHeldBatchIsNotTouchedByTheNextRead) {
  const V3Frame frame = Open(Bytes());
  const Batch held = *frame.Read();
  const Batch next = *frame.Read();
  EXPECT_EQ(vector::FirstDifference(held, batch_), std::nullopt);
  EXPECT_EQ(vector::FirstDifference(next, batch_), std::nullopt);
}

// BUGS 14.124: every writer loads what it is given.
TEST_F(V3FrameTest, ALazyBatchIsWrittenInEveryForm) {
  const V3Frame frame = Open(Bytes());
  EXPECT_EQ(WriteV2(*frame.ReadLazy())->view(), WriteV2(batch_)->view());
  EXPECT_EQ(page::WritePage(*frame.ReadLazy())->view(), page::WritePage(batch_)->view());
  const V3Frame damaged = Open(DamageColumn(1));
  for (const absl::Status& status :
       {WriteV2(*damaged.ReadLazy()).status(), WriteV3(*damaged.ReadLazy()).status(),
        page::WritePage(*damaged.ReadLazy()).status()}) {
    EXPECT_THAT(Error(status), HasSubstr("column 1 `c1` VARCHAR: "));
  }
}

}  // namespace
}  // namespace spillway::frame
