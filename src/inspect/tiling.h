// SPDX-License-Identifier: Apache-2.0
#pragma once
// The promise of an Explanation, for tests.

#include <cstdint>
#include <string>

#include "src/inspect/explanation.h"

namespace spillway::inspect {

// Empty if the parts of `whole`, at every level and in decompressed payloads, tile the region of
// `size` bytes; otherwise what is wrong first: "`values` begins at 40, not 39".
std::string FirstGap(const Explanation& whole, int64_t size);

}  // namespace spillway::inspect
