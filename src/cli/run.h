// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tool's command line: finds the command, parses its flags, explains mistakes.

#include <ostream>
#include <string>
#include <vector>

namespace spillway::cli {

// Runs the command that `args` (without the program's name) asks for and returns the exit code.
//
//   kSuccess    done, or help, version or command list printed to `out`
//   kBadInput   as the command returned it
//   kBadUsage   unknown command or flag, wrong or missing value; one sentence on `err`, with the
//               nearest known word if one is near
//
// The command itself writes to stdout and stderr.
int Run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

}  // namespace spillway::cli
