// SPDX-License-Identifier: Apache-2.0
#include "sim/report/comparison.h"

namespace spillway::sim {

std::vector<Compared> Compare(const Report& report) {
  std::vector<Compared> out;
  for (const Figure& figure : report.scenario.published().figures()) {
    for (const PolicyRun& run : report.runs) {
      if (run.policy != figure.policy()) continue;
      const Measure& measure = MeasureOf(figure.metric());
      const Fraction simulated = measure.value(report.scenario, run);
      const __int128 published = static_cast<__int128>(figure.value()) * simulated.denominator;
      out.push_back({.policy = run.policy,
                     .measure = &measure,
                     .simulated = simulated,
                     .published = figure.value(),
                     .error_percent = {(simulated.numerator - published) * 100, published}});
    }
  }
  return out;
}

}  // namespace spillway::sim
