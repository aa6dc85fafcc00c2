// SPDX-License-Identifier: Apache-2.0
#include "src/frame/fallback.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/strings.h"
#include "src/frame/v2.h"
#include "src/vector/build.h"
#include "src/vector/compare.h"

namespace spillway::frame {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using vector::Batch;
using vector::Buffer;
using vector::Kind;
using vector::Type;

Batch Numbers() {
  return vector::BatchOf({vector::Flat<int32_t>(Type::Scalar(Kind::kInteger), {1, 2, 3})});
}

// A native library with faults, a form each. Empty batches are written well, unless the form is
// missing: what a probe finds.
class Library final : public FormatWriter {
 public:
  enum class Fault { kNone, kMissing, kNull, kBadMagic, kCut, kBadStats, kOtherRows, kTooLarge };

  absl::StatusOr<std::optional<Buffer>> Write(Format format, const Batch& batch,
                                              bool statistics) const override {
    ++calls;
    const auto it = faults.find(format);
    const Fault fault = it == faults.end() ? Fault::kNone : it->second;
    if (fault == Fault::kMissing) return absl::UnimplementedError("no such symbol");
    if (fault == Fault::kNull) return std::nullopt;
    if (fault == Fault::kTooLarge) return absl::ResourceExhaustedError("batch too large");
    if (fault == Fault::kOtherRows) return OwnFormatWriter().Write(format, batch.Slice(0, 1), true);
    auto bytes = OwnFormatWriter().Write(format, batch, statistics);
    if (fault == Fault::kNone || batch.rows() == 0) return bytes;
    std::string damaged((*bytes)->view());
    if (fault == Fault::kBadMagic) damaged[1] ^= 1;
    if (fault == Fault::kBadStats) damaged[8] ^= 1;
    if (fault == Fault::kCut) damaged.pop_back();
    return Buffer::Own(std::move(damaged));
  }

  std::map<Format, Fault> faults;
  mutable std::atomic<int> calls = 0;
};

class FallbackTest : public ::testing::Test {
 protected:
  using Fault = Library::Fault;

  absl::StatusOr<Written> Write(bool statistics = true) {
    return WriteWithFallback(Numbers(), statistics, library_, latch_, log_);
  }

  Format WrittenAs(bool statistics = true) {
    const auto written = Write(statistics);
    EXPECT_TRUE(written.ok()) << written.status();
    const auto content = ReadContent(Numbers().schema(), written->bytes);
    EXPECT_TRUE(content.ok()) << content.status();
    EXPECT_EQ(vector::FirstDifference(content->batch, Numbers()), std::nullopt);
    EXPECT_EQ(content->format, written->format);
    return written->format;
  }

