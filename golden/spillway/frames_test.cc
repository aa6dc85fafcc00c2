// SPDX-License-Identifier: Apache-2.0
// Frames of our own, pinned: they still read as what they said when they were written, and the
// current writer still writes them.
#include "golden/spillway/frames.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/hex_file.h"
#include "gtest/gtest.h"
#include "src/base/byte_reader.h"
#include "src/base/hex_text.h"
#include "src/base/strings.h"
#include "src/frame/v3.h"
#include "src/page/encoding_name.h"
#include "src/vector/compare.h"

namespace spillway::golden {
namespace {

using vector::Buffer;
using vector::ColumnPtr;

// A line of manifest.txt.
struct Claim {
  std::string since;
  std::string writer;
  std::string statistics;
  std::string schema;
  std::string rows;
  std::string encodings;
  std::string values;
};

std::map<std::string, Claim> Manifest() {
  const auto table = ReadTable("golden/spillway/manifest.txt");
  EXPECT_TRUE(table.ok()) << table.status();
  std::map<std::string, Claim> out;
  for (const auto& line : *table) {
    EXPECT_EQ(line.size(), 8u) << line[0];
    if (line.size() != 8) continue;
    out[line[0]] = {line[1], line[2], line[3], line[4], line[5], line[6], line[7]};
  }
  return out;
}

// The names of the block at `in`: "DICTIONARY(VARIABLE_WIDTH)" for a wrapper and what it wraps.
std::string EncodingOf(base::ByteReader& in) {
  const int32_t length = in.Read<int32_t>("length").value_or(0);
  const std::string name(in.ReadBytes(length, "name").value_or(""));
  if (name != page::kDictionary && name != page::kRle) return name;
  EXPECT_TRUE(in.Read<int32_t>("rows").ok());
  return base::Cat(name, "(", EncodingOf(in), ")");
}

// What the bytes of the frame's columns are encoded in, found without our reader.
std::string Encodings(std::string_view frame, int64_t columns) {
  base::ByteReader in(frame);
  in.Skip(4);
  in.Skip(in.Read<uint32_t>("statsLen").value_or(0));
  in.Skip(8);
  std::string out;
  for (int64_t i = 0; i < columns; ++i) {
    base::ByteReader block = *in.Sub(in.Read<uint32_t>("colLen").value_or(0), "block");
    if (i != 0) out += ", ";
    out += EncodingOf(block);
  }
  return out;
}

// "[1, null] ["a", "b"]", a list a column. More than 20 rows: the first 20 and dots.
std::string Values(const vector::Batch& batch) {
  constexpr int64_t kShown = 20;
  std::string out;
  for (const ColumnPtr& column : batch.columns()) {
    if (!out.empty()) out += " ";
    out += "[";
    for (int64_t row = 0; row < std::min(batch.rows(), kShown); ++row) {
      if (row != 0) out += ", ";
      out += vector::ValueToString(*column, row);
    }
    out += batch.rows() > kShown ? ", ...]" : "]";
  }
  return out.empty() ? "-" : out;
}

class OwnFramesTest : public ::testing::TestWithParam<OwnFrame> {
 protected:
  std::string Bytes() const {
    const auto bytes = ReadHexFile(base::Cat("golden/spillway/", GetParam().name, ".hex"));
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return bytes.value_or("");
  }

  Claim Claimed() const {
    const auto manifest = Manifest();
    const auto it = manifest.find(GetParam().name);
    EXPECT_NE(it, manifest.end()) << "not in the manifest";
    return it == manifest.end() ? Claim() : it->second;
  }
};

TEST_P(OwnFramesTest, TheCurrentWriterStillWritesIt) {
  const auto frame = frame::WriteV3(GetParam().batch, GetParam().options);
  ASSERT_TRUE(frame.ok()) << frame.status();
  EXPECT_EQ(base::ToHexText(frame->view()), base::ToHexText(Bytes()));
}

TEST_P(OwnFramesTest, ItReadsAsWhatTheManifestClaims) {
  const Claim claim = Claimed();
  const auto schema = vector::Type::Parse(claim.schema);
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto frame = frame::V3Frame::Open(*schema, Buffer::Own(Bytes()));
  ASSERT_TRUE(frame.ok()) << frame.status();
  const auto batch = frame->Read();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(Values(*batch), claim.values);
  EXPECT_EQ(base::Cat(frame->rows()), claim.rows);
  const bool nan_aware = GetParam().options.nan_aware;
  EXPECT_EQ(!frame->stats().has_value() ? "no" : nan_aware ? "nan-aware" : "yes",
            claim.statistics);
  EXPECT_EQ(vector::FirstDifference(*batch, GetParam().batch), std::nullopt);
}

TEST_P(OwnFramesTest, ItsBytesContainTheEncodingsThatTheManifestClaims) {
  const Claim claim = Claimed();
  const auto columns = static_cast<int64_t>(GetParam().batch.columns().size());
  EXPECT_EQ(Encodings(Bytes(), columns), columns == 0 ? "" : claim.encodings);
  const bool smallest = GetParam().options.encoding == page::EncodingChoice::kSmallest;
  EXPECT_EQ(claim.writer, smallest ? "smallest" : "flatten");
  EXPECT_FALSE(claim.since.empty());
}

INSTANTIATE_TEST_SUITE_P(Frames, OwnFramesTest, ::testing::ValuesIn(OwnFrames()),
                         [](const auto& info) { return info.param.name; });

TEST(OwnFramesManifestTest, EveryLineHasABuilder) {
  EXPECT_EQ(Manifest().size(), OwnFrames().size());
}

}  // namespace
}  // namespace spillway::golden
