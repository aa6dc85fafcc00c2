// SPDX-License-Identifier: Apache-2.0
#include "src/cli/point_at.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "src/base/strings.h"

namespace spillway::cli {
namespace {

constexpr std::string_view kPosition = " at position ";
constexpr size_t kShownBefore = 60;
constexpr size_t kShown = 90;

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
  const size_t start = position > kShownBefore ? position - kShownBefore : 0;
  std::string shown(text.substr(start, kShown));
  std::replace_if(shown.begin(), shown.end(), absl::ascii_iscntrl, ' ');
  return base::Cat(complaint, "\n  ", shown, "\n  ", std::string(position - start, ' '), "^");
}

}  // namespace spillway::cli
