// SPDX-License-Identifier: Apache-2.0
// `spillway bench sim`.

#include <cstdint>
#include <cstdio>
#include <string>

#include "sim/cli/bench_sim.h"
#include "src/cli/bench.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/progress_bar.h"

namespace spillway::sim {
namespace {

int Run(SimBenchOptions options, const cli::BenchFlags& flags) {
  options.iterations = flags.iterations;
  const auto result = RunSimBench(options, cli::ProgressBar());
  if (!result.ok()) {
    std::fprintf(stderr, "spillway bench sim: %s\n",
                 std::string(result.status().message()).c_str());
    return cli::kBadUsage;
  }
  const std::string report = flags.format == "csv"    ? SimBenchCsv(*result)
                             : flags.format == "json" ? SimBenchJson(*result)
                                                      : SimBenchText(*result);
  std::fputs(report.c_str(), stdout);
  return cli::kSuccess;
}

const bool registered = [] {
  static SimBenchOptions options;
  cli::RegisterBench({
      .name = "sim",
      .help = "the simulator: events, policy decisions and tasks a second",
      .options =
          [](cli::CommandLine& line) {
            line.Integer("--events", options.events, 0, INT64_MAX,
                         "sim: of the longest run of the kernel, 100000 or more")
                .ShowDefault();
          },
      .run = [](const cli::BenchFlags& flags) { return Run(options, flags); },
  });
  return true;
}();

}  // namespace
}  // namespace spillway::sim
