// SPDX-License-Identifier: Apache-2.0
#include "src/base/suggest.h"

#include <algorithm>
#include <utility>

namespace spillway::base {
namespace {

constexpr size_t kLongestWord = 64;

}  // namespace

int EditDistance(std::string_view a, std::string_view b) {
  // Row i holds the distances from a's first i bytes to each prefix of b.
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string Nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > kLongestWord) return "";
  int least = (static_cast<int>(word.size()) + 2) / 3 + 1;
  std::string nearest;
  for (const std::string& candidate : known) {
    const int distance = EditDistance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace spillway::base
