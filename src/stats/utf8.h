// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text one character at a time.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spillway::stats {

// U+FFFD, which Java's decoder puts in place of what is no UTF-8.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Utf8Character {
  uint32_t code = 0;
  size_t size = 1;     // bytes
  bool valid = false;  // false: one byte that begins no character, or a longer beginning of one
};

// The first character of `text`, which is not empty. Overlong forms, surrogates and code points
// over U+10FFFF are no characters; of a character cut short all the bytes there are count as one.
Utf8Character NextCharacter(std::string_view text);

// Bytes that a character with this first byte has by Spark's UTF8String, which looks at no other
// byte and so goes past the end of a text that is cut short: 1 for what begins none.
size_t SparkCharacterSize(char first);

void AppendUtf8(uint32_t code, std::string& out);

}  // namespace spillway::stats
