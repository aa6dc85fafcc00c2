// SPDX-License-Identifier: Apache-2.0
// Damaged pages of Velox: cut short, and with single bits flipped. A damaged page is refused with
// the byte of the fault, or it decodes to values that can be written again.
//
// Two hundred cases: the k-th is at place k * 1037 / 200 of index.jsonl, which lists type by type
// and, in each, flat, constant and dictionary inputs. Of each the page that keeps most encodings.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/velox/velox_cases.h"
#include "gtest/gtest.h"
#include "src/base/little_endian.h"
#include "src/base/random.h"
#include "src/base/status.h"
#include "src/page/page.h"
#include "src/vector/batch.h"

namespace spillway {
namespace {

using golden::VeloxCase;
using vector::Batch;
using vector::Buffer;

constexpr size_t kCases = 200;
// More places than these are drawn at random, so that the test's time is bounded.
constexpr int64_t kMostCuts = 400;
constexpr int64_t kMostFlips = 1500;

// Offsets of the header's fields.
constexpr int64_t kMarkerAt = 4;
constexpr int64_t kUncompressedSizeAt = 5;
constexpr int64_t kSizeAt = 9;
constexpr int64_t kChecksumAt = 13;

// Numbers of [0, end): all, or `most` drawn with `seed`.
std::vector<int64_t> Places(int64_t end, int64_t most, std::string_view seed) {
  std::vector<int64_t> out;
  base::Random random = base::Random::Stream(1, seed);
  for (int64_t i = 0; i < std::min(end, most); ++i) {
    out.push_back(end <= most ? i : static_cast<int64_t>(random.Below(end)));
  }
  return out;
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
  explicit DamageTest(const VeloxCase& one) : case_(one) {
    for (const char* output : {"page_batch_preserve", "page_batch", "page_iter"}) {
      const auto known = one.outputs.find(output);
      if (known == one.outputs.end()) continue;
      page_ = known->second;
      break;
    }
  }

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
    for (const int64_t size : Places(static_cast<int64_t>(page_.size()), kMostCuts, case_.name)) {
      const std::string cut = page_.substr(0, size);
      ExpectRefused(cut);
      if (size >= page::kPageHeaderSize) ExpectRefused(Repaired(cut));
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
    const int64_t bits = 8 * static_cast<int64_t>(bytes.size());
    for (const int64_t bit : Places(bits, kMostFlips, case_.name)) {
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
  std::string page_;
};

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const auto cases = golden::LoadVeloxCases();
  if (!cases.ok()) {
    std::fprintf(stderr, "%s\n", cases.status().ToString().c_str());
    return 1;
  }
  for (size_t k = 0; k < kCases; ++k) {
    const VeloxCase& one = (*cases)[k * cases->size() / kCases];
    ::testing::RegisterTest("VeloxDamage", golden::TestName(one.name).c_str(), nullptr,
                            one.name.c_str(), __FILE__, __LINE__,
                            [&one]() -> ::testing::Test* { return new DamageTest(one); });
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) { return spillway::Main(argc, argv); }
