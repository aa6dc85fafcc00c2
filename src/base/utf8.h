// SPDX-License-Identifier: Apache-2.0
#pragma once
// UTF-8 as The Unicode Standard has it (table 3-7): no overlong forms, no surrogates, nothing above
// U+10FFFF.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spillway::base {

struct Utf8Character {
  uint32_t code = 0;
  size_t size = 1;     // bytes
  bool valid = false;  // false: one byte that begins no character, or a longer beginning of one
};

// The first character of `text`, which is not empty. Of a character cut short all the bytes there
// are count as one.
Utf8Character NextCharacter(std::string_view text);

// Whether `bytes` are characters only.
bool IsUtf8(std::string_view bytes);

// Appends the character of `code`, at most U+10FFFF.
void AppendUtf8(uint32_t code, std::string& out);

}  // namespace spillway::base
