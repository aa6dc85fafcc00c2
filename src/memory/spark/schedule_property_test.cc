// SPDX-License-Identifier: Apache-2.0
// Random schedules of several tasks and threads, step by step: nothing is stuck, lost or granted
// beyond what there is. And the machinery finds faults that are planted.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/random.h"
#include "src/memory/fake_spark.h"
#include "src/memory/pool_registry.h"
#include "src/memory/reservation.h"
#include "src/memory/spark/pool_calls.h"
#include "src/memory/spark/task_backend.h"
#include "src/memory/spark/task_calls.h"
#include "src/memory/spark/virtual_spark.h"
#include "src/memory/spark_pool.h"

namespace spillway::memory::spark {
namespace {

// A consumer's thread: asks and frees at random, and gives everything back in the end.
class JvmOperator {
 public:
  JvmOperator(VirtualSpark& spark, int64_t task, std::string name, base::Random& random)
      : consumer_(spark.Task(task), name, PlanOf(random)),
        program_(Calls(spark, random)),
        thread_(spark.Start(name, program_)) {}

  const MemoryConsumer& consumer() const { return consumer_; }

  // It waits, nobody is about to notify it, and it would be served if it looked: the rule of
  // ExecutionPool::TryAcquire() in other words.
  bool Overlooked(const ExecutionPool& pool) const {
    if (thread_.state() != VirtualThread::State::kWaiting) return false;
    if (thread_.at()->owner() != nullptr) return false;
    const int64_t task = consumer_.task().task();
    const int64_t held = pool.Held(task);
    const bool entered = std::any_of(pool.tasks().begin(), pool.tasks().end(),
                                     [&](const auto& entry) { return entry.task == task; });
    const int64_t active = static_cast<int64_t>(pool.tasks().size()) + (entered ? 0 : 1);
    const int64_t lacks = asked_->missing();
    const int64_t possible =
        std::min(pool.free(), std::max<int64_t>(0, pool.size() / active - held));
    return possible >= lacks || held + possible >= pool.size() / (2 * active);
  }

 private:
  static ScriptedConsumer::Plan PlanOf(base::Random& random) {
    switch (random.Below(4)) {
      case 0:
        return [](const auto& self, int64_t bytes) { return std::min(self.used(), bytes); };
      case 1:
        return [](const auto& self, int64_t) { return self.used(); };
      case 2:
        return [](const auto& self, int64_t) { return (self.used() + 1) / 2; };
      default:
        return nullptr;
    }
  }

  std::vector<Program::Maker> Calls(VirtualSpark& spark, base::Random& random) {
    std::vector<Program::Maker> calls;
    const int64_t rounds = random.Between(1, 4);
    for (int64_t i = 0; i < rounds; ++i) {
      const int64_t bytes = random.Between(1, 120);
      calls.push_back([this, bytes] {
        auto call = std::make_unique<TaskAcquireCall>(consumer_, bytes);
        asked_ = call.get();
        return call;
      });
      const int64_t percent = random.Between(0, 100);
      calls.push_back([this, &spark, percent] { return Free(spark, percent); });
    }
    calls.push_back([this, &spark] { return Free(spark, 100); });
    return calls;
  }

  std::unique_ptr<ResumableCall> Free(VirtualSpark& spark, int64_t percent) {
    const int64_t bytes = consumer_.used() * percent / 100;
    consumer_.CountFreed(bytes);
    return std::make_unique<ReleaseCall>(spark.pool(), consumer_.task().task(), bytes);
  }

  ScriptedConsumer consumer_;
  const TaskAcquireCall* asked_ = nullptr;  // the last, while it is under way
  Program program_;
  VirtualThread& thread_;
};

using Operators = std::vector<std::unique_ptr<JvmOperator>>;

Operators StartOperators(VirtualSpark& spark, base::Random& random) {
  Operators operators;
  const int64_t tasks = random.Between(1, 4);
  for (int64_t task = 1; task <= tasks; ++task) {
    const int64_t threads = random.Between(1, 3);
    for (int64_t i = 0; i < threads; ++i) {
      const std::string name = "t" + std::to_string(task) + "." + std::to_string(i);
      operators.push_back(std::make_unique<JvmOperator>(spark, task, name, random));
    }
  }
  return operators;
}

bool AnyOverlooked(const Operators& operators, const ExecutionPool& pool) {
  return std::any_of(operators.begin(), operators.end(),
                     [&](const auto& op) { return op->Overlooked(pool); });
}

// The share of a task that has grown, and the books of the pool, after each step.
class Auditor {
 public:
  explicit Auditor(ExecutionPool& pool) : pool_(pool) {}

