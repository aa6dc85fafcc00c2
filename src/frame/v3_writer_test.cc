// SPDX-License-Identifier: Apache-2.0
#include "src/frame/v3_writer.h"

#include <climits>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/frame/v3.h"
#include "src/page/encoding_name.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"
#include "src/vector/flatten.h"
#include "src/vector/lazy_column.h"

namespace spillway::frame {
namespace {

using page::EncodingChoice;
using stats::BatchStats;
using stats::Bounds;
using stats::ColumnStats;
using vector::Batch;
using vector::Buffer;
using vector::ColumnPtr;
using vector::Encoding;
using vector::TypePtr;

constexpr int64_t kLimit = std::numeric_limits<int32_t>::max();

TypePtr T(std::string_view text) { return *vector::Type::Parse(text); }

ColumnPtr Ints(const std::vector<std::optional<int32_t>>& values) {
  return vector::Flat<int32_t>(T("INTEGER"), values);
}

ColumnPtr Texts(const std::vector<std::optional<std::string>>& values) {
  return vector::Strings(T("VARCHAR"), values);
}

ColumnPtr Constant(ColumnPtr value, int64_t rows) {
  return std::make_shared<vector::ConstantColumn>(std::move(value), rows);
}

// Row r is entry r % size of `alphabet`, or null where `nulls` says so.
ColumnPtr Cycle(ColumnPtr alphabet, int64_t rows, vector::Validity nulls = {}) {
  std::vector<int32_t> ids;
  for (int64_t row = 0; row < rows; ++row) {
    ids.push_back(static_cast<int32_t>(row % alphabet->rows()));
  }
  const ColumnPtr flat = vector::Flat<int32_t>(T("INTEGER"), ids);
  return std::make_shared<vector::DictionaryColumn>(
      rows, std::move(nulls), flat->As<vector::FlatColumn>().values(), std::move(alphabet));
}

Buffer Write(const ColumnPtr& column, EncodingChoice encoding) {
  const auto frame = WriteV3(vector::BatchOf({column}), {.encoding = encoding});
  EXPECT_TRUE(frame.ok()) << frame.status();
  return frame.value_or(Buffer());
}

V3Frame Open(const ColumnPtr& column, const Buffer& bytes) {
  return *V3Frame::Open(vector::BatchOf({column}).schema(), bytes);
}

// The column as an encoding-preserving frame gives it back, after a look at what it says.
ColumnPtr Preserved(const ColumnPtr& column) {
  const ColumnPtr read = *Open(column, Write(column, EncodingChoice::kSmallest)).Load(0);
  EXPECT_EQ(vector::FirstDifference(*read, *column), std::nullopt);
  return read;
}

std::string Error(const absl::Status& status) { return std::string(status.message()); }

// --- Encodings ----------------------------------------------------------------------------------

TEST(V3EncodingTest, GlutensWriterFlattens) {
  const ColumnPtr column = Cycle(Texts({std::string(50, 'a'), std::string(50, 'b')}), 100);
  const Buffer flat = Write(*vector::Flatten(column), EncodingChoice::kFlatten);
  EXPECT_EQ(Write(column, EncodingChoice::kFlatten).view(), flat.view());
  EXPECT_EQ(WriteV3(vector::BatchOf({column}))->view(), flat.view()) << "it is the default";
}

TEST(V3EncodingTest, ADictionaryStaysWhereItIsSmaller) {
  const ColumnPtr rich = Cycle(Texts({std::string(50, 'a'), std::string(50, 'b')}), 100);
  EXPECT_EQ(Preserved(rich)->encoding(), Encoding::kDictionary);
  EXPECT_LT(Write(rich, EncodingChoice::kSmallest).size() * 2,
            Write(rich, EncodingChoice::kFlatten).size());
  const ColumnPtr narrow = Cycle(vector::Flat<int8_t>(T("TINYINT"), {1, 2}), 100);
  EXPECT_EQ(Preserved(narrow)->encoding(), Encoding::kFlat);
}

TEST(V3EncodingTest, AConstantStaysWhereItIsSmaller) {
  EXPECT_EQ(Preserved(Constant(Ints({7}), 4096))->encoding(), Encoding::kConstant);
  EXPECT_EQ(Preserved(Constant(Ints({std::nullopt}), 4096))->encoding(), Encoding::kConstant);
  EXPECT_EQ(Preserved(Constant(Ints({7}), 1))->encoding(), Encoding::kFlat);
}

TEST(V3EncodingTest, NullsOfTheWrapperMoveIntoTheAlphabet) {
  const vector::Validity nulls =
      vector::BuildValidity(100, [](int64_t row) { return row % 3 == 0; });
  const ColumnPtr read = Preserved(Cycle(Texts({std::string(50, 'a'), "b"}), 100, nulls));
  ASSERT_EQ(read->encoding(), Encoding::kDictionary);
  EXPECT_FALSE(read->As<vector::DictionaryColumn>().validity().has_nulls());
  EXPECT_EQ(read->As<vector::DictionaryColumn>().alphabet()->null_count(), 1);
}

TEST(V3EncodingTest, NestedWrappersArePeeledAndUnusedEntriesDropped) {
  const ColumnPtr inner = Cycle(Texts({std::string(60, 'a'), "unused", std::string(60, 'c')}), 3);
  const ColumnPtr ids = vector::Flat<int32_t>(T("INTEGER"), std::vector<int32_t>{0, 2});
  const ColumnPtr middle = std::make_shared<vector::DictionaryColumn>(
      2, vector::Validity(), ids->As<vector::FlatColumn>().values(), inner);
  const ColumnPtr read = Preserved(Cycle(middle, 100));
  ASSERT_EQ(read->encoding(), Encoding::kDictionary);
  const ColumnPtr& alphabet = read->As<vector::DictionaryColumn>().alphabet();
  EXPECT_EQ(alphabet->encoding(), Encoding::kFlat);
  EXPECT_EQ(alphabet->rows(), 2);
}

TEST(V3EncodingTest, StatisticsAreThoseOfTheFlatColumn) {
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  const vector::Validity nulls =
      vector::BuildValidity(90, [](int64_t row) { return row % 4 == 1; });
  const ColumnPtr columns[] = {
      Cycle(Texts({std::string(300, 'm'), std::nullopt, "a"}), 90),
      Cycle(vector::Flat<int64_t>(T("BIGINT"), {5, -7, 30}), 90, nulls),
      // The second entry is the first row's zero.
      std::make_shared<vector::DictionaryColumn>(
          3, vector::Validity(), Ints({1, 0, 2})->As<vector::FlatColumn>().values(),
          vector::Flat<double>(T("DOUBLE"), {0.0, -0.0, kNan})),
      Cycle(vector::Flat<double>(T("DOUBLE"), {0.0, -0.0, kNan}), 90, nulls),
      Constant(Ints({7}), 4096),
      Constant(Ints({std::nullopt}), 4096),
      Constant(Ints({7}), 0),
      Cycle(Ints({7, 8}), 0),
  };
  for (const ColumnPtr& column : columns) {
    const auto flat = Open(column, Write(column, EncodingChoice::kFlatten)).stats();
    for (const EncodingChoice choice :
         {EncodingChoice::kSmallest, EncodingChoice::kPreserve, EncodingChoice::kVeloxBatch}) {
      EXPECT_EQ(Open(column, Write(column, choice)).stats(), flat)
          << column->type().ToString() << " choice " << static_cast<int>(choice);
    }
  }
}

// BUGS 14.124 (velox#5065, #5140): a batch that was read lazily is written whole.
TEST(V3EncodingTest, LazyColumnsAreLoadedFirst) {
  const Batch batch = vector::BatchOf({Ints({1, 2, 3}), Texts({"a", "b", std::nullopt})});
  const Buffer bytes = *WriteV3(batch);
  const V3Frame frame = *V3Frame::Open(batch.schema(), bytes);
  EXPECT_EQ(WriteV3(*frame.ReadLazy())->view(), bytes.view());
}

// --- Limits (FORMAT section 4) ------------------------------------------------------------------

TEST(V3LimitTest, RowsAreAtMostTwoToThe31Minus1) {
  EXPECT_EQ(*V3FrameSize(kLimit, 0, {}), 16);
  EXPECT_EQ(Error(V3FrameSize(kLimit + 1, 0, {}).status()),
            "V3 frame: 2147483648 rows, the limit is 2147483647");
  EXPECT_EQ(V3FrameSize(-1, 0, {}).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(WriteV3(Batch(T("ROW<>"), kLimit + 1, {})).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(WriteV3(Batch(T("ROW<>"), kLimit, {})).ok());
}

TEST(V3LimitTest, ARunOfTheMostRowsIsWrittenAndReadAndOneMoreIsNot) {
  const V3WriteOptions smallest{.encoding = EncodingChoice::kSmallest};
  const ColumnPtr most = Constant(Ints({7}), kLimit);
  const Buffer frame = *WriteV3(vector::BatchOf({most}), smallest);
  EXPECT_LT(frame.size(), 200);
  const V3Frame read = Open(most, frame);
  EXPECT_EQ((*read.Load(0))->rows(), kLimit);
  EXPECT_EQ((*read.stats())[0].count, static_cast<uint32_t>(kLimit));
  const ColumnPtr more = Constant(Ints({7}), kLimit + 1);
  EXPECT_EQ(Error(WriteV3(vector::BatchOf({more}), smallest).status()),
            "V3 frame: column 0 `c0` INTEGER: 2147483648 rows do not fit a block, whose limit is "
            "2147483647");
}

TEST(V3LimitTest, ABlockIsAtMostTwoToThe31Minus1Bytes) {
  EXPECT_EQ(Error(V3FrameSize(1, 0, {5, kLimit + 1}).status()),
            "V3 frame: column 1: block of 2147483648 bytes, the limit is 2147483647");
}

TEST(V3LimitTest, AFrameIsAtMostTwoToThe31Minus1BytesInAll) {
  constexpr int64_t kHead = 16 + 2 * 4;
  EXPECT_EQ(*V3FrameSize(1, 30, {1 << 30, kLimit - (1 << 30) - kHead - 30}), kLimit);
  EXPECT_EQ(Error(V3FrameSize(1, 30, {1 << 30, kLimit - (1 << 30) - kHead - 29}).status()),
            "V3 frame: 2147483648 bytes, the limit is 2147483647");
}

// Both are refused before anything of that size is allocated: only addresses are named here.
TEST(V3LimitTest, AssemblingRefusesBeforeItAllocates) {
  static const char kByte = 0;
  const std::string_view half(&kByte, size_t{1} << 30);
  EXPECT_EQ(AssembleV3(1, std::nullopt, {half, half}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(AssembleV3(1, std::nullopt, {std::string_view(&kByte, size_t{1} << 31)})
                .status()
                .code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(V3LimitTest, StatisticsHaveOneEntryABlock) {
  EXPECT_EQ(Error(AssembleV3(1, BatchStats(2), {"x"}).status()),
            "V3 frame: statistics of 2 columns, 1 blocks");
}

TEST(V3LimitTest, ABlockIsEmptyOnlyWithoutRows) {
  EXPECT_EQ(Error(AssembleV3(2, std::nullopt, {"x", ""}).status()),
            "V3 frame: column 1: an empty block in a frame of 2 rows");
  const Buffer frame = *AssembleV3(0, std::nullopt, {""});
  EXPECT_EQ((*V3Frame::Open(T("ROW<a:INTEGER>"), frame)->Load(0))->rows(), 0);
}

// A writer of empty batches still writes whole blocks, as Gluten's does.
TEST(V3LimitTest, AnEmptyColumnIsWrittenAsABlock) {
  EXPECT_GT(Open(Ints({}), Write(Ints({}), EncodingChoice::kFlatten)).block_size(0), 0);
}

TEST(V3WriterTest, ColumnsShareOneBoundOnWhatTheyTakeFlat) {
  const ColumnPtr run = Constant(Ints({7}), 1000);
  constexpr int64_t kEach = 9000;  // values, row numbers that lead to them, bits
  const V3WriteOptions options{.max_expanded_bytes = 2 * kEach};
  EXPECT_TRUE(WriteV3(vector::BatchOf({run, run}), options).ok());
  const auto refused = WriteV3(vector::BatchOf({run, run, run}), options);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted) << refused.status();
}

// Zeros have signs in the order of the rows, so bounds of a dictionary of DOUBLE need its rows.
TEST(V3WriterTest, StatisticsOfAPreservedDictionaryKeepTheBoundToo) {
  const ColumnPtr cycle = Cycle(vector::Flat<double>(T("DOUBLE"), {0.0, -0.0, 1.5}), 1000);
  V3WriteOptions options{.statistics = false, .encoding = EncodingChoice::kSmallest};
  options.max_expanded_bytes = 9000;  // the alphabet, but not 1000 values of 8 bytes and their rows
  EXPECT_TRUE(WriteV3(vector::BatchOf({cycle}), options).ok());
  options.statistics = true;
  const auto refused = WriteV3(vector::BatchOf({cycle}), options);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted) << refused.status();
}

}  // namespace
}  // namespace spillway::frame
