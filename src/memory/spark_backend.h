// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the unified pools need of Spark's task memory manager: MEMORY section 3, "Crossing JNI".

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace spillway::memory {

// The two calls of Comet's JVM side for one task attempt. Each is one crossing. Thread-safe.
class SparkBackend {
 public:
  virtual ~SparkBackend() = default;

  // What Spark granted, 0 to `bytes` > 0, maybe after it blocked. A status stands for a Java
  // exception; nothing was granted then.
  virtual absl::StatusOr<int64_t> Acquire(int64_t bytes) = 0;

  // Gives back `bytes` >= 0.
  virtual absl::Status Release(int64_t bytes) = 0;
};

}  // namespace spillway::memory
