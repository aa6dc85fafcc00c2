// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/loader.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"
#include "google/protobuf/text_format.h"
#include "sim/scenario/combinations.h"
#include "sim/scenario/key_trace.h"
#include "sim/scenario/override.h"
#include "sim/scenario/places.h"
#include "sim/scenario/ranges.h"
#include "sim/scenario/text_errors.h"
#include "sim/scenario/text_file.h"
#include "src/base/random.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::sim {
namespace {

using google::protobuf::TextFormat;

constexpr int64_t kMaxBytes = int64_t{1} << 20;

bool IsNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Line `line` of `text`, both from 1, without its line feed.
std::string_view LineOf(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
  return text.substr(0, text.find('\n'));
}

// The name before the last `:` or `{`: protobuf's complaints about a value do not name its field.
// Empty if there is none.
std::string FieldAtEnd(std::string_view line) {
  const size_t mark = line.find_last_of(":{");
  if (mark == std::string_view::npos) return "";
  line = line.substr(0, mark);
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  size_t begin = line.size();
  while (begin > 0 && IsNamePart(line[begin - 1])) --begin;
  return std::string(line.substr(begin));
}

absl::Status SyntaxError(const FirstError& error, std::string_view text, std::string_view file) {
  const std::string_view before =
      LineOf(text, error.line()).substr(0, static_cast<size_t>(error.column() - 1));
  const std::string& what = error.message();
  int column = error.column();
  std::string field;
  const size_t unknown = what.find("no field named \"");
  if (unknown != std::string::npos) {
    // The parser stands behind the name that it does not know.
    const size_t name = what.find('"', unknown) + 1;
    const size_t at = before.rfind(what.substr(name, what.find('"', name) - name));
    if (at != std::string_view::npos) column = static_cast<int>(at) + 1;
  } else if (what.find("field \"") == std::string::npos) {
    field = FieldAtEnd(before);
  }
  return base::Invalid(file, ":", error.line(), ":", column, ": ",
                       field.empty() ? "" : base::Cat("field `", field, "`: "), what);
}

}  // namespace

absl::StatusOr<Scenario> ParseScenario(std::string_view text, std::string_view file,
                                       const std::vector<std::string>& overrides) {
  FirstError error;
  TextFormat::ParseInfoTree tree;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.WriteLocationsTo(&tree);
  Scenario scenario;
  if (!parser.ParseFromString(std::string(text), &scenario)) {
    return SyntaxError(error, text, file);
  }
  Places places(file);
  NotePlaces(scenario, tree, std::string(file), "", places);
  for (const std::string& assignment : overrides) {
    SPILLWAY_RETURN_IF_ERROR(ApplyOverride(assignment, scenario, places));
  }
  SPILLWAY_RETURN_IF_ERROR(CheckRanges(scenario, "", places));
  SPILLWAY_RETURN_IF_ERROR(LoadKeyTraces(scenario, places));
  SPILLWAY_RETURN_IF_ERROR(CheckCombinations(scenario, places));
  return scenario;
}

absl::StatusOr<Scenario> LoadScenario(const std::string& path,
                                      const std::vector<std::string>& overrides) {
  const std::string from_user = UserPath(path);
  SPILLWAY_ASSIGN_OR_RETURN(const std::string text, ReadText(from_user, kMaxBytes));
  return ParseScenario(text, from_user, overrides);
}

std::string ConfigDigest(const Scenario& scenario) {
  Scenario without_seed = scenario;
  without_seed.clear_seed();
  // A stream's first number is a hash of its name.
  const uint64_t hash = base::Random::Stream(0, without_seed.SerializeAsString()).Next();
  return absl::StrFormat("%08x", static_cast<uint32_t>(hash >> 32));
}

}  // namespace spillway::sim
