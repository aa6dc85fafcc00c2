// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where memory is reserved. A pool only counts: nobody gets bytes from it.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace spillway::memory {

// A denial is an answer, not an error.
struct Grant {
  bool granted = false;
  int64_t available = 0;  // if denied: what the pool could have given
};

// Implementations say whether they may be called from several threads.
class Pool {
 public:
  virtual ~Pool() = default;

  // Reserves all of `bytes` or nothing.
  //
  //   granted           reserved() has grown by `bytes`; always so for 0
  //   denied            nothing moved
  //   InvalidArgument   `bytes` is negative; nothing moved
  //   any other status  the pool itself failed; nothing moved
  virtual absl::StatusOr<Grant> TryGrow(int64_t bytes) = 0;

  // Gives `bytes` back.
  //
  //   OK                 reserved() has shrunk by `bytes`
  //   InvalidArgument    `bytes` is negative or more than reserved(); nothing moved
  //   any other status   the pool itself failed
  virtual absl::Status Shrink(int64_t bytes) = 0;

  virtual int64_t reserved() const = 0;
};

}  // namespace spillway::memory
