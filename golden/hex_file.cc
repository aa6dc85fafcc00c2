// SPDX-License-Identifier: Apache-2.0
#include "golden/hex_file.h"

#include <fstream>
#include <iterator>

#include "absl/strings/str_split.h"
#include "src/base/hex_text.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::golden {

absl::StatusOr<std::string> ReadFile(std::string_view path) {
  std::ifstream in(std::string(path), std::ios::binary);
  if (!in) return absl::NotFoundError(base::Cat(path, ": cannot be opened"));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

absl::StatusOr<std::string> FromHex(std::string_view text) { return base::FromHexText(text); }

absl::StatusOr<std::string> ReadHexFile(std::string_view path) {
  SPILLWAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return base::In(path, FromHex(text));
}

absl::StatusOr<std::vector<std::vector<std::string>>> ReadTable(std::string_view path) {
  SPILLWAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  std::vector<std::vector<std::string>> rows;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    if (line[0] == '#') continue;
    rows.push_back(absl::StrSplit(line, " | "));
  }
  return rows;
}

}  // namespace spillway::golden
