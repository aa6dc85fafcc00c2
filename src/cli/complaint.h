// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a command says what is wrong, in the words of src/cli/run.h.

#include <cstdio>
#include <string>
#include <string_view>

#include "src/base/strings.h"
#include "src/cli/command.h"

namespace spillway::cli {

// "spillway NAME: what" on stderr; the exit code for input at fault.
inline int BadInput(std::string_view command, std::string_view what) {
  const std::string line = base::Cat("spillway ", command, ": ", what, "\n");
  std::fputs(line.c_str(), stderr);
  return kBadInput;
}

// The same for a command line at fault.
inline int BadUsage(std::string_view command, std::string_view what) {
  BadInput(command, base::Cat(what, "\nSee `./spillway ", command, " --help`."));
  return kBadUsage;
}

}  // namespace spillway::cli
