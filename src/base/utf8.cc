// SPDX-License-Identifier: Apache-2.0
#include "src/base/utf8.h"

namespace spillway::base {

Utf8Character NextCharacter(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  uint32_t code = lead & (0x7F >> size);
  for (size_t i = 1; i < size; ++i) {
    if (i == text.size()) return {0, i, false};
    const auto byte = static_cast<uint8_t>(text[i]);
    // The second byte of E0, ED, F0 and F4 has a narrower range.
    const uint8_t low = i > 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = i > 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte < low || byte > high) return {0, i, false};
    code = code << 6 | (byte & 0x3F);
  }
  return {code, size, true};
}

bool IsUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const Utf8Character c = NextCharacter(bytes);
    if (!c.valid) return false;
    bytes.remove_prefix(c.size);
  }
  return true;
}

void AppendUtf8(uint32_t code, std::string& out) {
  const auto tail = [&](int shift) {
    out += static_cast<char>(0x80 | ((code >> shift) & 0x3F));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace spillway::base
