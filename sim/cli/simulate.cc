// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/simulate.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <iterator>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "sim/cli/recorded_run.h"
#include "sim/model/simulation.h"
#include "sim/report/report.h"
#include "sim/scenario/loader.h"
#include "sim/scenario/presets.h"
#include "sim/scenario/scenario.pb.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

bool IsFile(std::string_view scenario) {
  return scenario.find('/') != std::string_view::npos || scenario.ends_with(".textproto");
}

absl::StatusOr<Scenario> Load(const SimulateOptions& options) {
  std::vector<std::string> overrides = options.overrides;
  if (options.seed.has_value()) overrides.push_back(base::Cat("seed=", *options.seed));
  if (IsFile(options.scenario)) return LoadScenario(options.scenario, overrides);
  SPILLWAY_ASSIGN_OR_RETURN(const std::string path, PresetPath(options.scenario));
  return LoadScenario(path, overrides);
}

// For a shell: as it is, or in single quotes.
std::string Quoted(const std::string& word) {
  constexpr std::string_view kPlain = "._-/=+,:@%[]";
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || kPlain.find(c) != kPlain.npos;
  });
  // A bracket is plain to the reader and a pattern to the shell.
  if (plain && word.find('[') == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string ReplayCommand(const SimulateOptions& options, const Scenario& scenario) {
  std::string out =
      base::Cat("./spillway simulate ", Quoted(options.scenario), " --seed ", scenario.seed());
  for (const std::string& assignment : options.overrides) {
    out += base::Cat(" --set ", Quoted(assignment));
  }
  for (const std::string& policy : options.policies) {
    out += base::Cat(" --policy ", Quoted(policy));
  }
  return out + (options.json ? " --json" : "");
}

// The scenario's policies of these names, in the scenario's order.
absl::StatusOr<std::vector<const Policy*>> Choose(const Scenario& scenario,
                                                  const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Policy& policy : scenario.policies()) known.push_back(policy.name());
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return base::Invalid("--policy ", name, ": the scenario has \"",
                           absl::StrJoin(known, "\", \""), "\"");
    }
  }
  std::vector<const Policy*> chosen;
  for (const Policy& policy : scenario.policies()) {
    if (names.empty() || std::find(names.begin(), names.end(), policy.name()) != names.end()) {
      chosen.push_back(&policy);
    }
  }
  return chosen;
}

// Each run has all it needs to itself, so that neither the number of threads nor their order shows.
// Of several failures that of the first policy in the list.
absl::StatusOr<std::vector<PolicyRun>> RunAll(const Scenario& scenario,
                                              const std::vector<const Policy*>& policies,
                                              int64_t jobs) {
  std::vector<absl::StatusOr<PolicyRun>> results(policies.size(), absl::UnknownError("not run"));
  std::atomic<size_t> next = 0;
  std::atomic<size_t> failed = policies.size();
  const auto work = [&] {
    for (size_t i = next++; i < policies.size(); i = next++) {
      if (failed < i) return;
      results[i] = Simulate(scenario, *policies[i]);
      size_t first = failed;
      while (!results[i].ok() && i < first && !failed.compare_exchange_weak(first, i)) {
      }
    }
  };
  if (jobs == 0) jobs = std::max<int64_t>(1, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (int64_t i = 1; i < std::min<int64_t>(jobs, std::ssize(policies)); ++i) {
    threads.emplace_back(work);
  }
  work();
  for (std::thread& thread : threads) thread.join();
  std::vector<PolicyRun> runs;
  for (absl::StatusOr<PolicyRun>& result : results) {
    SPILLWAY_ASSIGN_OR_RETURN(PolicyRun run, std::move(result));
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace

absl::StatusOr<SimulateOutput> RunSimulate(const SimulateOptions& options) {
  SPILLWAY_ASSIGN_OR_RETURN(const Scenario scenario, Load(options));
  SPILLWAY_ASSIGN_OR_RETURN(const std::vector<const Policy*> policies,
                            Choose(scenario, options.policies));
  Report report{.scenario = scenario, .replay = ReplayCommand(options, scenario)};
  SPILLWAY_ASSIGN_OR_RETURN(report.runs,
                            base::In(report.replay, RunAll(scenario, policies, options.jobs)));
  SimulateOutput output;
  if (options.scenario == kDefaultScenario) {
    SPILLWAY_ASSIGN_OR_RETURN(Reproduction reproduction, ReproduceRecordedRun());
    report.recorded = std::move(reproduction.run);
    output.complaint = std::move(reproduction.first_difference);
  }
  output.text = options.json ? JsonReport(report) : TextReport(report);
  return output;
}

absl::StatusOr<std::string> ListScenarios() {
  SPILLWAY_ASSIGN_OR_RETURN(const std::vector<std::string> paths, PresetPaths());
  std::string out;
  for (const std::string& path : paths) {
    SPILLWAY_ASSIGN_OR_RETURN(const Scenario scenario, LoadScenario(path));
    out += absl::StrFormat("%-14s%s\n", scenario.name(), scenario.about());
  }
  return out;
}

}  // namespace spillway::sim
