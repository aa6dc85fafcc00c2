// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/latency.h"

#include <utility>
#include <vector>

#include "sim/kernel/time.h"
#include "src/base/status.h"
#include "src/base/strings.h"

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

absl::StatusOr<Empirical> ToEmpirical(const Factor& factor) {
  std::vector<Empirical::Point> points;
  for (const FactorQuantile& quantile : factor.quantile()) {
    if (!points.empty() && quantile.factor() < points.back().value) {
      return base::Invalid("factors must not descend (", points.back().value, " then ",
                           quantile.factor(), ")");
    }
    points.push_back({quantile.permille(), quantile.factor()});
  }
  return Empirical::Create(std::move(points));
}

int64_t ShortestNanos(const Latency& latency) {
  return latency.has_constant_ns() ? latency.constant_ns() : latency.quantile().begin()->ns();
}

int64_t LongestNanos(const Latency& latency) {
  return latency.has_constant_ns() ? latency.constant_ns() : latency.quantile().rbegin()->ns();
}

absl::Status CheckLatency(const Latency& latency, std::string_view path, const Places& places) {
  const auto distribution = ToEmpirical(latency);
  if (distribution.ok()) return absl::OkStatus();
  return places.Refuse(path, base::ToStd(distribution.status().message()));
}

}  // namespace spillway::sim
