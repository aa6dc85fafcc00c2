// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words of a predicate's text. A part of predicate_text.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace spillway::stats {

struct Token {
  enum class Kind : uint8_t {
    kWord,        // letters, digits, _
    kQuotedName,  // "a ""b"""
    kNumber,      // 12, -0.5, 1e-3
    kString,      // 'it\'s', x'c328'
    kSymbol,      // ( ) [ ] , - = == <=> < <= > >= != <>
    kEnd,
  };
  Kind kind;
  size_t begin;  // bytes of the text: [begin, end)
  size_t end;
  std::string value;  // what it spells: without quotes and escapes
};

// The tokens of `text`, the last of them kEnd. InvalidArgument with the byte of what is no token.
absl::StatusOr<std::vector<Token>> Tokenize(std::string_view text);

}  // namespace spillway::stats
