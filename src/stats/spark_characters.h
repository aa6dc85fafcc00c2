// SPDX-License-Identifier: Apache-2.0
#pragma once
// Characters as Spark's UTF8String counts them. It looks at first bytes only, so what is no UTF-8
// has characters too, which may go past the end of the text (src/base/utf8.h has real ones).

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spillway::stats {

// Bytes that a character with this first byte has; 1 for a byte that begins none.
size_t SparkCharacterSize(char first);

// Characters of `text`, one that is cut short included: Spark's length().
int64_t SparkLength(std::string_view text);

}  // namespace spillway::stats
