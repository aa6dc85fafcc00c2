// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers on the command line. CLI11 by itself takes one that is too large for the largest, and -1
// as a large one.

#include <cstdint>
#include <string>

namespace spillway::cli {

// Empty if `text` is a decimal number from 0 to 2^64 - 1, else what is wrong with it.
std::string CheckUint64(const std::string& text);

// The same for 0 <= `low` to `high`.
std::string CheckInteger(const std::string& text, int64_t low, int64_t high);

}  // namespace spillway::cli
