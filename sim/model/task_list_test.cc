// SPDX-License-Identifier: Apache-2.0
#include "sim/model/task_list.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace spillway::sim {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Pair;

Scenario Tasks(const std::string& text) {
  Scenario scenario;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &scenario));
  return scenario;
}

// All tasks, each taken as it arrives.
std::vector<TaskList::Entry> All(const Scenario& scenario) {
  auto list = TaskList::Create(scenario);
  EXPECT_TRUE(list.ok()) << list.status();
  std::vector<TaskList::Entry> out;
  for (Time now = 0;;) {
    const TaskList::Found found = list->Next(now);
    if (found.task.has_value()) {
      out.push_back(*found.task);
    } else if (found.arrives.has_value()) {
      EXPECT_GT(*found.arrives, now);
      now = *found.arrives;
    } else {
      return out;
    }
  }
}

template <typename Field>
auto FieldOf(const std::vector<TaskList::Entry>& entries, Field TaskList::Entry::*field) {
  std::vector<Field> out;
  for (const TaskList::Entry& entry : entries) out.push_back(entry.*field);
  return out;
}

using Order = std::vector<std::pair<int, int64_t>>;

Order OrderOf(const std::vector<TaskList::Entry>& entries) {
  Order out;
  for (const TaskList::Entry& entry : entries) out.emplace_back(entry.group_index, entry.ordinal);
  return out;
}

