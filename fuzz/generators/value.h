// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random values of scalar types, most of them at an edge.

#include <cstdint>
#include <string>

#include "src/base/random.h"
#include "src/vector/type.h"

namespace spillway::fuzz {

struct ValueOptions {
  bool extremes = true;        // the type's limits, infinities, -0.0, times before the epoch
  bool nans = true;            // NaNs with any sign and payload
  bool loose_booleans = true;  // true as any byte but 0
  bool long_strings = true;    // up to 2,000 bytes, and lengths about 256, where bounds are cut
};

// The bytes of one value as columns hold them: type.width() bytes, or a string's own. Always a
// value of the type: decimals within their precision, nanos below 10^9. Not for UNKNOWN or nested
// types.
std::string MakeValue(base::Random& random, const vector::Type& type, const ValueOptions& options);

// `size` arbitrary bytes.
std::string MakeBytes(base::Random& random, int64_t size);

}  // namespace spillway::fuzz
