// SPDX-License-Identifier: Apache-2.0
#include "golden/comet_trace/pool_log.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace spillway::golden {
namespace {

using Call = PoolEvent::Call;

std::string PoolLine(const std::string& message, const std::string& level = "INFO") {
  return "26/11/30 10:26:07 " + level + " core/src/execution/memory_pools/logging_pool.rs: " +
         message + "\n";
}

PoolEvent Parse(const std::string& message) {
  const absl::StatusOr<PoolLog> log = ParsePoolLog(PoolLine(message));
  EXPECT_TRUE(log.ok()) << log.status();
  return log.ok() && log->calls.size() == 1 ? log->calls[0] : PoolEvent();
}

TEST(PoolLogTest, EveryCallIsRead) {
  const std::string who = "[Task 7] MemoryPool[ExternalSorter[3]].";
  EXPECT_EQ(Parse(who + "register()").call, Call::kRegister);
  EXPECT_EQ(Parse(who + "unregister()").call, Call::kUnregister);
  EXPECT_EQ(Parse(who + "grow(12)").call, Call::kGrow);
  const PoolEvent shrink = Parse(who + "shrink(294916)");
  EXPECT_EQ(shrink.call, Call::kShrink);
  EXPECT_EQ(shrink.bytes, 294'916);
  EXPECT_EQ(shrink.task, 7);
  EXPECT_EQ(shrink.consumer, "ExternalSorter");
  EXPECT_EQ(shrink.partition, 3);
  const PoolEvent granted = Parse(who + "try_grow(0) returning Ok");
  EXPECT_EQ(granted.call, Call::kTryGrow);
  EXPECT_TRUE(granted.granted);
  const PoolEvent denied =
      Parse(who + "try_grow(70152) returning Err: ResourcesExhausted(\"a: b\\nError: c\")");
  EXPECT_FALSE(denied.granted);
  EXPECT_EQ(denied.bytes, 70'152);
  EXPECT_EQ(denied.error, "ResourcesExhausted(\"a: b\\nError: c\")");
}

TEST(PoolLogTest, SpillsAndOtherSourcesAreToldApart) {
  const absl::StatusOr<PoolLog> log = ParsePoolLog(
      "26/11/30 10:08:49 INFO core/src/lib.rs: Comet native library version 1.2.0 initialized\n"
      "\n"
      "26/11/30 10:09:45 INFO shuffle/src/partitioners/multi_partition.rs: ShuffleRepartitioner "
      "spilling 67101048 bytes to its partition writer (2 previous spills)\n" +
      PoolLine("[Task 2] MemoryPool[A[0]].register()"));
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_EQ(log->other_lines, 2);
  ASSERT_EQ(log->spills.size(), 1u);
  EXPECT_EQ(log->spills[0].line, 3);
  EXPECT_EQ(log->spills[0].bytes, 67'101'048);
  EXPECT_EQ(log->spills[0].previous_spills, 2);
  EXPECT_EQ(log->calls[0].line, 4);
  EXPECT_THAT(log->Tasks(), testing::ElementsAre(2));
}

TEST(PoolLogTest, TheLastLineNeedsNoLineFeed) {
  const std::string line = PoolLine("[Task 2] MemoryPool[A[0]].shrink(5)");
  EXPECT_EQ(ParsePoolLog(line.substr(0, line.size() - 1))->calls.size(), 1u);
  EXPECT_TRUE(ParsePoolLog("")->calls.empty());
}

TEST(PoolLogTest, ALineThatDoesNotParseIsShownWithItsNumber) {
  const std::string good = PoolLine("[Task 2] MemoryPool[A[0]].shrink(5)");
  EXPECT_EQ(ParsePoolLog(good + "nonsense\n" + good).status().message(),
            "pool log: line 2 is not one of the grammar: `nonsense`");
  for (const char* message :
       {"", "[Task x] MemoryPool[A[0]].register()", "[Task 1] MemoryPool[A].register()",
        "[Task 1] MemoryPool[A[0]].drop()", "[Task 1] MemoryPool[A[0]].shrink(-5)",
        "[Task 1] MemoryPool[A[0]].shrink(5) and more", "[Task 1] MemoryPool[A[0]].shrink()",
        "[Task 1] MemoryPool[A[0]].try_grow(5)", "[Task 1] MemoryPool[A[0]].try_grow(5) returning",
        "[Task 1] MemoryPool[A[0]].shrink(9223372036854775808)"}) {
    const absl::Status status = ParsePoolLog(PoolLine(message)).status();
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("line 1")) << message;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(message));
  }
}

// A line cut short is refused, unless what is left says less but still something.
TEST(PoolLogTest, EveryTruncationOfALineIsRefusedOrAnswered) {
  std::string line = PoolLine("[Task 2] MemoryPool[A[0]].try_grow(98304) returning Ok");
  line.pop_back();
  for (size_t size = 1; size < line.size(); ++size) {
    EXPECT_FALSE(ParsePoolLog(line.substr(0, size)).ok()) << line.substr(0, size);
  }
}

}  // namespace
}  // namespace spillway::golden
