// SPDX-License-Identifier: Apache-2.0
// The kernel against the closed forms of queueing theory.
//
// An interval is four standard errors wide to each side; a standard error is that of 40 batch means
// of 5,000 or 7,500 services each, long enough for the batches to be all but independent. A right
// kernel misses one interval in 16,000 for a seed that nobody chose. So that an interval says
// something, its standard error may be at most 3 % of the value; the canaries show what is caught.

#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/kernel/queueing.h"

namespace spillway::sim {
namespace {

constexpr Duration kService = kMicrosecond;

// Of a value of which the closed form is `exact`.
MATCHER_P(Agrees, exact, "") {
  *result_listener << "exact " << exact << ", seen " << arg.mean << " with standard error "
                   << arg.error;
  return std::abs(arg.mean - exact) <= 4 * arg.error;
}

MATCHER_P(IsWithin, permille, "") {
  *result_listener << "standard error " << arg.error << " of " << arg.mean;
  return arg.error <= arg.mean * permille / 1000;
}

Estimate Scaled(const Estimate& estimate) {
  return {estimate.mean / kService, estimate.error / kService};
}

Duration Between(double load) { return std::llround(kService / load); }

// Each of these queues is run once.
const Observed& Open(double load, Shape shape, int servers = 1, double speed = 1) {
  static auto& seen = *new std::map<std::tuple<double, Shape, int, double>, Observed>();
  const auto [run, added] = seen.try_emplace({load, shape, servers, speed});
  if (added) {
    run->second = Observe({.servers = servers,
                           .classes = {{.between = Between(load),
                                        .service = std::llround(kService / speed),
                                        .shape = shape}},
                           .customers = servers == 1 ? 200'000 : 300'000});
  }
  EXPECT_TRUE(run->second.status.ok()) << run->second.status.message();
  return run->second;
}

// For docs/simulator/kernel.md.
void Show(const char* what, double exact, const Estimate& seen) {
  std::printf("%-28s exact %8.5f  seen %8.5f  4 standard errors %.5f\n", what, exact, seen.mean,
              4 * seen.error);
}

TEST(ClosedFormTest, WaitAndNumberPresentAreThoseOfMM1) {
  for (const double load : {0.3, 0.7}) {
    const Observed& seen = Open(load, Shape::kExponential);
    const double exact = load / (1 - load);
    Show("M/M/1 wait", exact, Scaled(seen.wait[0]));
    EXPECT_THAT(Scaled(seen.wait[0]), Agrees(exact));
    EXPECT_THAT(seen.wait[0], IsWithin(30));
    for (int n = 0; n < 10; ++n) {
      EXPECT_THAT(seen.present[n], Agrees((1 - load) * std::pow(load, n))) << n << " present";
    }
    EXPECT_THAT(seen.present[0], IsWithin(10));
  }
}

TEST(ClosedFormTest, WaitIsThatOfMD1) {
  for (const double load : {0.3, 0.7}) {
    const Observed& seen = Open(load, Shape::kConstant);
    const double exact = load / (2 * (1 - load));
    Show("M/D/1 wait", exact, Scaled(seen.wait[0]));
    EXPECT_THAT(Scaled(seen.wait[0]), Agrees(exact));
    EXPECT_THAT(seen.wait[0], IsWithin(30));
  }
}

// Pollaczek and Khinchine, with a squared coefficient of variation of 5.5.
TEST(ClosedFormTest, WaitIsThatOfMG1) {
  const double load = 0.5;
  const Observed& seen = Open(load, Shape::kHyperexponential);
  const double exact = load * 6.5 / (2 * (1 - load));
  Show("M/G/1 wait", exact, Scaled(seen.wait[0]));
  EXPECT_THAT(Scaled(seen.wait[0]), Agrees(exact));
  EXPECT_THAT(seen.wait[0], IsWithin(30));
}

// Erlang's C: the probability of having to wait before `servers` servers.
double ErlangC(int servers, double offered) {
  double term = 1, sum = 0;
  for (int n = 0; n < servers; ++n) {
    sum += term;
    term *= offered / (n + 1);
  }
  const double all_busy = term * servers / (servers - offered);
  return all_busy / (sum + all_busy);
}

TEST(ClosedFormTest, WaitAndItsProbabilityAreThoseOfMMc) {
  for (const int servers : {2, 5}) {
    const double offered = 0.7 * servers;
    const Observed& seen = Open(offered, Shape::kExponential, servers);
    const double exact = ErlangC(servers, offered) / (servers - offered);
    Show("M/M/c wait", exact, Scaled(seen.wait[0]));
    Show("M/M/c probability of waiting", ErlangC(servers, offered), seen.waited);
    EXPECT_THAT(Scaled(seen.wait[0]), Agrees(exact));
    EXPECT_THAT(seen.wait[0], IsWithin(30));
    EXPECT_THAT(seen.waited, Agrees(ErlangC(servers, offered)));
  }
}

// Six machines that run for 5 services on average, and one repairman.
TEST(ClosedFormTest, NumberOfBrokenMachinesIsThatOfTheRepairman) {
  constexpr int kMachines = 6;
  const Observed seen = Observe(
      {.population = kMachines, .classes = {{.between = 5 * kService, .service = kService}}});
  ASSERT_TRUE(seen.status.ok()) << seen.status.message();
  std::vector<double> weight = {1};
  double sum = 1;
  for (int n = 1; n <= kMachines; ++n) {
    weight.push_back(weight.back() * (kMachines - n + 1) / 5);
    sum += weight.back();
  }
  for (int n = 0; n <= kMachines; ++n) {
    EXPECT_THAT(seen.present[n], Agrees(weight[n] / sum)) << n << " broken";
  }
  Show("repairman idle", 1 / sum, seen.present[0]);
  EXPECT_THAT(seen.present[0], IsWithin(10));
  // Each machine's round takes its run, the wait and the repair; the repairman is busy for a
  // repair in each.
  const double round = kMachines / (1 - 1 / sum);
  EXPECT_THAT(Scaled(seen.response[0]), Agrees(round - 5));
}

const std::vector<CustomerClass>& Priorities() {
  static const std::vector<CustomerClass> classes = {
      {.between = 5 * kService, .service = kService, .priority = 0},
      {.between = 4 * kService, .service = kService, .shape = Shape::kConstant, .priority = 1},
      {.between = 10 * kService, .service = 3 * kService, .priority = 2}};
  return classes;
}
constexpr double kLoads[] = {0.2, 0.25, 0.3};
constexpr double kServices[] = {1, 1, 3};
// Of each class half the rate times the second moment: what is left of the one in service.
constexpr double kResidual[] = {0.2, 0.125, 0.9};

TEST(ClosedFormTest, WaitsOfPrioritiesAreThoseOfCobham) {
  const Observed seen = Observe({.classes = Priorities(), .customers = 300'000});
  ASSERT_TRUE(seen.status.ok()) << seen.status.message();
  double above = 0;
  for (int k = 0; k < 3; ++k) {
    const double until = above + kLoads[k];
    const double exact = (0.2 + 0.125 + 0.9) / ((1 - above) * (1 - until));
    Show("priority, wait", exact, Scaled(seen.wait[k]));
    EXPECT_THAT(Scaled(seen.wait[k]), Agrees(exact)) << "priority " << k;
    EXPECT_THAT(seen.wait[k], IsWithin(30));
    above = until;
  }
}

TEST(ClosedFormTest, ResponsesOfPreemptivePrioritiesAreThoseOfTheory) {
  const Observed seen =
      Observe({.preemptive = true, .classes = Priorities(), .customers = 300'000});
  ASSERT_TRUE(seen.status.ok()) << seen.status.message();
  double above = 0, residual = 0;
  for (int k = 0; k < 3; ++k) {
    const double until = above + kLoads[k];
    residual += kResidual[k];
    const double exact = kServices[k] / (1 - above) + residual / ((1 - above) * (1 - until));
    Show("preemptive, response", exact, Scaled(seen.response[k]));
    EXPECT_THAT(Scaled(seen.response[k]), Agrees(exact)) << "priority " << k;
    EXPECT_THAT(seen.response[k], IsWithin(30));
    above = until;
  }
}

// Canaries: what the intervals have to reject.
TEST(ClosedFormTest, AServerThreePercentTooSlowIsRejected) {
  const double load = 0.7;
  EXPECT_THAT(Scaled(Open(load, Shape::kExponential, 1, 1 / 1.03).wait[0]),
              testing::Not(Agrees(load / (1 - load))));
  EXPECT_THAT(Open(load, Shape::kExponential, 1, 1 / 1.03).present[0],
              testing::Not(Agrees(1 - load)));
}

TEST(ClosedFormTest, TheFormulaOfAnotherQueueIsRejected) {
  const double load = 0.7;
  const double mm1 = load / (1 - load);
  EXPECT_THAT(Scaled(Open(load, Shape::kConstant).wait[0]), testing::Not(Agrees(mm1)));
  EXPECT_THAT(Scaled(Open(load, Shape::kHyperexponential).wait[0]), testing::Not(Agrees(mm1)));
  // Erlang's C with one server more, and response in place of wait.
  const Observed& two = Open(1.4, Shape::kExponential, 2);
  EXPECT_THAT(two.waited, testing::Not(Agrees(ErlangC(3, 1.4))));
  EXPECT_THAT(Scaled(two.response[0]), testing::Not(Agrees(ErlangC(2, 1.4) / 0.6)));
}

}  // namespace
}  // namespace spillway::sim
