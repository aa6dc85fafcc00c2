// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recorded latencies of calls for memory: README.md.

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace spillway::golden {

// A configuration; by backend, policy, think time and threads.
struct LatencyKey {
  std::string backend;
  std::string policy;
  int64_t think_us = 0;
  int64_t threads = 0;

  auto operator<=>(const LatencyKey&) const = default;
};

// One configuration, in ns. Each figure is the median over its repetitions.
class Latencies {
 public:
  // One repetition of it.
  struct Repetition {
    double mean = 0;
    double p50 = 0;
    double unswitched_mean = 0;
    double switched_per_100k = 0;
    std::vector<std::pair<double, double>> buckets = {};  // lower bound, calls; ascending
  };

  void Add(Repetition repetition) { repetitions_.push_back(std::move(repetition)); }

  size_t repetitions() const { return repetitions_.size(); }
  double mean() const { return Median(&Repetition::mean); }
  double p50() const { return Median(&Repetition::p50); }
  double unswitched_mean() const { return Median(&Repetition::unswitched_mean); }
  double switched_per_100k() const { return Median(&Repetition::switched_per_100k); }

  // Within a bucket calls are taken to be evenly spread. `permille` is above 0.
  double Quantile(double permille) const;

 private:
  double Median(double Repetition::*figure) const;

  std::vector<Repetition> repetitions_;
};

using Recording = std::map<LatencyKey, Latencies>;

// InvalidArgument: `jsonl` is not what README.md describes; the message names the line.
absl::StatusOr<Recording> ParseRecording(std::string_view jsonl);

}  // namespace spillway::golden
