// SPDX-License-Identifier: Apache-2.0
#include "golden/doc_examples.h"

#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "golden/hex_file.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::golden {
namespace {

using Lines = std::vector<std::string>;

// What stands between the backticks that `cell` begins and ends with; empty if it has none.
std::string Code(absl::string_view cell) {
  cell = absl::StripAsciiWhitespace(cell);
  for (const char* quotes : {"``", "`"}) {
    if (absl::ConsumePrefix(&cell, quotes) && absl::ConsumeSuffix(&cell, quotes)) {
      return std::string(cell);
    }
  }
  return "";
}

// The cells of a table's row, without the empty ones at its ends; none if it is no row.
std::vector<std::string> Cells(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "|") || !absl::ConsumeSuffix(&line, "|")) return {};
  return absl::StrSplit(line, '|');
}

// The rows of the table whose header is at `at`, which stands on its last row afterwards.
absl::StatusOr<std::vector<DocChange>> ReadTable(const Lines& lines, size_t* at) {
  std::vector<DocChange> changes;
  for (*at += 2; *at < lines.size() && !Cells(lines[*at]).empty(); ++*at) {
    const std::vector<std::string> cells = Cells(lines[*at]);
    if (cells.size() != 2 || Code(cells[0]).empty()) {
      return base::Invalid("not a change and a message: ", lines[*at]);
    }
    changes.push_back({Code(cells[0]), Code(cells[1])});
  }
  --*at;
  return changes;
}

// The example that begins behind `at`, a fence; `at` stands on its closing fence afterwards.
absl::StatusOr<DocExample> ReadFence(const Lines& lines, size_t* at) {
  DocExample example;
  std::string hex;
  for (++*at; *at < lines.size() && lines[*at] != "```"; ++*at) {
    absl::string_view line = lines[*at];
    if (hex.empty() && absl::ConsumePrefix(&line, "# ")) {
      example.name = std::string(line.substr(0, line.find(':')));
    }
    hex += lines[*at] + "\n";
  }
  if (example.name.empty()) return base::Invalid("an example without a name");
  SPILLWAY_ASSIGN_OR_RETURN(example.bytes, FromHex(hex));
  return example;
}

absl::StatusOr<std::string> Bytes(absl::string_view hex) { return FromHex(base::ToStd(hex)); }

}  // namespace

absl::StatusOr<std::vector<DocExample>> ReadDocExamples(std::string_view path) {
  SPILLWAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const Lines lines = absl::StrSplit(text, '\n');
  std::vector<DocExample> examples;
  for (size_t at = 0; at < lines.size(); ++at) {
    if (lines[at] == "```hex") {
      const std::string where = base::Cat(path, ":", at + 1);
      SPILLWAY_ASSIGN_OR_RETURN(DocExample example, base::In(where, ReadFence(lines, &at)));
      examples.push_back(std::move(example));
      continue;
    }
    if (!absl::StartsWith(lines[at], "| change |")) continue;
    const std::string where = base::Cat(path, ":", at + 1);
    SPILLWAY_ASSIGN_OR_RETURN(const std::vector<DocChange> changes,
                              base::In(where, ReadTable(lines, &at)));
    if (examples.empty()) return base::Invalid(where, ": changes of no example");
    examples.back().changes.insert(examples.back().changes.end(), changes.begin(), changes.end());
  }
  return examples;
}

absl::StatusOr<std::string> ApplyEdit(std::string bytes, std::string_view edit) {
  absl::string_view rest = base::ToAbsl(edit);
  uint32_t at = 0;
  if (absl::ConsumePrefix(&rest, "add ")) {
    SPILLWAY_ASSIGN_OR_RETURN(const std::string more, Bytes(rest));
    return bytes + more;
  }
  if (absl::ConsumePrefix(&rest, "cut ")) {
    if (!absl::SimpleAtoi(rest, &at) || at >= bytes.size()) {
      return base::Invalid("no cut of ", bytes.size(), " bytes: ", edit);
    }
    return bytes.substr(0, at);
  }
  const std::vector<absl::string_view> sides = absl::StrSplit(rest, " = ");
  if (sides.size() != 2 || !absl::SimpleAtoi(sides[0], &at)) {
    return base::Invalid("not an edit: ", edit);
  }
  SPILLWAY_ASSIGN_OR_RETURN(const std::string patch, Bytes(sides[1]));
  if (at + patch.size() > bytes.size()) return base::Invalid("past the end: ", edit);
  return bytes.replace(at, patch.size(), patch);
}

}  // namespace spillway::golden