  Library library_;
  CapabilityLatch latch_{ProbeByWriting(library_)};
  std::vector<std::string> lines_;
  FallbackLog log_{[this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(FallbackTest, AGoodLibraryWritesV3) {
  EXPECT_EQ(WrittenAs(), Format::kV3);
  EXPECT_EQ(WrittenAs(/*statistics=*/false), Format::kV3);
  EXPECT_EQ(latch_.current(), Capability::kV3);
  EXPECT_EQ(log_.count(), 0);
}

// BUGS 15.135 (apache/gluten 914567086): the function can be looked up, its symbol is not there. A
// call is what shows it, and then it is known for good.
TEST_F(FallbackTest, AMissingSymbolIsFoundByCallingAndKnownForGood) {
  library_.faults = {{Format::kV3, Fault::kMissing}};
  EXPECT_EQ(WrittenAs(), Format::kV2);
  EXPECT_EQ(latch_.current(), Capability::kV2);
  library_.faults.clear();
  EXPECT_EQ(WrittenAs(), Format::kV2) << "one way";
  EXPECT_EQ(WrittenAs(/*statistics=*/false), Format::kLegacy) << "V2 is for statistics";
  EXPECT_EQ(log_.count(), 0) << "no batch was corrupt";
}

TEST_F(FallbackTest, ASymbolThatGoesMissingLowersTheLatch) {
  EXPECT_EQ(WrittenAs(), Format::kV3);
  library_.faults = {{Format::kV3, Fault::kMissing}, {Format::kV2, Fault::kMissing}};
  EXPECT_EQ(WrittenAs(), Format::kLegacy);
  EXPECT_EQ(latch_.current(), Capability::kLegacy);
}

// BUGS 15.136 (apache/gluten#12183): a null result trips the one-way latch.
TEST_F(FallbackTest, ANullResultLowersTheLatch) {
  EXPECT_EQ(WrittenAs(), Format::kV3);
  library_.faults = {{Format::kV3, Fault::kNull}};
  EXPECT_EQ(WrittenAs(), Format::kV2);
  library_.faults.clear();
  EXPECT_EQ(WrittenAs(), Format::kV2);
  EXPECT_EQ(log_.count(), 0);
}

// BUGS 15.136: one corrupt frame costs one batch its form, and nothing else.
TEST_F(FallbackTest, ACorruptFrameFallsBackForThatBatchOnly) {
  for (const Fault fault :
       {Fault::kBadMagic, Fault::kCut, Fault::kBadStats, Fault::kOtherRows}) {
    const int64_t before = log_.count();
    library_.faults = {{Format::kV3, fault}};
    EXPECT_EQ(WrittenAs(), Format::kV2) << static_cast<int>(fault);
    EXPECT_EQ(log_.count(), before + 1);
    EXPECT_EQ(latch_.current(), Capability::kV3);
    library_.faults.clear();
    EXPECT_EQ(WrittenAs(), Format::kV3) << "the next batch is as before";
  }
  EXPECT_THAT(lines_[0], HasSubstr("a batch falls back: V3: V3 frame: magic "));
}

TEST_F(FallbackTest, ABatchFallsAsFarAsItMust) {
  library_.faults = {{Format::kV3, Fault::kCut}, {Format::kV2, Fault::kBadStats}};
  EXPECT_EQ(WrittenAs(), Format::kLegacy);
  EXPECT_EQ(log_.count(), 2);
  library_.faults = {{Format::kV3, Fault::kCut}};
  EXPECT_EQ(WrittenAs(/*statistics=*/false), Format::kLegacy) << "V2 is for statistics";
  library_.faults = {{Format::kV3, Fault::kCut}, {Format::kLegacy, Fault::kCut}};
  EXPECT_THAT(std::string(Write(false).status().message()), HasSubstr("page: "));
  EXPECT_EQ(latch_.current(), Capability::kV3);
}

TEST_F(FallbackTest, ABatchThatCannotBeWrittenLowersNothing) {
  library_.faults = {{Format::kV3, Fault::kTooLarge}};
  EXPECT_EQ(latch_.Get(), Capability::kV2) << "the probe fails, too";
  CapabilityLatch latch([](Format) { return true; });
  EXPECT_EQ(WriteWithFallback(Numbers(), true, library_, latch, log_).status().message(),
            "batch too large");
  EXPECT_EQ(latch.current(), Capability::kV3);
}

TEST_F(FallbackTest, ALibraryThatWritesNothingIsUnavailable) {
  library_.faults = {{Format::kV3, Fault::kMissing},
                     {Format::kV2, Fault::kNull},
                     {Format::kLegacy, Fault::kMissing}};
  EXPECT_TRUE(absl::IsUnavailable(Write().status()));
  const int calls = library_.calls;
  EXPECT_TRUE(absl::IsUnavailable(Write().status()));
  EXPECT_EQ(library_.calls, calls) << "nothing is tried again";
}

// BUGS 15.136: the log of a cache of a million bad frames is 100 lines and one.
TEST_F(FallbackTest, WarningsEndAt100AndASummaryFollows) {
  library_.faults = {{Format::kV3, Fault::kCut}};
  for (int i = 0; i < 250; ++i) ASSERT_TRUE(Write().ok());
  EXPECT_EQ(log_.count(), 250);
  ASSERT_EQ(lines_.size(), 100u);
  EXPECT_THAT(lines_[98], ::testing::Not(HasSubstr("further")));
  EXPECT_THAT(lines_[99], HasSubstr("further ones are counted, not shown"));
  log_.Finish();
  log_.Finish();
  ASSERT_EQ(lines_.size(), 101u);
  EXPECT_EQ(lines_[100], "250 batches fell back, 150 of them not shown");
}

TEST_F(FallbackTest, NothingIsSummarisedIfAllWasShown) {
  library_.faults = {{Format::kV3, Fault::kCut}};
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Write().ok());
  log_.Finish();
  EXPECT_EQ(lines_.size(), 100u);
}

TEST_F(FallbackTest, ManyThreadsShareLatchAndLog) {
  library_.faults = {{Format::kV3, Fault::kCut}};
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) failed += Write().ok() ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(log_.count(), 320);
  EXPECT_EQ(lines_.size(), 100u);
}

TEST_F(FallbackTest, AReaderRecomputesTheOneBatchThatIsCorrupt) {
  const Batch batch = Numbers();
  int recomputed = 0;
  const auto recompute = [&]() -> absl::StatusOr<Content> {
    ++recomputed;
    return Content{Format::kLegacy, batch};
  };
  const auto read = [&](const Buffer& bytes, const ContentOptions& options = {}) {
    return ReadWithFallback(batch.schema(), bytes, options, recompute, log_);
  };
  const Buffer good = *WriteV3(batch);
  EXPECT_EQ(read(good)->format, Format::kV3);
  EXPECT_EQ(recomputed, 0);
  EXPECT_EQ(read(good.Slice(0, good.size() - 1))->format, Format::kLegacy);
  EXPECT_EQ(recomputed, 1);
  EXPECT_EQ(log_.count(), 1);
  EXPECT_TRUE(absl::IsOutOfRange(read(good, {.projection = std::vector<int64_t>{9}}).status()));
  EXPECT_EQ(recomputed, 1) << "the caller's error is no corruption";
}

}  // namespace
}  // namespace spillway::frame
