// SPDX-License-Identifier: Apache-2.0
#include "golden/hex_file.h"

#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/str_split.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::golden {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string WithoutComments(std::string_view text) {
  std::string out;
  bool comment = false;
  for (const char c : text) {
    if (c == '#') comment = true;
    if (c == '\n') comment = false;
    if (!comment) out += c;
  }
  return out;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(std::string_view path) {
  std::ifstream in(std::string(path), std::ios::binary);
  if (!in) return absl::NotFoundError(base::Cat(path, ": cannot be opened"));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

absl::StatusOr<std::string> FromHex(std::string_view text) {
  std::string bytes;
  int high = -1;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) continue;
    const int digit = HexDigit(text[i]);
    if (digit < 0) return base::Invalid("no hexadecimal digit at position ", i);
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high * 16 + digit);
      high = -1;
    }
  }
  if (high >= 0) return base::Invalid("an odd number of hexadecimal digits");
  return bytes;
}

absl::StatusOr<std::string> ReadHexFile(std::string_view path) {
  SPILLWAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return base::In(path, FromHex(WithoutComments(text)));
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
