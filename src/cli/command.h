// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the `spillway` tool can do. A command registers itself from a library of its own (Bazel:
// alwayslink) that the root BUILD file links into //:spillway_cli, so that src/cli knows none.
//
//   const bool registered = [] {
//     static Options options;
//     cli::RegisterCommand({
//         .name = "inspect",
//         .summary = "explain every byte of a frame",
//         .example = "./spillway inspect golden/page.bin",
//         .options =
//             [](cli::CommandLine& line) {
//               line.Text("FILE", options.file, "the frame").Required();
//             },
//         .run = [] { return Inspect(options); },
//     });
//     return true;
//   }();

#include <functional>
#include <string>
#include <vector>

#include "src/cli/command_line.h"

namespace spillway::cli {

// Exit codes of the tool.
inline constexpr int kSuccess = 0;
inline constexpr int kBadInput = 1;  // the input, or what the command found in it, is at fault
inline constexpr int kBadUsage = 2;  // the command line is at fault

struct Command {
  std::string name;     // one word, lower case
  std::string summary;  // half a sentence: what comes out
  std::string example;  // one command line that works as it stands, from `./spillway` on
  // Declares flags and positional arguments. `-h,--help` is there already.
  std::function<void(CommandLine&)> options;
  // Called after the command line has been parsed; writes its results to stdout and complaints to
  // stderr, and returns an exit code. Throws nothing but std::bad_alloc, which becomes kBadInput
  // with a message. Relative paths are the user's.
  std::function<int()> run;
};

// Adds a command. Meant for static initialisation; not thread-safe. Aborts if the name is taken or
// a field is empty.
void RegisterCommand(Command command);

// All commands, by name.
std::vector<const Command*> Commands();

}  // namespace spillway::cli
