// SPDX-License-Identifier: Apache-2.0
#include "src/stats/like.h"

#include "src/base/status.h"
#include "src/base/utf8.h"

namespace spillway::stats {
namespace {

constexpr uint32_t kReplacementCode = 0xFFFD;

}  // namespace

absl::Status CheckLikePattern(std::string_view pattern) {
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '\\') continue;
    ++at;
    const char next = at < pattern.size() ? pattern[at] : '\0';
    if (next != '%' && next != '_' && next != '\\') {
      return base::Invalid("pattern: `\\` at byte ", at - 1, " of ", pattern.size(),
                           " stands before neither `%`, `_` nor `\\`");
    }
  }
  return absl::OkStatus();
}

bool IsLike(std::string_view text, std::string_view pattern) {
  size_t at = 0;        // in text
  size_t expected = 0;  // in pattern
  // The last `%`, and where the text goes on if it takes one character more.
  size_t after_percent = std::string_view::npos;
  size_t retry = 0;
  while (at < text.size() || expected < pattern.size()) {
    if (expected < pattern.size() && pattern[expected] == '%') {
      after_percent = ++expected;
      retry = at;
      continue;
    }
    if (at < text.size() && expected < pattern.size()) {
      if (pattern[expected] == '_') {
        at += base::NextCharacter(text.substr(at)).size;
        ++expected;
        continue;
      }
      const size_t literal = expected + (pattern[expected] == '\\' ? 1 : 0);
      if (pattern[literal] == text[at]) {
        ++at;
        expected = literal + 1;
        continue;
      }
    }
    if (after_percent == std::string_view::npos || retry >= text.size()) return false;
    retry += base::NextCharacter(text.substr(retry)).size;
    at = retry;
    expected = after_percent;
  }
  return true;
}

std::string LikePrefix(std::string_view pattern) {
  std::string prefix;
  while (!pattern.empty() && pattern[0] != '%' && pattern[0] != '_') {
    if (pattern[0] == '\\') pattern.remove_prefix(1);
    if (pattern.empty()) break;
    const base::Utf8Character c = base::NextCharacter(pattern);
    if (!c.valid || c.code == kReplacementCode) break;
    prefix += pattern.substr(0, c.size);
    pattern.remove_prefix(c.size);
  }
  return prefix;
}

}  // namespace spillway::stats
