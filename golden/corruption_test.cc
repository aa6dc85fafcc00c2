// SPDX-License-Identifier: Apache-2.0
// Every truncation of every fixture, and a flip of every bit of it, gives a Status that knows its
// byte, or a value that the rules call harmless.
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/hex_file.h"
#include "gtest/gtest.h"
#include "src/base/status.h"
#include "src/frame/v2.h"
#include "src/frame/v3.h"
#include "src/page/page.h"
#include "src/stats/blob.h"
#include "src/vector/type.h"

namespace spillway {
namespace {

using vector::Buffer;
using vector::Type;
using vector::TypePtr;

// Reads `bytes` in full: whatever a lazy reader would put off is done too.
using Reader = std::function<absl::Status(const TypePtr& schema, const std::string& bytes)>;

absl::Status ReadPage(const TypePtr& schema, const std::string& bytes) {
  return page::ReadPage(schema, Buffer::Copy(bytes)).status();
}

absl::Status ReadV2(const TypePtr& schema, const std::string& bytes) {
  return frame::ReadV2(schema, Buffer::Copy(bytes)).status();
}

absl::Status ReadV3(const TypePtr& schema, const std::string& bytes) {
  const auto frame = frame::V3Frame::Open(schema, Buffer::Copy(bytes));
  return frame.ok() ? frame->Read().status() : frame.status();
}

// The structure alone: the fixtures' blocks are no Presto blocks.
absl::Status OpenV3(const TypePtr& schema, const std::string& bytes) {
  return frame::V3Frame::Open(schema, Buffer::Copy(bytes)).status();
}

absl::Status ReadStats(const TypePtr& schema, const std::string& bytes) {
  return stats::ReadBlob(*schema, base::ByteReader(bytes)).status();
}

struct Fixture {
  const char* name;
  const char* schema;
  Reader read;
  // Whether a flip at this byte may go unseen: values that nothing covers, such as those of a
  // statistics blob or of a V3 column (BUGS 15.141: V3 has no checksum).
  std::function<bool(size_t)> harmless;
};

bool Never(size_t) { return false; }
bool Anywhere(size_t) { return true; }

std::vector<Fixture> Fixtures() {
  const char* four = "ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>";
  const char* three = "ROW<a:VARBINARY,b:VARBINARY,c:VARBINARY>";
  return {
      {"v2_golden_page_3033", four, ReadPage, Never},
      // Bytes 8..160 are the statistics; everything behind them is under the page's checksum.
      {"v2_golden_3198", four, ReadV2, [](size_t at) { return at >= 8 && at < 161; }},
      {"v2_golden_stats_153", four, ReadStats, Anywhere},
      // numRows, and the opaque blocks, which nothing is known of.
      {"v3_fixture_no_stats", three, OpenV3, [](size_t at) { return at >= 8; }},
      {"v3_fixture_with_stats", three, OpenV3, [](size_t at) { return at >= 8; }},
      {"v3_empty_no_stats", "ROW<>", ReadV3, [](size_t at) { return at >= 8 && at < 12; }},
      {"v3_empty_with_stats", "ROW<>", ReadV3, [](size_t at) { return at >= 12 && at < 16; }},
  };
}

class CorruptionTest : public ::testing::TestWithParam<Fixture> {
 protected:
  std::string Bytes() const {
    return *golden::ReadHexFile(base::Cat("golden/gluten/", GetParam().name, ".hex"));
  }
  absl::Status Read(const std::string& bytes) const {
    return GetParam().read(*Type::Parse(GetParam().schema), bytes);
  }
};

TEST_P(CorruptionTest, TheWholeFixtureReads) { EXPECT_TRUE(Read(Bytes()).ok()) << Read(Bytes()); }

TEST_P(CorruptionTest, EveryTruncationIsRefusedWithItsByte) {
  const std::string whole = Bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    const absl::Status status = Read(whole.substr(0, size));
    ASSERT_FALSE(status.ok()) << "cut to " << size;
    const auto at = base::ByteOffset(status);
    ASSERT_TRUE(at.has_value()) << "cut to " << size << ": " << status;
    EXPECT_LE(*at, static_cast<int64_t>(size)) << status;
  }
}

TEST_P(CorruptionTest, EveryFlippedBitIsSeenOrHarmless) {
  const std::string whole = Bytes();
  const TypePtr schema = *Type::Parse(GetParam().schema);
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    const absl::Status status = GetParam().read(schema, bytes);
    if (status.ok()) {
      EXPECT_TRUE(GetParam().harmless(bit / 8)) << "bit " << bit;
    } else {
      EXPECT_TRUE(base::ByteOffset(status).has_value()) << "bit " << bit << ": " << status;
    }
  }
}

// With the page's checksum repaired, the flips reach the blocks behind it.
TEST(PageCorruptionTest, EveryFlippedBitBehindARepairedChecksumIsSeenOrDecodes) {
  std::string bytes = *golden::ReadHexFile("golden/gluten/v2_golden_page_3033.hex");
  const TypePtr schema = *Type::Parse("ROW<a:INTEGER,b:BIGINT,c:VARCHAR,d:BIGINT>");
  bytes[4] = 0;
  for (int at = 13; at < 17; ++at) bytes[at] = 0;
  ASSERT_TRUE(ReadPage(schema, bytes).ok());
  int seen = 0;
  for (size_t bit = 8 * page::kPageHeaderSize; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    const absl::Status status = ReadPage(schema, bytes);
    if (!status.ok()) {
      ++seen;
      EXPECT_TRUE(base::ByteOffset(status).has_value()) << status;
    }
    bytes[bit / 8] ^= static_cast<char>(1 << (bit % 8));
  }
  EXPECT_GT(seen, 8 * 100) << "names, counts and offsets are covered by rules of their own";
}

INSTANTIATE_TEST_SUITE_P(Gluten, CorruptionTest, ::testing::ValuesIn(Fixtures()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace spillway
