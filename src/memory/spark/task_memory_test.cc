// SPDX-License-Identifier: Apache-2.0
// A task's memory on real threads. What Spark's own classes recorded is compared in
// golden/spark_pools.

#include "src/memory/spark/task_memory.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/random.h"
#include "src/memory/lock_order.h"
#include "src/memory/reservation.h"
#include "src/memory/reservation_policy.h"
#include "src/memory/spark/pool_calls.h"
#include "src/memory/spark/task_backend.h"
#include "src/memory/spark/task_calls.h"
#include "src/memory/spark/unified_memory.h"
#include "src/memory/spark/virtual_spark.h"
#include "src/memory/spark_pool.h"
#include "src/memory/thread_monitor.h"

namespace spillway::memory::spark {
namespace {

constexpr MemoryMode kMode = MemoryMode::kOffHeap;

class Operator final : public MemoryConsumer {
 public:
  using OnSpill = std::function<absl::StatusOr<int64_t>(Operator&, int64_t)>;

  Operator(TaskMemory& task, std::string name, OnSpill on_spill = nullptr)
      : MemoryConsumer(task, kMode, std::move(name)), on_spill_(std::move(on_spill)) {}

  absl::StatusOr<int64_t> Spill(int64_t bytes, const Spiller&) override {
    ++spills;
    if (on_spill_) return on_spill_(*this, bytes);
    const int64_t freed = std::min(bytes, used());
    if (freed > 0) Free(freed);
    return freed;
  }

  int spills = 0;

 private:
  const OnSpill on_spill_;
};

UnifiedMemoryOptions OffHeap(int64_t bytes, MissingEntry missing = MissingEntry::kFails) {
  UnifiedMemoryOptions options;
  options.off_heap.total = bytes;
  options.missing = missing;
  return options;
}

struct Executor {
  explicit Executor(int64_t bytes, SpillOrder order = SpillOrder::kAllTogether)
      : memory(u, OffHeap(bytes)), task(memory, t, 1, order) {}

