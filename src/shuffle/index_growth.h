// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a vector of Comet's grows. std::vector grows otherwise (libstdc++ reserves exactly what it is
// told), so capacities that are charged are computed here and never asked of a container.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace spillway::shuffle {

// The capacity, in elements, of a Rust Vec of `length` elements and `capacity` after it has made
// room for `added` more: unchanged if they fit, else max(2 * capacity, length + added, 4), the
// amortised rule of RawVec for elements of 2 to 1024 bytes. All arguments >= 0 and length <=
// capacity; sums stop at 2^63 - 1.
constexpr int64_t GrownCapacity(int64_t length, int64_t capacity, int64_t added) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kSmallest = 4;
  if (added <= capacity - length) return capacity;
  const int64_t doubled = capacity > kMax / 2 ? kMax : 2 * capacity;
  const int64_t needed = added > kMax - length ? kMax : length + added;
  return std::max({doubled, needed, kSmallest});
}

}  // namespace spillway::shuffle
