// SPDX-License-Identifier: Apache-2.0
#pragma once
// The command line of one command: what it takes, and how that went. CLI11 parses it, behind this
// header: its own takes 20 seconds to compile with sanitizers.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace spillway::cli {

// A declared flag or argument. A value; valid as long as its CommandLine.
class Flag {
 public:
  explicit Flag(CLI::Option* option) : option_(option) {}

  const Flag& Required() const;
  // Not together with `other`.
  const Flag& Excludes(const Flag& other) const;
  // The help shows the value that the variable has now.
  const Flag& ShowDefault() const;
  const Flag& OneOf(const std::vector<std::string>& values) const;
  // `complaint` gets each value as it was typed and returns what is wrong with it, or nothing.
  const Flag& Check(std::function<std::string(const std::string&)> complaint) const;

 private:
  CLI::Option* option_;
};

class CommandLine {
 public:
  // `place` is "spillway inspect"; the other two stand at the begin and the end of the help.
  CommandLine(const std::string& place, const std::string& summary, const std::string& example);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Declares what Parse() stores into `value`, which stays as it is where nothing is given. `names`
  // is a flag ("--seed", "-s,--seed") or, without dashes, a positional argument ("FILE").
  Flag Text(const std::string& names, std::string& value, const std::string& help);
  // A whole number in decimal digits from `low` to `high`.
  Flag Integer(const std::string& names, int64_t& value, int64_t low, int64_t high,
               const std::string& help);
  // A whole number in decimal digits up to 2^64 - 1.
  Flag Unsigned(const std::string& names, std::optional<uint64_t>& value, const std::string& help);
  // A flag that may be repeated, each time with one value, or all positional arguments left.
  Flag Texts(const std::string& names, std::vector<std::string>& values, const std::string& help);
  // A flag without a value.
  Flag Switch(const std::string& names, bool& value, const std::string& help);

  struct Outcome {
    std::string help;       // asked for: its text. Nothing else is set then
    std::string complaint;  // what is wrong with a value or missing
    std::string unknown;    // the first flag, else the first word, that was not declared
  };
  // Parses the words behind the command's name. To be called once.
  Outcome Parse(const std::vector<std::string>& words);

  // Long names with their dashes.
  std::vector<std::string> LongFlags() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace spillway::cli