  ThreadMonitor u{"U"};
  ThreadMonitor t{"T1"};
  UnifiedMemory memory;
  TaskMemory task;
};

TEST(TaskMemoryTest, AConsumerGetsWhatOthersSpillForIt) {
  Executor executor(100);
  Operator sort(executor.task, "sort");
  Operator join(executor.task, "join");
  ASSERT_EQ(*sort.Acquire(100), 100);
  EXPECT_EQ(*join.Acquire(30), 30);
  EXPECT_EQ(sort.used(), 70);
  EXPECT_EQ(sort.spills, 1);
  join.Free(30);
  sort.Free(70);
  EXPECT_TRUE(executor.memory.pool(kMode).tasks().empty());
}

TEST(TaskMemoryTest, WhatAFailedSpillLeavesIsTheTasksUntilItEnds) {
  Executor executor(100);
  Operator broken(executor.task, "broken",
                  [](Operator&, int64_t) { return absl::UnavailableError("disk full"); });
  Operator asking(executor.task, "asking");
  ASSERT_EQ(*broken.Acquire(60), 60);
  EXPECT_EQ(asking.Acquire(70).status(),
            absl::ResourceExhaustedError("error while calling spill() on broken: disk full"));
  EXPECT_EQ(asking.used(), 0);
  EXPECT_EQ(executor.memory.pool(kMode).Held(1), 100);
  EXPECT_EQ(executor.task.End(), 100);
  EXPECT_EQ(executor.memory.pool(kMode).used(), 0);
}

// Spark before SPARK-35486 asks the requester itself last, once, whatever it holds.
TEST(TaskMemoryTest, OldSparkAsksTheRequesterByItselfEvenIfItHoldsNothing) {
  for (const SpillOrder order : {SpillOrder::kAllTogether, SpillOrder::kOthersFirst}) {
    Executor executor(100, order);
    Operator stubborn(executor.task, "stubborn", [](Operator&, int64_t) { return 0; });
    Operator asking(executor.task, "asking");
    ASSERT_EQ(*stubborn.Acquire(100), 100);
    ASSERT_EQ(*asking.Acquire(10), 0);
    EXPECT_EQ(stubborn.spills, 1);
    EXPECT_EQ(asking.spills, order == SpillOrder::kOthersFirst ? 1 : 0);
    EXPECT_EQ(*asking.Acquire(10), 0);
    stubborn.Free(20);
    ASSERT_EQ(*asking.Acquire(20), 20);
    EXPECT_EQ(*asking.Acquire(10), 10) << "out of its own";
    EXPECT_EQ(asking.used(), 20) << "10 of them spilled, 10 new";
  }
}

TEST(TaskMemoryTest, ASpillMayAskForMemoryItself) {
  Executor executor(100);
  Operator merging(executor.task, "merging", [](Operator& self, int64_t bytes) {
    self.Free(bytes + 5);
    return *self.Acquire(5) == 5 ? bytes : 0;
  });
  Operator asking(executor.task, "asking");
  ASSERT_EQ(*merging.Acquire(100), 100);
  EXPECT_EQ(*asking.Acquire(40), 40) << "the task's lock lets its owner in again";
}

TEST(TaskMemoryTest, CometGivesBackWhatSparkAsksForIfItIsTaughtTo) {
  Executor executor(100);
  PoolConsumer* writer = nullptr;
  CometConsumer comet(executor.task, Accounting::kCounted, [&](int64_t) -> absl::StatusOr<int64_t> {
    const int64_t held = writer->reserved();
    const absl::Status status = writer->Shrink(held);
    if (!status.ok()) return status;
    return held;
  });
  SparkPool pool({.size = 100}, std::make_shared<TaskBackend>(comet));
  const std::unique_ptr<PoolConsumer> registered = pool.Register("writer", true);
  writer = registered.get();
  ASSERT_TRUE(writer->TryGrow(100)->granted);
  EXPECT_EQ(comet.used(), 100);
  Operator sort(executor.task, "sort");
  EXPECT_EQ(*sort.Acquire(30), 30);
  EXPECT_EQ(pool.reserved(), 0);
  EXPECT_EQ(executor.memory.pool(kMode).Held(1), 30);
}

TEST(TaskMemoryTest, AConsumersRequestEvictsWholeBlocksOldestFirst) {
  ThreadMonitor u("U");
  ThreadMonitor t("T1");
  std::vector<std::string> evicted;
  UnifiedMemoryOptions options;
  options.off_heap = {.total = 100, .storage_region = 20};
  options.eviction_listener = [&](std::string_view block, int64_t bytes) {
    evicted.push_back(std::string(block) + " " + std::to_string(bytes));
  };
  UnifiedMemory memory(u, options);
  UnifiedPool& pool = memory.pool(kMode);
  LockedCall cache(u, [&] {
    EXPECT_TRUE(pool.Put("a", 30)->stored);
    EXPECT_TRUE(pool.Put("b", 30)->stored);
    EXPECT_TRUE(pool.Put("c", 30)->stored);
    EXPECT_FALSE(pool.Put("d", 101)->stored);
    EXPECT_TRUE(pool.storage().Pin("a").ok());
    return 0;
  });
  RunBlocking(cache, ThisThread());
  TaskMemory task(memory, t, 1);
  Operator op(task, "op");
  EXPECT_EQ(*op.Acquire(25), 25) << "10 are free, and a block of 30 is worth more than the rest";
  EXPECT_EQ(evicted, std::vector<std::string>{"b 30"});
  EXPECT_EQ(pool.free(), 15);
  EXPECT_EQ(pool.storage().used(), 60);
}

TEST(StoragePoolTest, BlocksThatAreNotThereOrThereAlready) {
  StoragePool pool(100);
  ASSERT_TRUE(pool.Add("a", 10).ok());
  EXPECT_EQ(pool.Add("a", 10),
            absl::AlreadyExistsError("storage pool: block `a` is there already"));
  EXPECT_EQ(pool.Remove("b"), absl::NotFoundError("storage pool: there is no block `b`"));
  EXPECT_EQ(pool.Pin("b").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(pool.Unpin("b").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(pool.Unpin("a"),
            absl::FailedPreconditionError("storage pool: block `a` is not pinned"));
  EXPECT_EQ(pool.used(), 10);
}

TEST(TaskMemoryTest, BytesOfNoneAreRefusedAsSparkAsserts) {
  Executor executor(100);
  Operator op(executor.task, "op");
  EXPECT_EQ(op.Acquire(0).status().message(), "invalid number of bytes requested: 0");
  EXPECT_EQ(op.Acquire(-7).status().message(), "invalid number of bytes requested: -7");
}

TEST(TaskMemoryTest, AnEntryThatWentIsMadeAgainIfSoAsked) {
  ThreadMonitor u("U");
  for (const MissingEntry missing : {MissingEntry::kFails, MissingEntry::kRestored}) {
    ExecutionPool pool(u, 100, missing);
    ASSERT_TRUE(pool.Register(1));
    pool.Release(1, 0);
    const ExecutionPool::Attempt attempt = pool.TryAcquire(1, 10);
    EXPECT_EQ(attempt.granted, missing == MissingEntry::kRestored ? 10 : 0);
    EXPECT_EQ(attempt.outcome == ExecutionPool::Attempt::Outcome::kNoEntry,
              missing == MissingEntry::kFails);
  }
}

constexpr int64_t kKiB = 1 << 10;

// What a writer that needs 32 KiB makes Spark do, by the exact policy and by the step of 1 MiB.
bool NeedsThirtyTwoKiB(Executor& executor, int64_t step) {
  CometConsumer comet(executor.task);
  SparkPool pool({.kind = PoolKind::kGreedyUnified}, std::make_shared<TaskBackend>(comet));
  const auto consumer = pool.Register("writer", true);
  Reservation reservation(*consumer);
  auto policy = *ReservationPolicy::Create({.step = step});
  Action next = policy.Grow(32 * kKiB);
  while (next.kind == Action::Kind::kRequest) {
    next = policy.Answer(reservation.TryGrow(next.bytes)->granted);
  }
  return next.kind == Action::Kind::kCovered;
}

// MEMORY section 2, "Spill equivalence".
TEST(StepAndExactTest, SparkHasPeersSpillForTheWholeStep) {
  for (const int64_t step : {int64_t{0}, 1024 * kKiB}) {
    Executor executor(2048 * kKiB);
    Operator sort(executor.task, "sort");
    ASSERT_EQ(*sort.Acquire(1536 * kKiB), 1536 * kKiB);
    EXPECT_TRUE(NeedsThirtyTwoKiB(executor, step));
    EXPECT_EQ(sort.used(), (step == 0 ? 1536 : 1024) * kKiB) << "512 KiB are free anyway";
  }
}

TEST(StepAndExactTest, WhatPeersSpilledForADeniedStepStaysSpilled) {
  for (const int64_t step : {int64_t{0}, 1024 * kKiB}) {
    Executor executor(2048 * kKiB);
    Operator sort(executor.task, "sort");
    Operator stubborn(executor.task, "stubborn", [](Operator&, int64_t) { return 0; });
    ASSERT_EQ(*sort.Acquire(256 * kKiB), 256 * kKiB);
    ASSERT_EQ(*stubborn.Acquire(1280 * kKiB), 1280 * kKiB);
    EXPECT_TRUE(NeedsThirtyTwoKiB(executor, step)) << "the exact retry is granted";
    EXPECT_EQ(sort.used(), (step == 0 ? 256 : 0) * kKiB);
  }
}

TEST(StepAndExactTest, ATaskUnderItsFloorWaitsForTheStepThoughTheDeficitIsFree) {
  VirtualSpark spark(4096 * kKiB);
  ScriptedConsumer other(spark.Task(2), "other");
  TaskAcquireCall most(other, 3584 * kKiB);
  spark.Start("t2", most);
  ASSERT_EQ(RunAtRandom(spark.threads(), 1), "");
  ScriptedConsumer writer(spark.Task(1), "writer");
  TaskAcquireCall exact(writer, 32 * kKiB);
  spark.Start("exact", exact);
  EXPECT_EQ(RunAtRandom(spark.threads(), 1), "");
  EXPECT_EQ(*exact.granted(), 32 * kKiB);
  ReleaseCall back(spark.pool(), 1, 32 * kKiB);
  spark.Start("back", back);
  EXPECT_EQ(RunAtRandom(spark.threads(), 1), "");
  TaskAcquireCall step(writer, 1024 * kKiB);
  spark.Start("step", step);
  EXPECT_EQ(RunAtRandom(spark.threads(), 1), "step waits in U") << "512 KiB free, its floor 1 MiB";
}

// Four tasks, in each an operator of the JVM and a native one, which asks through the task's pool.
void Contend(PoolVariant variant) {
  constexpr int kTasks = 4;
  LockOrder order;
  ThreadMonitor u("U");
  OrderedMonitor watched_u(u, order);
  UnifiedMemory memory(watched_u, OffHeap(1000, MissingEntry::kRestored));
  std::vector<std::unique_ptr<Monitor>> monitors;
  const auto new_monitor = [&](const std::string& name) -> Monitor& {
    Monitor& monitor = *monitors.emplace_back(std::make_unique<ThreadMonitor>(name));
    return *monitors.emplace_back(std::make_unique<OrderedMonitor>(monitor, order));
  };
  struct Task {
    std::unique_ptr<TaskMemory> memory;
    std::unique_ptr<Operator> jvm;
    std::unique_ptr<CometConsumer> comet;
    std::unique_ptr<SparkPool> pool;
  };
  std::vector<Task> tasks(kTasks);
  for (int i = 0; i < kTasks; ++i) {
    const std::string number = std::to_string(i);
    Task& task = tasks[static_cast<size_t>(i)];
    task.memory = std::make_unique<TaskMemory>(memory, new_monitor("T" + number), i);
    // Its own thread may be inside Acquire() or Free() when another of the task has it spill, so
    // that it leaves its bytes alone.
    task.jvm = std::make_unique<Operator>(*task.memory, "jvm" + number,
                                          [](Operator&, int64_t) { return 0; });
    task.comet = std::make_unique<CometConsumer>(*task.memory);
    SparkPoolOptions options{.variant = variant, .size = 1000, .lock = &new_monitor("M" + number)};
    task.pool = std::make_unique<SparkPool>(options, std::make_shared<TaskBackend>(*task.comet));
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < kTasks; ++i) {
    Task& task = tasks[static_cast<size_t>(i)];
    threads.emplace_back([&task, i] {
      base::Random random(static_cast<uint64_t>(i));
      for (int round = 0; round < 200; ++round) {
        ASSERT_TRUE(task.jvm->Acquire(random.Between(1, 300)).ok());
        task.jvm->Free(task.jvm->used() / random.Between(1, 3));
      }
      task.jvm->Free(task.jvm->used());
    });
    threads.emplace_back([&task, i] {
      base::Random random(static_cast<uint64_t>(100 + i));
      const auto consumer = task.pool->Register("writer", true);
      for (int round = 0; round < 200; ++round) {
        const auto grant = consumer->TryGrow(random.Between(1, 300));
        ASSERT_TRUE(grant.ok());
        if (!grant->granted || random.Below(3) == 0) {
          ASSERT_TRUE(consumer->Shrink(consumer->reserved()).ok());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Task& task : tasks) {
    EXPECT_EQ(task.pool->reserved(), 0);
    EXPECT_EQ(task.jvm->used(), 0);
  }
  EXPECT_EQ(memory.pool(kMode).used(), 0);
  EXPECT_EQ(order.Circle(), "");
}

TEST(TaskMemoryThreadsTest, EightThreadsOfFourTasksEndWithNothingHeld) {
  Contend(PoolVariant::kAsIs);
  Contend(PoolVariant::kFixed);
}

}  // namespace
}  // namespace spillway::memory::spark
