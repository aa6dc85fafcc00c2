// SPDX-License-Identifier: Apache-2.0
#include "sim/calibration/calibrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

using golden::Latencies;

// The timer's own time is part of every recorded call.
constexpr double kTimerNanos = 30;

// Calls a task: by the exact policy one a batch.
constexpr int64_t kBatchesPerStep = 32;

// From here on rows with two threads tell the same as those with one.
constexpr int64_t kColdNanos = 100'000;

constexpr std::array kPermilles = {1, 10, 50, 100, 250, 500, 750, 900, 950, 990, 999};

double GeometricMean(const std::vector<const Latencies*>& rows, auto figure) {
  double sum = 0;
  for (const Latencies* const row : rows) sum += std::log(figure(*row));
  return std::exp(sum / static_cast<double>(rows.size()));
}

int64_t Nanos(double recorded) {
  return std::max<int64_t>(0, std::llround(recorded - kTimerNanos));
}

// Linear between the permilles; the mean of the whole is that of the rows, which says what the last
// thousandth is like.
Latency LatencyOf(const std::vector<const Latencies*>& rows) {
  std::vector<std::pair<int, double>> points = {{0, 0}};
  for (const int permille : kPermilles) {
    points.emplace_back(permille, GeometricMean(rows, [&](const Latencies& row) {
                          return row.Quantile(permille);
                        }));
  }
  points[0].second = points[1].second;
  double area = 0;
  for (size_t i = 1; i < points.size(); ++i) {
    area += (points[i].first - points[i - 1].first) * (points[i].second + points[i - 1].second) / 2;
  }
  const double mean =
      GeometricMean(rows, [](const Latencies& row) { return row.unswitched_mean(); });
  const double before = points.back().second;
  points.emplace_back(1000, std::clamp(2 * (1000 * mean - area) - before, before, 20 * before));

  Latency latency;
  for (const auto& [permille, nanos] : points) {
    Quantile& quantile = *latency.add_quantile();
    quantile.set_permille(permille);
    quantile.set_ns(Nanos(nanos));
  }
  return latency;
}

}  // namespace

absl::StatusOr<Jni> CalibrateCrossings(const golden::Recording& recording,
                                       std::string_view backend) {
  std::map<int64_t, std::vector<const Latencies*>> rows;  // by gap
  for (const auto& [key, latencies] : recording) {
    if (key.backend != backend) continue;
    const int64_t gap = key.think_us * 1000 * (key.policy == "step" ? kBatchesPerStep : 1);
    const bool told_by_step = key.policy == "step" && gap == 0;
    if (told_by_step) continue;  // its batches without a call are too short to be nothing
    if (key.threads == 1 || (key.threads == 2 && gap >= kColdNanos)) {
      rows[gap].push_back(&latencies);
    }
  }
  if (rows.empty()) {
    return absl::NotFoundError(
        base::Cat("the recording has no row of `", backend, "` with one thread"));
  }
  Jni jni;
  for (const auto& [gap, latencies] : rows) {
    Gap& entry = *jni.add_gap();
    entry.set_gap_ns(gap);
    *entry.mutable_crossing() = LatencyOf(latencies);
  }
  return jni;
}

}  // namespace spillway::sim
