// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/latency.h"

#include <utility>
#include <vector>

#include "sim/kernel/time.h"
#include "src/base/status.h"

namespace spillway::sim {

absl::StatusOr<Empirical> ToEmpirical(const Latency& latency) {
  if (latency.has_constant_ns()) {
    if (latency.quantile_size() > 0) {
      return base::Invalid("is constant_ns or a list of quantiles, not both");
    }
    return Empirical::Constant(latency.constant_ns() * kNanosecond);
  }
  if (latency.quantile_size() == 0) return base::Invalid("needs constant_ns or quantiles");
  std::vector<Empirical::Point> points;
  for (const Quantile& quantile : latency.quantile()) {
    points.push_back({quantile.permille(), quantile.ns() * kNanosecond});
  }
  return Empirical::Create(std::move(points));
}

}  // namespace spillway::sim
