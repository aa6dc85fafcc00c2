// SPDX-License-Identifier: Apache-2.0
// Spillway's fuzz_test rule in another workspace.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/vector/type.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto type = spillway::vector::Type::Parse(text);
  if (type.ok() && !spillway::vector::Type::Parse((*type)->ToString()).ok()) __builtin_trap();
  return 0;
}
