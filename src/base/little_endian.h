// SPDX-License-Identifier: Apache-2.0
#pragma once
// Unaligned little-endian loads and stores. Both supported targets (x86-64,
// aarch64) are little-endian, so each compiles to one plain move.

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace spillway::base {

static_assert(std::endian::native == std::endian::little, "big-endian hosts are not supported");

template <typename T>
T Load(const void* at) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T>
void Store(void* at, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(at, &value, sizeof(T));
}

}  // namespace spillway::base
