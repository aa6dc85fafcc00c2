// SPDX-License-Identifier: Apache-2.0
#include "src/cli/bench.h"

#include <map>
#include <utility>

#include "src/base/check.h"

namespace spillway::cli {
namespace {

// A function's static, so that it exists whichever library's initialiser comes first.
std::map<std::string, Bench>& Registry() {
  static auto& registry = *new std::map<std::string, Bench>();
  return registry;
}

}  // namespace

void RegisterBench(Bench bench) {
  SPILLWAY_CHECK(!bench.name.empty() && !bench.help.empty() && bench.options && bench.run,
                 "a benchmark is registered with all its fields");
  const std::string name = bench.name;
  const bool added = Registry().emplace(name, std::move(bench)).second;
  SPILLWAY_CHECK(added, "a benchmark is registered once");
}

std::vector<const Bench*> Benches() {
  std::vector<const Bench*> benches;
  for (const auto& [name, bench] : Registry()) benches.push_back(&bench);
  return benches;
}

}  // namespace spillway::cli