  void Check() {
    int64_t sum = 0;
    for (const auto& [task, bytes] : pool_.tasks()) {
      sum += bytes;
      const auto active = static_cast<int64_t>(pool_.tasks().size());
      const auto before = std::find_if(last_.begin(), last_.end(),
                                       [task = task](const auto& e) { return e.task == task; });
      if (before != last_.end() && before->bytes < bytes) {
        RC_ASSERT(bytes <= pool_.size() / active);
      }
      RC_ASSERT(bytes >= 0);
    }
    RC_ASSERT(pool_.used() == sum);
    RC_ASSERT(pool_.free() >= 0);
    last_ = pool_.tasks();
  }

 private:
  ExecutionPool& pool_;
  std::vector<ExecutionPool::TaskBytes> last_;
};

RC_GTEST_PROP(ScheduleTest, TasksThatSpillForThemselvesNeverGetStuckNorBeyondTheirShare,
              (uint64_t seed)) {
  base::Random random(seed);
  VirtualSpark spark(random.Between(60, 400), MissingEntry::kRestored);
  const Operators operators = StartOperators(spark, random);
  Auditor auditor(spark.pool());
  const std::string stuck = RunAtRandom(spark.threads(), seed, [&] {
    auditor.Check();
    RC_ASSERT(!AnyOverlooked(operators, spark.pool()));
  });
  RC_ASSERT(stuck == "");
  RC_ASSERT(spark.pool().used() == 0);
  RC_ASSERT(spark.pool().tasks().empty());
  for (const auto& op : operators) RC_ASSERT(op->consumer().used() == 0);
  RC_ASSERT(spark.order().Circle() == "");
}

// A task with a native pool: its operators' threads.
class NativeTask {
 public:
  NativeTask(VirtualSpark& spark, int64_t task, SparkPoolOptions options, int64_t operators,
             base::Random& random)
      : name_("t" + std::to_string(task)), consumer_(spark.Task(task)) {
    options.lock = &spark.NewMonitor("M" + std::to_string(task));
    options.clock = [] { return 0; };
    pool_ = std::make_unique<SparkPool>(options, std::make_shared<TaskBackend>(consumer_));
    for (int64_t i = 0; i < operators; ++i) {
      Consumer& member = pool_->Join("op" + std::to_string(i), random.Below(3) > 0);
      programs_.push_back(std::make_unique<Program>(Calls(member, random)));
      spark.Start(name_ + "." + std::to_string(i), *programs_.back());
    }
  }

  SparkPool& pool() { return *pool_; }

 private:
  std::vector<Program::Maker> Calls(Consumer& member, base::Random& random) {
    std::vector<Program::Maker> calls;
    const int64_t rounds = random.Between(1, 4);
    for (int64_t i = 0; i < rounds; ++i) {
      const int64_t bytes = random.Between(1, 120);
      calls.push_back([this, &member, bytes] {
        return std::make_unique<SparkGrowCall>(*pool_, member, bytes);
      });
      if (random.Below(2) == 0) calls.push_back([this, &member] { return ReturnAll(member); });
    }
    calls.push_back([this, &member] { return ReturnAll(member); });
    return calls;
  }

  std::unique_ptr<ResumableCall> ReturnAll(Consumer& member) {
    if (member.bytes == 0) return nullptr;
    return std::make_unique<SparkReturnCall>(*pool_, member, member.bytes);
  }

