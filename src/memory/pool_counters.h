// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a pool asked of the system behind it, per task attempt: Comet #5384.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace spillway::memory {

// The counters at one moment; between calls only, they fit each other.
struct PoolCounts {
  uint64_t acquire_calls = 0;
  uint64_t requested_bytes = 0;
  uint64_t granted_bytes = 0;
  uint64_t short_grants = 0;  // acquire calls that got less than they asked for
  uint64_t release_calls = 0;
  uint64_t release_bytes = 0;
  uint64_t backend_nanos = 0;  // spent in calls of both kinds

  bool operator==(const PoolCounts&) const = default;

  // The line Comet logs when a task's pool drops, for example
  //   Task 4334 CometFairMemoryPool memory pool stats: acquire(calls=256, requested=25165824 bytes,
  //   granted=25165824 bytes, short=0), release(calls=1, bytes=25165824), backend_time=432.836µs
  // as one line; empty if there was no call. The time has the form of Rust's Duration.
  std::string DebugLine(int64_t task, std::string_view pool) const;
};

// Thread-safe; updates are relaxed, so a snapshot taken during a call may have half of it.
class PoolCounters {
 public:
  // A call that failed with an error acquired 0 bytes.
  void CountAcquire(uint64_t requested, uint64_t granted, uint64_t nanos = 0);
  void CountRelease(uint64_t bytes, uint64_t nanos = 0);

  PoolCounts Snapshot() const;

 private:
  std::atomic<uint64_t> acquire_calls_ = 0;
  std::atomic<uint64_t> requested_bytes_ = 0;
  std::atomic<uint64_t> granted_bytes_ = 0;
  std::atomic<uint64_t> short_grants_ = 0;
  std::atomic<uint64_t> release_calls_ = 0;
  std::atomic<uint64_t> release_bytes_ = 0;
  std::atomic<uint64_t> backend_nanos_ = 0;
};

}  // namespace spillway::memory
