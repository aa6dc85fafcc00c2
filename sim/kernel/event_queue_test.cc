// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/event_queue.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace spillway::sim {
namespace {

// Pushes (value >= 0) and pops (-1) against a sorted list of (time, order of push).
RC_GTEST_PROP(EventQueueTest, EarliestFirstAndEqualTimesInTheOrderOfPushing, ()) {
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-1, 8));
  EventQueue queue;
  std::vector<std::pair<Time, uint64_t>> model;
  uint64_t pushes = 0;
  for (const int step : steps) {
    if (step >= 0) {
      queue.Push(step, nullptr);
      model.emplace_back(step, pushes++);
    } else if (!model.empty()) {
      const auto first = std::min_element(model.begin(), model.end());
      RC_ASSERT(queue.top().order == first->second);
      const EventQueue::Event event = queue.Pop();
      RC_ASSERT(event.at == first->first);
      RC_ASSERT(event.order == first->second);
      model.erase(first);
    }
    RC_ASSERT(queue.size() == model.size());
  }
}

TEST(EventQueueTest, AThousandEventsComeOutSorted) {
  EventQueue queue;
  for (int i = 0; i < 1000; ++i) queue.Push(i * 7919 % 1009, nullptr);
  Time last = 0;
  while (!queue.empty()) {
    const Time at = queue.Pop().at;
    EXPECT_GE(at, last);
    last = at;
  }
}

}  // namespace
}  // namespace spillway::sim
