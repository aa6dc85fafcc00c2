// SPDX-License-Identifier: Apache-2.0
#include "sim/model/crossing_times.h"

#include <algorithm>
#include <utility>

#include "sim/scenario/latency.h"
#include "src/base/status.h"

namespace spillway::sim {

absl::StatusOr<CrossingTimes> CrossingTimes::Create(const Jni& jni) {
  const auto read = [](const auto& gaps) -> absl::StatusOr<Table> {
    Table table;
    for (const Gap& gap : gaps) {
      SPILLWAY_ASSIGN_OR_RETURN(Empirical time, ToEmpirical(gap.crossing()));
      table.push_back({gap.gap_ns() * kNanosecond, std::move(time)});
    }
    return table;
  };
  SPILLWAY_ASSIGN_OR_RETURN(Table acquires, read(jni.gap()));
  SPILLWAY_ASSIGN_OR_RETURN(Table releases, read(jni.release_gap()));
  if (acquires.empty()) {
    SPILLWAY_ASSIGN_OR_RETURN(Empirical time, ToEmpirical(jni.crossing()));
    acquires.push_back({0, std::move(time)});
  }
  if (releases.empty()) releases = acquires;
  std::optional<Empirical> shared;
  if (jni.has_shared()) {
    SPILLWAY_ASSIGN_OR_RETURN(shared, ToEmpirical(jni.shared()));
  }
  return CrossingTimes(std::move(acquires), std::move(releases), std::move(shared),
                       jni.inside_permille());
}

CrossingTimes::CrossingTimes(Table acquires, Table releases, std::optional<Empirical> shared,
                             int64_t inside_permille)
    : acquires_(std::move(acquires)),
      releases_(std::move(releases)),
      shared_(std::move(shared)),
      inside_permille_(inside_permille) {}

CrossingTime CrossingTimes::Sample(Kind kind, Duration gap, base::Random& random) const {
  const Table& table = kind == Kind::kAcquire ? acquires_ : releases_;
  const uint64_t draw = random.Next();
  size_t next = 0;
  while (next < table.size() && table[next].gap <= gap) ++next;
  Duration whole;
  if (next == 0 || next == table.size()) {
    whole = table[next == 0 ? 0 : next - 1].time.At(draw);
  } else {
    const Point& a = table[next - 1];
    const Point& b = table[next];
    const Duration from = a.time.At(draw);
    const auto rise = static_cast<__int128>(b.time.At(draw) - from) * (gap - a.gap);
    whole = from + static_cast<Duration>(rise / (b.gap - a.gap));
  }
  CrossingTime time;
  time.inside = whole / 1000 * inside_permille_ + whole % 1000 * inside_permille_ / 1000;
  time.before = (whole - time.inside) / 2;
  time.after = whole - time.inside - time.before;
  if (!shared_) return time;
  // Of what is in the caches of a core that has just called. A number of its own, and yet none more
  // than others draw.
  const Duration warm = table.front().time.At(draw);
  time.shared = shared_->At(base::SplitMix64(draw));
  if (warm < whole) {
    time.shared = static_cast<Duration>(static_cast<__int128>(time.shared) * warm / whole);
  }
  return time;
}

}  // namespace spillway::sim
