// SPDX-License-Identifier: Apache-2.0
// `spillway simulate`.

#include <cstdio>
#include <string>

#include "sim/cli/simulate.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"

namespace spillway::sim {
namespace {

struct Flags {
  SimulateOptions simulate;
  bool list = false;
};

void Declare(cli::CommandLine& line, Flags& flags) {
  line.Text("SCENARIO", flags.simulate.scenario,
            "preset or textproto file; without it " + std::string(kDefaultScenario));
  line.Unsigned("--seed", flags.simulate.seed, "seed of all random streams");
  line.Texts("--set", flags.simulate.overrides, "FIELD=VALUE, as in tasks[0].count=5");
  line.Texts("--policy", flags.simulate.policies, "run this policy of the scenario only");
  line.Integer("--jobs", flags.simulate.jobs, 1, 1000,
               "policies to run at the same time; without it as many as the machine has threads");
  line.Switch("--json", flags.simulate.json, "print JSON");
  line.Switch("--list", flags.list, "list the presets and stop");
}

int Fail(const std::string& why) {
  std::fprintf(stderr, "spillway simulate: %s\n", why.c_str());
  return cli::kBadInput;
}

int Run(const Flags& flags) {
  if (flags.list) {
    const auto list = ListScenarios();
    if (!list.ok()) return Fail(std::string(list.status().message()));
    std::fputs(list->c_str(), stdout);
    return cli::kSuccess;
  }
  const auto output = RunSimulate(flags.simulate);
  if (!output.ok()) return Fail(std::string(output.status().message()));
  std::fputs(output->text.c_str(), stdout);
  return output->complaint.empty() ? cli::kSuccess : Fail(output->complaint);
}

const bool registered = [] {
  static Flags flags;
  cli::RegisterCommand({
      .name = "simulate",
      .summary = "run a scenario under several reservation policies and compare them",
      .example = "./spillway simulate comet_5387 --seed 7 --set executor.slots=32",
      .options = [](cli::CommandLine& line) { Declare(line, flags); },
      .run = [] { return Run(flags); },
  });
  return true;
}();

}  // namespace
}  // namespace spillway::sim
