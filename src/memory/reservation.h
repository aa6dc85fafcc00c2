// SPDX-License-Identifier: Apache-2.0
#pragma once
// One holder's part of a pool.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/memory/pool.h"

namespace spillway::memory {

// Gives back everything it holds, in one call, when it ends. The pool must outlive it. As in
// DataFusion, growth is counted after the pool granted it and a return before the pool hears of it,
// and no call is made for 0 bytes. Not thread-safe.
class Reservation {
 public:
  explicit Reservation(Pool& pool) : pool_(&pool) {}
  // A pool that fails then cannot be reported; call Free() first to see it.
  ~Reservation() { Free().IgnoreError(); }
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;

  int64_t size() const { return size_; }

  // As Pool::TryGrow, whose status it passes on.
  absl::StatusOr<Grant> TryGrow(int64_t bytes);

  // InvalidArgument, and nothing moves, if `bytes` is negative or more than size(). If the pool
  // fails its status is passed on, and the bytes count as returned all the same: asking again could
  // return them twice.
  absl::Status Shrink(int64_t bytes);

  // Shrinks to 0.
  absl::Status Free() { return Shrink(size_); }

 private:
  Pool* pool_;
  int64_t size_ = 0;
};

}  // namespace spillway::memory
