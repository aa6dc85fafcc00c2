// SPDX-License-Identifier: Apache-2.0
#include "src/cli/run.h"

#include <algorithm>
#include <new>
#include <string_view>

#include "src/base/suggest.h"
#include "src/cli/command.h"
#include "src/cli/command_line.h"
#include "src/cli/version.h"

namespace spillway::cli {
namespace {

constexpr std::string_view kFlags[] = {"--help", "--version", "--commands"};

void PrintHelp(std::ostream& out) {
  out << "Spillway: the table-cache format and the shuffle memory policy of columnar Spark "
         "engines.\n\n"
         "Usage: ./spillway COMMAND [ARGUMENTS]\n\n"
         "Commands (`./spillway COMMAND --help` for the flags of one):\n";
  size_t width = 0;
  for (const Command* command : Commands()) width = std::max(width, command->name.size());
  for (const Command* command : Commands()) {
    out << "  " << command->name << std::string(width + 2 - command->name.size(), ' ')
        << command->summary << "\n";
    out << std::string(width + 4, ' ') << command->example << "\n";
  }
  out << "\n"
         "Flags:\n"
         "  -h, --help   this text\n"
         "  --version    the version\n"
         "  --commands   the names of the commands, one a line\n\n"
         "Exit code: 0 success, 1 bad input, 2 bad usage.\n";
}

int UsageError(std::ostream& err, const std::string& place, const std::string& what,
               const std::string& suggestion = "") {
  err << place << ": " << what;
  if (!suggestion.empty()) err << "; did you mean `" << suggestion << "`?";
  err << "\nSee `./" << place << " --help`.\n";
  return kBadUsage;
}

bool IsFlag(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

int RunCommand(const Command& command, const std::vector<std::string>& args, std::ostream& out,
               std::ostream& err) {
  const std::string place = "spillway " + command.name;
  CommandLine line(place, command.summary, command.example);
  command.options(line);
  const auto [help, complaint, unknown] = line.Parse(args);
  if (!help.empty()) {
    out << help;
    return kSuccess;
  }
  if (IsFlag(unknown)) {
    const std::string flag = unknown.substr(0, unknown.find('='));
    // By long names only: between single letters every one is near.
    return UsageError(err, place, "unknown flag `" + flag + "`",
                      base::Nearest(flag, line.LongFlags()));
  }
  if (!complaint.empty()) return UsageError(err, place, complaint);
  if (!unknown.empty()) return UsageError(err, place, "unexpected argument `" + unknown + "`");
  try {
    return command.run();
  } catch (const std::bad_alloc&) {
    err << place << ": out of memory\n";
    return kBadInput;
  }
}

}  // namespace

int Run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  if (args.empty()) {
    PrintHelp(err);
    return kBadUsage;
  }
  const std::string& word = args.front();
  if (word == "--help" || word == "-h") {
    PrintHelp(out);
    return kSuccess;
  }
  if (word == "--version") {
    out << "spillway " << kVersion << "\n";
    return kSuccess;
  }
  std::vector<std::string> names;
  for (const Command* command : Commands()) names.push_back(command->name);
  if (word == "--commands") {
    for (const std::string& name : names) out << name << "\n";
    return kSuccess;
  }
  for (const Command* command : Commands()) {
    if (command->name == word) {
      return RunCommand(*command, {args.begin() + 1, args.end()}, out, err);
    }
  }
  names.insert(names.end(), std::begin(kFlags), std::end(kFlags));
  return UsageError(err, "spillway",
                    (IsFlag(word) ? "unknown flag `" : "unknown command `") + word + "`",
                    base::Nearest(word, names));
}

}  // namespace spillway::cli