  const std::string name_;
  CometConsumer consumer_;
  std::unique_ptr<SparkPool> pool_;
  std::vector<std::unique_ptr<Program>> programs_;
};

RC_GTEST_PROP(ScheduleTest, BooksOfNativePoolsAreTheSumOfTheirConsumersAndNeverMissWhatSparkGranted,
              (uint64_t seed)) {
  base::Random random(seed);
  const int64_t size = random.Between(60, 400);
  VirtualSpark spark(size, MissingEntry::kRestored);
  SparkPoolOptions options{.size = random.Between(size / 2, size * 2)};
  options.kind = random.Below(3) == 0 ? PoolKind::kGreedyUnified : PoolKind::kFairUnified;
  options.variant = random.Below(2) == 0 ? PoolVariant::kAsIs : PoolVariant::kFixed;
  options.rule = random.Below(2) == 0 ? FairRule::kPoolWide : FairRule::kPerConsumer;
  std::vector<std::unique_ptr<NativeTask>> tasks;
  const int64_t count = random.Between(1, 4);
  for (int64_t task = 1; task <= count; ++task) {
    tasks.push_back(
        std::make_unique<NativeTask>(spark, task, options, random.Between(1, 3), random));
  }
  const bool fixed =
      options.kind == PoolKind::kFairUnified && options.variant == PoolVariant::kFixed;
  Auditor auditor(spark.pool());
  const std::string stuck = RunAtRandom(spark.threads(), seed, [&] {
    auditor.Check();
    for (size_t i = 0; i < tasks.size(); ++i) {
      const int64_t reserved = tasks[i]->pool().reserved();
      int64_t sum = 0;
      for (const Consumer& consumer : tasks[i]->pool().Consumers()) sum += consumer.bytes;
      RC_ASSERT(reserved == sum);
      if (fixed) RC_ASSERT(reserved >= spark.pool().Held(static_cast<int64_t>(i) + 1));
      if (fixed) RC_ASSERT(reserved <= options.size);
    }
  });
  RC_ASSERT(stuck == "");
  RC_ASSERT(spark.pool().used() == 0);
  for (const auto& task : tasks) {
    RC_ASSERT(task->pool().reserved() == 0);
    const PoolCounts counts = task->pool().counters();
    RC_ASSERT(counts.granted_bytes == counts.release_bytes);
  }
  RC_ASSERT(spark.order().Circle() == "");
}

// Every pool by its name, several consumers with a second reservation each, and a Spark that has
// less and less to give or throws.
RC_GTEST_PROP(LedgerTest, EveryPoolsLedgerIsTheSumOfItsReservations, (uint64_t seed)) {
  base::Random random(seed);
  constexpr const char* kNames[] = {"greedy", "fair_spill", "unbounded", "greedy_unified",
                                    "fair_unified"};
  const auto fake = std::make_shared<FakeSpark>(random.Between(0, 600));
  PoolOptions options{.name = *ParsePoolName(kNames[random.Below(5)]), .size = 500};
  options.variant = random.Below(2) == 0 ? PoolVariant::kAsIs : PoolVariant::kFixed;
  options.rule = random.Below(2) == 0 ? FairRule::kPoolWide : FairRule::kPerConsumer;
  const auto pool = *MakePool(options, 1, fake);
  const bool unified = options.name.scope == PoolScope::kTask;
  const bool throws = random.Below(2) == 0;
  if (throws) fake->ThrowAt({random.Between(1, 40), random.Between(1, 40)});
  std::vector<std::unique_ptr<PoolConsumer>> consumers;
  std::vector<std::unique_ptr<Pool>> views;
  std::vector<Reservation> reservations;
  for (int64_t i = random.Between(1, 4); i > 0; --i) {
    consumers.push_back(pool->Register("c", random.Below(3) > 0));
    views.push_back(consumers.back()->Sibling());
    reservations.emplace_back(*consumers.back());
    reservations.emplace_back(*views.back());
  }
  for (int event = 0; event < 60; ++event) {
    Reservation& reservation = reservations[random.Below(reservations.size())];
    if (random.Below(3) > 0) {
      reservation.TryGrow(random.Between(0, 200)).status().IgnoreError();
    } else {
      reservation.Shrink(random.Between(0, reservation.size())).IgnoreError();
    }
    if (random.Below(10) == 0) fake->set_capacity(random.Between(0, 600));
    int64_t sum = 0;
    for (const Reservation& each : reservations) sum += each.size();
    RC_ASSERT(pool->reserved() == sum);
    RC_ASSERT(!unified || fake->held() == sum || (throws && fake->held() > sum));
    const bool sized =
        options.name.kind != PoolKind::kUnbounded && options.name.kind != PoolKind::kGreedyUnified;
    RC_ASSERT(!sized || options.variant == PoolVariant::kAsIs || sum <= options.size);
  }
  reservations.clear();
  RC_ASSERT(pool->reserved() == 0);
  RC_ASSERT(fake->over_returned() == 0);
}

// Loses every tenth notification.
class ForgetfulMonitor final : public Monitor {
 public:
  explicit ForgetfulMonitor(Monitor& monitor) : Monitor(monitor.name()), monitor_(monitor) {}
  bool Enter(Caller& caller) override { return monitor_.Enter(caller); }
  void Exit(Caller& caller) override { monitor_.Exit(caller); }
  bool Wait(Caller& caller) override { return monitor_.Wait(caller); }
  void NotifyAll(Caller& caller) override {
    if (++notifications_ % 10 != 0) monitor_.NotifyAll(caller);
  }

