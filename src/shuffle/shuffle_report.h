// SPDX-License-Identifier: Apache-2.0
#pragma once
// A shuffle write in words and as JSON.

#include <string>

#include "src/shuffle/shuffle_run.h"

namespace spillway::shuffle {

// How the run was set up, in the words of whoever set it up.
struct ShuffleSetting {
  std::string input;         // "gen:mix:1000000"
  std::string partitioning;  // "hash(c0) into 200 partitions"
  std::string pool;          // "greedy of 67108864 bytes"
  std::string policy;        // "step, 1048576 bytes at a time"
  std::string output;        // where the files stand; empty: nowhere any more
};

// Ends with a newline. The first `timeline` events, one a line.
std::string ShuffleText(const ShuffleSetting& setting, const ShuffleRunOptions& options,
                        const ShuffleRun& run, int64_t timeline);

// One object; all events that were kept. Ends with a newline.
std::string ShuffleJson(const ShuffleSetting& setting, const ShuffleRunOptions& options,
                        const ShuffleRun& run);

}  // namespace spillway::shuffle
