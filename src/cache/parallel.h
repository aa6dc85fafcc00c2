// SPDX-License-Identifier: Apache-2.0
#pragma once
// A bounded number of threads over many pieces of work: oneTBB's pool.

#include <cstdint>
#include <functional>

#include "absl/status/status.h"

namespace spillway::cache {

// Calls `work` with each of 0 .. count - 1, by at most `threads` >= 1 threads at a time, and
// returns when all calls have returned. After a failure no further call is made; the failure of
// the smallest index that was reached is returned.
absl::Status ForEach(int64_t count, int threads,
                     const std::function<absl::Status(int64_t index)>& work);

}  // namespace spillway::cache
