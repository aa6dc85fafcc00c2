// SPDX-License-Identifier: Apache-2.0
// The real thing reproduced: a recorded Comet run, request by request.
#include "golden/comet_trace/replay.h"

#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"

namespace spillway::golden {
namespace {

std::string LogText() {
  std::ifstream in("golden/comet_trace/int201_l5_4g_fair_b8192.log");
  return {std::istreambuf_iterator<char>(in), {}};
}

PoolLog Log() { return *ParsePoolLog(LogText()); }

TEST(ReplayTest, TheLogHasTenTasksOf128RequestsAndNoDenial) {
  const PoolLog log = Log();
  EXPECT_EQ(log.Tasks().size(), 10u);
  EXPECT_EQ(log.calls.size(), 1280u + 3 * 10);
  EXPECT_EQ(log.other_lines, 2);
  EXPECT_TRUE(log.spills.empty());
  int64_t granted = 0;
  int64_t returned = 0;
  for (const PoolEvent& event : log.calls) {
    EXPECT_EQ(event.granted, event.call == PoolEvent::Call::kTryGrow);
    (event.call == PoolEvent::Call::kTryGrow ? granted : returned) += event.bytes;
  }
  EXPECT_EQ(granted, 158'498'816);
  EXPECT_EQ(returned, granted);
}

TEST(ReplayTest, All1280RequestsAreReproducedInOrderTaskByTask) {
  const absl::StatusOr<Replay> replay = ReplayInt201(Log());
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_EQ(replay->requests, 1280);
  EXPECT_EQ(replay->matching, 1280);
  EXPECT_EQ(replay->first_difference, "") << "the one return at the end of each task included";
}

TEST(ReplayTest, AChangedRequestIsSeenAndNamed) {
  PoolLog log = Log();
  int64_t seen = 0;
  for (PoolEvent& event : log.calls) {
    if (event.task != 3 || event.call != PoolEvent::Call::kTryGrow || ++seen != 2) continue;
    EXPECT_EQ(event.bytes, 103'744);
    event.bytes += 8;
  }
  const absl::StatusOr<Replay> replay = ReplayInt201Task(log, 3);
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_EQ(replay->requests, 128);
  EXPECT_EQ(replay->matching, 127);
  EXPECT_EQ(replay->first_difference,
            "task 3, request 2: the log has 103752, computed 103744");
}

TEST(ReplayTest, AMissingReturnIsSeen) {
  PoolLog log = Log();
  std::erase_if(log.calls, [](const PoolEvent& event) {
    return event.task == 10 && event.call == PoolEvent::Call::kShrink;
  });
  const absl::StatusOr<Replay> replay = ReplayInt201Task(log, 10);
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_EQ(replay->matching, 128);
  EXPECT_EQ(replay->first_difference,
            "task 10, request 129: the log has nothing, computed a return of 15881216");
}

TEST(ReplayTest, AnotherRunsLogIsRefused) {
  PoolLog log;
  log.calls.push_back({.task = 11});
  EXPECT_EQ(ReplayInt201(log).status().message(),
            "replay: the log has a task 11, the run only 1 to 10");
  EXPECT_EQ(ReplayInt201Task(log, 0).status().message(),
            "replay: the run has no task 0, only 1 to 10");
}

}  // namespace
}  // namespace spillway::golden
