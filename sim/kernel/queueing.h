// SPDX-License-Identifier: Apache-2.0
#pragma once
// Queues of the textbooks, run in the kernel, for tests against their closed forms. Floating point
// is in what a test compares only.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "sim/kernel/time.h"

namespace spillway::sim {

enum class Shape {
  kConstant,
  kExponential,
  // 90 % with half the mean, 10 % with 5.5 times the mean: the second moment is 6.5 times the
  // square of the mean.
  kHyperexponential,
};

struct CustomerClass {
  Duration between = 0;  // mean, exponential: between two arrivals, or of a member's time away
  Duration service = 0;  // mean
  Shape shape = Shape::kExponential;
  int priority = 0;
};

struct Queue {
  int servers = 1;
  bool preemptive = false;  // one server, preemptive-resume
  // 0: customers come from outside, in a Poisson stream for each class. Otherwise so many, all of
  // the first class, go away after each service and come back.
  int population = 0;
  std::vector<CustomerClass> classes;
  int64_t customers = 200'000;  // services in all
  uint64_t seed = 1;
};

// A mean and its standard error, from 40 batches of equally many services.
struct Estimate {
  double mean = 0;
  double error = 0;
};

struct Observed {
  std::vector<Estimate> wait;      // of each class; the time in line, in ps
  std::vector<Estimate> response;  // of each class; in line and in service, in ps
  Estimate waited;                 // share of the services for which somebody had to wait
  std::vector<Estimate> present;   // [n]: share of time with n customers there, n < 10
  absl::Status status;             // of the run, and of Little's law at its end
  uint64_t events = 0;
};

Observed Observe(const Queue& queue);

}  // namespace spillway::sim
