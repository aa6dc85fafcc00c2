// SPDX-License-Identifier: Apache-2.0
#include "src/frame/capability.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace spillway::frame {
namespace {

// Answers a probe for the forms in `works`, and notes which were asked for.
struct Probes {
  std::vector<Format> works;
  std::vector<Format> asked = {};

  CapabilityLatch::Probe Probe() {
    return [this](Format format) {
      asked.push_back(format);
      for (const Format one : works) {
        if (one == format) return true;
      }
      return false;
    };
  }
};

TEST(CapabilityTest, TheFirstFormThatWorksIsTheCapability) {
  const struct {
    std::vector<Format> works;
    Capability capability;
    size_t asked;
  } cases[] = {
      {{Format::kV3, Format::kV2, Format::kLegacy}, Capability::kV3, 1},
      {{Format::kV2, Format::kLegacy}, Capability::kV2, 2},
      {{Format::kLegacy}, Capability::kLegacy, 3},
      {{}, Capability::kUnavailable, 3},
  };
  for (const auto& c : cases) {
    Probes probes{.works = c.works};
    CapabilityLatch latch(probes.Probe());
    EXPECT_EQ(latch.current(), Capability::kUnknown);
    EXPECT_EQ(latch.Get(), c.capability);
    EXPECT_EQ(latch.Get(), c.capability);
    EXPECT_EQ(probes.asked.size(), c.asked) << CapabilityName(c.capability);
  }
}

TEST(CapabilityTest, ItOnlyGoesDown) {
  Probes probes{.works = {Format::kV3}};
  CapabilityLatch latch(probes.Probe());
  EXPECT_EQ(latch.Get(), Capability::kV3);
  latch.Lower(Format::kV3);
  EXPECT_EQ(latch.Get(), Capability::kV2);
  latch.Lower(Format::kV2);
  EXPECT_EQ(latch.Get(), Capability::kLegacy);
  latch.Lower(Format::kV3);
  EXPECT_EQ(latch.Get(), Capability::kLegacy) << "a late report of V3 does not raise it";
  latch.Lower(Format::kLegacy);
  EXPECT_EQ(latch.Get(), Capability::kUnavailable);
  latch.Lower(Format::kV2);
  EXPECT_EQ(latch.Get(), Capability::kUnavailable);
}

TEST(CapabilityTest, WhatIsLoweredBeforeAnybodyAsksIsNotProbed) {
  Probes probes{.works = {Format::kV3}};
  CapabilityLatch latch(probes.Probe());
  latch.Lower(Format::kV3);
  EXPECT_EQ(latch.Get(), Capability::kV2);
  EXPECT_TRUE(probes.asked.empty());
}

TEST(CapabilityTest, TheWriterChoosesV3ThenV2ForStatisticsThenAPage) {
  for (const bool statistics : {false, true}) {
    EXPECT_EQ(ChooseFormat(Capability::kV3, statistics), Format::kV3);
    EXPECT_EQ(ChooseFormat(Capability::kLegacy, statistics), Format::kLegacy);
    EXPECT_EQ(ChooseFormat(Capability::kUnavailable, statistics), std::nullopt);
    EXPECT_EQ(ChooseFormat(Capability::kUnknown, statistics), std::nullopt);
  }
  EXPECT_EQ(ChooseFormat(Capability::kV2, true), Format::kV2);
  EXPECT_EQ(ChooseFormat(Capability::kV2, false), Format::kLegacy);
}

TEST(CapabilityTest, ManyThreadsProbeOnceAndSeeItGoDown) {
  std::atomic<int> probes = 0;
  CapabilityLatch latch([&](Format) {
    ++probes;
    return true;
  });
  std::atomic<int> raised = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      Capability before = latch.Get();
      for (int round = 0; round < 100; ++round) {
        if (round == 10 * i % 100) latch.Lower(i % 2 == 0 ? Format::kV3 : Format::kV2);
        const Capability now = latch.Get();
        if (now < before) ++raised;
        before = now;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(probes, 1);
  EXPECT_EQ(raised, 0);
  EXPECT_EQ(latch.Get(), Capability::kLegacy);
}

}  // namespace
}  // namespace spillway::frame
