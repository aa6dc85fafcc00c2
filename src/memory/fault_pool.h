// SPDX-License-Identifier: Apache-2.0
#pragma once
// A pool that goes wrong at chosen calls, in front of one that does not: for tests of whoever holds
// memory.

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/base/random.h"
#include "src/memory/pool.h"

namespace spillway::memory {

struct PoolFault {
  enum class Kind : uint8_t {
    kDenial,        // denied with nothing available; the pool behind is not asked
    kShortGrant,    // the pool behind grants `bytes` and gets them back, as Comet does with less
                    // than it asked Spark for; denied with that much available
    kLateGrant,     // the pool behind is asked, but others go first: see `meanwhile`
    kError,         // Unavailable, as when the JVM's side throws; nothing moves
    kReleaseError,  // Shrink() gives the bytes back, and then fails with Unavailable
  };
  Kind kind = Kind::kDenial;
  // The first call it befalls, from 1. kReleaseError counts Shrink(), the others TryGrow(), and no
  // call with 0 bytes counts.
  int64_t call = 1;
  int64_t times = 1;  // how many calls in a row
  // kShortGrant only: what is got; at most the request less 1, and at most what the pool has.
  int64_t bytes = 0;

  bool operator==(const PoolFault&) const = default;
};

// `count` faults of any kind for the first `calls` > 0 calls, the same for the same `random`.
std::vector<PoolFault> RandomPoolFaults(base::Random& random, int64_t count, int64_t calls);

// Not thread-safe. Both pools' reserved() are the same at any time.
class FaultPool final : public Pool {
 public:
  // `pool` outlives this. Of several faults for one call the first in `faults` happens.
  // `meanwhile`, if any, runs within a call with kLateGrant, before `pool` is asked: what other
  // holders of `pool` do while this one waits.
  FaultPool(Pool& pool, std::vector<PoolFault> faults, std::function<void()> meanwhile = nullptr);

  absl::StatusOr<Grant> TryGrow(int64_t bytes) override;
  absl::Status Shrink(int64_t bytes) override;
  int64_t reserved() const override { return pool_.reserved(); }

  int64_t grow_calls() const { return grow_calls_; }
  int64_t shrink_calls() const { return shrink_calls_; }
  // Calls so far that a fault befell.
  int64_t faults_met() const { return faults_met_; }

 private:
  const PoolFault* Due(int64_t call, bool release);
  absl::StatusOr<Grant> GrantShort(int64_t bytes, int64_t got);

  Pool& pool_;
  const std::vector<PoolFault> faults_;
  const std::function<void()> meanwhile_;
  int64_t grow_calls_ = 0;
  int64_t shrink_calls_ = 0;
  int64_t faults_met_ = 0;
};

}  // namespace spillway::memory
