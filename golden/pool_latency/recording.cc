// SPDX-License-Identifier: Apache-2.0
#include "golden/pool_latency/recording.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "nlohmann/json.hpp"
#include "src/base/status.h"

namespace spillway::golden {
namespace {

using nlohmann::json;

// What is missing or of another type throws; ParseRecording says where.
std::pair<LatencyKey, Latencies::Repetition> ParseLine(std::string_view line) {
  const json object = json::parse(line);
  LatencyKey key{.backend = object.at("backend"),
                 .policy = object.at("policy"),
                 .think_us = object.at("think_us"),
                 .threads = object.at("threads")};
  Latencies::Repetition out{.mean = object.at("mean_ns"),
                            .p50 = object.at("p50_ns"),
                            .unswitched_mean = object.at("mean_unswitched_ns")};
  out.switched_per_100k =
      1e5 * object.at("switched_calls").get<double>() / object.at("count").get<double>();
  for (const json& bucket : object.at("hist")) out.buckets.emplace_back(bucket.at(0), bucket.at(1));
  return {std::move(key), std::move(out)};
}

// 16 buckets an octave; below 32 ns each value has its own.
double WidthOf(double lower) {
  const auto bound = static_cast<uint64_t>(lower);
  return bound < 32 ? 1 : static_cast<double>(uint64_t{1} << (std::bit_width(bound) - 5));
}

double QuantileOf(const Latencies::Repetition& repetition, double permille) {
  double calls = 0;
  for (const auto& [lower, count] : repetition.buckets) calls += count;
  const double rank = calls * permille / 1000;
  double below = 0;
  for (const auto& [lower, count] : repetition.buckets) {
    if (below + count >= rank) return lower + WidthOf(lower) * (rank - below) / count;
    below += count;
  }
  return repetition.buckets.empty() ? 0 : repetition.buckets.back().first;
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

double Latencies::Quantile(double permille) const {
  std::vector<double> values;
  for (const Repetition& repetition : repetitions_) {
    values.push_back(QuantileOf(repetition, permille));
  }
  return MedianOf(std::move(values));
}

double Latencies::Median(double Repetition::*figure) const {
  std::vector<double> values;
  for (const Repetition& repetition : repetitions_) values.push_back(repetition.*figure);
  return MedianOf(std::move(values));
}

absl::StatusOr<Recording> ParseRecording(std::string_view jsonl) {
  Recording recording;
  for (int64_t line = 1; !jsonl.empty(); ++line) {
    const size_t end = std::min(jsonl.find('\n'), jsonl.size());
    if (end > 0) {
      try {
        auto [key, repetition] = ParseLine(jsonl.substr(0, end));
        recording[std::move(key)].Add(std::move(repetition));
      } catch (const json::exception& error) {
        return base::Invalid("line ", line, " is no recorded configuration: ", error.what());
      }
    }
    jsonl.remove_prefix(std::min(end + 1, jsonl.size()));
  }
  if (recording.empty()) return base::Invalid("there is no recorded configuration");
  return recording;
}

}  // namespace spillway::golden
