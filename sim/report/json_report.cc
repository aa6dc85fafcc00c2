// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "sim/kernel/histogram.h"
#include "sim/report/comparison.h"
#include "sim/report/decimal.h"
#include "sim/report/metrics.h"
#include "sim/report/report.h"
#include "sim/scenario/loader.h"
#include "src/base/strings.h"
#include "src/base/utf8.h"

namespace spillway::sim {
namespace {

// Names need not be UTF-8, JSON must be.
std::string Quote(std::string_view text) {
  const bool utf8 = base::IsUtf8(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += absl::StrFormat("\\u%04x", c);
    } else if (!utf8 && static_cast<unsigned char>(c) >= 0x80) {
      out += "\\ufffd";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// A JSON number: three decimals unless it is whole.
std::string Number(Fraction value) {
  return FormatDecimal(value, value.numerator % value.denominator == 0 ? 0 : 3, false);
}

const Policy& PolicyOf(const Report& report, const PolicyRun& run) {
  for (const Policy& policy : report.scenario.policies()) {
    if (policy.name() == run.policy) return policy;
  }
  return Policy::default_instance();
}

std::string DistributionObject(const Histogram& values, int64_t scale) {
  const auto number = [&](int64_t value) { return Number({value, scale}); };
  const auto count = static_cast<__int128>(std::max<uint64_t>(1, values.count()));
  return base::Cat(
      "{\"count\": ", values.count(),
      ", \"mean\": ", Number({static_cast<__int128>(values.sum()), count * scale}),
      ", \"p50\": ", number(values.Quantile(500)), ", \"p90\": ", number(values.Quantile(900)),
      ", \"p99\": ", number(values.Quantile(990)), ", \"p99_9\": ", number(values.Quantile(999)),
      ", \"max\": ", number(values.max()), "}");
}

std::string RunObject(const Report& report, const PolicyRun& run) {
  const Policy& policy = PolicyOf(report, run);
  std::string out = base::Cat("    {\n      \"policy\": ", Quote(run.policy),
                              ",\n      \"rule\": ", Quote(Policy::Rule_Name(policy.rule())),
                              ",\n      \"step_bytes\": ", policy.step_bytes(),
                              ",\n      \"limit_bytes\": ", policy.limit_bytes(),
                              ",\n      \"tasks\": ", run.requests.count());
  for (const Measure& measure : Measures()) {
    out +=
        base::Cat(",\n      \"", measure.key, "\": ", Number(measure.value(report.scenario, run)));
  }
  out += ",\n      \"distributions\": {";
  std::string_view separator = "\n";
  for (const Distribution& distribution : Distributions()) {
    out += base::Cat(separator, "        \"", distribution.key,
                     "\": ", DistributionObject(run.*distribution.values, distribution.scale));
    separator = ",\n";
  }
  return out + "\n      }\n    }";
}

std::string PublishedObject(const Report& report) {
  std::string out = base::Cat("{\n    \"source\": ", Quote(report.scenario.published().source()),
                              ",\n    \"caveat\": ", Quote(report.scenario.published().caveat()),
                              ",\n    \"figures\": [");
  std::string_view separator = "\n";
  for (const Compared& figure : Compare(report)) {
    out += base::Cat(separator, "      {\"policy\": ", Quote(figure.policy), ", \"measure\": \"",
                     figure.measure->key, "\", \"simulated\": ", Number(figure.simulated),
                     ", \"published\": ", figure.published,
                     ", \"error_percent\": ", Number(figure.error_percent), "}");
    separator = ",\n";
  }
  return out + "\n    ]\n  }";
}

}  // namespace

std::string JsonReport(const Report& report) {
  std::string out = base::Cat("{\n  \"scenario\": ", Quote(report.scenario.name()),
                              ",\n  \"seed\": ", report.scenario.seed(),
                              ",\n  \"config\": ", Quote(ConfigDigest(report.scenario)),
                              ",\n  \"replay\": ", Quote(report.replay), ",\n  \"runs\": [");
  std::string_view separator = "\n";
  for (const PolicyRun& run : report.runs) {
    out += base::Cat(separator, RunObject(report, run));
    separator = ",\n";
  }
  out += "\n  ]";
  if (report.scenario.has_published()) {
    out += base::Cat(",\n  \"published\": ", PublishedObject(report));
  }
  if (report.recorded.has_value()) {
    out += base::Cat(",\n  \"recorded_run\": {\"log\": ", Quote(report.recorded->log),
                     ", \"requests\": ", report.recorded->requests,
                     ", \"reproduced\": ", report.recorded->reproduced, "}");
  }
  return out + "\n}\n";
}

}  // namespace spillway::sim
