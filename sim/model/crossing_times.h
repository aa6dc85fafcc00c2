// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a crossing of the JNI boundary costs by itself: MEMORY section 6.

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/kernel/empirical.h"
#include "sim/kernel/time.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/random.h"

namespace spillway::sim {

// One crossing's time and where it is spent.
struct CrossingTime {
  Duration before = 0;  // from native code to Spark's monitor
  Duration inside = 0;  // in it
  Duration after = 0;   // back to native code

  Duration shared = 0;  // more inside, if memory comes from the cache of another core

  Duration whole() const { return before + inside + after; }
};

class CrossingTimes {
 public:
  enum class Kind : uint8_t { kAcquire, kRelease };

  // InvalidArgument: a distribution that is none. `jni` has passed the loader.
  static absl::StatusOr<CrossingTimes> Create(const Jni& jni);

  // `gap`: since the last crossing of the thread. Exactly one number is drawn.
  CrossingTime Sample(Kind kind, Duration gap, base::Random& random) const;

 private:
  struct Point {
    Duration gap;
    Empirical time;
  };
  using Table = std::vector<Point>;  // not empty, by ascending gap

  CrossingTimes(Table acquires, Table releases, std::optional<Empirical> shared,
                int64_t inside_permille);

  Table acquires_;
  Table releases_;
  std::optional<Empirical> shared_;
  int64_t inside_permille_;
};

}  // namespace spillway::sim
