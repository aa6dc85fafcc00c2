// SPDX-License-Identifier: Apache-2.0
// Damaged pages of Velox: cut at every length, and with every single bit flipped. A damaged page is
// refused with the byte of the fault, or it decodes to values that can be written again.
//
// Two hundred cases, evenly from index.jsonl, which lists type by type and, in each, flat, constant
// and dictionary inputs. Of each the page that keeps most encodings.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/velox/velox_cases.h"
#include "gtest/gtest.h"
#include "src/base/little_endian.h"
#include "src/base/status.h"
#include "src/page/page.h"
#include "src/vector/batch.h"

namespace spillway {
namespace {

using golden::VeloxCase;
using vector::Batch;
using vector::Buffer;

constexpr size_t kCases = 200;
// A case whose page is longer is not chosen: every bit of it would take too long.
constexpr size_t kLongest = 800;

// Offsets of the header's fields.
constexpr int64_t kMarkerAt = 4;
constexpr int64_t kUncompressedSizeAt = 5;
constexpr int64_t kSizeAt = 9;
constexpr int64_t kChecksumAt = 13;

// What Velox wrote with as many encodings as it keeps; empty if it could not.
std::string PageOf(const VeloxCase& one) {
  for (const char* output : {"page_batch_preserve", "page_batch", "page_iter"}) {
    const auto known = one.outputs.find(output);
    if (known != one.outputs.end()) return known->second;
  }
  return "";
}

// The page with sizes that fit its bytes and without checksum, so that damage reaches the blocks.
std::string Repaired(std::string page) {
  const auto size = static_cast<int32_t>(page.size()) - static_cast<int32_t>(page::kPageHeaderSize);
  page[kMarkerAt] = 0;
  base::Store(page.data() + kUncompressedSizeAt, size);
  base::Store(page.data() + kSizeAt, size);
  base::Store<int64_t>(page.data() + kChecksumAt, 0);
  return page;
}

class DamageTest : public ::testing::Test {
 public:
  explicit DamageTest(const VeloxCase& one) : case_(one), page_(PageOf(one)) {}

  void TestBody() override {
    ASSERT_FALSE(page_.empty());
    ASSERT_TRUE(Read(page_).ok()) << Read(page_).status();
    CutShort();
    FlipBits(page_);
    FlipBits(Repaired(page_));
  }

 private:
  absl::StatusOr<Batch> Read(std::string_view bytes) const {
    return page::ReadPage(case_.schema, Buffer::Copy(bytes),
                          {.limits = {.max_decoded_bytes = int64_t{64} << 20}});
  }

  void CutShort() const {
    for (size_t size = 0; size < page_.size(); ++size) {
      const std::string cut = page_.substr(0, size);
      ExpectRefused(cut);
      if (size >= size_t{page::kPageHeaderSize}) ExpectRefused(Repaired(cut));
    }
  }

  void ExpectRefused(const std::string& cut) const {
    const absl::Status status = Read(cut).status();
    ASSERT_FALSE(status.ok()) << "cut to " << cut.size();
    const std::optional<int64_t> at = base::ByteOffset(status);
    ASSERT_TRUE(at.has_value()) << status;
    EXPECT_LE(*at, static_cast<int64_t>(cut.size())) << status;
  }

  void FlipBits(std::string bytes) const {
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      char& byte = bytes[bit / 8];
      byte ^= static_cast<char>(1 << (bit % 8));
      const auto read = Read(bytes);
      if (read.ok()) {
        EXPECT_TRUE(page::WritePage(*read).ok()) << "bit " << bit;
      } else {
        EXPECT_TRUE(base::ByteOffset(read.status()).has_value()) << read.status();
      }
      byte ^= static_cast<char>(1 << (bit % 8));
    }
  }

  const VeloxCase& case_;
  const std::string page_;
};

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const auto cases = golden::LoadVeloxCases();
  if (!cases.ok()) {
    std::fprintf(stderr, "%s\n", cases.status().ToString().c_str());
    return 1;
  }
  std::vector<const VeloxCase*> short_ones;
  for (const VeloxCase& one : *cases) {
    const size_t size = PageOf(one).size();
    if (size != 0 && size <= kLongest) short_ones.push_back(&one);
  }
  for (size_t k = 0; k < kCases; ++k) {
    const VeloxCase& one = *short_ones[k * short_ones.size() / kCases];
    ::testing::RegisterTest("VeloxDamage", golden::TestName(one.name).c_str(), nullptr,
                            one.name.c_str(), __FILE__, __LINE__,
                            [&one]() -> ::testing::Test* { return new DamageTest(one); });
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) { return spillway::Main(argc, argv); }
