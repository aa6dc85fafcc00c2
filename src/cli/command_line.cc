// SPDX-License-Identifier: Apache-2.0
#include "src/cli/command_line.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "CLI/CLI.hpp"
#include "src/cli/number.h"

namespace spillway::cli {
namespace {

bool IsFlag(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

// What CLI11 could not place, a flag before a word: a mistyped flag leaves its value behind, and
// the value is not the mistake.
std::string FirstUnknown(const CLI::App& app) {
  std::vector<std::string> unknown = app.remaining();
  std::erase(unknown, "--");
  const auto flag = std::find_if(unknown.begin(), unknown.end(), IsFlag);
  if (flag != unknown.end()) return *flag;
  return unknown.empty() ? "" : unknown.front();
}

}  // namespace

const Flag& Flag::Required() const {
  option_->required();
  return *this;
}

const Flag& Flag::Excludes(const Flag& other) const {
  option_->excludes(other.option_);
  return *this;
}

const Flag& Flag::ShowDefault() const {
  option_->capture_default_str();
  return *this;
}

const Flag& Flag::OneOf(const std::vector<std::string>& values) const {
  option_->check(CLI::IsMember(values));
  return *this;
}

const Flag& Flag::Check(std::function<std::string(const std::string&)> complaint) const {
  option_->check(std::move(complaint), "");
  return *this;
}

CommandLine::CommandLine(const std::string& place, const std::string& summary,
                         const std::string& example)
    : app_(std::make_unique<CLI::App>(summary, "./" + place)) {
  app_->footer("\nExample: " + example);
  app_->get_formatter()->column_width(32);
  app_->allow_extras();  // reported by us, with a suggestion
}

CommandLine::~CommandLine() = default;

Flag CommandLine::Text(const std::string& names, std::string& value, const std::string& help) {
  return Flag(app_->add_option(names, value, help));
}

Flag CommandLine::Integer(const std::string& names, int64_t& value, int64_t low, int64_t high,
                          const std::string& help) {
  const Flag flag(app_->add_option(names, value, help));
  flag.Check([low, high](const std::string& text) { return CheckInteger(text, low, high); });
  return flag;
}

Flag CommandLine::Unsigned(const std::string& names, std::optional<uint64_t>& value,
                           const std::string& help) {
  const Flag flag(app_->add_option(names, value, help));
  flag.Check(CheckUint64);
  return flag;
}

Flag CommandLine::Texts(const std::string& names, std::vector<std::string>& values,
                        const std::string& help) {
  CLI::Option* option = app_->add_option(names, values, help);
  if (IsFlag(names)) option->allow_extra_args(false);
  return Flag(option);
}

Flag CommandLine::Switch(const std::string& names, bool& value, const std::string& help) {
  return Flag(app_->add_flag(names, value, help));
}

CommandLine::Outcome CommandLine::Parse(const std::vector<std::string>& words) {
  Outcome outcome;
  try {
    // CLI11 takes its arguments last first.
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    outcome.help = app_->help();
    return outcome;
  } catch (const CLI::Error& error) {
    outcome.complaint = error.what();
  }
  outcome.unknown = FirstUnknown(*app_);
  return outcome;
}

std::vector<std::string> CommandLine::LongFlags() const {
  std::vector<std::string> flags;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

}  // namespace spillway::cli
