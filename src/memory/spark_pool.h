// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pools that ask Spark: Comet's greedy_unified and fair_unified. MEMORY section 3.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "src/memory/monitor.h"
#include "src/memory/pool_counters.h"
#include "src/memory/pool_kind.h"
#include "src/memory/resumable_call.h"
#include "src/memory/shared_pool.h"
#include "src/memory/spark_backend.h"
#include "src/memory/thread_monitor.h"

namespace spillway::memory {

struct SparkPoolOptions {
  PoolKind kind = PoolKind::kFairUnified;  // or kGreedyUnified
  PoolVariant variant = PoolVariant::kFixed;
  FairRule rule = FairRule::kPoolWide;  // of kFairUnified, kAsIs
  int64_t size = 0;                     // of kFairUnified: bytes >= 0 that its shares are parts of
  int64_t task = 0;                     // attempt, for the log

  // The lock of kFairUnified, kAsIs; outlives the pool. Absent: one for threads, of its own.
  Monitor* lock = nullptr;
  // Gets the line of counters when the pool ends, and a warning if something is still reserved
  // then. Absent: no log.
  std::function<void(std::string_view)> log = nullptr;
  // Nanoseconds of any clock, for the time that the backend takes. Absent: a steady one.
  std::function<uint64_t()> clock = nullptr;
};

// What a consumer is granted, Spark willing:
//
//   kGreedyUnified        anything. No lock is taken
//   kFairUnified, kFixed  that cannot spill: what the others leave of `size`
//                         that can: the same, and no more than its share, (size - what those hold
//                         that cannot) / number of those that can
//   kFairUnified, kAsIs   with a share of size / all registered: kPerConsumer that the consumer
//                         holds no more than it, kPoolWide that all together do not
//
// kFairUnified, kAsIs, holds its lock while Spark is asked, and while something goes back: if Spark
// has the asking consumer wait, its siblings cannot even release (datafusion-comet#5613). kFixed
// counts a request before it asks, takes it off again if it fails, and takes a return off when
// Spark has it, so that its books never have less than Spark granted; no lock is held meanwhile. A
// sibling that asks at that moment may be denied bytes that then nobody gets.
//
// Whenever Spark grants less than it was asked for, that goes back, even if it is 0 bytes, and the
// consumer is denied.
class SparkPool final : public SharedPool {
 public:
  SparkPool(SparkPoolOptions options, std::shared_ptr<SparkBackend> backend);
  // Logs.
  ~SparkPool() override;

  PoolCounts counters() const { return counters_.Snapshot(); }

  // "CometFairMemoryPool" or "CometUnifiedMemoryPool", its name in Comet's log.
  std::string_view name() const;

 private:
  friend class SparkPoolCall;
  friend class SparkGrowCall;
  friend class SparkReturnCall;

  absl::StatusOr<Grant> Grow(Consumer& consumer, int64_t held, int64_t bytes) override;
  absl::Status Return(Consumer& consumer, int64_t bytes) override;

  bool CountsBeforeAsking() const;
  int64_t Available(const Consumer& consumer) const;
  // What the rule leaves for `consumer` if that is less than `bytes`. Absent: they are within it,
  // and counted if they are to be.
  std::optional<int64_t> Refuse(Consumer& consumer, int64_t bytes);
  void CountLocked(Consumer& consumer, int64_t bytes);

  const SparkPoolOptions options_;
  const std::shared_ptr<SparkBackend> backend_;
  ThreadMonitor own_lock_;
  Monitor* const lock_;  // absent: none is needed
  PoolCounters counters_;
};

// A call of the pool in steps (resumable_call.h). Its kAcquire and kRelease steps are what crosses
// JNI.
class SparkPoolCall : public ResumableCall {
 public:
  void Answer(absl::StatusOr<int64_t> bytes) override;

  // Crossings so far.
  int64_t crossings() const { return crossings_; }

 protected:
  SparkPoolCall(SparkPool& pool, Consumer& consumer, int64_t bytes)
      : pool_(pool), consumer_(consumer), bytes_(bytes) {}

  Step Cross(Step::Kind kind, int64_t bytes);

  SparkPool& pool_;
  Consumer& consumer_;
  const int64_t bytes_;
  absl::StatusOr<int64_t> answer_ = 0;  // to the last crossing

 private:
  Step::Kind crossing_ = Step::Kind::kDone;
  int64_t crossing_bytes_ = 0;
  int64_t crossings_ = 0;
  uint64_t began_ = 0;
};

// TryGrow(bytes) for a consumer of the pool; `bytes` > 0.
class SparkGrowCall final : public SparkPoolCall {
 public:
  SparkGrowCall(SparkPool& pool, Consumer& consumer, int64_t bytes)
      : SparkPoolCall(pool, consumer, bytes) {}

  Step Next() override;

  // Once it is over.
  const absl::StatusOr<Grant>& grant() const { return grant_; }

 private:
  enum class State : uint8_t { kOutside, kInside, kAcquired, kGivenBack, kOver };

  Step Ask();
  Step Acquired();
  Step GivenBack();
  Step Leave(absl::StatusOr<Grant> grant);

  State state_ = State::kOutside;
  absl::StatusOr<Grant> grant_ = Grant{};
};

// Shrink(bytes) for a consumer of the pool that holds them; `bytes` > 0. If Spark fails the bytes
// count as returned all the same.
class SparkReturnCall final : public SparkPoolCall {
 public:
  SparkReturnCall(SparkPool& pool, Consumer& consumer, int64_t bytes)
      : SparkPoolCall(pool, consumer, bytes) {}

  Step Next() override;

  // Once it is over.
  absl::Status status() const { return answer_.status(); }

 private:
  enum class State : uint8_t { kOutside, kInside, kReturned, kOver };

  State state_ = State::kOutside;
};

}  // namespace spillway::memory
