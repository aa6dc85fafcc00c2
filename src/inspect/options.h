// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "src/page/page.h"

namespace spillway::inspect {

struct WalkOptions {
  page::PageReadOptions read = {};  // limits, and the codec of a compressed page
  int64_t preview = 8;              // values, rows, offsets or ids shown of a list
  // Parts listed at most; the bytes behind them become one part.
  int64_t max_parts = 100'000;
  // Types that are guessed at most, in a page or frame whose schema is not known.
  int64_t max_guesses = int64_t{1} << 20;
};

}  // namespace spillway::inspect
