// SPDX-License-Identifier: Apache-2.0
#include "src/base/hex_text.h"

#include <cstdint>
#include <optional>

#include "absl/strings/escaping.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::base {
namespace {

constexpr size_t kBytesPerLine = 32;

std::optional<uint8_t> Digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct Position {
  int64_t line = 1;
  int64_t column = 1;

  std::string Text() const { return Cat("line ", line, ", column ", column); }
  void Pass(char c) {
    ++column;
    if (c == '\n') *this = {line + 1, 1};
  }
};

}  // namespace

absl::StatusOr<std::string> FromHexText(std::string_view text) {
  std::string bytes;
  int high = -1;  // the first digit of a byte, if it waits for its second
  Position at;
  Position high_at;
  bool comment = false;
  for (const char c : text) {
    if (c == '#') comment = true;
    if (c == '\n') comment = false;
    if (!comment && !IsSpace(c)) {
      const std::optional<uint8_t> digit = Digit(c);
      if (!digit.has_value()) {
        return Invalid(at.Text(), ": `", absl::CEscape(ToAbsl({&c, 1})),
                       "` is no hexadecimal digit");
      }
      if (high >= 0) {
        bytes += static_cast<char>(high << 4 | *digit);
        high = -1;
      } else {
        high = *digit;
        high_at = at;
      }
    }
    at.Pass(c);
  }
  if (high >= 0) return Invalid(high_at.Text(), ": a digit without a second one");
  return bytes;
}

std::string ToHexText(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(3 * bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
    out += i + 1 == bytes.size() || (i + 1) % kBytesPerLine == 0 ? '\n' : ' ';
  }
  return out;
}

bool IsText(std::string_view bytes) {
  bool comment = false;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '#') comment = true;
    if (c == '\n') comment = false;
    if ((byte < ' ' && !IsSpace(c)) || byte == 127 || (byte > 127 && !comment)) return false;
  }
  return !bytes.empty();
}

}  // namespace spillway::base
