// SPDX-License-Identifier: Apache-2.0
#include "src/cli/point_at.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "src/base/status.h"
#include "src/base/strings.h"

namespace spillway::cli {
namespace {

constexpr std::string_view kPosition = " at position ";
constexpr size_t kShownBefore = 60;
constexpr size_t kShown = 90;

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// `complaint`, a part of `text` around `position`, and the mark. A character of several bytes takes
// one place.
std::string Marked(std::string_view text, size_t position, std::string_view complaint) {
  size_t start = position > kShownBefore ? position - kShownBefore : 0;
  while (start < position && Continues(text[start])) ++start;
  std::string shown(text.substr(start, kShown));
  while (start + shown.size() < text.size() && Continues(text[start + shown.size()])) {
    shown.pop_back();
  }
  const std::string_view before = text.substr(start, position - start);
  const auto indent =
      std::count_if(before.begin(), before.end(), [](char c) { return !Continues(c); });
  std::replace_if(shown.begin(), shown.end(), absl::ascii_iscntrl, ' ');
  return base::Cat(complaint, "\n  ", shown, "\n  ", std::string(indent, ' '), "^");
}

}  // namespace

std::string PointAt(std::string_view text, std::string_view complaint) {
  const size_t found = complaint.rfind(kPosition);
  size_t position = 0;
  if (found == std::string_view::npos ||
      !absl::SimpleAtoi(base::ToAbsl(complaint.substr(found + kPosition.size())), &position) ||
      position > text.size()) {
    return std::string(complaint);
  }
  // The text is shown below.
  const std::string quoted = base::Cat("type `", text.substr(0, 200), "`: ");
  if (complaint.starts_with(quoted)) complaint.remove_prefix(quoted.size());
  return Marked(text, position, complaint);
}

std::string PointAt(std::string_view text, const absl::Status& error) {
  const std::string_view complaint = base::ToStd(error.message());
  const std::optional<int64_t> byte = base::ByteOffset(error);
  if (!byte || *byte < 0 || static_cast<size_t>(*byte) > text.size()) {
    return std::string(complaint);
  }
  return Marked(text, static_cast<size_t>(*byte), complaint);
}

}  // namespace spillway::cli
