// SPDX-License-Identifier: Apache-2.0
#include "src/cli/number.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace spillway::cli {

std::string CheckUint64(const std::string& text) {
  uint64_t value = 0;
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  if (!digits) return "`" + text + "` is not a whole number";
  if (!absl::SimpleAtoi(text, &value)) return text + " is over 18446744073709551615";
  return "";
}

std::string CheckInteger(const std::string& text, int64_t low, int64_t high) {
  std::string complaint = CheckUint64(text);
  if (!complaint.empty()) return complaint;
  uint64_t value = 0;
  static_cast<void>(absl::SimpleAtoi(text, &value));
  if (value < static_cast<uint64_t>(low)) return text + " is under " + std::to_string(low);
  if (value > static_cast<uint64_t>(high)) return text + " is over " + std::to_string(high);
  return "";
}

}  // namespace spillway::cli