TEST(TaskListTest, WithoutArrivalsAllAreThereInTheOrderOfTheList) {
  const Scenario scenario = Tasks("tasks { count: 2 chunks: 5 } tasks { count: 3 chunks: 7 }");
  auto list = TaskList::Create(scenario);
  ASSERT_TRUE(list.ok()) << list.status();
  std::vector<TaskList::Entry> entries;
  for (int i = 0; i < 5; ++i) entries.push_back(*list->Next(0).task);
  EXPECT_THAT(OrderOf(entries),
              ElementsAre(Pair(0, 0), Pair(0, 1), Pair(1, 0), Pair(1, 1), Pair(1, 2)));
  EXPECT_THAT(FieldOf(entries, &TaskList::Entry::number), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(FieldOf(entries, &TaskList::Entry::chunks), ElementsAre(5, 5, 7, 7, 7));
  EXPECT_THAT(FieldOf(entries, &TaskList::Entry::first_chunk), ElementsAre(0, 5, 0, 7, 14));
  EXPECT_THAT(FieldOf(entries, &TaskList::Entry::think_factor), Each(1000));
  const TaskList::Found none = list->Next(kEndOfTime);
  EXPECT_FALSE(none.task.has_value());
  EXPECT_FALSE(none.arrives.has_value());
}

TEST(TaskListTest, ATaskIsThereFromItsArrivalOn) {
  const Scenario scenario =
      Tasks("tasks { count: 2 chunks: 1 arrival { first_ns: 10 every_ns: 3 } }");
  auto list = TaskList::Create(scenario);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_FALSE(list->Next(9'999).task.has_value());
  EXPECT_EQ(list->Next(9'999).arrives, 10'000);
  EXPECT_EQ(list->Next(10'000).task->arrival, 10'000);
  EXPECT_EQ(list->Next(10'000).arrives, 13'000);
  EXPECT_EQ(list->Next(99'000).task->arrival, 13'000) << "taken late";
}

TEST(TaskListTest, GroupsMixByArrivalAndTiesByTheList) {
  const Scenario scenario = Tasks(
      "tasks { count: 3 chunks: 1 arrival { first_ns: 4 every_ns: 4 } }"
      "tasks { count: 5 chunks: 1 arrival { every_ns: 2 } }");
  EXPECT_THAT(OrderOf(All(scenario)), ElementsAre(Pair(1, 0), Pair(1, 1), Pair(0, 0), Pair(1, 2),
                                                  Pair(1, 3), Pair(0, 1), Pair(1, 4), Pair(0, 2)));
  EXPECT_THAT(FieldOf(All(scenario), &TaskList::Entry::arrival),
              ElementsAre(0, 2'000, 4'000, 4'000, 6'000, 8'000, 8'000, 12'000));
}

TEST(TaskListTest, WhatIsTakenLateIsWhatWasTakenAtOnce) {
  const Scenario scenario = Tasks(
      "tasks { count: 50 chunks: 9 arrival { every_ns: 100 poisson: true } "
      "size { quantile { permille: 0 factor: 500 } quantile { permille: 1000 factor: 4000 } } }"
      "tasks { count: 50 chunks: 9 arrival { every_ns: 120 poisson: true } "
      "straggler { permille: 100 factor: 3000 } }");
  const std::vector<TaskList::Entry> at_once = All(scenario);
  auto list = TaskList::Create(scenario);
  ASSERT_TRUE(list.ok()) << list.status();
  for (const TaskList::Entry& entry : at_once) {
    const TaskList::Entry late = *list->Next(kEndOfTime).task;
    EXPECT_EQ(late.group_index, entry.group_index);
    EXPECT_EQ(late.ordinal, entry.ordinal);
    EXPECT_EQ(late.arrival, entry.arrival);
    EXPECT_EQ(late.chunks, entry.chunks);
    EXPECT_EQ(late.think_factor, entry.think_factor);
  }
}

TEST(TaskListTest, PoissonArrivalsHaveTheirMeanAndSpread) {
  const auto entries =
      All(Tasks("tasks { count: 20001 chunks: 1 arrival { every_ns: 1000 poisson: true } }"));
  EXPECT_NEAR(static_cast<double>(entries.back().arrival) / 20'000, 1e6, 1e6 * 0.03);
  int64_t longer = 0;  // than twice the mean: e^-2
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].arrival - entries[i - 1].arrival > 2'000'000) ++longer;
  }
  EXPECT_NEAR(static_cast<double>(longer) / 20'000, 0.1353, 0.01);
}

TEST(TaskListTest, SizesFollowTheirQuantilesAndAreNeverNothing) {
  const auto entries = All(Tasks(
      "tasks { count: 1000 chunks: 4 writers: 3 size { quantile { permille: 0 factor: 0 } "
      "quantile { permille: 500 factor: 1000 } quantile { permille: 1000 factor: 9000 } } }"));
  const auto chunks = FieldOf(entries, &TaskList::Entry::chunks);
  EXPECT_EQ(*std::min_element(chunks.begin(), chunks.end()), 1);
  EXPECT_GT(*std::max_element(chunks.begin(), chunks.end()), 33);
  EXPECT_NEAR(std::count_if(chunks.begin(), chunks.end(), [](int64_t n) { return n >= 4; }), 500,
              60);
  for (size_t i = 1; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].first_chunk, entries[i - 1].first_chunk + 3 * entries[i - 1].chunks);
  }
}

TEST(TaskListTest, SomeTasksAreStragglers) {
  const auto factors =
      FieldOf(All(Tasks("tasks { count: 2000 chunks: 1 straggler { permille: 50 factor: 4000 } }")),
              &TaskList::Entry::think_factor);
  EXPECT_NEAR(std::count(factors.begin(), factors.end(), 4000), 100, 30);
  EXPECT_EQ(std::count(factors.begin(), factors.end(), 4000) +
                std::count(factors.begin(), factors.end(), 1000),
            2000);
}

// Streams have names of their own, so that one more source of randomness moves no other.
TEST(TaskListTest, StragglersDoNotMoveSizesOrArrivals) {
  const std::string common =
      "count: 100 chunks: 100 arrival { every_ns: 1000 poisson: true } "
      "size { quantile { permille: 0 factor: 500 } quantile { permille: 1000 factor: 2000 } } ";
  const auto plain = All(Tasks("tasks { " + common + "}"));
  const auto slow = All(Tasks("tasks { " + common + "straggler { permille: 500 factor: 2000 } }"));
  EXPECT_EQ(FieldOf(plain, &TaskList::Entry::chunks), FieldOf(slow, &TaskList::Entry::chunks));
  EXPECT_EQ(FieldOf(plain, &TaskList::Entry::arrival), FieldOf(slow, &TaskList::Entry::arrival));
  const auto other = All(Tasks("seed: 7 tasks { " + common + "}"));
  EXPECT_NE(FieldOf(plain, &TaskList::Entry::chunks), FieldOf(other, &TaskList::Entry::chunks));
  EXPECT_NE(FieldOf(plain, &TaskList::Entry::arrival), FieldOf(other, &TaskList::Entry::arrival));
}

TEST(TaskListTest, ArrivalsStopAtTheEndOfTime) {
  const auto entries =
      All(Tasks("tasks { count: 10000 chunks: 1 arrival { first_ns: 1000000000000000 "
                "every_ns: 1000000000000 } }"));
  EXPECT_EQ(entries.back().arrival, kEndOfTime);
  EXPECT_EQ(entries.size(), 10'000u);
}

}  // namespace
}  // namespace spillway::sim
