// SPDX-License-Identifier: Apache-2.0
// The `spillway` tool, without commands: link the libraries that register them.

#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "src/cli/command.h"
#include "src/cli/run.h"

int main(int argc, char** argv) {
  // A reader of stdout that has seen enough ends the tool without a word, whoever started it.
  std::signal(SIGPIPE, SIG_DFL);
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const int code = spillway::cli::Run(args, std::cout, std::cerr);
  // A full disk behind stdout must not look like success.
  std::cout.flush();
  if (!std::cout.good() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::cerr << "spillway: cannot write to stdout\n";
    return code == spillway::cli::kSuccess ? spillway::cli::kBadInput : code;
  }
  return code;
}
