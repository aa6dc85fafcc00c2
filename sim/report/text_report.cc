// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "sim/report/comparison.h"
#include "sim/report/decimal.h"
#include "sim/report/metrics.h"
#include "sim/report/report.h"
#include "sim/scenario/loader.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

constexpr int kLabelWidth = 31;
constexpr int kColumns = 100;

std::string Grouped(int64_t value) { return FormatDecimal({value, 1}, 0, true); }

std::string Count(int64_t count, std::string_view what) {
  return base::Cat(Grouped(count), " ", what, count == 1 ? "" : "s");
}

// As `measure` prints it; whole numbers without decimals.
std::string Print(const Measure& measure, Fraction value) {
  const bool whole = measure.scale == 1 && value.numerator % value.denominator == 0;
  return FormatDecimal({value.numerator, value.denominator * measure.scale},
                       whole ? 0 : measure.decimals, true);
}

std::string Right(std::string_view text, int width) {
  return absl::StrFormat("%*s", width, std::string(text));
}

std::string Left(std::string_view text, int width) {
  return absl::StrFormat("%-*s", width, std::string(text));
}

// `text` in lines of at most `width` after `indent`.
std::string Wrap(std::string_view text, std::string_view indent, size_t width) {
  std::string out;
  while (!text.empty()) {
    size_t end = text.size();
    if (end > width) {
      end = text.rfind(' ', width);
      if (end == std::string_view::npos || end == 0) end = width;
    }
    out += base::Cat(indent, text.substr(0, end), "\n");
    text.remove_prefix(end);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return out;
}

std::string KeysText(const Keys& keys) {
  switch (keys.kind_case()) {
    case Keys::kConstant:
      return base::Cat("constant key ", keys.constant());
    case Keys::kSequential:
      return keys.sequential().modulus() == 0
                 ? std::string("sequential keys")
                 : base::Cat("sequential keys modulo ", keys.sequential().modulus());
    case Keys::kUniform:
      return base::Cat("uniform keys from ", keys.uniform().low(), " to ", keys.uniform().high());
    case Keys::kZipf:
      return base::Cat("Zipf keys from 1 to ", Grouped(keys.zipf().values()), ", exponent ",
                       FormatDecimal({keys.zipf().exponent_permille(), 1000}, 3, false));
    case Keys::kTrace:
      return base::Cat(Count(keys.trace().keys_size(), "key"), " again and again");
    default:
      return "rows dealt in turn";
  }
}

std::string GroupText(const Scenario& scenario, const TaskGroup& group) {
  const Executor& executor = scenario.executor();
  std::string out = base::Cat(Count(group.count(), "task"), " on ");
  if (executor.count() > 1) out += base::Cat(Count(executor.count(), "executor"), " with ");
  out += Count(executor.slots(), "slot");
  if (executor.cores() > 0) out += base::Cat(" and ", Count(executor.cores(), "core"));
  out += ", each ";
  if (group.writers() > 1) out += base::Cat(Count(group.writers(), "writer"), " x ");
  out += Count(group.chunks(), "chunk");
  if (group.has_size()) out += " (by a factor drawn)";
  if (group.keys().has_none()) return out + " without rows";
  return base::Cat(out, " x ", Count(group.rows_per_chunk(), "row"), " to ",
                   Count(group.partitions(), "partition"), ", ", KeysText(group.keys()));
}

std::string PoolText(const Scenario& scenario) {
  const Pool& pool = scenario.pool();
  if (pool.kind() == Pool::NO_LOCK) return "pool without a lock";
  if (pool.kind() == Pool::COUNTING) {
    return pool.has_capacity_bytes() ? base::Cat("pool ", Grouped(pool.capacity_bytes()), " bytes")
                                     : "pool without a limit";
  }
  std::string kind = absl::AsciiStrToLower(Pool::Kind_Name(pool.kind()));
  if (pool.fixed()) kind += " (fixed)";
  return base::Cat("pool ", kind, " of Spark's ", Grouped(scenario.spark().off_heap_bytes()),
                   " bytes");
}

std::string PolicyText(const Policy& policy) {
  std::string rule;
  if (policy.rule() != Policy::STEP) {
    rule = base::Cat(absl::AsciiStrToLower(Policy::Rule_Name(policy.rule())), ", ");
  }
  std::string out = base::Cat(policy.name(), " (", rule, "step ", Grouped(policy.step_bytes()));
  if (policy.limit_bytes() > 0) out += base::Cat(", limit ", Grouped(policy.limit_bytes()));
  return out + ")";
}

std::string Head(const Report& report) {
  const Scenario& scenario = report.scenario;
  std::string out = base::Cat("simulate ", scenario.name(), "  seed ", scenario.seed(), "  config ",
                              ConfigDigest(scenario), "\n");
  for (const TaskGroup& group : scenario.tasks()) {
    out += Wrap(GroupText(scenario, group), "  ", kColumns - 2);
  }
  std::string policies = PoolText(scenario) + "; policies";
  bool first = true;
  for (const Policy& policy : scenario.policies()) {
    if (std::none_of(report.runs.begin(), report.runs.end(),
                     [&](const PolicyRun& run) { return run.policy == policy.name(); })) {
      continue;
    }
    policies += base::Cat(first ? " " : ", ", PolicyText(policy));
    first = false;
  }
  return base::Cat(out, Wrap(policies, "  ", kColumns - 2), "replay: ", report.replay, "\n");
}

// first / other with two decimals; "-" when one of them is 0.
std::string Ratio(Fraction first, Fraction other) {
  if (first.numerator == 0 || other.numerator == 0) return "-";
  // Both are far below 2^63 in value; denominators are small.
  return FormatDecimal({first.numerator * other.denominator, other.numerator * first.denominator},
                       2, true);
}

std::string_view TitleOf(Measure::Part part) {
  switch (part) {
    case Measure::Part::kTask:
      return "a task, mean";
    case Measure::Part::kBoundary:
      return "time in the boundary, % of it";
    case Measure::Part::kCrossing:
      return "a crossing, without attaching unless said";
    case Measure::Part::kStage:
      return "the stage";
  }
  return "";
}

std::string Table(const Report& report) {
  constexpr int kRatioWidth = 10;
  std::vector<int> widths;
  std::string header = Left("", kLabelWidth);
  for (const PolicyRun& run : report.runs) {
    widths.push_back(std::max<int>(14, static_cast<int>(run.policy.size())) + 2);
    header += Right(run.policy, widths.back());
    if (widths.size() > 1) header += Right("ratio", kRatioWidth);
  }
  std::string out = base::Cat("\n", header, "\n");
  const Measure* last = nullptr;
  for (const Measure& measure : Measures()) {
    if (!measure.shown(report.scenario)) continue;
    if (last == nullptr || last->part != measure.part) {
      out += base::Cat(TitleOf(measure.part), "\n");
    }
    last = &measure;
    out += Left(base::Cat("  ", measure.label), kLabelWidth);
    const Fraction first = measure.value(report.scenario, report.runs[0]);
    for (size_t i = 0; i < report.runs.size(); ++i) {
      const Fraction value = measure.value(report.scenario, report.runs[i]);
      out += Right(Print(measure, value), widths[i]);
      if (i > 0) out += Right(Ratio(first, value), kRatioWidth);
    }
    out += "\n";
  }
  if (report.runs.size() > 1) {
    out += base::Cat("ratio: ", report.runs[0].policy, " by the policy at its left\n");
  }
  return out;
}

std::string PublishedTable(const Report& report) {
  const std::vector<Compared> figures = Compare(report);
  if (figures.empty()) return "";
  int width = kLabelWidth;
  for (const Compared& figure : figures) {
    const size_t label = figure.policy.size() + figure.measure->label.size();
    width = std::max(width, static_cast<int>(label) + 4);
  }
  std::string out = base::Cat("\nbeside what was published: ", report.scenario.published().source(),
                              "\n", Left("", width), Right("simulated", 16), Right("published", 16),
                              Right("error", 10), "\n");
  for (const Compared& figure : figures) {
    const std::string error = FormatDecimal(figure.error_percent, 2, true);
    out += Left(base::Cat("  ", figure.policy, ": ", figure.measure->label), width);
    out += Right(Print(*figure.measure, figure.simulated), 16);
    out += Right(Print(*figure.measure, {figure.published, 1}), 16);
    out += Right(base::Cat(error.front() == '-' ? "" : "+", error, " %"), 10) + "\n";
  }
  return out + Wrap(report.scenario.published().caveat(), "  ", kColumns - 2);
}

std::string RecordedText(const Report& report) {
  if (!report.recorded.has_value()) return "";
  return base::Cat("\n", Grouped(report.recorded->reproduced), " of ",
                   Grouped(report.recorded->requests),
                   " requests of a recorded Comet run reproduced (", report.recorded->log, ")\n");
}

}  // namespace

std::string TextReport(const Report& report) {
  return Head(report) + Table(report) + PublishedTable(report) + RecordedText(report);
}

}  // namespace spillway::sim
