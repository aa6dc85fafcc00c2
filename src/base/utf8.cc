// SPDX-License-Identifier: Apache-2.0
#include "src/base/utf8.h"

#include <cstddef>
#include <cstdint>

namespace spillway::base {
namespace {

// What may follow a first byte: how many bytes, and the range of the next one, which is where
// overlong forms, surrogates and too large values show. The others are 80 to BF.
struct Tail {
  int bytes;
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
};

Tail TailOf(uint8_t first) {
  if (first < 0x80) return {0};
  if (first < 0xC2) return {-1};
  if (first < 0xE0) return {1};
  if (first == 0xE0) return {2, 0xA0};
  if (first == 0xED) return {2, 0x80, 0x9F};
  if (first < 0xF0) return {2};
  if (first == 0xF0) return {3, 0x90};
  if (first < 0xF4) return {3};
  if (first == 0xF4) return {3, 0x80, 0x8F};
  return {-1};
}

}  // namespace

bool IsUtf8(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    Tail tail = TailOf(static_cast<uint8_t>(bytes[at++]));
    if (tail.bytes < 0) return false;
    for (; tail.bytes > 0; tail = {tail.bytes - 1}) {
      if (at == bytes.size()) return false;
      const auto next = static_cast<uint8_t>(bytes[at++]);
      if (next < tail.low || next > tail.high) return false;
    }
  }
  return true;
}

}  // namespace spillway::base
