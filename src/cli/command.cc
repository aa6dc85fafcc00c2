// SPDX-License-Identifier: Apache-2.0
#include "src/cli/command.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

namespace spillway::cli {
namespace {

// A function's static, so that it exists whichever library's initialiser comes first.
std::map<std::string, Command>& Registry() {
  static auto& registry = *new std::map<std::string, Command>();
  return registry;
}

}  // namespace

void RegisterCommand(Command command) {
  std::string name = command.name;
  const bool whole = !name.empty() && !command.summary.empty() && !command.example.empty() &&
                     command.options && command.run;
  if (!whole || !Registry().emplace(name, std::move(command)).second) {
    std::fprintf(stderr, "spillway: command `%s` is registered %s\n", name.c_str(),
                 whole ? "twice" : "with an empty field");
    std::abort();
  }
}

std::vector<const Command*> Commands() {
  std::vector<const Command*> commands;
  for (const auto& [name, command] : Registry()) commands.push_back(&command);
  return commands;
}

}  // namespace spillway::cli
