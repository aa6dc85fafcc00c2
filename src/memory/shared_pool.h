// SPDX-License-Identifier: Apache-2.0
#pragma once
// A pool that several operators of a plan, task or process register with, as DataFusion's
// MemoryPool. docs/memory/pools.md.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/memory/pool.h"

namespace spillway::memory {

// A registered operator and what it holds.
struct Consumer {
  std::string name;
  int64_t id = 0;          // counts the registrations with its pool, from 0
  bool can_spill = false;  // it can be expected to make room when it is denied something
  int64_t bytes = 0;       // of all its reservations
  int64_t peak = 0;

  bool operator==(const Consumer&) const = default;
};

// One consumer's view of a shared pool, and its first reservation there: reserved() is this
// reservation's alone. Used by one thread at a time, other consumers meanwhile by others.
class PoolConsumer : public Pool {
 public:
  // Another reservation of the same consumer. Ends before this does.
  virtual std::unique_ptr<Pool> Sibling() = 0;
};

// Thread-safe. Outlives its consumers.
class SharedPool {
 public:
  virtual ~SharedPool() = default;
  SharedPool(const SharedPool&) = delete;
  SharedPool& operator=(const SharedPool&) = delete;

  // The view unregisters when it ends. Reservations that end give back what they still hold.
  std::unique_ptr<PoolConsumer> Register(std::string_view name, bool can_spill);

  // The pool's own count of what all consumers hold.
  int64_t reserved() const;

  // Those that are registered, by id.
  std::vector<Consumer> Consumers() const;

  // Registering without a view, for those who run a pool's calls in steps: Leave() ends it, with
  // nothing held any more. What is in a Consumer is for the pool to write.
  Consumer& Join(std::string_view name, bool can_spill);
  void Leave(Consumer& consumer);

 protected:
  // What all consumers come to.
  struct Sums {
    int64_t reserved = 0;
    int64_t unspillable = 0;  // of `reserved`, by those that cannot spill
    int64_t consumers = 0;
    int64_t spillers = 0;  // those that can
  };

  SharedPool() = default;

  // `consumer` holds `bytes` more, or less if negative. Inside mutex_.
  void Count(Consumer& consumer, int64_t bytes);

  // Held for a few instructions and never while anything else is taken.
  mutable std::mutex mutex_;
  Sums sums_;  // guarded by mutex_

 private:
  friend class ReservationView;

  // Pool's calls for a reservation that holds `held`. `bytes` > 0, and for a return at most `held`.
  virtual absl::StatusOr<Grant> Grow(Consumer& consumer, int64_t held, int64_t bytes) = 0;
  virtual absl::Status Return(Consumer& consumer, int64_t bytes) = 0;

  std::vector<std::unique_ptr<Consumer>> consumers_;  // guarded by mutex_, by id
  int64_t registrations_ = 0;                         // guarded by mutex_
};

// The `count` consumers that hold most, in the lines that DataFusion's TrackConsumersPool gives
// when it denies something:
//   ShuffleRepartitioner[0]#3(can spill: true) consumed 16.0 MB, peak 30.1 MB,
//   FilterExec[0]#1(can spill: false) consumed 2.0 KB, peak 2.0 KB.
std::string TopConsumers(const SharedPool& pool, size_t count = 10);

}  // namespace spillway::memory
