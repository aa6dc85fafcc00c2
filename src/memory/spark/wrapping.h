// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums as the JVM makes them: 64-bit two's complement.

#include <cstdint>

namespace spillway::memory::spark {

constexpr int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

constexpr int64_t WrapSubtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

}  // namespace spillway::memory::spark
