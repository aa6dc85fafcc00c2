// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/positive_remainder.h"

#include "src/shuffle/murmur3_avx2.h"

namespace spillway::shuffle {

void PositiveRemainder::Apply(std::span<uint32_t> hashes) const {
  static const bool avx2 = HasAvx2();
  size_t row = 0;
  if (avx2) {
    row = static_cast<size_t>(RemaindersAvx2(divisor_, factor_, shift_,
                                             static_cast<int64_t>(hashes.size()), hashes.data()));
  }
  for (; row < hashes.size(); ++row) hashes[row] = (*this)(hashes[row]);
}

}  // namespace spillway::shuffle
