// SPDX-License-Identifier: Apache-2.0
#include "src/stats/spark_characters.h"

namespace spillway::stats {

size_t SparkCharacterSize(char first) {
  const auto lead = static_cast<uint8_t>(first);
  if (lead < 0xC2 || lead > 0xF4) return 1;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

int64_t SparkLength(std::string_view text) {
  int64_t characters = 0;
  for (size_t at = 0; at < text.size(); at += SparkCharacterSize(text[at])) ++characters;
  return characters;
}

}  // namespace spillway::stats
