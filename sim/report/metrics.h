// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a report says of a run: one list for the table, the JSON and the comparison
// with what was published.

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/kernel/histogram.h"
#include "sim/model/policy_run.h"
#include "sim/report/decimal.h"
#include "sim/scenario/scenario.pb.h"

namespace spillway::sim {

struct Measure {
  enum class Part { kTask, kBoundary, kCrossing, kStage };  // what it is said of

  Part part;
  std::string_view label;          // with the unit it is printed in
  std::string_view key;            // in JSON, with the unit it has there
  int decimals;                    // printed
  int scale;                       // printed = value / scale
  bool (*shown)(const Scenario&);  // whether a reader wants to see it; JSON has all of them
  Fraction (*value)(const Scenario&, const PolicyRun&);  // of a run of this scenario
};

// All of them, by part.
std::span<const Measure> Measures();

// A measure of which a run has many values.
struct Distribution {
  std::string_view key;  // in JSON, with the unit it has there
  int64_t scale;         // given = value / scale
  Histogram PolicyRun::*values;
};

std::span<const Distribution> Distributions();

// The measure that `metric` was published of.
const Measure& MeasureOf(Metric metric);

}  // namespace spillway::sim
