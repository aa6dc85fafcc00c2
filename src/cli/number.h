// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers on the command line. CLI11 takes one that is too large for the largest, and -1 as a large
// one; a flag that must not do that is declared with `->check(cli::CheckUint64)`.

#include <string>

namespace spillway::cli {

// Empty if `text` is a decimal number from 0 to 2^64 - 1, else what is wrong with it.
std::string CheckUint64(const std::string& text);

}  // namespace spillway::cli
