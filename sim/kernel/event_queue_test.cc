// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/event_queue.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/random.h"

namespace spillway::sim {
namespace {

// The queue beside a sorted set of (time, number of the push); the number travels as the ticket.
class Checked {
 public:
  void Push(Time at) {
    queue_.Push(at, nullptr, pushes_);
    model_.emplace(at, pushes_++);
  }

  // False if the queue gives another event than the model.
  bool Pop() {
    if (model_.empty()) return queue_.empty();
    const EventQueue::Event& event = queue_.Pop();
    now_ = event.at;
    const bool agrees = std::pair(event.at, event.ticket) == *model_.begin();
    model_.erase(model_.begin());
    return agrees && queue_.size() == model_.size() && queue_.empty() == model_.empty();
  }

  void Peek() {
    if (model_.empty()) return;
    queue_.Pop();
    queue_.Return();
  }

  void RemoveOdd() {
    queue_.Remove([](const EventQueue::Event& event) { return event.ticket % 2 == 1; });
    std::erase_if(model_, [](const auto& event) { return event.second % 2 == 1; });
  }

  Time now() const { return now_; }
  size_t size() const { return model_.size(); }

 private:
  EventQueue queue_;
  std::set<std::pair<Time, uint32_t>> model_;
  uint32_t pushes_ = 0;
  Time now_ = 0;
};

// A delay below 2^bits, so that ties, the front and every digit are met.
Duration Delay(base::Random& random, int bits) {
  return static_cast<Duration>(random.Next() >> (64 - bits));
}

RC_GTEST_PROP(EventQueueTest, EarliestFirstAndEqualTimesInTheOrderOfPushing, ()) {
  base::Random random(*rc::gen::arbitrary<uint64_t>());
  const int most_bits = *rc::gen::inRange(2, 62);
  const int pushes_permille = *rc::gen::inRange(300, 700);
  Checked queue;
  for (int i = 0; i < 400; ++i) {
    const auto dice = static_cast<int>(random.Below(1000));
    if (dice < 10) {
      queue.Peek();
    } else if (dice < 15) {
      queue.RemoveOdd();
    } else if (dice < pushes_permille) {
      const int bits = static_cast<int>(random.Between(1, most_bits));
      if (queue.now() <= kEndOfTime / 2) queue.Push(queue.now() + Delay(random, bits));
    } else {
      RC_ASSERT(queue.Pop());
    }
  }
  while (queue.size() > 0) RC_ASSERT(queue.Pop());
  RC_ASSERT(queue.Pop());
}

TEST(EventQueueTest, OrderHoldsWithThousandsPending) {
  for (const size_t pending : {30u, 300u, 5'000u}) {
    base::Random random(pending);
    Checked queue;
    for (int i = 0; i < 30'000; ++i) {
      while (queue.size() < pending) queue.Push(queue.now() + Delay(random, 20));
      ASSERT_TRUE(queue.Pop()) << pending << " pending, pop " << i;
    }
  }
}

// After a look ahead (a run that is cut) what is pushed may be earlier than all that was seen.
TEST(EventQueueTest, WhatIsPushedBeforeTheFrontComesFirst) {
  Checked queue;
  for (int i = 0; i < 100; ++i) queue.Push(1'000'000'000 + i * 1000);
  queue.Peek();
  for (int i = 100; i > 0; --i) queue.Push(i * 1000);
  for (int i = 0; i < 50; ++i) queue.Push(500);
  while (queue.size() > 0) ASSERT_TRUE(queue.Pop());
}

TEST(EventQueueTest, TheEndOfTimeIsATimeLikeOthers) {
  Checked queue;
  for (int i = 0; i < 40; ++i) queue.Push(kEndOfTime - i % 3);
  queue.Push(0);
  while (queue.size() > 0) ASSERT_TRUE(queue.Pop());
}

TEST(EventQueueTest, AHundredThousandTiesKeepTheirOrder) {
  Checked queue;
  for (int i = 0; i < 50'000; ++i) queue.Push(0);
  for (int i = 0; i < 50'000; ++i) queue.Push(12'345'678);
  while (queue.size() > 0) ASSERT_TRUE(queue.Pop());
}

// Few events, so that all are in the front, and then many at one later instant.
TEST(EventQueueTest, EventsBeforeManyTiesComeFirst) {
  Checked queue;
  queue.Push(0);
  ASSERT_TRUE(queue.Pop());
  queue.Push(1);
  for (int i = 0; i < 20'000; ++i) queue.Push(1'000'000);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(queue.Pop());
    ASSERT_LT(queue.now(), 1'000'000);
    queue.Push(queue.now() + 1 + i % 50);
  }
  while (queue.size() > 0) ASSERT_TRUE(queue.Pop());
}

TEST(EventQueueTest, ARandomOrderOfTiesTakesEveryOneWithEqualChanceAndNoOther) {
  std::map<std::vector<uint32_t>, int> orders;
  base::Random random(1);
  for (int run = 0; run < 6'000; ++run) {
    EventQueue queue;
    for (const Time at : {7, 7, 7, 8, 8, 9}) queue.Push(at, nullptr, queue.size());
    std::vector<uint32_t> order;
    while (!queue.empty()) order.push_back(queue.Pop(random).ticket);
    EXPECT_EQ(order.back(), 5u);
    EXPECT_GT(std::min(order[3], order[4]), 2u);
    ++orders[order];
  }
  ASSERT_EQ(orders.size(), 12u);
  // 500 each; five standard deviations of a binomial are 107.
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 500, 107);
}

}  // namespace
}  // namespace spillway::sim
