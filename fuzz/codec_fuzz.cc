// SPDX-License-Identifier: Apache-2.0
// Coverage-guided: any bytes as a page, frames and a column block; see reader_property.h.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzz/reader_property.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto broken = spillway::fuzz::BrokenRule({reinterpret_cast<const char*>(data), size});
  if (!broken.has_value()) return 0;
  std::fprintf(stderr, "%s\n", broken->c_str());
  std::abort();
}
