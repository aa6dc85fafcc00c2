// SPDX-License-Identifier: Apache-2.0
#pragma once
// Figures of a run beside those that were published.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/report/decimal.h"
#include "sim/report/metrics.h"
#include "sim/report/report.h"

namespace spillway::sim {

struct Compared {
  std::string policy;
  const Measure* measure = nullptr;
  Fraction simulated;
  int64_t published = 0;
  Fraction error_percent;  // (simulated - published) / published
};

// One for each published figure of a policy that ran.
std::vector<Compared> Compare(const Report& report);

}  // namespace spillway::sim