 private:
  Monitor& monitor_;
  int notifications_ = 0;
};

// Of `runs` schedules, how many showed somebody who was overlooked.
int SchedulesWithSomebodyOverlooked(int runs, bool forgetful) {
  int found = 0;
  for (int seed = 0; seed < runs; ++seed) {
    base::Random random(static_cast<uint64_t>(seed));
    std::vector<std::unique_ptr<Monitor>> planted;
    VirtualSpark spark(100, MissingEntry::kRestored, [&](Monitor& monitor) -> Monitor& {
      if (!forgetful) return monitor;
      return *planted.emplace_back(std::make_unique<ForgetfulMonitor>(monitor));
    });
    const Operators operators = StartOperators(spark, random);
    bool overlooked = false;
    RunAtRandom(spark.threads(), static_cast<uint64_t>(seed),
                [&] { overlooked |= AnyOverlooked(operators, spark.pool()); });
    if (overlooked) ++found;
  }
  return found;
}

TEST(ScheduleCanaryTest, ALostNotificationIsFound) {
  EXPECT_GT(SchedulesWithSomebodyOverlooked(100, /*forgetful=*/true), 0);
  EXPECT_EQ(SchedulesWithSomebodyOverlooked(100, /*forgetful=*/false), 0);
}

// As before datafusion-comet#5493: a registry of the executor lets a task that lacks memory spill
// another one, under its own lock and then the other's.
class CrossTaskSpill final : public ResumableCall {
 public:
  CrossTaskSpill(Monitor& own, Monitor& victim) : own_(own), victim_(victim) {}

  Step Next() override {
    constexpr Step::Kind kSteps[] = {Step::Kind::kEnter, Step::Kind::kEnter, Step::Kind::kExit,
                                     Step::Kind::kExit};
    if (taken_ == 4) return {};
    Monitor& monitor = taken_ == 1 || taken_ == 2 ? victim_ : own_;
    return {.kind = kSteps[taken_++], .monitor = &monitor};
  }

 private:
  Monitor& own_;
  Monitor& victim_;
  int taken_ = 0;
};

TEST(ScheduleCanaryTest, LocksInTwoOrdersAreFoundEvenIfNothingGetsStuck) {
  int stuck = 0;
  int seen = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    VirtualSpark spark(100);
    CrossTaskSpill there(spark.Task(1).lock(), spark.Task(2).lock());
    CrossTaskSpill back(spark.Task(2).lock(), spark.Task(1).lock());
    spark.Start("t1", there);
    spark.Start("t2", back);
    const std::string who = RunAtRandom(spark.threads(), seed);
    if (spark.order().Circle() == "T1 > T2 > T1") ++seen;
    if (who == "t1 stands before T2, which t2 has; t2 stands before T1, which t1 has") ++stuck;
  }
  EXPECT_EQ(seen, 20);
  EXPECT_GT(stuck, 0);
  EXPECT_LT(stuck, 20);
}

}  // namespace
}  // namespace spillway::memory::spark
