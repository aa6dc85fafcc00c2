// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pools that Spark is not asked for: DataFusion's greedy, fair and unbounded ones.

#include <cstdint>

#include "src/memory/pool_kind.h"
#include "src/memory/shared_pool.h"

namespace spillway::memory {

// What a consumer may hold, with `size` bytes in all:
//
//   kGreedy     what the others leave
//   kFairSpill  that cannot spill: what the others leave
//               that can: (size - what those hold that cannot) / number of those that can
//   kUnbounded  anything, up to 2^63 - 1 in all
//
// As DataFusion does it (kAsIs), the share of kFairSpill is compared with what the one reservation
// holds that asks, so that siblings exceed it together (datafusion#25172), and nobody looks at the
// sum, so that a consumer that came first keeps more than its share and the others are given theirs
// on top. kFixed counts what the consumer holds, and grants nothing beyond `size`.
class LocalPool final : public SharedPool {
 public:
  // `size` >= 0; kUnbounded has none.
  LocalPool(PoolKind kind, int64_t size, PoolVariant variant);

 private:
  absl::StatusOr<Grant> Grow(Consumer& consumer, int64_t held, int64_t bytes) override;
  absl::Status Return(Consumer& consumer, int64_t bytes) override;

  int64_t Available(const Consumer& consumer, int64_t held) const;

  const PoolKind kind_;
  const int64_t size_;
  const PoolVariant variant_;
};

}  // namespace spillway::memory
