// SPDX-License-Identifier: Apache-2.0
// The least that a fuzz target can be.
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) { return 0; }
