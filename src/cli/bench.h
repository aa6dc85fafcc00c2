// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `spillway bench` can measure besides what src/cli knows. A benchmark registers itself from a
// library of its own, as a command does (command.h).

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/cli/command_line.h"

namespace spillway::cli {

// What all benchmarks are told.
struct BenchFlags {
  int64_t iterations = 0;  // timed runs; what is out of range, the benchmark refuses
  std::string format;      // text, csv or json
};

struct Bench {
  std::string name;  // as in `spillway bench NAME`
  std::string help;  // half a sentence
  // Declares flags of its own; their help begins with "NAME: ".
  std::function<void(CommandLine&)> options;
  // As Command::run.
  std::function<int(const BenchFlags&)> run;
};

// Meant for static initialisation; not thread-safe. Aborts if the name is taken or a field is
// empty.
void RegisterBench(Bench bench);

// All that are registered, by name.
std::vector<const Bench*> Benches();

}  // namespace spillway::cli
